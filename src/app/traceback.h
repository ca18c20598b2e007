/*
 * traceback.h - where a handler failed, for people
 *
 * Layer:  app. Includes Lua.
 * Thread: who owns the Lua state.
 */
#ifndef MCP_APP_TRACEBACK_H
#define MCP_APP_TRACEBACK_H

#include <lua.h>
#include <stdbool.h>

/* Pushes onto `L` the message on top of `co` (a string) and the traceback of
 * `co`, without the addresses of nameless C functions, which tell nobody
 * anything but where this process has its code. May raise for want of memory.
 */
void mcp_traceback_push(lua_State *L, lua_State *co);

/* Is what `co` raised, on top of it, a fault of the script, so a string with
 * its place ("app.lua:3: ...") in front, rather than a message meant for the
 * caller: error("no such city", 0), error { message = ... }? */
bool mcp_traceback_is_fault(lua_State *co);

#endif
