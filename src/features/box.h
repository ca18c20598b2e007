/*
 * box.h - output schemas for revisions that know only objects
 *
 * 2025-06-18 and 2025-11-25 want an output schema whose root says
 * type: "object". Any other schema S is listed there as
 *     { type: object, properties: { result: S }, required: [result] }
 * and its value v is sent as { result: v }. S moves one floor down, so its
 * local references are rewritten; $schema, $defs and definitions stay at the
 * root. A schema with an $id is a resource of its own: it goes in as it is.
 *
 * Layer:  features. Uses base/json.
 * Thread: any.
 */
#ifndef MCP_FEATURES_BOX_H
#define MCP_FEATURES_BOX_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/json.h"

/* Does `schema` need a box? */
bool mcp_box_is_needed(const struct mcp_json *schema);

/* Writes `schema` in its box. */
void mcp_box_write_schema(struct mcp_buf *out, const struct mcp_json *schema);

#endif
