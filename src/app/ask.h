/*
 * ask.h - what a handler asks its client, and what is known of the answers
 *
 * In 2026-07-28 a call that lacks an answer ends, and comes again with it in
 * params.inputResponses. Earlier answers, the values of ctx.memo and the app's
 * own state travel in params.requestState, sealed (base/seal): bound to the
 * principal, the method, the item and every other parameter, for ten minutes.
 *
 *     open --> find ... find --> all known: the handler goes on
 *                           \-> write_required: the call ends
 *
 * In the 2025 revisions the answers come while the call waits (ask_wait.h) and
 * are kept here as well.
 *
 * Layer:  app, private to it. Uses app/job, base/seal, base/schema. No lua.h.
 * Thread: the owner of the job.
 * Source: MCP 2026-07-28, basic/patterns/mrtr, client/elicitation.
 */
#ifndef MCP_APP_ASK_H
#define MCP_APP_ASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/job.h"
#include "base/buf.h"

enum {
    MCP_ASK_STATE_MAX_BYTES = 1 << 20, /* of a state before sealing          */
};

enum mcp_ask_kind { MCP_ASK_ELICIT, MCP_ASK_SAMPLE, MCP_ASK_ROOTS };

/* One question of a handler; texts in the call's arena. */
struct mcp_question {
    const char *key;
    size_t key_len;
    enum mcp_ask_kind kind;
    const char *feature; /* "form", "url", "tools" or NULL                 */
    const char *request; /* {"method":...,"params":...}                    */
    size_t request_len;
    const struct mcp_json *schema; /* of a form, else NULL               */
};

/* JSON values by name, newest first; in the call's arena. */
struct mcp_ask_entry {
    struct mcp_ask_entry *next;
    const char *key;
    size_t key_len;
    const struct mcp_json *value;
};

struct mcp_ask {
    struct mcp_ask_entry *answers, *memos;
    struct mcp_ask_entry *asked;  /* keys of this run                      */
    struct mcp_ask_entry *issued; /* keys of a run apart, of all its life  */
    const struct mcp_json *responses;  /* params.inputResponses, or NULL   */
    const struct mcp_json *state;      /* a string of the app's, or NULL   */
    const struct mcp_json *next_state; /* the one for the next run        */
    unsigned numbers[3];               /* questions without a key, by kind */

    /* while it waits (ask_wait.h) */
    struct mcp_ask_wait *waits;
    size_t unanswered;
    uint64_t left_ns; /* of the time limit, when it began to wait          */
    bool waiting;     /* parked, or about to be                            */
    bool again;       /* the handler runs from the top with the answers    */
};

/* The job's record, made when it is not there yet. NULL: the arena is full. */
struct mcp_ask *mcp_ask_of(struct mcp_job *job);

/* Reads what the parameters of a modern call bring. False: job->outcome is the
 * error -32602 that refuses them. */
bool mcp_ask_open(struct mcp_job *job) MCP_MUST_USE;

/* The value of key[0..len) in a list, or NULL. */
const struct mcp_json *mcp_ask_find(const struct mcp_ask_entry *list,
                                    const char *key, size_t len);

/* Puts a value in front of a list; it and the key are copied as text into the
 * call's arena. False: no memory. */
bool mcp_ask_keep(struct mcp_job *job, struct mcp_ask_entry **list,
                  const char *key, size_t len, const struct mcp_json *value);

/* A copy of `v` that borrows from nothing but the arena. NULL: it is full. */
const struct mcp_json *mcp_ask_copy(struct mcp_arena *a,
                                    const struct mcp_json *v);

/* Is `answer` what the question asked for? Writes what is wrong to `problem`;
 * else `*out` is the answer with the defaults of its form, in the arena.
 * Errors: MCP_EINVAL; MCP_ENOMEM. */
enum mcp_err mcp_ask_check(struct mcp_job *job, const struct mcp_question *q,
                           const struct mcp_json *answer,
                           const struct mcp_json **out,
                           struct mcp_buf *problem) MCP_MUST_USE;

/* Has the client said that it can answer this? */
bool mcp_ask_is_possible(const struct mcp_job *job,
                         const struct mcp_question *q);

/* The outcome says that the client cannot answer the `count` questions that
 * mcp_ask_is_possible() refuses: -32021 in 2026-07-28, else a failure. */
void mcp_ask_refuse(struct mcp_job *job, const struct mcp_question *q,
                    size_t count);

/* Has the client the capabilities of this object ({"sampling":{},...})? False:
 * the outcome says which are missing. */
bool mcp_ask_require(struct mcp_job *job, const struct mcp_json *needed);

/* The outcome is a failure with this text: a result with isError of a tool, an
 * error -32602 of anything else. */
void mcp_ask_fail(struct mcp_job *job, const char *text, size_t len);

/* The outcome asks the questions; `state[0..len)` is the app's own, or NULL. */
void mcp_ask_write_required(struct mcp_job *job, const struct mcp_question *q,
                            size_t count, const char *state, size_t len);

/* What a state of this call is bound to: appends it to `out`. */
enum mcp_err mcp_ask_write_bound(const struct mcp_job *job,
                                 struct mcp_buf *out) MCP_MUST_USE;

/* Reads an opened state text[0..len), in the call's arena, at the time `now_s`
 * (since 1970). NULL, or what is wrong with it. */
const char *mcp_ask_read_state(struct mcp_job *job, const char *text,
                               size_t len, int64_t now_s);

/* The same for one that is a tree already. */
const char *mcp_ask_take_state(struct mcp_job *job, const struct mcp_json *tree,
                               int64_t now_s);

/* What is known so far as such a state, not sealed. */
void mcp_ask_write_state(struct mcp_buf *out, const struct mcp_ask *ask);

/* Tells whoever carries a run apart what is known so far. False: it is too
 * large to be kept. */
bool mcp_ask_tell_kept(struct mcp_job *job);

#endif
