/*
 * list.h - `mcpluad list`: what clients see of an app
 *
 * Layer:  cli. Uses cli/local, cli/check (types), cli/options.
 * Thread: main.
 */
#ifndef MCP_CLI_LIST_H
#define MCP_CLI_LIST_H

#include "app/app.h"
#include "base/err.h"
#include "cli/options.h"

struct mcp_endpoint;

/* Writes tools, resources, templates, prompts and routes to `fd`: for people,
 * or with --format json as the lists of 2026-07-28 in one object. Errors, told
 * in `message`: MCP_EINTERNAL `fd` does not take it; MCP_ENOMEM.
 */
enum mcp_err mcp_list_run(struct mcp_app *app, struct mcp_endpoint *endpoint,
                          const struct mcp_cli *cli, int fd, char *message,
                          size_t message_size) MCP_MUST_USE;

#endif
