/*
 * skill_grow.h - arrays that grow while skills are read
 *
 * Layer:  features, private to the skill_* modules. Uses base/memory.
 * Thread: one at a time.
 */
#ifndef MCP_FEATURES_SKILL_GROW_H
#define MCP_FEATURES_SKILL_GROW_H

#include <stdbool.h>
#include <string.h>

#include "base/memory.h"

/* Makes room for one more item of `size` bytes in `items`, which holds `count`
 * and has room for `*room` (NULL and 0 at first). The items, OWNED by free();
 * NULL: out of memory, and `items` is as before. */
static inline void *mcp_skill_grow(void *items, size_t count, size_t *room,
                                   size_t size)
{
    size_t more = *room > 0 ? *room * 2 : 16;
    void *bigger;

    if (count < *room)
        return items;
    bigger = mcp_memory_new(more, size);
    if (bigger == NULL)
        return NULL;
    if (count > 0)
        memcpy(bigger, items, count * size);
    free(items);
    *room = more;
    return bigger;
}

#endif
