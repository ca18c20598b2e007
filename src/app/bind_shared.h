/*
 * bind_shared.h - mcp.core.shared: dictionaries in Lua
 *
 * Layer:  app, private to it. Uses app/host, app/shared_value; includes lua.h.
 * Thread: the owner of the Lua state.
 */
#ifndef MCP_APP_BIND_SHARED_H
#define MCP_APP_BIND_SHARED_H

#include <lua.h>

/* Adds to the table at the top of the stack (which stays there):
 *
 *   shared(name, max_bytes?) -> dictionary | nil, message
 *       name of 1 to MCP_SHARED_MAX_NAME bytes, without NUL
 *
 * A dictionary has get set add incr delete keys; lua/meta/mcp.lua says what
 * they do. While the app loads a further time (a follow load) what would write
 * does nothing. */
void mcp_bind_shared_open(lua_State *L);

#endif
