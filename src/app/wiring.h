/*
 * wiring.h - what runs around the calls of an app: the end of a call, and hooks
 *
 * lua/mcp/pipeline.lua composes guards, dependencies and hooks around a
 * handler. However the call ended (return, error, yield, time, memory, cancel),
 * what is to be done then is done from here, as no Lua of the call may be left
 * to do it.
 *
 * Layer:  app, private to it. Uses app/state, app/runner; lua.h.
 * Thread: the owner of the Lua state.
 */
#ifndef MCP_APP_WIRING_H
#define MCP_APP_WIRING_H

#include "app/job.h"
#include "app/runner.h"
#include "app/state.h"

/* Ends a call: keep_finish()'s function until nothing is left, a second each;
 * nothing at all unless the call asked for it. The outcome of `job` is told,
 * not changed. Returns how the last of it ended: as mcp_runner_run(). */
enum mcp_run_end mcp_wiring_finish(struct mcp_runner *runner,
                                   struct mcp_state *st,
                                   const struct mcp_job *job) MCP_MUST_USE;

/* Runs the hooks called `name`, for at most `seconds`; what fails is logged.
 * Returns how they ended. */
enum mcp_run_end mcp_wiring_life(struct mcp_runner *runner,
                                 struct mcp_state *st, const char *name,
                                 double seconds) MCP_MUST_USE;

#endif
