/*
 * items.h - the things that are listed, each as its revision wants it
 *
 * Tools, prompts, resources and resource templates are listed by one mechanism
 * (features/list). What differs between them is told here: how many there are,
 * what they are called, and which members an item has in which revision.
 *
 * Layer:  features. Uses app/registry, features/box.
 * Thread: any.
 * Source: Tool, Prompt, Resource, ResourceTemplate in the schema of each
 *         revision.
 */
#ifndef MCP_FEATURES_ITEMS_H
#define MCP_FEATURES_ITEMS_H

#include <stddef.h>

#include "app/registry.h"
#include "base/buf.h"
#include "base/call.h"

enum mcp_item_kind {
    MCP_ITEM_PROMPT,
    MCP_ITEM_RESOURCE,
    MCP_ITEM_TEMPLATE,
    MCP_ITEM_TOOL,
    MCP_ITEM_KINDS,
};

/* The member of a list result that holds the items: "tools", ... */
const char *mcp_items_member(enum mcp_item_kind kind);

size_t mcp_items_count(const struct mcp_generation *gen,
                       enum mcp_item_kind kind);

/* What item `i` is asked for by: its name, its URI, its template. BORROWED
 * from `gen`. */
const char *mcp_items_name(const struct mcp_generation *gen,
                           enum mcp_item_kind kind, size_t i);

/* Writes item `i`, an object, with the members that `revision` has. */
void mcp_items_write(struct mcp_buf *out, const struct mcp_generation *gen,
                     enum mcp_item_kind kind, size_t i,
                     enum mcp_revision revision);

#endif
