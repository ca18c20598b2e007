/*
 * skills_list.c - see skills_list.h
 */
#include "features/skills_list.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "features/envelope.h"
#include "features/paging.h"
#include "features/skills_entry.h"
#include "features/skills_open.h"
#include "features/skills_walk.h"
#include "features/skills_write.h"

/* One entry of a list that is being gathered. */
struct listed {
    const char *uri; /* NUL-terminated */
    struct mcp_text entry;
};

struct gathered {
    struct listed *items;
    size_t count, room;
};

/* ---- pages ---- */

static uint64_t mark_of(const struct listed *items, size_t count, size_t size)
{
    uint64_t mark = mcp_paging_mark(MCP_PAGING_MARK, "skills");

    for (size_t i = 0; i < count; i++)
        mark = mcp_paging_mark(mark, items[i].uri);
    return mcp_paging_seal(mark, size);
}

/* A page without its cache members, _meta and brace. */
static void write_page(struct mcp_buf *out, const struct listed *items,
                       size_t count, size_t page, size_t size, const char *next)
{
    size_t from = page * size, left = count - from;

    mcp_buf_puts(out, "{\"resultType\":\"complete\",\"skills\":[");
    for (size_t i = 0; i < left && i < size; i++) {
        if (i > 0)
            mcp_buf_putc(out, ',');
        mcp_buf_add(out, items[from + i].entry.text, items[from + i].entry.len);
    }
    mcp_buf_putc(out, ']');
    if (next != NULL) {
        mcp_buf_puts(out, ",\"nextCursor\":");
        mcp_json_write_cstring(out, next);
    }
}

/* The static skills, with room for `more`; NULL: out of memory. */
static struct listed *static_items(const struct mcp_skill_index *index,
                                   struct mcp_arena *a, size_t more,
                                   size_t *count)
{
    const struct mcp_skill *skills = mcp_skill_index_skills(index, count);
    struct listed *items = mcp_arena_alloc(a, (*count + more) * sizeof(*items));

    for (size_t i = 0; items != NULL && i < *count; i++)
        items[i] = (struct listed){
            .uri = skills[i].uri,
            .entry = {skills[i].entry.text, skills[i].entry.len}};
    return items;
}

static bool prepare_pages(struct mcp_prepared *p, struct mcp_page *pages,
                          const struct listed *items, size_t count, size_t size,
                          struct mcp_buf *b)
{
    for (size_t i = 0; i < p->skill_list.page_count; i++) {
        bool last = i + 1 == p->skill_list.page_count;
        const char *next =
            last ? NULL
                 : mcp_paging_cursor(p->arena, p->skill_list.mark, i + 1);

        if (!last && next == NULL)
            return false;
        write_page(b, items, count, i, size, next);
        if (!mcp_text_keep(&pages[i].by_revision[MCP_REVISION_LAST], p->arena,
                           b))
            return false;
    }
    return true;
}

bool mcp_skills_list_prepare(const struct mcp_generation *gen,
                             struct mcp_prepared *p, struct mcp_buf *b)
{
    size_t size = mcp_paging_size(gen->config), count;
    struct listed *items = static_items(p->skills, p->arena, 1, &count);
    struct mcp_page *pages;

    if (items == NULL)
        return false;
    p->skill_list.page_count = mcp_paging_count(count, size);
    p->skill_list.mark = mark_of(items, count, size);
    pages =
        mcp_arena_alloc(p->arena, p->skill_list.page_count * sizeof(*pages));
    p->skill_list.pages = pages;
    return pages != NULL && prepare_pages(p, pages, items, count, size, b);
}

static void answer_static(struct mcp_request *rq)
{
    const struct mcp_prepared *p = rq->gen->prepared;
    const struct mcp_text *t;
    size_t page;

    if (!mcp_paging_find(rq, p->skill_list.mark, p->skill_list.page_count,
                         &page))
        return;
    t = &p->skill_list.pages[page].by_revision[MCP_REVISION_LAST];
    mcp_buf_add(&rq->call->out, t->text, t->len);
    mcp_skills_end_result(rq, true, false);
}

/* ---- with sources ---- */

static bool make_room(struct gathered *g, struct mcp_arena *a, size_t more)
{
    size_t room = 2 * (g->count + more);
    struct listed *items;

    if (g->count + more <= g->room)
        return true;
    items = mcp_arena_alloc(a, room * sizeof(*items));
    if (items == NULL)
        return false;
    memcpy(items, g->items, g->count * sizeof(*items));
    g->items = items;
    g->room = room;
    return true;
}

/* The entries that one source listed. */
static bool take(struct mcp_request *rq, struct mcp_skill_walk *w,
                 const struct mcp_outcome *o)
{
    struct gathered *g = w->user;
    const struct mcp_json *list = mcp_skills_tree(rq, o);

    if (list == NULL)
        return false;
    if (list->type == MCP_JSON_ARRAY &&
        !make_room(g, rq->call->arena, list->count)) {
        mcp_request_fail(rq, MCP_ENOMEM, NULL, NULL);
        return false;
    }
    for (uint32_t i = 0; list->type == MCP_JSON_ARRAY && i < list->count; i++) {
        struct listed *to = &g->items[g->count];

        if (!mcp_skills_entry(rq, &list->u.items[i], &to->uri, &to->entry))
            return false;
        g->count++;
    }
    return true;
}

static int by_uri(const void *a, const void *b)
{
    const struct listed *const *x = a, *const *y = b;
    int order = strcmp((*x)->uri, (*y)->uri);

    return order != 0 ? order : *x < *y ? -1 : *x > *y;
}

/* True once for each generation: a log line is for its author. */
static bool is_first_time(const struct mcp_generation *gen)
{
    static atomic_uint_fast64_t told; /* the number of a generation */

    return atomic_exchange(&told, gen->number) != gen->number;
}

/* Leaves the first entry of each URI. False: out of memory. */
static bool drop_doubles(struct gathered *g, const struct mcp_generation *gen,
                         struct mcp_arena *a)
{
    struct listed **sorted =
        mcp_arena_alloc(a, (g->count + 1) * sizeof(struct listed *));
    size_t kept = 0, doubles = 0;
    const char *one = NULL;

    if (sorted == NULL)
        return false;
    for (size_t i = 0; i < g->count; i++)
        sorted[i] = &g->items[i];
    qsort(sorted, g->count, sizeof(struct listed *), by_uri);
    for (size_t i = g->count; i-- > 1;)
        if (strcmp(sorted[i]->uri, sorted[i - 1]->uri) == 0) {
            one = sorted[i]->uri;
            doubles++;
            sorted[i]->entry.text = NULL;
        }
    if (doubles > 0 && is_first_time(gen))
        mcp_log(MCP_LOG_WARNING, "skills",
                "%s is listed by more than one source (%zu are); the first "
                "counts",
                one, doubles);
    for (size_t i = 0; i < g->count; i++)
        if (g->items[i].entry.text != NULL)
            g->items[kept++] = g->items[i];
    g->count = kept;
    return true;
}

static bool done(struct mcp_request *rq, struct mcp_skill_walk *w)
{
    struct gathered *g = w->user;
    struct mcp_arena *a = rq->call->arena;
    size_t size = mcp_paging_size(rq->gen->config), page, pages;
    const char *next = NULL;
    uint64_t mark;

    if (!drop_doubles(g, rq->gen, a)) {
        mcp_request_fail(rq, MCP_ENOMEM, NULL, NULL);
        return false;
    }
    pages = mcp_paging_count(g->count, size);
    mark = mark_of(g->items, g->count, size);
    if (!mcp_paging_find(rq, mark, pages, &page))
        return false;
    if (page + 1 < pages) {
        next = mcp_paging_cursor(a, mark, page + 1);
        if (next == NULL) {
            mcp_request_fail(rq, MCP_ENOMEM, NULL, NULL);
            return false;
        }
    }
    write_page(&rq->call->out, g->items, g->count, page, size, next);
    mcp_skills_end_result(rq, true, true);
    return false;
}

static bool answer_dynamic(struct mcp_request *rq)
{
    struct mcp_arena *a = rq->call->arena;
    struct mcp_skill_walk *w = mcp_arena_alloc(a, sizeof(*w));
    struct gathered *g = mcp_arena_alloc(a, sizeof(*g));

    if (w != NULL && g != NULL) {
        g->items = static_items(mcp_skills_index(rq->gen), a, 16, &g->count);
        g->room = g->count + 16;
    }
    if (w == NULL || g == NULL || g->items == NULL) {
        mcp_request_fail(rq, MCP_ENOMEM, NULL, NULL);
        return false;
    }
    *w = (struct mcp_skill_walk){.op = MCP_SKILL_OP_LIST,
                                 .word = "list",
                                 .take = take,
                                 .done = done,
                                 .user = g};
    return mcp_skills_walk(rq, w);
}

void mcp_skills_list(struct mcp_request *rq)
{
    bool goes_on = false;

    if (mcp_skills_may_know(rq->gen, NULL))
        goes_on = answer_dynamic(rq);
    else
        answer_static(rq);
    if (!goes_on)
        rq->end(rq);
}
