/*
 * declare_tool.h - mcp.core.add_tool
 *
 * Layer:  app, private to declare. Uses app/host, app/registry, app/sources;
 *         includes lua.h.
 * Thread: the owner of the Lua state.
 */
#ifndef MCP_APP_DECLARE_TOOL_H
#define MCP_APP_DECLARE_TOOL_H

#include <lua.h>

#include "app/host.h"

/* The load that this state is in. Raises inside a call. */
struct mcp_load *mcp_declare_load(lua_State *L);

/* add_tool{...} -> true | nil, message; see declare.h. */
int mcp_declare_add_tool(lua_State *L);

#endif
