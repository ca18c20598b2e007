/*
 * suggest.h - "did you mean": the known name nearest to a wrong one
 *
 * Nearness is the edit distance that counts a swap of neighbours as one edit
 * (optimal string alignment); upper and lower case are the same, and so are
 * '-' and '_'. A name is near when it needs at most 1 edit (names of up to 3
 * bytes), 2 (up to 7) or 3.
 *
 * Layer:  base. Uses nothing.
 * Thread: any.
 */
#ifndef MCP_BASE_SUGGEST_H
#define MCP_BASE_SUGGEST_H

#include <stddef.h>

/* Longer names have no neighbours: work per known name stays bounded. */
enum { MCP_SUGGEST_MAX_NAME = 128 };

/* The first of the nearest of names[0..count) to name[0..len), BORROWED from
 * `names`. NULL: none is near. */
const char *mcp_suggest(const char *name, size_t len, const char *const *names,
                        size_t count);

#endif
