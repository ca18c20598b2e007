/*
 * list.h - the lists: pages that were written beforehand
 *
 * tools/list, prompts/list, resources/list and resources/templates/list are
 * one thing four times.
 *
 * Layer:  features. Uses features/request, features/items, features/prepared,
 *         features/paging.
 * Thread: preparing: the loader's; else any.
 * Source: MCP server/utilities/pagination of each revision.
 */
#ifndef MCP_FEATURES_LIST_H
#define MCP_FEATURES_LIST_H

#include <stdbool.h>

#include "features/items.h"
#include "features/prepared.h"
#include "features/request.h"

/* Writes every page of the list of `kind` at every revision into `a`; `b` is
 * scratch, empty. False: out of memory. */
bool mcp_list_prepare(const struct mcp_generation *gen, enum mcp_item_kind kind,
                      struct mcp_arena *a, struct mcp_buf *b,
                      struct mcp_list *out);

/* The methods. */
void mcp_prompts_list(struct mcp_request *rq);
void mcp_resources_list(struct mcp_request *rq);
void mcp_templates_list(struct mcp_request *rq);
void mcp_tools_list(struct mcp_request *rq);

#endif
