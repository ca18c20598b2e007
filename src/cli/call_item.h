/*
 * call_item.h - what `mcpluad call` is about: a tool, a resource, a prompt
 *
 *     add a=1          the tool of that name
 *     app://config     else what looks like a URI is read
 *     greet who=Bo     else a prompt
 *
 * Layer:  cli. Uses cli/call_arguments, app/registry, base.
 * Thread: main.
 */
#ifndef MCP_CLI_CALL_ITEM_H
#define MCP_CLI_CALL_ITEM_H

#include <stddef.h>

#include "app/registry.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "cli/command_table.h"

struct mcp_call_item {
    const char *what;   /* "tool", "resource", "prompt": for messages */
    const char *method; /* "tools/call"                               */
};

/* Finds what cli->tool names, and appends the members of the params of its
 * request with the arguments of `cli`. `item` has static strings. Errors, with
 * a one-line `message`: MCP_EINVAL no such thing, or wrong arguments;
 * MCP_ENOMEM. */
enum mcp_err mcp_call_item_write(struct mcp_buf *params,
                                 struct mcp_call_item *item,
                                 const struct mcp_generation *gen,
                                 const struct mcp_cli *cli,
                                 struct mcp_arena *arena, char *message,
                                 size_t message_size) MCP_MUST_USE;

#endif
