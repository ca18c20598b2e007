/*
 * call.c - names of revisions, look-up of headers
 */
#include "base/call.h"

#include <assert.h>
#include <strings.h>

static const char *const names[] = {
    [MCP_2025_03_26] = "2025-03-26",
    [MCP_2025_06_18] = "2025-06-18",
    [MCP_2025_11_25] = "2025-11-25",
    [MCP_2026_07_28] = "2026-07-28",
};

const char *mcp_revision_name(enum mcp_revision r)
{
    return names[r];
}

int mcp_revision_parse(const char *text, size_t len)
{
    int r;

    for (r = MCP_REVISION_FIRST; r <= (int)MCP_REVISION_LAST; r++)
        if (strlen(names[r]) == len && memcmp(names[r], text, len) == 0)
            return r;
    return -1;
}

const char *mcp_call_header(const struct mcp_call *call, const char *name)
{
    size_t i;

    for (i = 0; i < call->header_count; i++)
        if (strcasecmp(call->headers[i].name, name) == 0)
            return call->headers[i].value;
    return NULL;
}

size_t mcp_call_header_count(const struct mcp_call *call, const char *name)
{
    size_t i, n = 0;

    for (i = 0; i < call->header_count; i++)
        n += strcasecmp(call->headers[i].name, name) == 0;
    return n;
}

void mcp_call_reply_header(struct mcp_call *call, const char *name,
                           const char *value)
{
    size_t room = sizeof(call->reply_headers) / sizeof(call->reply_headers[0]);

    assert(call->reply_header_count < room);
    if (call->reply_header_count < room) {
        struct mcp_header *h = &call->reply_headers[call->reply_header_count++];

        h->name = name;
        h->value = value;
    }
}
