/*
 * changes.h - what is different between two generations, for one log line
 *
 * Layer:  app. Uses app/registry, base/buf. No Lua.
 * Thread: any.
 */
#ifndef MCP_APP_CHANGES_H
#define MCP_APP_CHANGES_H

#include "app/registry.h"
#include "base/buf.h"

/* Appends "added a, b; removed c; changed d", or "nothing that clients see
 * changed" ("no declaration changed" when there are folders of skills, which
 * tell of themselves): tools and prompts by name, resources by URI. An item is
 * changed when a client could see it; static content counts. At most some tens
 * of names are told, then how many more. */
void mcp_changes_write(struct mcp_buf *out, const struct mcp_generation *from,
                       const struct mcp_generation *to);

/* Have both the same static content, or both a handler? */
bool mcp_changes_same_content(const struct mcp_resource *a,
                              const struct mcp_resource *b);

/* Appends the names of options that are read only when the process starts
 * ("host, port") and of which `wanted` differs from what it `runs` with;
 * nothing when there are none. */
void mcp_changes_write_fixed(struct mcp_buf *out, const struct mcp_config *runs,
                             const struct mcp_config *wanted);

#endif
