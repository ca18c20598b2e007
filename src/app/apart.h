/*
 * apart.h - a run that has no request behind it any more: a task's
 *
 * The request has been answered, the handler runs on. Its questions cannot go
 * out with an answer or on a stream: whoever made the run carries them. While
 * it waits (for an answer, or asleep) it has its Lua state, but no worker, and
 * its state does not count as lent.
 *
 *     mcp_ask_kept_read() --> mcp_app_run() --> [ask, keep, rest]... --> finish
 *
 * Layer:  app. Uses app/job, base. No lua.h.
 * Thread: callbacks come on the thread that has the job, except rest(false),
 *         which may come on any; none may wait.
 */
#ifndef MCP_APP_APART_H
#define MCP_APP_APART_H

#include <stdbool.h>
#include <stddef.h>

#include "app/job.h"
#include "base/err.h"

/* A question that is out. Texts live as long as the call. */
struct mcp_apart_question {
    const char *key;     /* never used before in this run's life              */
    const char *name;    /* as the handler calls it; `key`, but for a second
                            question of that name                              */
    const char *request; /* {"method":...,"params":...} */
    size_t request_len;
};

struct mcp_apart {
    const char *id;   /* ctx.task.id                                       */
    double timeout_s; /* for handlers that have none of their own          */

    /* The run waits until each of them has had mcp_app_answer_apart(). Errors:
     * MCP_ENOMEM; MCP_ECANCELED the run is to end. */
    enum mcp_err (*ask)(struct mcp_job *job, const struct mcp_apart_question *q,
                        size_t count);
    /* What a second run of the handler would start from has changed: a JSON
     * object for mcp_ask_kept_read(). */
    void (*keep)(struct mcp_job *job, const char *state, size_t len);
    /* The run gives its worker back, or goes on. */
    void (*rest)(struct mcp_job *job, bool rests);
};

#endif
