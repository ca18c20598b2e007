/*
 * offer.c - see offer.h
 */
#include "features/offer.h"

static bool has_completer(const struct mcp_generation *gen)
{
    for (size_t i = 0; i < gen->prompt_count; i++)
        if (gen->prompts[i].completer_count > 0)
            return true;
    for (size_t i = 0; i < gen->template_count; i++)
        if (gen->templates[i].completer_count > 0)
            return true;
    return false;
}

static bool has_task(const struct mcp_generation *gen)
{
    for (size_t i = 0; i < gen->tool_count; i++)
        if (gen->tools[i].task.use != MCP_TASK_NEVER)
            return true;
    return false;
}

unsigned mcp_offer_find(const struct mcp_generation *gen)
{
    unsigned offers = 0;

    if (gen->tool_count > 0)
        offers |= MCP_OFFER_TOOLS;
    if (gen->builtin_listed + gen->resource_count + gen->template_count > 0)
        offers |= MCP_OFFER_RESOURCES;
    if (gen->skills.declared) {
        offers |= MCP_OFFER_RESOURCES | MCP_OFFER_SKILLS;
        if (!gen->skills.no_directories)
            offers |= MCP_OFFER_DIRECTORIES;
    }
    if (gen->prompt_count > 0)
        offers |= MCP_OFFER_PROMPTS;
    if (has_completer(gen))
        offers |= MCP_OFFER_COMPLETIONS;
    if (has_task(gen))
        offers |= MCP_OFFER_TASKS;
    return offers;
}

/* The extensions among `offers`. */
static void write_extensions(struct mcp_buf *out, unsigned offers)
{
    if ((offers & MCP_OFFER_EXTENSIONS) != 0)
        mcp_buf_puts(out, ",\"extensions\":{");
    if ((offers & MCP_OFFER_SKILLS) != 0)
        mcp_buf_printf(out, "\"io.modelcontextprotocol/skills\":{%s}",
                       (offers & MCP_OFFER_DIRECTORIES) != 0
                           ? "\"directoryRead\":true"
                           : "");
    if ((offers & MCP_OFFER_TASKS) != 0)
        mcp_buf_printf(out, "%s\"io.modelcontextprotocol/tasks\":{}",
                       (offers & MCP_OFFER_SKILLS) != 0 ? "," : "");
    if ((offers & MCP_OFFER_EXTENSIONS) != 0)
        mcp_buf_putc(out, '}');
}

void mcp_offer_write(struct mcp_buf *out, unsigned offers)
{
    mcp_buf_puts(out, "{\"logging\":{}");
    if ((offers & MCP_OFFER_TOOLS) != 0)
        mcp_buf_puts(out, ",\"tools\":{\"listChanged\":true}");
    if ((offers & MCP_OFFER_RESOURCES) != 0)
        mcp_buf_puts(out, ",\"resources\":{\"listChanged\":true,"
                          "\"subscribe\":true}");
    if ((offers & MCP_OFFER_PROMPTS) != 0)
        mcp_buf_puts(out, ",\"prompts\":{\"listChanged\":true}");
    if ((offers & MCP_OFFER_COMPLETIONS) != 0)
        mcp_buf_puts(out, ",\"completions\":{}");
    write_extensions(out, offers);
    mcp_buf_putc(out, '}');
}
