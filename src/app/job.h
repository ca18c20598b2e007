/*
 * job.h - one run of a handler, from its arguments to its outcome
 *
 * Layer:  app. Uses app/outcome, app/registry, base/call.
 * Thread: one owner at a time: who submitted it, then a worker.
 */
#ifndef MCP_APP_JOB_H
#define MCP_APP_JOB_H

#include <stdint.h>

#include "app/outcome.h"
#include "app/registry.h"
#include "base/call.h"

struct mcp_apart;
struct mcp_ask;

/* What `args` is: of a tool and a prompt, the arguments; of a resource, the
 * variables of its template (strings; an absent one is left out) or {}; of a
 * completer { "value": what was typed, "arguments": { those already chosen } },
 * where the first reaches it as its parameter and the second as ctx.arguments.
 * `resource` or `prompt` is set for their completers too. */

/* One run of a handler. The maker allocates it (in the call's arena),
 * fills the first part and gives it to mcp_app_run(). */
struct mcp_job {
    struct mcp_call *call;
    const struct mcp_generation *gen;  /* a REF that finish gives back       */
    const struct mcp_handler *handler; /* of gen: what runs                 */
    const struct mcp_tool *tool;       /* of gen; NULL: not a tool        */
    const struct mcp_resource *resource; /* of gen; NULL: not a resource    */
    const struct mcp_prompt *prompt;     /* of gen; NULL: not a prompt      */
    const struct mcp_route *route;       /* of gen; NULL: not over plain HTTP */
    const char *uri;             /* resource: the URI that is read          */
    const struct mcp_json *args; /* validated; object; in call->arena       */
    /* Called before finish when a handler has returned, and before the app's
     * hooks hear of it; may make a failure of `outcome`. NULL: nothing to do.
     */
    void (*check)(struct mcp_job *job);
    void (*finish)(struct mcp_job *job); /* called once, on a worker thread;
                                            `outcome` is filled              */
    void *user;                          /* the maker's                      */
    const struct mcp_apart *apart; /* NULL: a request waits for the outcome;
                                      BORROWED (app/apart.h)                */

    struct mcp_outcome outcome; /* freed by finish with mcp_outcome_free()   */

    /* private to app/ */
    struct mcp_job *next;
    uint64_t deadline_ns, wake_ns, queued_ns;
    void *state;
    struct mcp_ask *ask; /* its questions; NULL: none yet (app/ask.h) */
    bool woken;          /* before it was parked; under the pool's lock */
    bool aside;   /* it waits, and its state does not count as lent     */
    bool resting; /* apart->rest() has been told so                     */
};

#endif
