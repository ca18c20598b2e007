/*
 * items.c - see items.h
 */
#include "features/items.h"

#include "features/box.h"
#include "features/skills_open.h"

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

static void write_output_schema(struct mcp_buf *out,
                                const struct mcp_tool *tool,
                                enum mcp_revision r)
{
    if (r < MCP_2025_06_18 || tool->output_schema == NULL)
        return;
    if (r < MCP_2026_07_28 && mcp_box_is_needed(tool->output_tree)) {
        mcp_buf_puts(out, ",\"outputSchema\":");
        mcp_box_write_schema(out, tool->output_tree);
    } else {
        write_json(out, ",\"outputSchema\":", tool->output_schema);
    }
}

/* The members that every kind has at its end. */
static void write_tail(struct mcp_buf *out, const char *icons, const char *meta,
                       enum mcp_revision r)
{
    if (r >= MCP_2025_11_25)
        write_json(out, ",\"icons\":", icons);
    if (r >= MCP_2025_06_18)
        write_json(out, ",\"_meta\":", meta);
    mcp_buf_putc(out, '}');
}

static void write_tool(struct mcp_buf *out, const struct mcp_generation *gen,
                       size_t i, enum mcp_revision r)
{
    const struct mcp_tool *tool = &gen->tools[i];

    write_string(out, "{\"name\":", tool->name);
    if (r >= MCP_2025_06_18)
        write_string(out, ",\"title\":", tool->title);
    write_string(out, ",\"description\":", tool->description);
    write_json(out, ",\"inputSchema\":", tool->input_schema);
    write_output_schema(out, tool, r);
    write_json(out, ",\"annotations\":", tool->annotations);
    write_tail(out, tool->icons, tool->meta, r);
}

static void write_argument(struct mcp_buf *out,
                           const struct mcp_prompt_argument *a,
                           enum mcp_revision r)
{
    write_string(out, "{\"name\":", a->name);
    if (r >= MCP_2025_06_18)
        write_string(out, ",\"title\":", a->title);
    write_string(out, ",\"description\":", a->description);
    mcp_buf_printf(out, ",\"required\":%s}", a->required ? "true" : "false");
}

static void write_prompt(struct mcp_buf *out, const struct mcp_generation *gen,
                         size_t i, enum mcp_revision r)
{
    const struct mcp_prompt *prompt = &gen->prompts[i];

    write_string(out, "{\"name\":", prompt->name);
    if (r >= MCP_2025_06_18)
        write_string(out, ",\"title\":", prompt->title);
    write_string(out, ",\"description\":", prompt->description);
    for (size_t n = 0; n < prompt->argument_count; n++) {
        mcp_buf_puts(out, n == 0 ? ",\"arguments\":[" : ",");
        write_argument(out, &prompt->arguments[n], r);
    }
    if (prompt->argument_count > 0)
        mcp_buf_putc(out, ']');
    write_tail(out, prompt->icons, prompt->meta, r);
}

/* A resource, or a template: they differ in the name of the URI and in size. */
static void write_located(struct mcp_buf *out, const struct mcp_resource *res,
                          enum mcp_revision r)
{
    bool exact = res->uri_template == NULL;

    write_string(out, exact ? "{\"uri\":" : "{\"uriTemplate\":", res->uri);
    write_string(out, ",\"name\":", res->name);
    if (r >= MCP_2025_06_18)
        write_string(out, ",\"title\":", res->title);
    write_string(out, ",\"description\":", res->description);
    write_string(out, ",\"mimeType\":", res->mime_type);
    if (exact && res->size_bytes >= 0)
        mcp_buf_printf(out, ",\"size\":%lld", (long long)res->size_bytes);
    write_json(out, ",\"annotations\":", res->annotations);
    write_tail(out, res->icons, res->meta, r);
}

/* The files of skills, which are listed behind the resources. */
static const struct mcp_skill_file *
exposed_files(const struct mcp_generation *gen, size_t *count)
{
    const struct mcp_skill_index *index = mcp_skills_index(gen);

    *count = 0;
    if (index == NULL || gen->skills.hidden)
        return NULL;
    return mcp_skill_index_files(index, count);
}

static void write_resource(struct mcp_buf *out,
                           const struct mcp_generation *gen, size_t i,
                           enum mcp_revision r)
{
    const struct mcp_skill_file *files;
    size_t count;

    if (i < gen->builtin_listed) {
        write_located(out, &gen->builtins[i], r);
        return;
    }
    i -= gen->builtin_listed;
    if (i < gen->resource_count) {
        write_located(out, &gen->resources[i], r);
        return;
    }
    files = exposed_files(gen, &count);
    mcp_buf_add(out, files[i - gen->resource_count].resource.text,
                files[i - gen->resource_count].resource.len);
}

static void write_template(struct mcp_buf *out,
                           const struct mcp_generation *gen, size_t i,
                           enum mcp_revision r)
{
    write_located(out, &gen->templates[i], r);
}

/* clang-format off */
static const struct {
    const char *member;
    void (*write)(struct mcp_buf *out, const struct mcp_generation *gen,
                  size_t i, enum mcp_revision r);
} kinds[MCP_ITEM_KINDS] = {
    [MCP_ITEM_PROMPT]   = {"prompts", write_prompt},
    [MCP_ITEM_RESOURCE] = {"resources", write_resource},
    [MCP_ITEM_TEMPLATE] = {"resourceTemplates", write_template},
    [MCP_ITEM_TOOL]     = {"tools", write_tool},
};
/* clang-format on */

const char *mcp_items_member(enum mcp_item_kind kind)
{
    return kinds[kind].member;
}

size_t mcp_items_count(const struct mcp_generation *gen,
                       enum mcp_item_kind kind)
{
    size_t files;

    switch (kind) {
    case MCP_ITEM_PROMPT:
        return gen->prompt_count;
    case MCP_ITEM_RESOURCE:
        (void)exposed_files(gen, &files);
        return gen->builtin_listed + gen->resource_count + files;
    case MCP_ITEM_TEMPLATE:
        return gen->template_count;
    default:
        return gen->tool_count;
    }
}

const char *mcp_items_name(const struct mcp_generation *gen,
                           enum mcp_item_kind kind, size_t i)
{
    size_t files;

    switch (kind) {
    case MCP_ITEM_PROMPT:
        return gen->prompts[i].name;
    case MCP_ITEM_RESOURCE:
        if (i < gen->builtin_listed)
            return gen->builtins[i].uri;
        i -= gen->builtin_listed;
        return i < gen->resource_count
                   ? gen->resources[i].uri
                   : exposed_files(gen, &files)[i - gen->resource_count].uri;
    case MCP_ITEM_TEMPLATE:
        return gen->templates[i].uri;
    default:
        return gen->tools[i].name;
    }
}

void mcp_items_write(struct mcp_buf *out, const struct mcp_generation *gen,
                     enum mcp_item_kind kind, size_t i,
                     enum mcp_revision revision)
{
    kinds[kind].write(out, gen, i, revision);
}
