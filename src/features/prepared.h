/*
 * prepared.h - what a generation has ready: gen->prepared
 *
 * Layer:  features. Uses features/items, features/mirror, base.
 * Thread: any; constant once made by features/prepare.
 */
#ifndef MCP_FEATURES_PREPARED_H
#define MCP_FEATURES_PREPARED_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/call.h"
#include "features/items.h"
#include "features/mirror.h"

struct mcp_skill_index; /* features/skill_index.h */

enum { MCP_REVISION_COUNT = MCP_REVISION_LAST + 1 };

struct mcp_text {
    const char *text;
    size_t len;
};

/* Moves what `b` holds into `a`. False: out of memory. */
static inline bool mcp_text_keep(struct mcp_text *to, struct mcp_arena *a,
                                 struct mcp_buf *b)
{
    to->text = b->failed ? NULL : mcp_arena_dup(a, b->data, b->len);
    to->len = b->len;
    mcp_buf_clear(b);
    return to->text != NULL;
}

/* One page of a list: the result object without its cache members, _meta
 * and closing brace. */
struct mcp_page {
    struct mcp_text by_revision[MCP_REVISION_COUNT];
};

struct mcp_list {
    const struct mcp_page *pages;
    size_t page_count; /* at least 1 */
    uint64_t mark;     /* of its cursors: features/paging */
};

/* What is known of a tool beforehand. */
struct mcp_tool_plan {
    bool boxed; /* its output schema is no object: see box.h */
    struct mcp_mirrors mirrors;
};

struct mcp_prepared {
    struct mcp_arena *arena; /* holds everything here */
    unsigned offers;         /* MCP_OFFER_*           */
    struct mcp_list lists[MCP_ITEM_KINDS];
    struct mcp_skill_index *skills; /* OWNED; NULL: none are declared */
    struct mcp_list skill_list;     /* of static ones, last revision  */
    const struct mcp_tool_plan *tools;
    /* server/discover of the modern revision, initialize of the others: whole
     * result objects. */
    struct mcp_text hello[MCP_REVISION_COUNT];
    struct mcp_text server_info; /* as in the _meta of each modern result */
    struct mcp_text list_tail,
        list_tail_retry; /* ,"ttlMs" ... "_meta":{...}} */
};

#endif
