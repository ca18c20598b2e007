/*
 * launch.h - a handler's run: from a request down to the app and back
 *
 *     request -> job -> queue     (caller's thread)
 *     outcome -> result or fault  (worker)
 *
 * Layer:  features. Uses app/app, features/notify, features/request.
 * Thread: starts on the caller's thread, lands on a worker.
 */
#ifndef MCP_FEATURES_LAUNCH_H
#define MCP_FEATURES_LAUNCH_H

#include <stdbool.h>

#include "app/job.h"
#include "features/request.h"

/* What a feature does with the outcomes that differ from feature to feature.
 */
struct mcp_landing {
    /* Of a result: may make a failure of it, before the app's hooks hear of it.
     * NULL: every result is good. */
    void (*check)(struct mcp_request *rq, const struct mcp_job *job,
                  struct mcp_outcome *o);
    /* These write the result to call->out or set the fault. */
    void (*result)(struct mcp_request *rq, const struct mcp_job *job,
                   const struct mcp_outcome *o);
    /* MCP_OUTCOME_NOT_FOUND; NULL: cannot be */
    void (*not_found)(struct mcp_request *rq, const struct mcp_job *job);
    /* In the place of `result` and `not_found`: true: another job was launched
     * for the request, which that one ends; nothing of the request may be
     * touched any more. False: the request ends. NULL: one job is all. */
    bool (*next)(struct mcp_request *rq, const struct mcp_job *job,
                 const struct mcp_outcome *o);
};

/* Hands a job like `what` (handler, what it belongs to, uri, args) to the app.
 * True: the request ends later. False: it is the caller's to end, the fault is
 * set. */
bool mcp_launch(struct mcp_request *rq, const struct mcp_job *what,
                const struct mcp_landing *landing) MCP_MUST_USE;

/* The fault of a handler that failed where only a tool may answer by a result:
 * -32603 with this static message, and what the app has to say as data. */
void mcp_launch_fail(struct mcp_request *rq, const char *message,
                     const struct mcp_outcome *o);

#endif
