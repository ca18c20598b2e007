/*
 * shared_value.h - Lua values as bytes that another Lua state can read
 *
 * nil has no bytes. Booleans, numbers (also NaN and 64-bit integers), strings
 * of any bytes, mcp.null, and tables of these: keys are strings, numbers and
 * booleans, in any mix. The marks of arrays, objects, content blocks and
 * results stay, any other metatable does not; a table that is there twice
 * becomes two. Functions, userdata, threads and tables inside themselves are
 * refused with their path.
 *
 * Layer:  app. Uses app/shared, app/value; includes lua.h.
 * Thread: the owner of the Lua state.
 */
#ifndef MCP_APP_SHARED_VALUE_H
#define MCP_APP_SHARED_VALUE_H

#include <lua.h>

#include "app/shared.h"
#include "app/value.h"

/* Stack slots that the deepest value needs: luaL_checkstack() them first. */
enum { MCP_SHARED_VALUE_STACK = 4 * (MCP_VALUE_MAX_DEPTH + 2) };

/* Writes the value at `idx`, which is not nil. Calls no metamethods, raises
 * nothing. Errors, told in `error`: MCP_EINVAL; MCP_ENOMEM `out` is full. */
enum mcp_err mcp_shared_value_write(lua_State *L, int idx, struct mcp_buf *out,
                                    struct mcp_value_error *error) MCP_MUST_USE;

/* Pushes what was written. Raises on lack of Lua memory or stack. */
void mcp_shared_value_push(lua_State *L, struct mcp_shared_text value);

/* The number at `idx` (a Lua number or a 64-bit integer); false: it is none. */
bool mcp_shared_value_number(lua_State *L, int idx,
                             struct mcp_shared_number *out);

/* Pushes a number. Raises on lack of Lua memory or stack. */
void mcp_shared_value_push_number(lua_State *L, struct mcp_shared_number n);

#endif
