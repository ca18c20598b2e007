/*
 * registry_table.h - items in the order they came, found by their name
 *
 * An item begins with its name: its first member is a `const char *`. Behind
 * the items is an open-addressed hash table of twice `room` places: an item's
 * index + 1, or 0.
 *
 * Layer:  app, private to registry. Uses base/err.
 * Thread: one while it is filled, any afterwards.
 */
#ifndef MCP_APP_REGISTRY_TABLE_H
#define MCP_APP_REGISTRY_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct mcp_table {
    size_t item_size; /* set by the maker; all else begins as 0          */
    void *items;      /* OWNED; moves while the table is filled          */
    size_t count, room;
    uint32_t *places; /* OWNED */
};

/* Frees the array, not what the items have. */
void mcp_table_free(struct mcp_table *t);

/* Makes room for one more item. Errors: MCP_ENOMEM, and `t` is as before. */
enum mcp_err mcp_table_reserve(struct mcp_table *t) MCP_MUST_USE;

/* The item behind the last, for which there is room, not yet in the table. */
void *mcp_table_next(const struct mcp_table *t);

/* Takes it in: its name is filled by now and no other item's. */
void mcp_table_keep(struct mcp_table *t);

/* The item named name[0..len), or NULL. O(1). */
void *mcp_table_find(const struct mcp_table *t, const char *name, size_t len);

#endif
