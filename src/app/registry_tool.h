/*
 * registry_tool.h - one declared tool, checked, copied and compiled
 *
 * Layer:  app, private to registry. Uses app/registry_copy, base/schema.
 * Thread: the builder's.
 */
#ifndef MCP_APP_REGISTRY_TOOL_H
#define MCP_APP_REGISTRY_TOOL_H

#include "app/registry.h"
#include "app/registry_copy.h"

/* Fills `*out` with a deep copy of `in`, its schemas parsed, normalized
 * and compiled: white space between tokens is gone, an input schema without a
 * root `type` has got "type":"object". `out->index` and the slot are left to
 * the caller. The compiled schemas are OWNED: mcp_registry_drop_tool(). What a
 * refused tool left in the arena stays there.
 * Errors: MCP_EINVAL, MCP_ENOMEM. */
enum mcp_err mcp_registry_copy_tool(struct mcp_copy *c,
                                    const struct mcp_tool *in,
                                    bool assert_format,
                                    struct mcp_tool *out) MCP_MUST_USE;

/* The same without the name, which may be any, and for messages that call it a
 * `kind`. */
enum mcp_err mcp_registry_copy_signature(struct mcp_copy *c, const char *kind,
                                         const struct mcp_tool *in,
                                         bool assert_format,
                                         struct mcp_tool *out) MCP_MUST_USE;

/* Frees what `tool` has outside of the arena. */
void mcp_registry_drop_tool(struct mcp_tool *tool);

#endif
