/*
 * arena.h - memory that dies all at once
 *
 * A call's parsed message, its header list and its small strings share one
 * arena. Allocation bumps a pointer; nothing is freed singly; reset keeps the
 * first chunk so that a busy connection allocates nothing.
 *
 * Layer:  base. Uses base/err.
 * Thread: one at a time.
 */
#ifndef MCP_BASE_ARENA_H
#define MCP_BASE_ARENA_H

#include <stddef.h>

#include "base/err.h"

struct mcp_arena;

void mcp_arena_free(struct mcp_arena *a);

/* An arena that hands out at most `max_bytes` between two resets.
 * OWNED: mcp_arena_free(). NULL: out of memory. */
struct mcp_arena *mcp_arena_new(size_t max_bytes)
    MCP_OWNED(mcp_arena_free) MCP_MUST_USE;

/* `size` bytes aligned to 16, not cleared. NULL: limit or out of memory. Sizes
 * count towards the limit rounded up to 16, except for the last that fits. */
void *mcp_arena_alloc(struct mcp_arena *a, size_t size) MCP_MUST_USE;

/* A copy of text[0..len) with a NUL behind it. NULL: as above. */
char *mcp_arena_dup(struct mcp_arena *a, const char *text,
                    size_t len) MCP_MUST_USE;

/* printf into the arena; NULL: as above. */
char *mcp_arena_printf(struct mcp_arena *a, const char *fmt, ...)
    MCP_PRINTF(2, 3) MCP_MUST_USE;

/* Forgets everything that was handed out; the first chunk is kept. */
void mcp_arena_reset(struct mcp_arena *a);

/* Bytes handed out since the last reset. */
size_t mcp_arena_used_bytes(const struct mcp_arena *a);

/* Bytes that may still be handed out before the limit. */
size_t mcp_arena_left_bytes(const struct mcp_arena *a);

#endif
