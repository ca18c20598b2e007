/*
 * bridge.h - `mcpluad bridge`: the command line of transport/bridge.h
 *
 * Layer:  cli. Uses transport/bridge, base/config_value, cli/command_table.
 * Thread: main.
 */
#ifndef MCP_CLI_BRIDGE_H
#define MCP_CLI_BRIDGE_H

#include <stddef.h>

#include "base/arena.h"
#include "base/config.h"
#include "base/err.h"
#include "cli/command_table.h"
#include "transport/bridge.h"

/* Makes `*out` of what the command line says; its texts are in `a` or BORROWED
 * from argv. out->url stays NULL when --app is to tell it.
 * Errors: MCP_EINVAL something is wrong, `message` says what would be right;
 * MCP_ENOMEM. */
enum mcp_err mcp_bridge_options_make(const struct mcp_cli *cli,
                                     struct mcp_arena *a,
                                     struct mcp_bridge_options *out,
                                     char *message,
                                     size_t message_size) MCP_MUST_USE;

/* The URL of an app that is served with `config`, in `a`. An address that
 * stands for all of a machine becomes the loopback one.
 * Errors: MCP_EINVAL it has none, see `message`; MCP_ENOMEM. */
enum mcp_err mcp_bridge_url_of(const struct mcp_config *config,
                               struct mcp_arena *a, const char **url,
                               char *message, size_t message_size) MCP_MUST_USE;

/* Splits `text` into words as a shell does, with '...', "..." and \; nothing
 * is expanded. `*argv` ends with NULL.
 * Errors: MCP_EINVAL a quote is not closed, or there is no word;
 * MCP_ENOMEM. */
enum mcp_err mcp_bridge_split(struct mcp_arena *a, const char *text,
                              char ***argv) MCP_MUST_USE;

#endif
