/*
 * skills_entry.c - see skills_entry.h
 */
#include "features/skills_entry.h"

enum { ENTRY_MAX_BYTES = 64 << 20 };

static const char *const members[] = {"uri", "frontmatter", "resources"};

enum { MEMBER_COUNT = sizeof(members) / sizeof(members[0]) };

bool mcp_skills_entry(struct mcp_request *rq, const struct mcp_json *tree,
                      const char **uri, struct mcp_text *entry)
{
    const struct mcp_json *values[MEMBER_COUNT];
    struct mcp_arena *a = rq->call->arena;
    struct mcp_buf b;

    for (size_t i = 0; i < MEMBER_COUNT; i++) {
        values[i] = mcp_json_find(tree, members[i]);
        if (values[i] == NULL || !mcp_json_is(values[0], MCP_JSON_STRING)) {
            mcp_request_fail(rq, MCP_EINTERNAL, NULL, NULL);
            return false;
        }
    }
    mcp_buf_init(&b, ENTRY_MAX_BYTES);
    for (size_t i = 0; i < MEMBER_COUNT; i++) {
        mcp_buf_printf(&b, "%c\"%s\":", i == 0 ? '{' : ',', members[i]);
        mcp_json_write(&b, values[i]);
    }
    mcp_buf_putc(&b, '}');
    *uri = mcp_arena_dup(a, values[0]->u.text, values[0]->count);
    if (mcp_text_keep(entry, a, &b) && *uri != NULL) {
        mcp_buf_free(&b);
        return true;
    }
    mcp_buf_free(&b);
    mcp_request_fail(rq, MCP_ENOMEM, NULL, NULL);
    return false;
}
