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

/* read_content(path) -> bytes, is it text, media type by the name or nil; or
 * nil and why not. The path is relative to the app's folder. */
int mcp_declare_read_content(lua_State *L);

#endif
