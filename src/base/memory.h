/*
 * memory.h - the door to the allocator for layers above app/
 *
 * Layer:  base. Uses nothing.
 * Thread: any.
 */
#ifndef MCP_BASE_MEMORY_H
#define MCP_BASE_MEMORY_H

#include <stdlib.h>

#include "base/err.h"

/* Room for `count` things of `size` bytes, all zero. OWNED: free(). NULL: out
 * of memory, or the product does not fit. */
static inline void *mcp_memory_new(size_t count, size_t size)
    MCP_OWNED(free) MCP_MUST_USE;

static inline void *mcp_memory_new(size_t count, size_t size)
{
    return calloc(count, size);
}

#endif
