/*
 * route_value.h - text from paths, queries and prompts as the values meant
 *
 * Layer:  features. Uses app/registry, base/format, base/json.
 * Thread: any.
 */
#ifndef MCP_FEATURES_ROUTE_VALUE_H
#define MCP_FEATURES_ROUTE_VALUE_H

#include <stdbool.h>
#include <stddef.h>

#include "app/registry.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"

/* text[0..len) as a JSON string that points to it. */
struct mcp_json mcp_route_string(const char *text, size_t len);

/* The schema of the route's argument name[0..len), or NULL. */
const struct mcp_json *mcp_route_property(const struct mcp_route *route,
                                          const char *name, size_t len);

/* May text[0..len) stand where the path has an argument of this kind? */
bool mcp_route_fits(enum mcp_path_kind kind, const char *text, size_t len);

/* Does `schema` (may be NULL) want an array, and no string? */
bool mcp_route_wants_array(const struct mcp_json *schema);

/* text[0..len) as the first of these that `schema` (NULL: anything) allows and
 * the text is: a string, a number, a boolean ("true", "false", "1", "0"), an
 * object or an array of JSON text; else a string, which the schema refuses. It
 * may point to the text. Errors: MCP_ENOMEM. */
enum mcp_err mcp_route_value(const struct mcp_json *schema, const char *text,
                             size_t len, struct mcp_arena *a,
                             struct mcp_json *out) MCP_MUST_USE;

/* `*out` is `sent`, an object of strings, with each as the route's argument of
 * that name wants it. Errors: MCP_ENOMEM. */
enum mcp_err mcp_route_values(const struct mcp_route *route,
                              const struct mcp_json *sent, struct mcp_arena *a,
                              const struct mcp_json **out) MCP_MUST_USE;

#endif
