/*
 * declare_tool.h - mcp.core.add_tool
 *
 * Layer:  app, private to declare. Uses app/declare_field; includes lua.h.
 * Thread: the owner of the Lua state.
 */
#ifndef MCP_APP_DECLARE_TOOL_H
#define MCP_APP_DECLARE_TOOL_H

#include <lua.h>

/* add_tool{...} -> true | nil, message; see declare.h. */
int mcp_declare_add_tool(lua_State *L);

#endif
