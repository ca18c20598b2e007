/*
 * mirror.h - tool arguments that clients mirror into HTTP headers
 *
 * A property of an input schema may carry "x-mcp-header": "Region"; clients
 * then send its value as the header Mcp-Param-Region too, and a request where
 * the two differ is refused. Found once, when a generation is prepared.
 *
 * Layer:  features. Uses base/json, base/arena.
 * Thread: any; constant once made.
 * Source: MCP 2026-07-28, basic/transports/streamable-http, "Custom Headers
 *         from Tool Parameters".
 */
#ifndef MCP_FEATURES_MIRROR_H
#define MCP_FEATURES_MIRROR_H

#include <stddef.h>

#include "app/registry.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"

struct mcp_mirror {
    const char *header;                 /* "Mcp-Param-Region"              */
    const struct mcp_json *const *path; /* member names from the arguments */
    size_t depth;
};

struct mcp_mirrors {
    const struct mcp_mirror *items;
    size_t count;
};

/* Finds every mirrored parameter of `tool`. All memory is in `a`, the names
 * are BORROWED from the tool.
 * Errors, with a one-line `message`: MCP_EINVAL an annotation is where it may
 * not be, on a type that has no header form, no token, or there twice;
 * MCP_ENOMEM. */
enum mcp_err mcp_mirrors_find(const struct mcp_tool *tool, struct mcp_arena *a,
                              struct mcp_mirrors *out, char *message,
                              size_t message_size) MCP_MUST_USE;

/* The value of `arguments` (may be NULL) that `mirror` names, or NULL. */
const struct mcp_json *mcp_mirror_value(const struct mcp_mirror *mirror,
                                        const struct mcp_json *arguments);

#endif
