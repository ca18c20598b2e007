/*
 * list.c - see list.h
 */
#include "features/list.h"

#include "features/envelope.h"
#include "features/unknown.h"

enum { CURSOR_SHOWN_BYTES = 128 };

struct writer {
    const struct mcp_generation *gen;
    enum mcp_item_kind kind;
    size_t count, page_size;
    struct mcp_arena *arena;
    struct mcp_buf *b;
};

/* FNV-1a over text and its end. */
static uint64_t mix(uint64_t h, const char *text)
{
    do
        h = (h ^ (unsigned char)*text) * UINT64_C(1099511628211);
    while (*text++ != '\0');
    return h;
}

static uint64_t list_mark(const struct writer *w)
{
    uint64_t h = mix(UINT64_C(14695981039346656037), mcp_items_member(w->kind));

    for (size_t i = 0; i < w->count; i++)
        h = mix(h, mcp_items_name(w->gen, w->kind, i));
    return (h ^ w->page_size) * UINT64_C(1099511628211);
}

/* The cursor that leads to page `page` (1, 2, ...); NULL: no memory. */
static const char *make_cursor(const struct writer *w, uint64_t mark,
                               size_t page)
{
    return mcp_arena_printf(w->arena, "%016llx.%zu", (unsigned long long)mark,
                            page);
}

/* The page from the opening brace to the last member of the list proper. */
static bool write_page(const struct writer *w, size_t page, const char *next,
                       enum mcp_revision r, struct mcp_text *out)
{
    size_t from = page * w->page_size, left = w->count - from;
    size_t count = left < w->page_size ? left : w->page_size;

    mcp_buf_puts(w->b,
                 r >= MCP_2026_07_28 ? "{\"resultType\":\"complete\"," : "{");
    mcp_buf_printf(w->b, "\"%s\":[", mcp_items_member(w->kind));
    for (size_t i = from; i < from + count; i++) {
        if (i > from)
            mcp_buf_putc(w->b, ',');
        mcp_items_write(w->b, w->gen, w->kind, i, r);
    }
    mcp_buf_putc(w->b, ']');
    if (next != NULL) {
        mcp_buf_puts(w->b, ",\"nextCursor\":");
        mcp_json_write_cstring(w->b, next);
    }
    return mcp_text_keep(out, w->arena, w->b);
}

bool mcp_list_prepare(const struct mcp_generation *gen, enum mcp_item_kind kind,
                      struct mcp_arena *a, struct mcp_buf *b,
                      struct mcp_list *out)
{
    int64_t size = gen->config->list_page_size;
    struct writer w = {.gen = gen,
                       .kind = kind,
                       .count = mcp_items_count(gen, kind),
                       .page_size = size < 1 ? 1 : (size_t)size,
                       .arena = a,
                       .b = b};
    size_t count = w.count == 0 ? 1 : (w.count - 1) / w.page_size + 1;
    struct mcp_page *pages = mcp_arena_alloc(a, count * sizeof(*pages));
    uint64_t mark = list_mark(&w);

    if (pages == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        pages[i].cursor = i == 0 ? NULL : make_cursor(&w, mark, i);
        if (i > 0 && pages[i].cursor == NULL)
            return false;
    }
    for (size_t i = 0; i < count; i++)
        for (int r = MCP_REVISION_FIRST; r <= (int)MCP_REVISION_LAST; r++)
            if (!write_page(&w, i, i + 1 < count ? pages[i + 1].cursor : NULL,
                            (enum mcp_revision)r, &pages[i].by_revision[r]))
                return false;
    *out = (struct mcp_list){.pages = pages, .page_count = count};
    return true;
}

/* The page that the request asks for, or NULL with the fault set. An absent,
 * null or empty cursor means the first one. */
static const struct mcp_page *find_page(struct mcp_request *rq,
                                        const struct mcp_list *list)
{
    const struct mcp_json *cursor = mcp_json_find(rq->call->params, "cursor");
    bool is_text = mcp_json_is(cursor, MCP_JSON_STRING);

    if (cursor == NULL || cursor->type == MCP_JSON_NULL ||
        mcp_json_equals_string(cursor, ""))
        return &list->pages[0];
    for (size_t i = 1; is_text && i < list->page_count; i++)
        if (mcp_json_equals_string(cursor, list->pages[i].cursor))
            return &list->pages[i];
    mcp_request_fail(
        rq, MCP_EINVAL,
        is_text ? "Unknown cursor: the list may have changed; start again "
                  "without a cursor"
                : "cursor must be a string",
        mcp_unknown_data(rq->call, "cursor", cursor, CURSOR_SHOWN_BYTES));
    return NULL;
}

static void answer(struct mcp_request *rq, enum mcp_item_kind kind)
{
    const struct mcp_prepared *p = rq->gen->prepared;
    const struct mcp_page *page = find_page(rq, &p->lists[kind]);
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

void mcp_prompts_list(struct mcp_request *rq)
{
    answer(rq, MCP_ITEM_PROMPT);
}

void mcp_resources_list(struct mcp_request *rq)
{
    answer(rq, MCP_ITEM_RESOURCE);
}

void mcp_templates_list(struct mcp_request *rq)
{
    answer(rq, MCP_ITEM_TEMPLATE);
}

void mcp_tools_list(struct mcp_request *rq)
{
    answer(rq, MCP_ITEM_TOOL);
}
