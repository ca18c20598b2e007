/*
 * tools_list.h - tools/list: pages that were written beforehand
 *
 * Cursors are opaque: a mark of the whole list and the number of the page. A
 * cursor of another list (an older generation, another page size) is unknown,
 * so no client sees parts of two lists as one.
 *
 * Layer:  features. Uses features/request, features/box.
 * Thread: any.
 * Source: MCP server/tools and server/utilities/pagination of each revision.
 */
#ifndef MCP_FEATURES_TOOLS_LIST_H
#define MCP_FEATURES_TOOLS_LIST_H

#include "features/request.h"

/* Tools on one page; at least 1. */
size_t mcp_tools_page_size(const struct mcp_generation *gen);

/* Writes the cursor that leads to page `page` (1, 2, ...). */
void mcp_tools_write_cursor(struct mcp_buf *out,
                            const struct mcp_generation *gen, size_t page);

/* Writes page `page` (0, 1, ...) as `revision` wants it, from the opening
 * brace to the last member of the list proper. `next` is the cursor of the
 * page behind it or NULL. */
void mcp_tools_write_page(struct mcp_buf *out, const struct mcp_generation *gen,
                          enum mcp_revision revision, size_t page,
                          const char *next);

/* The method tools/list. */
void mcp_tools_list(struct mcp_request *rq);

#endif
