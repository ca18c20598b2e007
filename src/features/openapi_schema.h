/*
 * openapi_schema.h - JSON Schemas inside of an OpenAPI document
 *
 * "#" in a reference means the document there. So what a schema has under
 * `$defs` goes to the document's components, under the name of the route and of
 * the side, and references follow.
 *
 * Layer:  features. Uses base/json.
 * Thread: any.
 * Source: OpenAPI 3.1.0, "Relative References in URIs", "Components Object".
 */
#ifndef MCP_FEATURES_OPENAPI_SCHEMA_H
#define MCP_FEATURES_OPENAPI_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/json.h"

/* Whose schema it is: "in3" of the arguments of route 3, "out3" of its answer.
 */
struct mcp_openapi_owner {
    const char *side;
    size_t route;
};

/* Writes `schema`, or a part of it, without `$defs` and `$schema`. */
void mcp_openapi_write_schema(struct mcp_buf *out,
                              const struct mcp_json *schema,
                              struct mcp_openapi_owner owner);

/* The same for one member, with its name: "name":schema. A name that is none of
 * a schema is written as it is. */
void mcp_openapi_write_member(struct mcp_buf *out,
                              const struct mcp_json_member *member,
                              struct mcp_openapi_owner owner);

/* Writes `,"NAME":schema` for each of the `$defs` of `schema` (may be NULL). */
void mcp_openapi_write_defs(struct mcp_buf *out, const struct mcp_json *schema,
                            struct mcp_openapi_owner owner);

#endif
