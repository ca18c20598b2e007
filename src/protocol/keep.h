/*
 * keep.h - a parsed JSON value kept beyond its message
 *
 * Layer:  protocol. Uses base/json.
 * Thread: any.
 */
#ifndef MCP_PROTOCOL_KEEP_H
#define MCP_PROTOCOL_KEEP_H

#include <stddef.h>

#include "base/err.h"
#include "base/json.h"

/* A deep copy of `v` in one block. OWNED: free() the returned value. NULL
 * `v`: `*out` is NULL. `without` (may be NULL): the member of that name of the
 * outermost object is left out.
 * Errors: MCP_ELIMIT it would take more than `max_bytes`; MCP_ENOMEM. */
enum mcp_err mcp_keep(const struct mcp_json *v, const char *without,
                      size_t max_bytes, struct mcp_json **out) MCP_MUST_USE;

#endif
