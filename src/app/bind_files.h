/*
 * bind_files.h - how lua/mcp/sandbox.lua keeps the list of open files
 *
 * Layer:  app, private to it. Uses app/files, app/host; includes lua.h.
 * Thread: the owner of the Lua state.
 */
#ifndef MCP_APP_BIND_FILES_H
#define MCP_APP_BIND_FILES_H

#include <lua.h>

/* Adds to the table on top of the stack: note_file(file, is_pipe);
 * closing(f), a function that calls f, which closes its first argument. */
void mcp_bind_files_open(lua_State *L);

#endif
