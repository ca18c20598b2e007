/*
 * export.h - `mcpluad export-tool-spec`: the lists of an app as a file
 *
 *     {"tools":[
 *     {"name":"add",...},
 *     {"name":"price",...}
 *     ]}
 *
 * One item on a line, in the order of the list, each byte for byte as the
 * server sends it: a change of one tool is a change of one line.
 *
 * Layer:  cli. Uses features/prepared, app/app, cli/file, cli/json_text,
 *         cli/local.
 * Thread: main.
 */
#ifndef MCP_CLI_EXPORT_H
#define MCP_CLI_EXPORT_H

#include <stddef.h>

#include "app/app.h"
#include "base/err.h"
#include "cli/command_table.h"
#include "protocol/endpoint.h"

/* Writes what `app` has to `cli->output`, or to `fd` when that is NULL or "-".
 * Errors, each with a one-line `message`: MCP_EINTERNAL it cannot be written,
 * or a source of skills fails;
 * MCP_ENOMEM. */
enum mcp_err mcp_export_run(struct mcp_app *app, struct mcp_endpoint *endpoint,
                            const struct mcp_cli *cli, int fd, char *message,
                            size_t message_size) MCP_MUST_USE;

#endif
