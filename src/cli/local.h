/*
 * local.h - requests to the loaded app without a transport
 *
 * What goes in is a request of 2026-07-28 as over any transport, so whatever
 * the endpoint checks is checked here too; what the app says meanwhile
 * (progress, log lines) goes to stderr.
 *
 * Layer:  cli. Uses protocol/endpoint, base.
 * Thread: main.
 */
#ifndef MCP_CLI_LOCAL_H
#define MCP_CLI_LOCAL_H

#include "base/arena.h"
#include "base/config.h"
#include "base/err.h"
#include "base/json.h"

struct mcp_endpoint;

/* Sends `method` with the members in `params` ("\"name\":\"x\"", JSON without
 * the braces; "": none) and waits for the answer. `*answer` is the whole
 * response; it lives in `arena`, as do `method` and `params`.
 * Errors: MCP_ENOMEM; MCP_EINTERNAL the answer is no JSON. */
enum mcp_err mcp_local_request(struct mcp_endpoint *endpoint,
                               const struct mcp_config *config,
                               struct mcp_arena *arena, const char *method,
                               const char *params,
                               const struct mcp_json **answer) MCP_MUST_USE;

/* All of `out` to `fd`; false, with errno, when it cannot be. */
bool mcp_local_write(int fd, const struct mcp_buf *out);

#endif
