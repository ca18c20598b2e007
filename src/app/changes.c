/*
 * changes.c - compares tools by name, in declaration order
 */
#include "app/changes.h"

#include <string.h>

enum { NAMES_TOLD = 20 };

static bool same(const char *a, const char *b)
{
    if (a == NULL || b == NULL)
        return a == b;
    return strcmp(a, b) == 0;
}

static bool looks_the_same(const struct mcp_tool *a, const struct mcp_tool *b)
{
    return same(a->title, b->title) && same(a->description, b->description) &&
           same(a->annotations, b->annotations) && same(a->icons, b->icons) &&
           same(a->meta, b->meta) && same(a->input_schema, b->input_schema) &&
           same(a->output_schema, b->output_schema);
}

static const struct mcp_tool *counterpart(const struct mcp_generation *gen,
                                          const struct mcp_tool *tool)
{
    return mcp_generation_find_tool(gen, tool->name, strlen(tool->name));
}

static bool is_new(const struct mcp_generation *other,
                   const struct mcp_tool *tool)
{
    return counterpart(other, tool) == NULL;
}

static bool is_changed(const struct mcp_generation *other,
                       const struct mcp_tool *tool)
{
    const struct mcp_tool *before = counterpart(other, tool);

    return before != NULL && !looks_the_same(before, tool);
}

/* "WHAT a, b" for the tools of `gen` that `test` picks; true when there were
 * any. */
static bool write_part(struct mcp_buf *out, bool first, const char *what,
                       const struct mcp_generation *gen,
                       const struct mcp_generation *other,
                       bool (*test)(const struct mcp_generation *other,
                                    const struct mcp_tool *tool))
{
    size_t i, count = 0;

    for (i = 0; i < gen->tool_count; i++) {
        if (!test(other, &gen->tools[i]))
            continue;
        if (count == 0)
            mcp_buf_printf(out, "%s%s", first ? "" : "; ", what);
        if (count < NAMES_TOLD)
            mcp_buf_printf(out, "%s %s", count > 0 ? "," : "",
                           gen->tools[i].name);
        count++;
    }
    if (count > NAMES_TOLD)
        mcp_buf_printf(out, " and %zu more", count - NAMES_TOLD);
    return count > 0;
}

void mcp_changes_write(struct mcp_buf *out, const struct mcp_generation *from,
                       const struct mcp_generation *to)
{
    bool any = write_part(out, true, "added", to, from, is_new);

    any |= write_part(out, !any, "removed", from, to, is_new);
    any |= write_part(out, !any, "changed", to, from, is_changed);
    if (!any)
        mcp_buf_puts(out, "nothing that clients see changed");
}

static void write_name(struct mcp_buf *out, bool differs, const char *name)
{
    if (differs)
        mcp_buf_printf(out, "%s%s", out->len > 0 ? ", " : "", name);
}

static bool same_list(const struct mcp_config_list *a,
                      const struct mcp_config_list *b)
{
    size_t i;

    if (a->count != b->count)
        return false;
    for (i = 0; i < a->count; i++)
        if (strcmp(a->items[i], b->items[i]) != 0)
            return false;
    return true;
}

void mcp_changes_write_fixed(struct mcp_buf *out,
                             const struct mcp_generation *from,
                             const struct mcp_generation *to)
{
    const struct mcp_config *a = from->config, *b = to->config;

    write_name(out, !same(a->host, b->host), "host");
    write_name(out, a->port != b->port, "port");
    write_name(out, !same(a->base_path, b->base_path), "base_path");
    write_name(out, !same(a->public_url, b->public_url), "public_url");
    write_name(out, !same_list(&a->allowed_hosts, &b->allowed_hosts),
               "allowed_hosts");
    write_name(out, !same_list(&a->allowed_origins, &b->allowed_origins),
               "allowed_origins");
    write_name(out, a->max_workers != b->max_workers, "max_workers");
    write_name(out, a->queue != b->queue, "queue");
    write_name(out, a->max_body != b->max_body, "max_body");
    write_name(out, a->max_connections != b->max_connections,
               "max_connections");
    write_name(out, a->sessions != b->sessions, "sessions");
    write_name(out, a->max_sessions != b->max_sessions, "max_sessions");
}
