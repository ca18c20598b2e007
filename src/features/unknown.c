/*
 * unknown.c - see unknown.h
 */
#include "features/unknown.h"

#include "base/suggest.h"
#include "features/shorten.h"

const char *mcp_unknown_data(struct mcp_call *call, const char *member,
                             const struct mcp_json *value, uint32_t max_bytes)
{
    const char *text;
    struct mcp_buf b;

    mcp_buf_init(&b, strlen(member) + 6 * (size_t)max_bytes + 64);
    mcp_buf_printf(&b, "{\"%s\":", member);
    if (value->type == MCP_JSON_STRING)
        mcp_json_write_string(&b, value->u.text, mcp_shorten(value, max_bytes));
    else
        mcp_buf_puts(&b, "null");
    mcp_buf_putc(&b, '}');
    text = b.failed ? NULL : mcp_arena_dup(call->arena, b.data, b.len);
    mcp_buf_free(&b);
    return text;
}

const char *mcp_unknown_nearest(const struct mcp_request *rq,
                                enum mcp_item_kind kind,
                                const struct mcp_json *name)
{
    size_t count = mcp_items_count(rq->gen, kind);
    const char **names;

    if (name->count > MCP_SUGGEST_MAX_NAME)
        return NULL;
    names = mcp_arena_alloc(rq->call->arena, count * sizeof(*names));
    if (names == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++)
        names[i] = mcp_items_name(rq->gen, kind, i);
    return mcp_suggest(name->u.text, name->count, names, count);
}

void mcp_unknown_fail(struct mcp_request *rq, const char *lead,
                      const struct mcp_json *name, const char *near,
                      const char *data)
{
    struct mcp_arena *a = rq->call->arena;
    int n = (int)mcp_shorten(name, MCP_NAME_SHOWN_BYTES);
    char *message =
        near != NULL
            ? mcp_arena_printf(a, "%s \"%.*s\"; did you mean \"%s\"?", lead, n,
                               name->u.text, near)
            : mcp_arena_printf(a, "%s \"%.*s\"", lead, n, name->u.text);

    mcp_request_fail(rq, MCP_ENOENT, message, data);
}
