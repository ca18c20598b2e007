/*
 * value_int64.h - int64_t and uint64_t of LuaJIT's FFI
 *
 * The C API of LuaJIT has no call that tells what a cdata is. Asking its
 * tostring would run whatever the app hung on it. So the type is read from the
 * object's header, whose place is found once per process from a cdata of known
 * type; a LuaJIT built otherwise yields "cannot tell", never a wrong number.
 *
 * Layer:  app. Includes lua.h. Private to value*.c
 *         and shared_value.c.
 * Thread: any; the value's state belongs to the caller.
 */
#ifndef MCP_APP_VALUE_INT64_H
#define MCP_APP_VALUE_INT64_H

#include <lua.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/json.h"

/* Writes the value at `idx` as digits when it is a boxed 64-bit integer; else
 * writes nothing and returns false. Allocates no memory of `L`. */
bool mcp_int64_write(lua_State *L, int idx, struct mcp_buf *out);

/* The bits of the value at `idx` when it is a boxed 64-bit integer; else false.
 * Allocates no memory of `L`. */
bool mcp_int64_read(lua_State *L, int idx, uint64_t *bits, bool *is_unsigned);

/* Pushes an int64_t or uint64_t. Raises on lack of Lua memory or stack. */
void mcp_int64_push_bits(lua_State *L, uint64_t bits, bool is_unsigned);

/* Pushes a number that has MCP_JSON_F_INT64 as an int64_t. Raises on lack of
 * Lua memory or stack. */
void mcp_int64_push(lua_State *L, const struct mcp_json *v);

#endif
