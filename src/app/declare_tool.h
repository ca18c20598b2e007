/*
 * declare_tool.h - mcp.core.add_tool
 *
 * Layer:  app, private to declare. Uses app/declare_field; includes lua.h.
 * Thread: the owner of the Lua state.
 */
#ifndef MCP_APP_DECLARE_TOOL_H
#define MCP_APP_DECLARE_TOOL_H

#include <lua.h>
#include <stddef.h>

#include "app/host.h"
#include "app/registry.h"

/* The schemas that are files; NULL: none. */
struct mcp_declare_files {
    const char *input, *output;
};

/* Reads the fields of the table at 1 that tools and routes share, all but its
 * name and annotations. */
void mcp_declare_read_signature(lua_State *L, struct mcp_tool *tool,
                                struct mcp_declare_files *files);

/* Reads the schemas that are files and calls add(user, tool, ...), which must
 * copy it. Raises nothing. */
enum mcp_err mcp_declare_with_files(
    const struct mcp_host *host, struct mcp_tool *tool,
    const struct mcp_declare_files *files,
    enum mcp_err (*add)(void *user, const struct mcp_tool *tool, char *message,
                        size_t message_size),
    void *user, char *message, size_t message_size) MCP_MUST_USE;

/* add_tool{...} -> true | nil, message; see declare.h. */
int mcp_declare_add_tool(lua_State *L);

#endif
