/*
 * bind_core.h - mcp.core: what the modules in lua/mcp need of the host
 *
 * Layer:  app, private to it. Uses app/host, app/sources; includes lua.h.
 * Thread: the owner of the Lua state.
 */
#ifndef MCP_APP_BIND_CORE_H
#define MCP_APP_BIND_CORE_H

#include <lua.h>

/* Adds to the table at the top of the stack (which stays there):
 *
 *   note_file()            a file was opened: the end of the call closes it
 *   note_foreign(why)      something lives outside of the state's memory
 *   load_source(path) -> bytes | nil       read once for all states
 *   source(chunkname) -> bytes | nil       what "@path" was compiled from
 *   developing() -> boolean                --dev; while the app loads
 *   warn(text)                             one line of the log
 *   isolation() -> "request" | "worker", jit
 *   notify_resource_updated(uri), notify_list_changed(name)
 *                          those who listen are told; not during a load
 *   end_call(kind, table)  ends the call from inside; never returns.
 *                          kind "protocol_error": { code, message, data };
 *                          kind "failure": { message }, a result with isError
 */
void mcp_bind_core_open(lua_State *L);

#endif
