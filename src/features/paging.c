/*
 * paging.c - see paging.h
 */
#include "features/paging.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "features/unknown.h"

enum { CURSOR_SHOWN_BYTES = 128, MARK_DIGITS = 16 };

#define PRIME UINT64_C(1099511628211)

/* FNV-1a over the text and its end. */
uint64_t mcp_paging_mark(uint64_t mark, const char *name)
{
    do
        mark = (mark ^ (unsigned char)*name) * PRIME;
    while (*name++ != '\0');
    return mark;
}

uint64_t mcp_paging_seal(uint64_t mark, size_t page_size)
{
    return (mark ^ page_size) * PRIME;
}

size_t mcp_paging_size(const struct mcp_config *config)
{
    return config->list_page_size < 1 ? 1 : (size_t)config->list_page_size;
}

size_t mcp_paging_count(size_t count, size_t page_size)
{
    return count == 0 ? 1 : (count - 1) / page_size + 1;
}

const char *mcp_paging_cursor(struct mcp_arena *a, uint64_t mark, size_t page)
{
    return mcp_arena_printf(a, "%016llx.%zu", (unsigned long long)mark, page);
}

/* The page of a cursor text, or 0: it is none of these. */
static size_t page_of(const struct mcp_json *cursor, uint64_t mark,
                      size_t page_count)
{
    char given[64], expected[64];
    size_t page;

    if (cursor->count <= MARK_DIGITS + 1 || cursor->count >= sizeof(given))
        return 0;
    memcpy(given, cursor->u.text, cursor->count);
    given[cursor->count] = '\0';
    page = strtoull(given + MARK_DIGITS + 1, NULL, 10);
    (void)snprintf(expected, sizeof(expected), "%016llx.%zu",
                   (unsigned long long)mark, page);
    return page < page_count && mcp_json_equals_string(cursor, expected) ? page
                                                                         : 0;
}

bool mcp_paging_find(struct mcp_request *rq, uint64_t mark, size_t page_count,
                     size_t *page)
{
    const struct mcp_json *cursor = mcp_json_find(rq->call->params, "cursor");
    bool is_text = mcp_json_is(cursor, MCP_JSON_STRING);

    *page = 0;
    if (cursor == NULL || cursor->type == MCP_JSON_NULL ||
        mcp_json_equals_string(cursor, ""))
        return true;
    if (is_text)
        *page = page_of(cursor, mark, page_count);
    if (*page > 0)
        return true;
    mcp_request_fail(
        rq, MCP_EINVAL,
        is_text ? "Unknown cursor: the list may have changed; start again "
                  "without a cursor"
                : "cursor must be a string",
        mcp_unknown_data(rq->call, "cursor", cursor, CURSOR_SHOWN_BYTES));
    return false;
}
