/*
 * bind_ctx.h - ctx, the request context that a handler sees
 *
 * One object a state, made while the app loads; its fields are computed when
 * they are read, so a handler that reads none pays nothing.
 *
 * Layer:  app, private to it. Uses app/app, app/host, app/value; lua.h.
 * Thread: the owner of the Lua state.
 */
#ifndef MCP_APP_BIND_CTX_H
#define MCP_APP_BIND_CTX_H

#include <lua.h>

/* Makes the ctx object under MCP_REF_CTX. */
void mcp_bind_ctx_open(lua_State *L);

#endif
