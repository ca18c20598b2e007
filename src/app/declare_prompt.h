/*
 * declare_prompt.h - mcp.core.add_prompt
 *
 * Layer:  app, private to declare. Uses app/declare_field; includes lua.h.
 * Thread: the owner of the Lua state.
 */
#ifndef MCP_APP_DECLARE_PROMPT_H
#define MCP_APP_DECLARE_PROMPT_H

#include <lua.h>

/* add_prompt{...} -> true | nil, message; see declare.h. */
int mcp_declare_add_prompt(lua_State *L);

#endif
