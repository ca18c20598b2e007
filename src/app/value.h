/*
 * value.h - JSON values to Lua values and back
 *
 *   null <-> mcp.null (light userdata NULL)   number -> nearest double
 *   array -> table with the array mark        object -> plain table
 *
 * The array mark is a metatable; an empty table without it is an object. When
 * writing: mcp.array/mcp.object mark, then `shape` (the output schema), then
 * the keys decide: 1..n is an array, strings are an object. int64_t and
 * uint64_t cdata are written as digits. Sparse, mixed and cyclic tables,
 * functions, userdata, threads, NaN, infinities and invalid UTF-8 are refused
 * with the path of the culprit ("/items/3/name").
 *
 * Layer:  app. Uses base/buf, base/err, base/json; includes lua.h.
 * Thread: the owner of the Lua state.
 */
#ifndef MCP_APP_VALUE_H
#define MCP_APP_VALUE_H

#include <lua.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

enum { MCP_VALUE_MAX_DEPTH = 64 };

struct mcp_value_error {
    char path[256]; /* JSON pointer; "" is the value itself; cut with "..." */
    char message[256]; /* "is a function, which JSON cannot carry" */
};

/* Makes the marks of this state; once, before any app code runs. Leaves the
 * stack as it was. */
void mcp_value_open(lua_State *L);

/* Pushes `v`; NULL pushes nil. Raises on lack of Lua memory or stack. */
void mcp_value_push(lua_State *L, const struct mcp_json *v);

/* Marks the table at `idx` as array or object. */
void mcp_value_mark_array(lua_State *L, int idx);
void mcp_value_mark_object(lua_State *L, int idx);

/* Writes the value at `idx` as JSON. `shape` (may be NULL) is a JSON Schema
 * tree whose type/properties/items/prefixItems decide about empty tables.
 * Calls no metamethods, raises nothing but lack of Lua stack.
 * Errors, told in `error`: MCP_EINVAL; MCP_ENOMEM `out` is full. On an error
 * `out` keeps what it had before the call. */
enum mcp_err mcp_value_write(lua_State *L, int idx, struct mcp_buf *out,
                             const struct mcp_json *shape,
                             struct mcp_value_error *error) MCP_MUST_USE;

/* Writes a raw JSON Schema table: in every object `$schema $id type title
 * description properties required` first, the other keys in byte order, so
 * that each process writes the same bytes; the order of `properties` may be
 * given by a list of pairs { {"location", {...}}, ... }. Errors as above. */
enum mcp_err mcp_value_write_schema(lua_State *L, int idx, struct mcp_buf *out,
                                    struct mcp_value_error *error) MCP_MUST_USE;

/* As mcp_value_write, object keys in byte order: for annotations, meta, icons.
 */
enum mcp_err mcp_value_write_sorted(lua_State *L, int idx, struct mcp_buf *out,
                                    struct mcp_value_error *error) MCP_MUST_USE;

#endif
