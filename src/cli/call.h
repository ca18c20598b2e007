/*
 * call.h - `mcpluad call`: runs one tool and shows its result
 *
 * Layer:  cli. Uses app/app, cli/local, cli/options.
 * Thread: main.
 */
#ifndef MCP_CLI_CALL_H
#define MCP_CLI_CALL_H

#include <stdbool.h>

#include "app/app.h"
#include "base/err.h"
#include "cli/options.h"

struct mcp_endpoint;

/* Calls the tool that `cli` names. Its texts, or with --format json the whole
 * result, go to `fd`; what it did wrong, to stderr. `*succeeded`: did it?
 * Errors, told in `message`: MCP_EINVAL no such tool, or arguments that cannot
 * be read; MCP_EINTERNAL `fd` does not take the result; MCP_ENOMEM. */
enum mcp_err mcp_call_run(struct mcp_app *app, struct mcp_endpoint *endpoint,
                          const struct mcp_cli *cli, int fd, bool *succeeded,
                          char *message, size_t message_size) MCP_MUST_USE;

#endif
