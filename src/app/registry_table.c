/*
 * registry_table.c - see registry_table.h
 */
#include "app/registry_table.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 16 }; /* a power of two */

static void *item_at(const struct mcp_table *t, size_t i)
{
    return (char *)t->items + i * t->item_size;
}

static const char *name_of(const void *item)
{
    return *(const char *const *)item;
}

/* FNV-1a: names are short and come from the app, not from its callers. */
static uint32_t hash(const char *name, size_t len)
{
    uint32_t h = 2166136261u;

    for (size_t i = 0; i < len; i++)
        h = (h ^ (unsigned char)name[i]) * 16777619u;
    return h;
}

/* The place of name[0..len) in the table: its own, or the free one where it
 * belongs. There is always a free one. */
static uint32_t *place_of(const struct mcp_table *t, const char *name,
                          size_t len)
{
    size_t mask = 2 * t->room - 1, at = hash(name, len) & mask;

    for (;; at = (at + 1) & mask) {
        uint32_t *place = &t->places[at];
        const char *there;

        if (*place == 0)
            return place;
        there = name_of(item_at(t, *place - 1));
        if (strncmp(there, name, len) == 0 && there[len] == '\0')
            return place;
    }
}

void mcp_table_free(struct mcp_table *t)
{
    free(t->items);
    free(t->places);
}

enum mcp_err mcp_table_reserve(struct mcp_table *t)
{
    size_t room = t->room == 0 ? FIRST_ROOM : 2 * t->room;
    uint32_t *places;
    void *items;

    if (t->count < t->room)
        return MCP_OK;
    places = calloc(2 * room, sizeof(*places));
    items = realloc(t->items, room * t->item_size);
    if (items != NULL)
        t->items = items;
    if (places == NULL || items == NULL) {
        free(places);
        return MCP_ENOMEM;
    }
    free(t->places);
    t->places = places;
    t->room = room;
    for (size_t i = 0; i < t->count; i++) {
        const char *name = name_of(item_at(t, i));

        *place_of(t, name, strlen(name)) = (uint32_t)i + 1;
    }
    return MCP_OK;
}

void *mcp_table_next(const struct mcp_table *t)
{
    return item_at(t, t->count);
}

void mcp_table_keep(struct mcp_table *t)
{
    const char *name = name_of(mcp_table_next(t));

    *place_of(t, name, strlen(name)) = (uint32_t)++t->count;
}

void *mcp_table_find(const struct mcp_table *t, const char *name, size_t len)
{
    uint32_t place;

    if (t->count == 0 || memchr(name, '\0', len) != NULL)
        return NULL;
    place = *place_of(t, name, len);
    return place == 0 ? NULL : item_at(t, place - 1);
}
