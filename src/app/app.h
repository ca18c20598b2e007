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

#include "app/job.h"
#include "app/options.h"
#include "app/registry.h"
#include "base/call.h"
#include "base/config.h"
#include "base/err.h"

struct mcp_app;

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

/* A response of the client of `session` to a question of one of its calls.
 * False: nobody asked. */
bool mcp_app_answer(struct mcp_app *app, const struct mcp_session *session,
                    const struct mcp_json *response);

/* An answer to the question `key` of the run apart (app/apart.h) that has this
 * call. False: the question is not out. */
bool mcp_app_answer_apart(struct mcp_app *app, const struct mcp_call *call,
                          const char *key, const struct mcp_json *answer);

/* How many handlers may run at once, those that wait not counted. */
size_t mcp_app_max_workers(struct mcp_app *app);

/* The session is over, or the client of a call that may go on without it has
 * left: questions to it get no answer any more. */
void mcp_app_session_ended(struct mcp_app *app,
                           const struct mcp_session *session);
void mcp_app_client_left(struct mcp_app *app, const struct mcp_call *call);

/* Builds the next generation from the files as they are now and swaps it in;
 * calls in flight end on the old one. Returns at once; a broken script changes
 * nothing and is logged with file and line. */
void mcp_app_reload(struct mcp_app *app);

/* The clock has been put forward (mcp_clock_ahead_ns): sleepers, deadlines and
 * timers that are due now are. */
void mcp_app_clock_moved(struct mcp_app *app);

/* Does no handler run or wait for its turn now? One that sleeps, or waits for
 * its client, does neither. */
bool mcp_app_is_idle(struct mcp_app *app);

/* The dictionaries of mcp.shared (app/shared.h); BORROWED. */
struct mcp_shared *mcp_app_shared(struct mcp_app *app);

/* Can it serve? (For /readyz.) Never touches Lua. */
bool mcp_app_ready(struct mcp_app *app);

/* How calls are isolated: "request (image copy, 94 KiB)", "fresh states: C
 * module \"socket.core\" is loaded", ... BORROWED until the next
 * call; main thread. */
const char *mcp_app_isolation(struct mcp_app *app);

#endif
