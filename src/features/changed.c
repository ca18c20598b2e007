/*
 * changed.c - see changed.h
 */
#include "features/changed.h"

#include <string.h>

#include "app/changes.h"
#include "features/offer.h"
#include "features/prepared.h"
#include "features/skills_changed.h"

static bool same_text(const struct mcp_text *a, const struct mcp_text *b)
{
    return a->len == b->len && memcmp(a->text, b->text, a->len) == 0;
}

static bool same_list(const struct mcp_list *a, const struct mcp_list *b)
{
    if (a->page_count != b->page_count)
        return false;
    for (size_t i = 0; i < a->page_count; i++)
        for (int r = MCP_REVISION_FIRST; r <= (int)MCP_REVISION_LAST; r++)
            if (!same_text(&a->pages[i].by_revision[r],
                           &b->pages[i].by_revision[r]))
                return false;
    return true;
}

unsigned mcp_changed_lists(const struct mcp_generation *old,
                           const struct mcp_generation *now)
{
    static const unsigned list_of[MCP_ITEM_KINDS] = {
        [MCP_ITEM_PROMPT] = MCP_OFFER_PROMPTS,
        [MCP_ITEM_RESOURCE] = MCP_OFFER_RESOURCES,
        [MCP_ITEM_TEMPLATE] = MCP_OFFER_RESOURCES,
        [MCP_ITEM_TOOL] = MCP_OFFER_TOOLS,
    };
    const struct mcp_prepared *a = old->prepared, *b = now->prepared;
    unsigned lists = 0;

    for (int kind = 0; kind < (int)MCP_ITEM_KINDS; kind++)
        if (!same_list(&a->lists[kind], &b->lists[kind]))
            lists |= list_of[kind];
    if (mcp_skills_changed(old, now))
        lists |= MCP_OFFER_RESOURCES;
    return lists;
}

void mcp_changed_contents(struct mcp_subscriptions *set,
                          const struct mcp_generation *old,
                          const struct mcp_generation *now)
{
    for (size_t i = 0; i < old->resource_count; i++) {
        const char *uri = old->resources[i].uri;
        const struct mcp_resource *after =
            mcp_generation_find_resource(now, uri, strlen(uri));

        if (after == NULL ||
            !mcp_changes_same_content(&old->resources[i], after))
            mcp_publish_resource(set, uri, strlen(uri));
    }
}

unsigned mcp_changed_list(enum mcp_notice what)
{
    static const unsigned lists[] = {
        [MCP_NOTICE_TOOLS] = MCP_OFFER_TOOLS,
        [MCP_NOTICE_PROMPTS] = MCP_OFFER_PROMPTS,
        [MCP_NOTICE_RESOURCES] = MCP_OFFER_RESOURCES,
        [MCP_NOTICE_RESOURCE] = 0,
    };

    return lists[what];
}
