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

/* clang-format off */
/* Adds to the table at the top of the stack (which stays there):
 *
 *   add_tool{ name, title?, description?, annotations?, icons?, meta?,
 *             input_schema | input_schema_file,
 *             output_schema? | output_schema_file?, binds, handler,
 *             converts?, outside?, file?, line?, timeout?, assert_format? }
 *   add_resource{ uri | uri_template, name, title?, description?, mime_type?,
 *             annotations?, icons?, meta?, size?, ttl_ms?, cache_scope?,
 *             binds, handler | content, is_blob? | content_file,
 *             completers?, route?, file?, line?, timeout? }
 *   add_prompt{ name, title?, description?, icons?, meta?, instructions?,
 *             arguments, has_arguments, binds, handler, completers?, route?,
 *             file?, line?, timeout? }
 *   add_timer{ name, seconds, handler }
 *   add_route{ method, path, parts, status?, mime_type?, tags?, and what
 *             add_tool has but name and annotations }
 *       -> true | nil, message
 *       texts are strings; annotations, icons, meta, tags, *_schema JSON
 *       strings;
 *       *_file paths relative to the app's folder; binds a list of parameter
 *       names; converts a list of { kind = "int64" | "bytes", and a path of
 *       names, where false stands for every item or member }; completers a
 *       list of { argument, values | handler }; arguments a list of { name,
 *       title?, description?, initial?, required? }; parts a list of { kind =
 *       "literal" | "str" | "int" | "number" | "uuid" | "path", text }; outside
 *       the names of the arguments that are not in `data`, nil when there is no
 *       such; route the name of the route that the item is.
 *       In a follow load the item must be one of the generation's with the same
 *       parameters; name or URI, binds, handler and completers with handlers
 *       are enough, and no file is read. Keeps handlers under their slots.
 *
 *   set_option(name, text) -> true | nil, message    mcp.server fields
 *   option_names() -> list of names, { name = kind }  text list boolean count
 *                                                     bytes seconds word
 *   following() -> boolean         a follow load: only names matter
 *   extra_arguments() -> boolean   the option, as set so far
 *   infer_annotations() -> boolean infer_http_method_annotations, as well
 *   tool_count() -> number         declared so far in this load
 *   encode(value), encode_schema(value), encode_sorted(value)
 *       -> JSON text | nil, path, message
 *   suggest(name, list) -> nearest name | nil
 *   loading() -> boolean           false inside a call
 */
/* clang-format on */
void mcp_declare_open(lua_State *L);

/* After a follow load: is everything declared? Returns NULL, or `message`,
 * which names what is missing. */
const char *mcp_declare_missing(const struct mcp_load *load, char *message,
                                size_t message_size);

#endif
