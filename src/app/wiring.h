/*
 * wiring.h - what runs around the calls of an app: the end of a call, and hooks
 *
 * lua/mcp/pipeline.lua composes guards, dependencies and hooks around a
 * handler. However the call ended (return, error, yield, time, memory, cancel),
 * what is to be done then is done from here, as no Lua of the call may be left
 * to do it.
 *
 * Layer:  app, private to it. Uses app/state, app/runner; includes lua.h.
 * Thread: the owner of the Lua state.
 */
#ifndef MCP_APP_WIRING_H
#define MCP_APP_WIRING_H

#include <lua.h>

#include "app/job.h"
#include "app/runner.h"
#include "app/state.h"

/* Adds to the table at the top of the stack (which stays there):
 *
 *   keep_finish(f)      f(fault | nil) does one thing that is left of a call,
 *                       and tells whether there is more; while the app loads
 *   expect_finish()     this call wants f to be called
 *   keep_life(f)        f(name) runs the hooks of that name: "on_startup", ...
 *   log_fault(text)     a warning
 *   now() -> seconds    of a clock that never goes back
 */
void mcp_wiring_open(lua_State *L);

/* Ends a call: f until nothing is left, a second each; nothing at all unless
 * the call asked for it. The outcome of `job` is told, not changed. Returns how
 * the last of it ended: as mcp_runner_run(). */
enum mcp_run_end mcp_wiring_finish(struct mcp_runner *runner,
                                   struct mcp_state *st,
                                   const struct mcp_job *job) MCP_MUST_USE;

/* Runs the hooks called `name`, for at most `seconds`; what fails is logged.
 * Returns how they ended. */
enum mcp_run_end mcp_wiring_life(struct mcp_runner *runner,
                                 struct mcp_state *st, const char *name,
                                 double seconds) MCP_MUST_USE;

#endif
