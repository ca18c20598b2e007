/*
 * changes.c - compares items by name: tools, resources, templates,
 * prompts, each in declaration order
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

static bool same_tool(const void *one, const void *two)
{
    const struct mcp_tool *a = one, *b = two;

    return same(a->title, b->title) && same(a->description, b->description) &&
           same(a->annotations, b->annotations) && same(a->icons, b->icons) &&
           same(a->meta, b->meta) && same(a->input_schema, b->input_schema) &&
           same(a->output_schema, b->output_schema);
}

/* Static content counts: who has read it wants to know. */
bool mcp_changes_same_content(const struct mcp_resource *a,
                              const struct mcp_resource *b)
{
    if (a->content == NULL || b->content == NULL)
        return a->content == b->content;
    return a->content_len == b->content_len && a->is_blob == b->is_blob &&
           memcmp(a->content, b->content, a->content_len) == 0;
}

static bool same_resource(const void *one, const void *two)
{
    const struct mcp_resource *a = one, *b = two;

    return same(a->name, b->name) && same(a->title, b->title) &&
           same(a->description, b->description) &&
           same(a->mime_type, b->mime_type) &&
           same(a->annotations, b->annotations) && same(a->icons, b->icons) &&
           same(a->meta, b->meta) && a->size_bytes == b->size_bytes &&
           mcp_changes_same_content(a, b);
}

static bool same_route(const void *one, const void *two)
{
    const struct mcp_route *a = one, *b = two;

    return same_tool(&a->signature, &b->signature) && a->status == b->status &&
           same(a->mime_type, b->mime_type) && same(a->tags, b->tags);
}

static bool same_prompt(const void *one, const void *two)
{
    const struct mcp_prompt *a = one, *b = two;

    if (!same(a->title, b->title) || !same(a->description, b->description) ||
        !same(a->icons, b->icons) || !same(a->meta, b->meta) ||
        a->argument_count != b->argument_count)
        return false;
    for (size_t i = 0; i < a->argument_count; i++) {
        const struct mcp_prompt_argument *x = &a->arguments[i],
                                         *y = &b->arguments[i];

        if (!same(x->name, y->name) || !same(x->title, y->title) ||
            !same(x->description, y->description) || x->required != y->required)
            return false;
    }
    return true;
}

/* The lists of a generation, alike. Items begin with their name. */
struct list {
    const void *items;
    size_t count, item_size;
    const void *(*find)(const struct mcp_generation *gen, const char *name);
    bool (*same)(const void *one, const void *two);
};

static const void *find_tool(const struct mcp_generation *gen, const char *name)
{
    return mcp_generation_find_tool(gen, name, strlen(name));
}

static const void *find_resource(const struct mcp_generation *gen,
                                 const char *uri)
{
    return mcp_generation_find_resource(gen, uri, strlen(uri));
}

static const void *find_template(const struct mcp_generation *gen,
                                 const char *text)
{
    return mcp_generation_find_template(gen, text, strlen(text));
}

static const void *find_prompt(const struct mcp_generation *gen,
                               const char *name)
{
    return mcp_generation_find_prompt(gen, name, strlen(name));
}

static const void *find_route(const struct mcp_generation *gen,
                              const char *name)
{
    return mcp_generation_find_route(gen, name, strlen(name));
}

enum { LISTS = 5 };

static void lists_of(const struct mcp_generation *gen, struct list out[LISTS])
{
    out[0] = (struct list){gen->tools, gen->tool_count, sizeof(*gen->tools),
                           find_tool, same_tool};
    out[1] =
        (struct list){gen->resources, gen->resource_count,
                      sizeof(*gen->resources), find_resource, same_resource};
    out[2] =
        (struct list){gen->templates, gen->template_count,
                      sizeof(*gen->templates), find_template, same_resource};
    out[3] = (struct list){gen->prompts, gen->prompt_count,
                           sizeof(*gen->prompts), find_prompt, same_prompt};
    out[4] = (struct list){gen->routes, gen->route_count, sizeof(*gen->routes),
                           find_route, same_route};
}

static const void *item_at(const struct list *list, size_t i)
{
    return (const char *)list->items + i * list->item_size;
}

static const char *name_of(const void *item)
{
    return *(const char *const *)item;
}

static bool is_new(const struct list *list, const struct mcp_generation *other,
                   const void *item)
{
    return list->find(other, name_of(item)) == NULL;
}

static bool is_changed(const struct list *list,
                       const struct mcp_generation *other, const void *item)
{
    const void *before = list->find(other, name_of(item));

    return before != NULL && !list->same(before, item);
}

/* "WHAT a, b" for the items of `gen` that `test` picks; true when there were
 * any. */
static bool
write_part(struct mcp_buf *out, bool first, const char *what,
           const struct mcp_generation *gen, const struct mcp_generation *other,
           bool (*test)(const struct list *list,
                        const struct mcp_generation *other, const void *item))
{
    struct list lists[LISTS];
    size_t count = 0;

    lists_of(gen, lists);
    for (size_t n = 0; n < LISTS; n++)
        for (size_t i = 0; i < lists[n].count; i++) {
            const void *item = item_at(&lists[n], i);

            if (!test(&lists[n], other, item))
                continue;
            if (count == 0)
                mcp_buf_printf(out, "%s%s", first ? "" : "; ", what);
            if (count < NAMES_TOLD)
                mcp_buf_printf(out, "%s %s", count > 0 ? "," : "",
                               name_of(item));
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
        mcp_buf_puts(out, to->skills.folder_count > 0
                              ? "no declaration changed"
                              : "nothing that clients see changed");
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

void mcp_changes_write_fixed(struct mcp_buf *out, const struct mcp_config *a,
                             const struct mcp_config *b)
{
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
    write_name(out, a->worker_stack != b->worker_stack, "worker_stack");
    write_name(out, a->max_body != b->max_body, "max_body");
    write_name(out, a->max_connections != b->max_connections,
               "max_connections");
    write_name(out, a->connection_memory != b->connection_memory,
               "connection_memory");
    write_name(out, a->sessions != b->sessions, "sessions");
    write_name(out, a->max_sessions != b->max_sessions, "max_sessions");
}
