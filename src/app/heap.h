/*
 * heap.h - the memory of one Lua state, which can be put back in no time
 *
 * A heap is one private mapping at an address that the kernel chose and that
 * stays for the heap's life. Everything about it, the free lists included,
 * lies inside the mapping, so that putting the used part back restores the
 * heap exactly: mcp_heap_snapshot() keeps it, mcp_heap_reset() puts it back
 * (app/image.h). Blocks are never moved, so all pointers inside stay true.
 *
 *   base                 image_len              top              size
 *   | heap head | blocks of the loaded app | blocks of a call | untouched |
 *
 * Blocks up to 256 bytes have no header (Lua tells their size when it frees
 * them) and are cut from runs; larger ones carry boundary tags, sit in
 * segregated free lists, and join their free neighbours.
 *
 * Layer:  app. Uses base/err. Knows no Lua, but its allocate function has the
 *         shape of lua_Alloc.
 * Thread: one at a time.
 */
#ifndef MCP_APP_HEAP_H
#define MCP_APP_HEAP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct mcp_heap;

void mcp_heap_free(struct mcp_heap *h);

/* A heap that may hold `limit_bytes` of Lua objects. Only address space is
 * taken. OWNED. NULL: no address space or memory. */
struct mcp_heap *mcp_heap_new(size_t limit_bytes)
    MCP_OWNED(mcp_heap_free) MCP_MUST_USE;

/* As lua_Alloc, without its first argument. NULL when the limit is reached;
 * shrinking and freeing never fail. */
void *mcp_heap_realloc(struct mcp_heap *h, void *ptr, size_t old_size,
                       size_t new_size);

/* Refuses allocations beyond `limit_bytes` of live blocks from now on; at most
 * what mcp_heap_new() was told. */
void mcp_heap_set_limit(struct mcp_heap *h, size_t limit_bytes);

/* Bytes in live blocks. */
size_t mcp_heap_used_bytes(const struct mcp_heap *h);

/* Was an allocation refused since the last reset? */
bool mcp_heap_was_refused(const struct mcp_heap *h);

/* Keeps a copy of the used part. Once per heap. Errors: MCP_ENOMEM. */
enum mcp_err mcp_heap_snapshot(struct mcp_heap *h) MCP_MUST_USE;

/* Puts the heap back to the snapshot, and gives memory that lies far beyond it
 * back to the kernel. `faulted` as in mcp_image_restore(); it matters while
 * mcp_heap_watches_faults(). */
void mcp_heap_reset(struct mcp_heap *h, bool faulted);
bool mcp_heap_watches_faults(const struct mcp_heap *h);

/* Resets have become so dear that a new heap is better. */
bool mcp_heap_is_worn(const struct mcp_heap *h);

/* Bytes of the snapshot; 0 before it was taken. */
size_t mcp_heap_image_bytes(const struct mcp_heap *h);

#endif
