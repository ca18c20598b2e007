/*
 * paging.h - cursors: a mark of the whole list and the number of the page
 *
 * Opaque to clients. A cursor of another list (an older generation, another
 * page size, another kind) is unknown, so no client sees parts of two lists as
 * one.
 *
 * Layer:  features. Uses features/request, base.
 * Thread: any.
 * Source: MCP server/utilities/pagination of each revision.
 */
#ifndef MCP_FEATURES_PAGING_H
#define MCP_FEATURES_PAGING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "features/request.h"

/* The mark of nothing; mcp_paging_mark() adds to it. */
#define MCP_PAGING_MARK UINT64_C(14695981039346656037)

/* `mark` and the name of one more item. */
uint64_t mcp_paging_mark(uint64_t mark, const char *name);

/* `mark` of all names, for pages of this size. */
uint64_t mcp_paging_seal(uint64_t mark, size_t page_size);

/* How many items a page has, by the option list_page_size. At least 1. */
size_t mcp_paging_size(const struct mcp_config *config);

/* How many pages `count` items fill. At least 1. */
size_t mcp_paging_count(size_t count, size_t page_size);

/* The cursor that leads to page `page` (1, 2, ...; the first is 0 and has
 * none); NULL: no memory. */
const char *mcp_paging_cursor(struct mcp_arena *a, uint64_t mark, size_t page);

/* The page that params.cursor asks for; an absent, null or empty one means the
 * first. False: there is no such page, the fault is set. */
bool mcp_paging_find(struct mcp_request *rq, uint64_t mark, size_t page_count,
                     size_t *page) MCP_MUST_USE;

#endif
