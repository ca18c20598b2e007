/*
 * list.c - see list.h
 */
#include "features/list.h"

#include "features/envelope.h"
#include "features/paging.h"

struct writer {
    const struct mcp_generation *gen;
    enum mcp_item_kind kind;
    size_t count, page_size;
    struct mcp_arena *arena;
    struct mcp_buf *b;
};

static uint64_t list_mark(const struct writer *w)
{
    uint64_t mark = mcp_paging_mark(MCP_PAGING_MARK, mcp_items_member(w->kind));

    for (size_t i = 0; i < w->count; i++)
        mark = mcp_paging_mark(mark, mcp_items_name(w->gen, w->kind, i));
    return mcp_paging_seal(mark, w->page_size);
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
    struct writer w = {.gen = gen,
                       .kind = kind,
                       .count = mcp_items_count(gen, kind),
                       .page_size = mcp_paging_size(gen->config),
                       .arena = a,
                       .b = b};
    size_t count = mcp_paging_count(w.count, w.page_size);
    struct mcp_page *pages = mcp_arena_alloc(a, count * sizeof(*pages));
    uint64_t mark = list_mark(&w);

    if (pages == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        const char *next =
            i + 1 < count ? mcp_paging_cursor(a, mark, i + 1) : NULL;

        if (i + 1 < count && next == NULL)
            return false;
        for (int r = MCP_REVISION_FIRST; r <= (int)MCP_REVISION_LAST; r++)
            if (!write_page(&w, i, next, (enum mcp_revision)r,
                            &pages[i].by_revision[r]))
                return false;
    }
    *out = (struct mcp_list){.pages = pages, .page_count = count, .mark = mark};
    return true;
}

static void answer(struct mcp_request *rq, enum mcp_item_kind kind)
{
    const struct mcp_prepared *p = rq->gen->prepared;
    const struct mcp_list *list = &p->lists[kind];
    struct mcp_call *call = rq->call;
    size_t page;

    if (mcp_paging_find(rq, list->mark, list->page_count, &page)) {
        const struct mcp_text *t =
            &list->pages[page].by_revision[call->revision];
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
