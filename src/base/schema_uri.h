/*
 * schema_uri.h - resolving references between schemas
 *
 * Layer:  base. Private to src/base/schema*.c.
 * Thread: any.
 * Source: RFC 3986, section 5.
 */
#ifndef MCP_BASE_SCHEMA_URI_H
#define MCP_BASE_SCHEMA_URI_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* A URI reference split at its '#'; `fragment` is NULL without one. */
struct schema_uri {
    const char *text;     /* NUL-terminated, without fragment */
    const char *fragment; /* percent-decoded, NUL-terminated */
    size_t fragment_len;
};

/* `ref` resolved against `base`, which has no fragment; both NUL-terminated
 * but for `ref`, that has ref_len bytes. In `a`. False: out of memory. */
bool schema_uri_resolve(struct mcp_arena *a, const char *base, const char *ref,
                        size_t ref_len, struct schema_uri *out) MCP_MUST_USE;

#endif
