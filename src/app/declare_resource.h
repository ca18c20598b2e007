/*
 * declare_resource.h - mcp.core.add_resource
 *
 * Layer:  app, private to declare. Uses app/declare_field, base/mime; includes
 *         lua.h.
 * Thread: the owner of the Lua state.
 */
#ifndef MCP_APP_DECLARE_RESOURCE_H
#define MCP_APP_DECLARE_RESOURCE_H

#include <lua.h>

/* add_resource{...} -> true | nil, message; see declare.h. */
int mcp_declare_add_resource(lua_State *L);

#endif
