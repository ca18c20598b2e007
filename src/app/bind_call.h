/*
 * bind_call.h - a handler and its arguments onto the Lua stack
 *
 * Layer:  app, private to it. Uses app/host, app/job, app/value; lua.h.
 * Thread: the owner of the Lua state.
 */
#ifndef MCP_APP_BIND_CALL_H
#define MCP_APP_BIND_CALL_H

#include <lua.h>

/* The C function that pushes the handler of the state's job and what its
 * parameters are bound to; mcp_state_new() leaves it on the stack of the
 * coroutine of calls, so that a call begins with a protected run of it. */
int mcp_bind_call(lua_State *L);

#endif
