/*
 * declare_route.h - mcp.core.add_route
 *
 * Layer:  app, private to declare. Uses app/declare_tool; includes lua.h.
 * Thread: the owner of the Lua state.
 */
#ifndef MCP_APP_DECLARE_ROUTE_H
#define MCP_APP_DECLARE_ROUTE_H

#include <lua.h>

/* add_route{...} -> true | nil, message; see declare.h. */
int mcp_declare_add_route(lua_State *L);

#endif
