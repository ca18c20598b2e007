/*
 * prepare.c - see prepare.h
 */
#include "features/prepare.h"

#include <stdio.h>

#include "base/memory.h"
#include "features/box.h"
#include "features/discover.h"
#include "features/envelope.h"
#include "features/prepared.h"
#include "features/tools_list.h"

enum { PREPARED_MAX_BYTES = 512 << 20 };

static void prepared_free(void *p)
{
    struct mcp_prepared *prepared = p;

    if (prepared == NULL)
        return;
    mcp_arena_free(prepared->arena);
    free(prepared);
}

/* Moves what `b` holds into the arena. False: out of memory. */
static bool keep(struct mcp_arena *a, struct mcp_buf *b, struct mcp_text *to)
{
    to->text = b->failed ? NULL : mcp_arena_dup(a, b->data, b->len);
    to->len = b->len;
    mcp_buf_clear(b);
    return to->text != NULL;
}

static void write_list_tail(struct mcp_buf *b,
                            const struct mcp_prepared *prepared,
                            const struct mcp_config *config, bool fresh)
{
    mcp_buf_putc(b, ',');
    mcp_envelope_write_cache(b, config, fresh);
    mcp_buf_puts(b, ",\"_meta\":{\"io.modelcontextprotocol/serverInfo\":");
    mcp_buf_add(b, prepared->server_info.text, prepared->server_info.len);
    mcp_buf_puts(b, "}}");
}

static bool prepare_texts(struct mcp_prepared *p,
                          const struct mcp_generation *gen, struct mcp_buf *b)
{
    mcp_envelope_write_server_info(b, gen->config, MCP_REVISION_LAST, false);
    if (!keep(p->arena, b, &p->server_info))
        return false;
    write_list_tail(b, p, gen->config, true);
    if (!keep(p->arena, b, &p->list_tail))
        return false;
    write_list_tail(b, p, gen->config, false);
    if (!keep(p->arena, b, &p->list_tail_retry))
        return false;
    for (int r = MCP_REVISION_FIRST; r <= (int)MCP_REVISION_LAST; r++) {
        mcp_discover_write(b, gen, (enum mcp_revision)r);
        if (!keep(p->arena, b, &p->hello[r]))
            return false;
    }
    return true;
}

static enum mcp_err prepare_tools(struct mcp_prepared *p,
                                  const struct mcp_generation *gen,
                                  char *message, size_t message_size)
{
    struct mcp_tool_plan *plans =
        mcp_arena_alloc(p->arena, (gen->tool_count + 1) * sizeof(*plans));
    enum mcp_err err;

    if (plans == NULL) {
        snprintf(message, message_size, "out of memory");
        return MCP_ENOMEM;
    }
    for (size_t i = 0; i < gen->tool_count; i++) {
        const struct mcp_tool *tool = &gen->tools[i];

        plans[i].boxed =
            tool->output_tree != NULL && mcp_box_is_needed(tool->output_tree);
        err = mcp_mirrors_find(tool, p->arena, &plans[i].mirrors, message,
                               message_size);
        if (err != MCP_OK)
            return err;
    }
    p->tools = plans;
    return MCP_OK;
}

static bool prepare_pages(struct mcp_prepared *p,
                          const struct mcp_generation *gen, struct mcp_buf *b)
{
    size_t size = mcp_tools_page_size(gen);
    size_t count = gen->tool_count == 0 ? 1 : (gen->tool_count - 1) / size + 1;
    struct mcp_page *pages = mcp_arena_alloc(p->arena, count * sizeof(*pages));

    if (pages == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        pages[i].cursor = NULL;
        if (i == 0)
            continue;
        mcp_tools_write_cursor(b, gen, i);
        pages[i].cursor =
            b->failed ? NULL : mcp_arena_dup(p->arena, b->data, b->len);
        mcp_buf_clear(b);
        if (pages[i].cursor == NULL)
            return false;
    }
    for (size_t i = 0; i < count; i++) {
        for (int r = MCP_REVISION_FIRST; r <= (int)MCP_REVISION_LAST; r++) {
            mcp_tools_write_page(b, gen, (enum mcp_revision)r, i,
                                 i + 1 < count ? pages[i + 1].cursor : NULL);
            if (!keep(p->arena, b, &pages[i].by_revision[r]))
                return false;
        }
    }
    p->pages = pages;
    p->page_count = count;
    return true;
}

enum mcp_err mcp_features_prepare(void *user, struct mcp_generation *gen,
                                  char *message, size_t message_size)
{
    struct mcp_prepared *p = mcp_memory_new(1, sizeof(*p));
    struct mcp_buf b;
    enum mcp_err err = MCP_ENOMEM;

    (void)user;
    snprintf(message, message_size, "out of memory");
    if (p == NULL)
        return err;
    mcp_buf_init(&b, PREPARED_MAX_BYTES);
    p->arena = mcp_arena_new(PREPARED_MAX_BYTES);
    if (p->arena != NULL && prepare_texts(p, gen, &b) &&
        prepare_pages(p, gen, &b))
        err = prepare_tools(p, gen, message, message_size);
    mcp_buf_free(&b);
    if (err != MCP_OK) {
        prepared_free(p);
        return err;
    }
    gen->prepared = p;
    gen->prepared_free = prepared_free;
    return MCP_OK;
}
