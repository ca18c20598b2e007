/*
 * timers.h - runs the timers of the current generation
 *
 * Each timer has a beat: so many seconds after the publish, and again after as
 * many. At a beat its function is handed to the workers as a job that no
 * client waits for; while that has not ended, further beats are skipped. When
 * another generation is published the old one's timers beat no more; a run
 * that is under way ends as it would have.
 *
 * Layer:  app, private to it. Uses app/job, app/pool, app/registry. No lua.h.
 * Thread: one of its own, which is there when a generation has timers; the
 *         functions here: any.
 */
#ifndef MCP_APP_TIMERS_H
#define MCP_APP_TIMERS_H

#include <stdbool.h>

#include "app/job.h"
#include "app/registry.h"
#include "base/err.h"

struct mcp_timers;

/* Frees what is left; it was stopped, and no run is under way. */
void mcp_timers_free(struct mcp_timers *t);

/* `submit` takes a job as mcp_app_run() does. OWNED. NULL: out of memory. */
struct mcp_timers *
mcp_timers_new(enum mcp_err (*submit)(void *user, struct mcp_job *job),
               void *user) MCP_OWNED(mcp_timers_free) MCP_MUST_USE;

/* The timers of `gen` (BORROWED for the call) beat from now on, those of the
 * generation before no more. An older generation than that is ignored. */
void mcp_timers_follow(struct mcp_timers *t, const struct mcp_generation *gen);

/* The clock has been put forward (mcp_clock_ahead_ns): what is due now beats.
 */
void mcp_timers_clock_moved(struct mcp_timers *t);

/* No beat from now on; runs that are under way still end in here. */
void mcp_timers_stop(struct mcp_timers *t);

#endif
