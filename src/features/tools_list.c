/*
 * tools_list.c - see tools_list.h
 */
#include "features/tools_list.h"

#include "features/box.h"
#include "features/envelope.h"
#include "features/prepared.h"
#include "features/shorten.h"

enum { SHOWN_MAX_BYTES = 128 };

size_t mcp_tools_page_size(const struct mcp_generation *gen)
{
    int64_t size = gen->config->list_page_size;

    return size < 1 ? 1 : (size_t)size;
}

/* FNV-1a over the names of the list, their ends included. */
static uint64_t list_mark(const struct mcp_generation *gen)
{
    uint64_t h = UINT64_C(14695981039346656037);

    for (size_t i = 0; i < gen->tool_count; i++) {
        const char *c = gen->tools[i].name;

        do
            h = (h ^ (unsigned char)*c) * UINT64_C(1099511628211);
        while (*c++ != '\0');
    }
    return (h ^ mcp_tools_page_size(gen)) * UINT64_C(1099511628211);
}

void mcp_tools_write_cursor(struct mcp_buf *out,
                            const struct mcp_generation *gen, size_t page)
{
    mcp_buf_printf(out, "%016llx.%zu", (unsigned long long)list_mark(gen),
                   page);
}

static void write_string(struct mcp_buf *out, const char *name,
                         const char *text)
{
    if (text == NULL)
        return;
    mcp_buf_puts(out, name);
    mcp_json_write_cstring(out, text);
}

static void write_json(struct mcp_buf *out, const char *name, const char *json)
{
    if (json == NULL)
        return;
    mcp_buf_puts(out, name);
    mcp_buf_puts(out, json);
}

/* Only the members that Tool has in the schema of `r`. */
static void write_tool(struct mcp_buf *out, const struct mcp_tool *tool,
                       enum mcp_revision r)
{
    write_string(out, "{\"name\":", tool->name);
    if (r >= MCP_2025_06_18)
        write_string(out, ",\"title\":", tool->title);
    write_string(out, ",\"description\":", tool->description);
    write_json(out, ",\"inputSchema\":", tool->input_schema);
    if (r >= MCP_2025_06_18 && tool->output_schema != NULL) {
        if (r < MCP_2026_07_28 && mcp_box_is_needed(tool->output_tree)) {
            mcp_buf_puts(out, ",\"outputSchema\":");
            mcp_box_write_schema(out, tool->output_tree);
        } else {
            write_json(out, ",\"outputSchema\":", tool->output_schema);
        }
    }
    write_json(out, ",\"annotations\":", tool->annotations);
    if (r >= MCP_2025_11_25)
        write_json(out, ",\"icons\":", tool->icons);
    if (r >= MCP_2025_06_18)
        write_json(out, ",\"_meta\":", tool->meta);
    mcp_buf_putc(out, '}');
}

void mcp_tools_write_page(struct mcp_buf *out, const struct mcp_generation *gen,
                          enum mcp_revision revision, size_t page,
                          const char *next)
{
    size_t size = mcp_tools_page_size(gen), from = page * size;
    size_t left = gen->tool_count - from, count = left < size ? left : size;

    mcp_buf_puts(out, revision >= MCP_2026_07_28
                          ? "{\"resultType\":\"complete\",\"tools\":["
                          : "{\"tools\":[");
    for (size_t i = from; i < from + count; i++) {
        if (i > from)
            mcp_buf_putc(out, ',');
        write_tool(out, &gen->tools[i], revision);
    }
    mcp_buf_putc(out, ']');
    write_string(out, ",\"nextCursor\":", next);
}

/* {"cursor":"..."} as it was sent, cut; NULL when the arena is full. */
static const char *cursor_data(struct mcp_call *call,
                               const struct mcp_json *cursor)
{
    const char *data = NULL;
    struct mcp_buf b;

    if (cursor->type != MCP_JSON_STRING)
        return "{\"cursor\":null}";
    mcp_buf_init(&b, 8 * SHOWN_MAX_BYTES);
    mcp_buf_puts(&b, "{\"cursor\":");
    mcp_json_write_string(&b, cursor->u.text,
                          mcp_shorten(cursor, SHOWN_MAX_BYTES));
    mcp_buf_putc(&b, '}');
    if (!b.failed)
        data = mcp_arena_dup(call->arena, b.data, b.len);
    mcp_buf_free(&b);
    return data;
}

/* The page that the request asks for, or NULL with the fault set. An absent,
 * null or empty cursor means the first one. */
static const struct mcp_page *find_page(struct mcp_request *rq)
{
    const struct mcp_prepared *p = rq->gen->prepared;
    const struct mcp_json *cursor = mcp_json_find(rq->call->params, "cursor");
    bool is_text = mcp_json_is(cursor, MCP_JSON_STRING);

    if (cursor == NULL || cursor->type == MCP_JSON_NULL ||
        mcp_json_equals_string(cursor, ""))
        return &p->pages[0];
    for (size_t i = 1; is_text && i < p->page_count; i++)
        if (mcp_json_equals_string(cursor, p->pages[i].cursor))
            return &p->pages[i];
    mcp_request_fail(rq, MCP_EINVAL,
                     is_text ? "Unknown cursor: the list may have changed; "
                               "start again without a cursor"
                             : "cursor must be a string",
                     cursor_data(rq->call, cursor));
    return NULL;
}

void mcp_tools_list(struct mcp_request *rq)
{
    const struct mcp_prepared *p = rq->gen->prepared;
    const struct mcp_page *page = find_page(rq);
    struct mcp_call *call = rq->call;

    if (page != NULL) {
        const struct mcp_text *t = &page->by_revision[call->revision];
        const struct mcp_text *tail =
            mcp_envelope_is_retry(call) ? &p->list_tail_retry : &p->list_tail;

        mcp_buf_add(&call->out, t->text, t->len);
        if (mcp_call_is_modern(call))
            mcp_buf_add(&call->out, tail->text, tail->len);
        else
            mcp_buf_putc(&call->out, '}');
    }
    rq->end(rq);
}
