/*
 * bind_wiring.h - mcp.core: what lua/mcp/pipeline.lua needs of the host
 *
 * Layer:  app, private to it. Uses app/host; includes lua.h.
 * Thread: the owner of the Lua state.
 */
#ifndef MCP_APP_BIND_WIRING_H
#define MCP_APP_BIND_WIRING_H

#include <lua.h>

/* Adds to the table at the top of the stack (which stays there):
 *
 *   keep_finish(f)      f(fault | nil) does one thing that is left of a call,
 *                       and tells whether there is more; while the app loads
 *   expect_finish()     this call wants f to be called
 *   keep_life(f)        f(name) runs the hooks of that name: "on_startup", ...
 *   log_fault(text)     a warning
 *   now() -> seconds    of a clock that never goes back
 */
void mcp_bind_wiring_open(lua_State *L);

#endif
