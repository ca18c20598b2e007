/*
 * app.h - the Lua application: load it, run its handlers, end it
 *
 * Layer:  app, its face to the layers above. Uses app/registry, app/outcome,
 *         base. No lua.h.
 * Thread: any, unless said.
 */
#ifndef MCP_APP_APP_H
#define MCP_APP_APP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/outcome.h"
#include "app/registry.h"
#include "base/call.h"
#include "base/config.h"
#include "base/err.h"

struct mcp_app;

/* One run of a tool's handler. The maker allocates it (in the call's arena),
 * fills the first part and gives it to mcp_app_run(). */
struct mcp_job {
    struct mcp_call *call;
    const struct mcp_generation *gen; /* a REF that finish gives back        */
    const struct mcp_tool *tool;      /* of gen                              */
    const struct mcp_json *args;      /* validated; object; in call->arena   */
    void (*finish)(struct mcp_job *job); /* called once, on a worker thread;
                                            `outcome` is filled              */
    void *user;                          /* the maker's                      */

    struct mcp_outcome outcome; /* freed by finish with mcp_outcome_free()   */

    /* private to app/ */
    struct mcp_job *next;
    uint64_t deadline_ns, wake_ns, queued_ns;
    void *state;
};

struct mcp_app_options {
    const char *path;                /* app.lua                              */
    const struct mcp_config *config; /* flags and environment; BORROWED      */
    /* Called on a fresh generation before it is published; may set
     * gen->prepared. Errors stop the load; `message` says why. */
    enum mcp_err (*prepare)(void *user, struct mcp_generation *gen,
                            char *message, size_t message_size);
    void *prepare_user;
    bool watch; /* reload when a file of the app changes (--dev)             */
    /* Called after a reload, on the loader's thread. May be NULL. Both
     * generations are BORROWED for the call. */
    void (*published)(void *user, const struct mcp_generation *old,
                      const struct mcp_generation *now);
    void *published_user;
};

/* Stops the workers (running handlers are interrupted), closes every state.
 * False: a handler is blocked inside a C library and may still go on. Nothing
 * was freed, nothing that it uses may be: the process has to end. */
bool mcp_app_close(struct mcp_app *app);

/* Loads the app and starts the workers. `*out` is OWNED: mcp_app_close().
 * Errors, with a one-line `message` that has file:line where there is one:
 * MCP_ENOENT no such file; MCP_EINVAL the script or a declaration is wrong;
 * MCP_ETIMEOUT load_timeout passed; MCP_ENOMEM. */
enum mcp_err mcp_app_open(const struct mcp_app_options *options,
                          struct mcp_app **out, char *message,
                          size_t message_size) MCP_MUST_USE;

/* The current generation as a REF: give it back by mcp_generation_release(). */
const struct mcp_generation *mcp_app_acquire(struct mcp_app *app);

/* Queues `job`; the job and its call are TAKEN until finish().
 * Errors: MCP_EBUSY the queue is full or the app is closing: nothing was
 * taken, finish will not be called. */
enum mcp_err mcp_app_run(struct mcp_app *app, struct mcp_job *job) MCP_MUST_USE;

/* Interrupts what runs or waits for `call` soon; its finish comes with
 * MCP_OUTCOME_CANCELED. The caller has set call->cancelled and guarantees that
 * the call lives; harmless when nothing runs for it. */
void mcp_app_cancel(struct mcp_app *app, struct mcp_call *call);

/* Builds the next generation from the files as they are now and swaps it in;
 * calls in flight end on the old one. Returns at once; a broken script changes
 * nothing and is logged with file and line. */
void mcp_app_reload(struct mcp_app *app);

/* Can it serve? (For /readyz.) Never touches Lua. */
bool mcp_app_ready(struct mcp_app *app);

/* How calls are isolated: "request (image copy, 94 KiB)", "fresh states: C
 * module \"socket.core\" is loaded", ... BORROWED until the next
 * call; main thread. */
const char *mcp_app_isolation(struct mcp_app *app);

#endif
