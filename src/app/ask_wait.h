/*
 * ask_wait.h - questions that are out while the job waits
 *
 * The requests went out on the stream of a legacy call. The client's response
 * comes as a message of its own, in the same session; its id says which
 * question it answers. Those of a run apart (app/apart.h) are carried by
 * whoever made it. Meanwhile the job is parked: without a worker, and its time
 * limit stands still.
 *
 *     begin --> [answer]... --> all answered, too late, gone --> end --> text
 *
 * Layer:  app, private to it. Uses app/ask, app/pool. No lua.h.
 * Thread: begin and end: the owner of the job; the rest: any.
 * Source: MCP 2025-11-25, client/elicitation, client/sampling, client/roots.
 */
#ifndef MCP_APP_ASK_WAIT_H
#define MCP_APP_ASK_WAIT_H

#include "app/ask.h"
#include "app/pool.h"

enum mcp_ask_end {
    MCP_ASK_OPEN, /* no answer so far           */
    MCP_ASK_ANSWERED,
    MCP_ASK_SESSION_ENDED,
    MCP_ASK_CLIENT_LEFT,
};

struct mcp_ask_wait {
    struct mcp_ask_wait *next;  /* of the same job                        */
    struct mcp_ask_wait *other; /* of all                                 */
    struct mcp_job *job;
    const struct mcp_question *question;
    char id[40];
    const char *key; /* of a run apart: instead of the id; in the arena */
    enum mcp_ask_end end;
    char *text; /* the response, OWNED                                    */
    size_t len;
};

/* Sends the questions and lists the job as waiting. The questions live in the
 * call's arena. On an error nothing is listed. Errors: MCP_EBUSY too many jobs
 * wait; MCP_ENOMEM; MCP_ECANCELED the client has left; MCP_EINVAL it takes no
 * messages before the answer; MCP_ELIMIT it reads too slowly. A run apart waits
 * for as long as it takes, and knows the second and third only. */
enum mcp_err mcp_ask_wait_begin(struct mcp_job *job,
                                const struct mcp_question *q,
                                size_t count) MCP_MUST_USE;

/* The job goes on: its questions are listed no more, ask->waits tells how each
 * of them ended. Harmless for a job that does not wait. */
void mcp_ask_wait_end(struct mcp_job *job);

/* Frees what the answers hold. */
void mcp_ask_wait_free(struct mcp_job *job);

/* A response of the client of `session`. False: nobody waits for it. */
bool mcp_ask_wait_answer(struct mcp_pool *pool,
                         const struct mcp_session *session,
                         const struct mcp_json *response);

/* An answer to question `key` of the run apart that has this call. False:
 * nobody waits for it. */
bool mcp_ask_wait_answer_apart(struct mcp_pool *pool,
                               const struct mcp_call *call, const char *key,
                               const struct mcp_json *answer);

/* The session has ended, or (`session` NULL) the client of `call` has left:
 * whoever waits for it goes on. */
void mcp_ask_wait_drop(struct mcp_pool *pool, const struct mcp_session *session,
                       const struct mcp_call *call);

#endif
