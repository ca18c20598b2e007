/*
 * prepare.c - see prepare.h
 */
#include "features/prepare.h"

#include <stdio.h>

#include "base/memory.h"
#include "features/box.h"
#include "features/builtin.h"
#include "features/discover.h"
#include "features/envelope.h"
#include "features/list.h"
#include "features/offer.h"
#include "features/prepared.h"
#include "features/skills_list.h"
#include "features/skills_open.h"

enum { PREPARED_MAX_BYTES = 512 << 20 };

static void prepared_free(void *p)
{
    struct mcp_prepared *prepared = p;

    if (prepared == NULL)
        return;
    mcp_skill_index_free(prepared->skills);
    mcp_arena_free(prepared->arena);
    free(prepared);
}

static void write_list_tail(struct mcp_buf *b,
                            const struct mcp_prepared *prepared,
                            const struct mcp_config *config, bool fresh)
{
    mcp_buf_putc(b, ',');
    mcp_envelope_write_cache(b, config, NULL, fresh);
    mcp_buf_puts(b, ",\"_meta\":{\"io.modelcontextprotocol/serverInfo\":");
    mcp_buf_add(b, prepared->server_info.text, prepared->server_info.len);
    mcp_buf_puts(b, "}}");
}

static bool prepare_texts(struct mcp_prepared *p,
                          const struct mcp_generation *gen, struct mcp_buf *b)
{
    mcp_envelope_write_server_info(b, gen->config, MCP_REVISION_LAST, false);
    if (!mcp_text_keep(&p->server_info, p->arena, b))
        return false;
    write_list_tail(b, p, gen->config, true);
    if (!mcp_text_keep(&p->list_tail, p->arena, b))
        return false;
    write_list_tail(b, p, gen->config, false);
    if (!mcp_text_keep(&p->list_tail_retry, p->arena, b))
        return false;
    for (int r = MCP_REVISION_FIRST; r <= (int)MCP_REVISION_LAST; r++) {
        mcp_discover_write(b, gen, (enum mcp_revision)r);
        if (!mcp_text_keep(&p->hello[r], p->arena, b))
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

/* The index comes first: lists show what is in it. */
static enum mcp_err prepare_skills(struct mcp_prepared *p,
                                   struct mcp_generation *gen,
                                   struct mcp_buf *b, bool silent)
{
    enum mcp_err err;

    if (!gen->skills.declared)
        return MCP_OK;
    err = mcp_skills_open(gen, &p->skills);
    if (err != MCP_OK)
        return err;
    gen->skills.index = p->skills;
    if (!silent)
        mcp_skills_log(p->skills);
    return mcp_skills_list_prepare(gen, p, b) ? MCP_OK : MCP_ENOMEM;
}

static bool prepare_lists(struct mcp_prepared *p,
                          const struct mcp_generation *gen, struct mcp_buf *b)
{
    for (int kind = 0; kind < MCP_ITEM_KINDS; kind++)
        if (!mcp_list_prepare(gen, (enum mcp_item_kind)kind, p->arena, b,
                              &p->lists[kind]))
            return false;
    return true;
}

enum mcp_err mcp_features_prepare(void *user, struct mcp_generation *gen,
                                  char *message, size_t message_size)
{
    struct mcp_prepared *p = mcp_memory_new(1, sizeof(*p));
    const bool *silent = user;
    struct mcp_buf b;
    enum mcp_err err = MCP_ENOMEM;

    snprintf(message, message_size, "out of memory");
    if (p == NULL)
        return err;
    mcp_buf_init(&b, PREPARED_MAX_BYTES);
    p->arena = mcp_arena_new(PREPARED_MAX_BYTES);
    if (p->arena != NULL)
        err = mcp_builtins_prepare(gen, p->arena, &b, message, message_size);
    p->offers = mcp_offer_find(gen);
    if (err == MCP_OK)
        err = prepare_texts(p, gen, &b) ? MCP_OK : MCP_ENOMEM;
    if (err == MCP_OK)
        err = prepare_skills(p, gen, &b, silent != NULL && *silent);
    if (err == MCP_OK)
        err = prepare_lists(p, gen, &b) ? MCP_OK : MCP_ENOMEM;
    if (err == MCP_OK)
        err = prepare_tools(p, gen, message, message_size);
    mcp_buf_free(&b);
    if (err != MCP_OK) {
        gen->skills.index = NULL;
        gen->builtins = NULL;
        gen->builtin_count = gen->builtin_listed = 0;
        prepared_free(p);
        return err;
    }
    gen->prepared = p;
    gen->prepared_free = prepared_free;
    return MCP_OK;
}
