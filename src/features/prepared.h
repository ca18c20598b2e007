/*
 * prepared.h - what a generation has ready: gen->prepared
 *
 * Layer:  features. Uses features/mirror, base.
 * Thread: any; constant once made by features/prepare.
 */
#ifndef MCP_FEATURES_PREPARED_H
#define MCP_FEATURES_PREPARED_H

#include "base/arena.h"
#include "base/call.h"
#include "features/mirror.h"

enum { MCP_REVISION_COUNT = MCP_REVISION_LAST + 1 };

struct mcp_text {
    const char *text;
    size_t len;
};

/* One page of tools/list: the result object without its cache members, _meta
 * and closing brace. */
struct mcp_page {
    struct mcp_text by_revision[MCP_REVISION_COUNT];
    const char *cursor; /* that leads here; NULL for the first page */
};

/* What is known of a tool beforehand. */
struct mcp_tool_plan {
    bool boxed; /* its output schema is no object: see box.h */
    struct mcp_mirrors mirrors;
};

struct mcp_prepared {
    struct mcp_arena *arena; /* holds everything here */
    const struct mcp_page *pages;
    size_t page_count; /* at least 1 */
    const struct mcp_tool_plan *tools;
    /* server/discover of the modern revision, initialize of the others: whole
     * result objects. */
    struct mcp_text hello[MCP_REVISION_COUNT];
    struct mcp_text server_info; /* as in the _meta of each modern result */
    struct mcp_text list_tail,
        list_tail_retry; /* ,"ttlMs" ... "_meta":{...}} */
};

#endif
