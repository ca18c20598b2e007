/*
 * check_items.c - resources, templates and prompts in the report
 */
#include "cli/check.h"

#include <stdbool.h>

/* ---- for people ---- */

static void write_count(struct mcp_buf *out, size_t count, const char *noun)
{
    mcp_buf_printf(out, "\n%zu %s%s\n", count, noun, count == 1 ? "" : "s");
}

/* "  NAME    TITLE: the first line of the description" */
static void write_item(struct mcp_buf *out, const char *name, const char *title,
                       const char *description)
{
    mcp_check_write_name(out, "  ", name, strlen(name));
    if (title != NULL) {
        mcp_check_write_line(out, title, strlen(title));
        mcp_buf_puts(out, description != NULL ? ": " : "");
    }
    if (description != NULL)
        mcp_check_write_line(out, description, strlen(description));
    mcp_check_end_line(out);
}

static void write_resources(struct mcp_buf *out,
                            const struct mcp_resource *list, size_t count,
                            const char *noun)
{
    if (count > 0)
        write_count(out, count, noun);
    for (size_t i = 0; i < count; i++)
        write_item(out, list[i].uri, list[i].title, list[i].description);
}

static void write_argument(struct mcp_buf *out,
                           const struct mcp_prompt_argument *a)
{
    mcp_check_write_name(out, "    ", a->name, strlen(a->name));
    mcp_buf_puts(out, a->required ? "required" : "optional");
    if (a->description != NULL) {
        mcp_buf_puts(out, ": ");
        mcp_check_write_line(out, a->description, strlen(a->description));
    }
    mcp_buf_putc(out, '\n');
}

void mcp_check_write_items(struct mcp_buf *out,
                           const struct mcp_generation *gen)
{
    write_resources(out, gen->resources, gen->resource_count, "resource");
    write_resources(out, gen->templates, gen->template_count,
                    "resource template");
    if (gen->prompt_count > 0)
        write_count(out, gen->prompt_count, "prompt");
    for (size_t i = 0; i < gen->prompt_count; i++) {
        const struct mcp_prompt *p = &gen->prompts[i];

        write_item(out, p->name, p->title, p->description);
        for (size_t k = 0; k < p->argument_count; k++)
            write_argument(out, &p->arguments[k]);
    }
    if (gen->route_count > 0)
        write_count(out, gen->route_count, "route");
    for (size_t i = 0; i < gen->route_count; i++)
        write_item(out, gen->routes[i].name, gen->routes[i].signature.title,
                   gen->routes[i].signature.description);
}

/* ---- for programs ---- */

static void write_member(struct mcp_buf *out, const char *name,
                         const char *text)
{
    mcp_buf_printf(out, ",\"%s\":", name);
    mcp_check_write_json_text(out, text);
}

/* Opens the object of an item: the members that all kinds have. */
static void open_item(struct mcp_buf *out, bool first, const char *key,
                      const char *name, const char *title,
                      const char *description)
{
    mcp_buf_printf(out, "%s{\"%s\":", first ? "" : ",", key);
    mcp_check_write_json_text(out, name);
    write_member(out, "title", title);
    write_member(out, "description", description);
}

static void write_place(struct mcp_buf *out, const char *file, int line)
{
    write_member(out, "file", file);
    if (line > 0)
        mcp_buf_printf(out, ",\"line\":%d", line);
    else
        mcp_buf_puts(out, ",\"line\":null");
}

static void write_resources_json(struct mcp_buf *out, const char *member,
                                 const char *key,
                                 const struct mcp_resource *list, size_t count)
{
    mcp_buf_printf(out, ",\"%s\":[", member);
    for (size_t i = 0; i < count; i++) {
        const struct mcp_resource *r = &list[i];

        open_item(out, i == 0, key, r->uri, r->title, r->description);
        write_member(out, "name", r->name);
        write_member(out, "mimeType", r->mime_type);
        write_place(out, r->file, r->line);
        mcp_buf_putc(out, '}');
    }
    mcp_buf_putc(out, ']');
}

static void write_prompt_json(struct mcp_buf *out, bool first,
                              const struct mcp_prompt *p)
{
    open_item(out, first, "name", p->name, p->title, p->description);
    write_place(out, p->file, p->line);
    mcp_buf_puts(out, ",\"arguments\":[");
    for (size_t i = 0; i < p->argument_count; i++) {
        const struct mcp_prompt_argument *a = &p->arguments[i];

        open_item(out, i == 0, "name", a->name, a->title, a->description);
        mcp_buf_printf(out, ",\"required\":%s}",
                       a->required ? "true" : "false");
    }
    mcp_buf_puts(out, "]}");
}

void mcp_check_write_items_json(struct mcp_buf *out,
                                const struct mcp_generation *gen)
{
    write_resources_json(out, "resources", "uri", gen->resources,
                         gen->resource_count);
    write_resources_json(out, "resourceTemplates", "uriTemplate",
                         gen->templates, gen->template_count);
    mcp_buf_puts(out, ",\"prompts\":[");
    for (size_t i = 0; i < gen->prompt_count; i++)
        write_prompt_json(out, i == 0, &gen->prompts[i]);
    mcp_buf_puts(out, "],\"routes\":[");
    for (size_t i = 0; i < gen->route_count; i++) {
        const struct mcp_route *r = &gen->routes[i];

        open_item(out, i == 0, "name", r->name, r->signature.title,
                  r->signature.description);
        write_place(out, r->signature.file, r->signature.line);
        mcp_buf_putc(out, '}');
    }
    mcp_buf_putc(out, ']');
}
