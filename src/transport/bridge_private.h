/*
 * bridge_private.h - the parts of a bridge
 *
 *     bridge.c           the loop: poll, lines in, lines out, the end
 *     bridge_line.c      what a line of the client becomes
 *     bridge_call.c      calls: made, queued, started when they may, ended
 *     bridge_transfer.c  a call as a transfer of libcurl
 *     bridge_answer.c    what the remote says, to the client
 *     bridge_end.c       a transfer has ended: retry, resume, answer, error
 *     bridge_session.c   sessions of the 2025 revisions
 *     bridge_kept.c      what must be said again in a new session
 *     bridge_fetch.c     tools/list for the headers of tools/call
 *
 * A call is one message on its way. It is made in state QUEUED and becomes
 * DONE; only the loop frees it then, so whoever holds a pointer during a step
 * of the loop may keep it for that step.
 *
 *     QUEUED --may start--> ACTIVE --the transfer ends--> DONE
 *        ^                     |
 *        +------- a retry -----+--- resume later --> RESTING --> QUEUED
 *
 * Layer:  transport; private to bridge*.c. Uses base.
 * Thread: one.
 */
#ifndef MCP_TRANSPORT_BRIDGE_PRIVATE_H
#define MCP_TRANSPORT_BRIDGE_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "transport/bridge.h"
#include "transport/bridge_curl.h"
#include "transport/bridge_message.h"
#include "transport/bridge_pipe.h"
#include "transport/bridge_sse.h"
#include "transport/bridge_token.h"
#include "transport/bridge_tools.h"

enum {
    MCP_BRIDGE_ERROR = -32001, /* the remote, or the way to it */

    MCP_BRIDGE_ACTIVE_MAX = 512, /* transfers; listen streams beside them */
    MCP_BRIDGE_LISTEN_MAX = 512,
    MCP_BRIDGE_CALLS_MAX = 4096,                /* then stdin waits      */
    MCP_BRIDGE_BODIES_BYTES = 64 * 1024 * 1024, /* not yet answered: same */
    MCP_BRIDGE_OUT_HIGH_BYTES = 1024 * 1024,    /* the remote waits      */
    MCP_BRIDGE_OUT_LOW_BYTES = 256 * 1024,      /* and goes on           */
    MCP_BRIDGE_HELD_BYTES = 64 * 1024 * 1024,   /* half answers, together */
};

enum mcp_bridge_role {
    MCP_BRIDGE_OF_CLIENT, /* a line */
    MCP_BRIDGE_FETCH,     /* tools/list of our own                    */
    MCP_BRIDGE_RENEW,     /* initialize, again                        */
    MCP_BRIDGE_READY,     /* notifications/initialized, again         */
    MCP_BRIDGE_STREAM,    /* GET: what the remote says by itself      */
    MCP_BRIDGE_REPEAT,    /* what the lost session knew               */
    MCP_BRIDGE_DELETE,    /* the session is not needed any more       */
};

enum mcp_bridge_state {
    MCP_BRIDGE_QUEUED,
    MCP_BRIDGE_ACTIVE,
    MCP_BRIDGE_RESTING,
    MCP_BRIDGE_DONE,
};

enum mcp_bridge_form {
    MCP_BRIDGE_UNKNOWN, /* nothing has come */
    MCP_BRIDGE_JSON,    /* or no body, or of an error status whatever */
    MCP_BRIDGE_SSE,
    MCP_BRIDGE_OTHER,
};

struct mcp_bridge;

/* An id that the client waits for, as JSON text. */
struct mcp_bridge_id {
    const char *text;
    size_t len;
    bool answered;
};

struct mcp_bridge_call {
    struct mcp_bridge *b;
    struct mcp_bridge_call *prev, *next; /* in the order of arrival */
    enum mcp_bridge_role role;
    enum mcp_bridge_state state;

    /* the message; texts are in `arena` */
    struct mcp_arena *arena;
    const char *body;
    size_t body_len;
    const char *name; /* the method, for the log */
    enum mcp_bridge_kind kind;
    bool modern, is_listen, is_tool_call, is_list, is_first_page;
    bool is_initialize, is_initialized, is_kept;
    struct mcp_bridge_id *ids;
    size_t id_count, unanswered;
    bool cancelled; /* legacy: it may end without an answer */

    /* what it was sent with, and what was tried already */
    uint64_t token_run, tools_version, session_serial;
    bool token_retried, tools_retried, tools_tried, session_retried;

    /* the transfer */
    CURL *easy;
    struct curl_slist *headers;
    char error[CURL_ERROR_SIZE];
    long status;
    enum mcp_bridge_form form;
    char *session_id; /* that the answer gave; OWNED by free() */
    char note[256];   /* Location or WWW-Authenticate           */
    struct mcp_buf answer;
    struct mcp_sse sse;
    bool sse_open, paused;
    bool finished;       /* no more is wanted of the stream          */
    const char *failure; /* why we end it ourselves, in `arena`      */
    curl_off_t sent_bytes;
    bool sent_all;
    uint64_t active_ns;             /* when something last moved */
    uint64_t rest_ns;               /* RESTING, or finished: until then */
    char last_id[MCP_SSE_ID_BYTES]; /* to resume behind */
    bool resuming;
    unsigned attempts; /* to resume, without anything new */
    int64_t retry_ms;  /* what the stream asked for, or MCP_SSE_NO_RETRY */
};

enum mcp_bridge_session_state {
    MCP_SESSION_NONE,
    MCP_SESSION_OPENING, /* the client's initialize is under way   */
    MCP_SESSION_OPEN,
    MCP_SESSION_LOST, /* the remote does not know it any more   */
    MCP_SESSION_RENEWING,
};

struct mcp_bridge_session {
    enum mcp_bridge_session_state state;
    bool settling; /* notifications/initialized is under way */
    uint64_t serial;
    char *id, *version;                     /* NULL: none; OWNED by free() */
    struct mcp_buf initialize, initialized; /* as the client sent them     */
    struct mcp_bridge_call *stream;
    struct mcp_bridge_kept *kept;
    size_t kept_count;
};

enum mcp_bridge_tools_state {
    MCP_TOOLS_UNKNOWN,
    MCP_TOOLS_FETCHING,
    MCP_TOOLS_KNOWN,
};

struct mcp_bridge {
    const struct mcp_bridge_options *o;
    struct mcp_curl curl;
    CURLM *multi;
    struct mcp_bridge_in in;
    struct mcp_bridge_out out;
    struct mcp_bridge_token token;
    struct mcp_bridge_session session;
    struct mcp_bridge_tools tools, seen; /* seen: the client's list, so far */
    enum mcp_bridge_tools_state tools_state;
    uint64_t tools_version;
    unsigned pages; /* of the present tools/list */

    struct mcp_bridge_call calls; /* head of the list */
    size_t call_count, active_count, listen_count;
    size_t body_bytes, held_bytes;
    uint64_t next_id;
    bool client_is_legacy; /* it has sent initialize */
    bool ending;           /* no input any more      */
    bool reap;             /* a call is DONE         */
    bool out_of_memory;
    char *shown_url; /* without what is secret in it; OWNED by free() */
};

/* ---- bridge_line.c ------------------------------------------------------ */

/* Takes a line of the client. */
void mcp_bridge_take_line(struct mcp_bridge *b, const char *text, size_t len);

/* ---- bridge_call.c ------------------------------------------------------ */

/* A queued call that sends body[0..len), which is copied. `text_bytes`: what
 * else its arena will hold. NULL: out of memory. */
struct mcp_bridge_call *mcp_bridge_call_new(struct mcp_bridge *b,
                                            enum mcp_bridge_role role,
                                            const char *body,
                                            size_t len) MCP_MUST_USE;

/* A queued request of our own, with an id that no client uses; `method` is
 * static, `params` JSON. NULL: out of memory. */
struct mcp_bridge_call *mcp_bridge_request_new(struct mcp_bridge *b,
                                               enum mcp_bridge_role role,
                                               const char *method,
                                               const struct mcp_buf *params);

/* Appends an id that is waited for. */
enum mcp_err mcp_bridge_call_add_id(struct mcp_bridge_call *c,
                                    const struct mcp_json *id) MCP_MUST_USE;

/* It is over; the transfer is broken off when there is one. */
void mcp_bridge_call_end(struct mcp_bridge_call *c);

/* Once more from the start. */
void mcp_bridge_call_again(struct mcp_bridge_call *c);

/* Not now, but in `ms`. */
void mcp_bridge_call_rest(struct mcp_bridge_call *c, uint64_t ms);

/* Starts what may start. */
void mcp_bridge_calls_start(struct mcp_bridge *b);

/* Ends what has been silent for too long, wakes what has rested. */
void mcp_bridge_calls_check(struct mcp_bridge *b);

/* Nanoseconds until mcp_bridge_calls_check() has something to do, at most
 * `most`. */
uint64_t mcp_bridge_calls_wait_ns(const struct mcp_bridge *b, uint64_t most);

/* Frees what is DONE; all of it if `every`. */
void mcp_bridge_calls_reap(struct mcp_bridge *b, bool every);

/* ---- bridge_transfer.c -------------------------------------------------- */

/* Hands the call to libcurl. Errors: MCP_ENOMEM; MCP_EINTERNAL it refuses. */
enum mcp_err mcp_bridge_transfer_start(struct mcp_bridge_call *c) MCP_MUST_USE;

/* The head of the answer is there: sets status and form. */
void mcp_bridge_transfer_find_form(struct mcp_bridge_call *c);

/* Takes it back, whatever it has done. */
void mcp_bridge_transfer_stop(struct mcp_bridge_call *c);

/* Those that waited for the client to read may go on. */
void mcp_bridge_transfers_resume(struct mcp_bridge *b);

/* ---- bridge_answer.c ---------------------------------------------------- */

/* A JSON-RPC error to the client; `id` is NULL when there is none. `status`:
 * of HTTP, 0 when there is none. */
void mcp_bridge_write_error(struct mcp_bridge *b,
                            const struct mcp_bridge_id *id, int code,
                            const char *message, long status);

/* Each id of the call that is still waited for gets an error -32001, the log
 * a line, and the call is DONE. */
void mcp_bridge_call_fail(struct mcp_bridge_call *c, const char *fmt, ...)
    MCP_PRINTF(2, 3);

/* A message that came for `c`. Returns false when it is no JSON. */
bool mcp_bridge_take_message(struct mcp_bridge_call *c, const char *text,
                             size_t len);

/* Parses an answer; the tree is in `*arena`, which is OWNED even when this
 * returns NULL. */
const struct mcp_json *mcp_bridge_parse(const char *text, size_t len,
                                        struct mcp_arena **arena,
                                        struct mcp_json_error *error);

/* ---- bridge_end.c ------------------------------------------------------- */

/* The transfer of `c` has ended with `code`. */
void mcp_bridge_transfer_ended(struct mcp_bridge_call *c, CURLcode code);

/* The transfer has not moved for too long. */
void mcp_bridge_transfer_late(struct mcp_bridge_call *c);

/* It cannot even begin; `why` is one line. */
void mcp_bridge_call_refuse(struct mcp_bridge_call *c, const char *why);

/* ---- bridge_session.c --------------------------------------------------- */

/* May a message of the client that is not modern be sent now? Begins to renew
 * a lost session. */
bool mcp_bridge_session_admits(struct mcp_bridge_call *c);

/* `c`, which is initialize, is about to be sent, or has ended; `result` is
 * NULL when it failed. */
void mcp_bridge_session_opening(struct mcp_bridge_call *c);
void mcp_bridge_session_opened(struct mcp_bridge_call *c,
                               const struct mcp_json *result);

/* The same for notifications/initialized, `c`: what is behind it waits. */
void mcp_bridge_session_settling(struct mcp_bridge_call *c);
void mcp_bridge_session_settled(struct mcp_bridge_call *c);

/* The remote answered 404 to `c`: its session is gone. */
void mcp_bridge_session_lost(struct mcp_bridge_call *c);

/* A call of role RENEW, READY or STREAM has ended. */
void mcp_bridge_session_ended(struct mcp_bridge_call *c, CURLcode code);

/* Closes the stream and sends DELETE. */
void mcp_bridge_session_close(struct mcp_bridge *b);

void mcp_bridge_session_free(struct mcp_bridge_session *s);

/* ---- bridge_kept.c ------------------------------------------------------ */

/* Does the session remember what this message says? */
bool mcp_bridge_is_kept(const struct mcp_bridge_message *m);

/* The remote has accepted `c`, which is such a message. */
void mcp_bridge_keep(const struct mcp_bridge_call *c);

/* Says all of it again, in the present session. */
void mcp_bridge_kept_repeat(struct mcp_bridge *b);

void mcp_bridge_kept_clear(struct mcp_bridge_session *s);

/* ---- bridge_fetch.c ----------------------------------------------------- */

/* Are the headers of this tools/call known? Begins to fetch the list when they
 * are not. */
bool mcp_bridge_tools_ready(struct mcp_bridge_call *c);

/* A call of role FETCH has ended. */
void mcp_bridge_fetch_ended(struct mcp_bridge_call *c, CURLcode code);

/* The client got this answer to its own tools/list. */
void mcp_bridge_tools_seen(const struct mcp_bridge_call *c,
                           const struct mcp_json *answer);

/* The list is not what it was. */
void mcp_bridge_tools_changed(struct mcp_bridge *b);

#endif
