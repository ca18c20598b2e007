/*
 * ask_kept.h - what a run apart starts from: answers, values of ctx.memo, state
 *
 *     request --> open --> write --> (kept somewhere) --> read --> a run apart
 *
 * Layer:  app. Uses app/job, base. No lua.h.
 * Thread: the owner of the job.
 */
#ifndef MCP_APP_ASK_KEPT_H
#define MCP_APP_ASK_KEPT_H

#include <stdbool.h>

#include "app/job.h"
#include "base/buf.h"
#include "base/err.h"

/* Reads what the parameters of a request bring of answers and state into the
 * job of that request. False: job->outcome is the error that refuses them. */
bool mcp_ask_kept_open(struct mcp_job *job) MCP_MUST_USE;

/* Writes them, and what was kept since, as a JSON object. */
void mcp_ask_kept_write(const struct mcp_job *job, struct mcp_buf *out);

/* Sets up a job that has not run yet: `state` as written above or NULL, what
 * the client has answered by name, and the keys that were in use (objects, in
 * the call's arena; NULL: none). Errors: MCP_EINVAL; MCP_ENOMEM. */
enum mcp_err mcp_ask_kept_read(struct mcp_job *job,
                               const struct mcp_json *state,
                               const struct mcp_json *answers,
                               const struct mcp_json *keys) MCP_MUST_USE;

#endif
