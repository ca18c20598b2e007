/*
 * declare.h - mcp.core: the C side of the declaration DSL in lua/mcp
 *
 * Layer:  app. Uses app/host, app/registry, app/value; includes lua.h.
 * Thread: the owner of the Lua state.
 */
#ifndef MCP_APP_DECLARE_H
#define MCP_APP_DECLARE_H

#include <lua.h>
#include <stddef.h>

struct mcp_load;

/* Adds to the table at the top of the stack (which stays there):
 *
 *   add_tool{ name, title?, description?, annotations?, icons?, meta?,
 *             input_schema | input_schema_file,
 *             output_schema? | output_schema_file?, binds, handler,
 *             converts?, file?, line?, timeout?, assert_format? }
 *       -> true | nil, message
 *       texts are strings; annotations, icons, meta, *_schema JSON strings;
 *       *_schema_file paths relative to the app's folder; binds a list of
 *       parameter names; converts a list of { kind = "int64" | "bytes", and a
 *       path of names, where false stands for every item or member }. In a
 * follow load the tool must be one of the generation's with the same
 * parameters; name, binds and handler are enough, and no file is read. Keeps
 * `handler` under its index. set_option(name, text) -> true | nil, message
 * (mcp.server fields) option_names() -> list of names, { name = kind } kinds:
 * text list boolean count bytes seconds word following() -> boolean a follow
 * load: only names matter extra_arguments() -> boolean          the option, as
 * set so far tool_count() -> number                declared so far in this load
 *   encode(value), encode_schema(value), encode_sorted(value)
 *       -> JSON text | nil, path, message
 *   suggest(name, list) -> nearest name | nil
 *   loading() -> boolean                  false inside a call
 */
void mcp_declare_open(lua_State *L);

/* After a follow load: is everything declared? Returns NULL, or `message`,
 * which names what is missing. */
const char *mcp_declare_missing(const struct mcp_load *load, char *message,
                                size_t message_size);

#endif
