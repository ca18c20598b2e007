/*
 * run.h - one call through the app's handler, from its arguments to an outcome
 *
 * Layer:  app, private to it. Uses app/slots, app/pool, app/result_job; lua.h.
 * Thread: a worker.
 */
#ifndef MCP_APP_RUN_H
#define MCP_APP_RUN_H

#include "app/job.h"
#include "app/pool.h"
#include "app/runner.h"

/* Starts `job`, or goes on with it after it was parked. When it ends, its
 * state goes back, and job->finish() is called; when it parks, the pool has
 * it. */
void mcp_run(struct mcp_pool *pool, struct mcp_runner *runner,
             struct mcp_job *job);

#endif
