/*
 * declare_timer.h - mcp.core.add_timer
 *
 * Layer:  app, private to declare. Uses app/declare_field; includes lua.h.
 * Thread: the owner of the Lua state.
 */
#ifndef MCP_APP_DECLARE_TIMER_H
#define MCP_APP_DECLARE_TIMER_H

#include <lua.h>

/* add_timer{...} -> true | nil, message; see declare.h. */
int mcp_declare_add_timer(lua_State *L);

#endif
