/*
 * list.c - the lists, page after page, and the routes
 *
 *     tools
 *       add(a: number, b?: number) -> { sum: number }
 *       export(what: string) (task)
 *         Add two numbers.
 *     prompts
 *       greet(name, style?)
 *         Greets somebody.
 */
#include "cli/list.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/banner.h"
#include "cli/check.h"
#include "cli/local.h"

enum { LIST_BYTES = 1 << 30 };

/* A list, its method and its member of the result. */
struct kind {
    const char *method, *member;
    const char *title;
    void (*write_head)(struct mcp_buf *out, const struct mcp_json *item);
};

struct lister {
    struct mcp_endpoint *endpoint;
    const struct mcp_generation *gen;
    const struct mcp_config *config;
    struct mcp_arena *arena;
    struct mcp_buf out;
    bool json;
};

/* ---- for people -----------------------------------------------------------
 */

static void put(struct mcp_buf *out, const struct mcp_json *text)
{
    if (mcp_json_is(text, MCP_JSON_STRING))
        mcp_banner_add(out, text->u.text, text->count);
}

static void put_type(struct mcp_buf *out, const struct mcp_json *schema)
{
    struct mcp_buf type;

    mcp_buf_init(&type, 1 << 20);
    mcp_check_write_type(&type, schema);
    if (type.failed)
        mcp_buf_puts(out, "...");
    else
        mcp_banner_add(out, type.data, type.len);
    mcp_buf_free(&type);
}

/* "add(a: number, b?: number) -> { sum: number }" */
static void write_tool(struct mcp_buf *out, const struct mcp_json *tool)
{
    const struct mcp_json *input = mcp_json_find(tool, "inputSchema");
    const struct mcp_json *output = mcp_json_find(tool, "outputSchema");
    const struct mcp_json *p = mcp_json_find(input, "properties");

    put(out, mcp_json_find(tool, "name"));
    mcp_buf_putc(out, '(');
    for (uint32_t i = 0; mcp_json_is(p, MCP_JSON_OBJECT) && i < p->count; i++) {
        const struct mcp_json_member *m = &p->u.members[i];

        mcp_buf_puts(out, i > 0 ? ", " : "");
        put(out, &m->key);
        mcp_buf_puts(out, mcp_check_requires(input, &m->key) ? ": " : "?: ");
        put_type(out, &m->value);
    }
    mcp_buf_putc(out, ')');
    if (output == NULL)
        return;
    mcp_buf_puts(out, " -> ");
    put_type(out, output);
}

static void write_resource(struct mcp_buf *out, const struct mcp_json *item)
{
    const struct mcp_json *mime_type = mcp_json_find(item, "mimeType");

    put(out, mcp_json_find(item, "uri"));
    put(out, mcp_json_find(item, "uriTemplate"));
    if (mime_type == NULL)
        return;
    mcp_buf_puts(out, " (");
    put(out, mime_type);
    mcp_buf_putc(out, ')');
}

/* "greet(name, style?)" */
static void write_prompt(struct mcp_buf *out, const struct mcp_json *prompt)
{
    const struct mcp_json *list = mcp_json_find(prompt, "arguments");

    put(out, mcp_json_find(prompt, "name"));
    mcp_buf_putc(out, '(');
    for (uint32_t i = 0; mcp_json_is(list, MCP_JSON_ARRAY) && i < list->count;
         i++) {
        const struct mcp_json *a = &list->u.items[i];

        mcp_buf_puts(out, i > 0 ? ", " : "");
        put(out, mcp_json_find(a, "name"));
        if (!mcp_json_is(mcp_json_find(a, "required"), MCP_JSON_TRUE))
            mcp_buf_putc(out, '?');
    }
    mcp_buf_putc(out, ')');
}

/* "skill://pdf/SKILL.md (3 files)" */
static void write_skill(struct mcp_buf *out, const struct mcp_json *skill)
{
    const struct mcp_json *files = mcp_json_find(skill, "resources");

    put(out, mcp_json_find(skill, "uri"));
    if (mcp_json_is(files, MCP_JSON_ARRAY))
        mcp_buf_printf(out, " (%u file%s)", files->count,
                       files->count == 1 ? "" : "s");
    else
        mcp_buf_puts(out, " (dynamic)");
}

/* The first line of the description, or the title. */
static void write_what(struct mcp_buf *out, const struct mcp_json *item)
{
    const struct mcp_json *text = mcp_json_find(item, "description");
    const struct mcp_json *front = mcp_json_find(item, "frontmatter");
    const char *end;

    if (front != NULL)
        text = mcp_json_find(front, "description");
    if (!mcp_json_is(text, MCP_JSON_STRING))
        text = mcp_json_find(item, "title");
    if (!mcp_json_is(text, MCP_JSON_STRING) || text->count == 0)
        return;
    end = memchr(text->u.text, '\n', text->count);
    mcp_buf_puts(out, "    ");
    mcp_banner_add(out, text->u.text,
                   end != NULL ? (size_t)(end - text->u.text) : text->count);
    mcp_buf_putc(out, '\n');
}

/* " (task)", " (task only)": clients are not told. */
static void write_task(struct lister *l, const struct mcp_json *tool)
{
    const struct mcp_json *name = mcp_json_find(tool, "name");
    const struct mcp_tool *t =
        mcp_json_is(name, MCP_JSON_STRING)
            ? mcp_generation_find_tool(l->gen, name->u.text, name->count)
            : NULL;

    if (t != NULL && t->task.use != MCP_TASK_NEVER)
        mcp_buf_puts(&l->out, t->task.use == MCP_TASK_REQUIRED ? " (task only)"
                                                               : " (task)");
}

static void write_item(struct lister *l, const struct kind *kind,
                       const struct mcp_json *item)
{
    mcp_buf_puts(&l->out, "  ");
    kind->write_head(&l->out, item);
    if (kind->write_head == write_tool)
        write_task(l, item);
    mcp_buf_putc(&l->out, '\n');
    write_what(&l->out, item);
}

/* ---- the lists ------------------------------------------------------------
 */

/* The params that ask for the page at `cursor` (NULL: the first). */
static const char *write_cursor(struct lister *l, const struct mcp_json *cursor)
{
    struct mcp_buf b;
    const char *params = "";

    if (cursor == NULL)
        return params;
    mcp_buf_init(&b, 1 << 16);
    mcp_buf_puts(&b, "\"cursor\":");
    mcp_json_write(&b, cursor);
    params = b.failed ? NULL : mcp_arena_dup(l->arena, b.data, b.len);
    mcp_buf_free(&b);
    return params;
}

static void write_page(struct lister *l, const struct kind *kind,
                       const struct mcp_json *items, size_t *count)
{
    for (uint32_t i = 0; mcp_json_is(items, MCP_JSON_ARRAY) && i < items->count;
         i++) {
        if (!l->json && *count == 0)
            mcp_buf_printf(&l->out, "%s%s\n", l->out.len > 0 ? "\n" : "",
                           kind->title);
        if (l->json)
            mcp_buf_puts(&l->out, *count > 0 ? "," : "");
        ++*count;
        if (l->json)
            mcp_json_write(&l->out, &items->u.items[i]);
        else
            write_item(l, kind, &items->u.items[i]);
    }
}

/* A method that is not there is one without items. */
static enum mcp_err write_list(struct lister *l, const struct kind *kind)
{
    const struct mcp_json *answer = NULL, *result, *cursor = NULL;
    size_t count = 0;
    enum mcp_err err;

    do {
        const char *params = write_cursor(l, cursor);

        if (params == NULL)
            return MCP_ENOMEM;
        err = mcp_local_request(l->endpoint, l->config, l->arena, kind->method,
                                params, &answer);
        if (err != MCP_OK)
            return err;
        result = mcp_json_find(answer, "result");
        write_page(l, kind, mcp_json_find(result, kind->member), &count);
        cursor = mcp_json_find(result, "nextCursor");
    } while (cursor != NULL);
    return MCP_OK;
}

/* ,"NAME":"TEXT"; `text` may be NULL. */
static void write_member(struct mcp_buf *out, const char *name,
                         const char *text)
{
    if (text == NULL)
        return;
    mcp_buf_printf(out, ",\"%s\":", name);
    mcp_json_write_cstring(out, text);
}

static void write_route_json(struct mcp_buf *out, const struct mcp_route *r)
{
    mcp_buf_puts(out, "{\"method\":");
    mcp_json_write_cstring(out, r->method);
    write_member(out, "path", r->path);
    write_member(out, "title", r->signature.title);
    write_member(out, "description", r->signature.description);
    mcp_buf_puts(out, ",\"inputSchema\":");
    mcp_buf_puts(out, r->signature.input_schema);
    mcp_buf_putc(out, '}');
}

/* "GET /items/{item_id:int}", and the first line of what it is. */
static void write_route(struct mcp_buf *out, const struct mcp_route *r)
{
    const char *text = r->signature.description != NULL
                           ? r->signature.description
                           : r->signature.title;

    mcp_buf_puts(out, "  ");
    mcp_banner_put(out, r->name);
    mcp_buf_putc(out, '\n');
    if (text == NULL)
        return;
    mcp_buf_puts(out, "    ");
    mcp_banner_add(out, text, strcspn(text, "\n"));
    mcp_buf_putc(out, '\n');
}

/* No method of MCP lists them. */
static void write_routes(struct lister *l)
{
    const struct mcp_generation *gen = l->gen;

    if (l->json)
        mcp_buf_puts(&l->out, ",\"routes\":[");
    else if (gen->route_count > 0)
        mcp_buf_printf(&l->out, "%sroutes\n", l->out.len > 0 ? "\n" : "");
    for (size_t i = 0; i < gen->route_count; i++) {
        if (l->json && i > 0)
            mcp_buf_putc(&l->out, ',');
        if (l->json)
            write_route_json(&l->out, &gen->routes[i]);
        else
            write_route(&l->out, &gen->routes[i]);
    }
    if (l->json)
        mcp_buf_putc(&l->out, ']');
}

static enum mcp_err write_lists(struct lister *l)
{
    static const struct kind kinds[] = {
        {"tools/list", "tools", "tools", write_tool},
        {"resources/list", "resources", "resources", write_resource},
        {"resources/templates/list", "resourceTemplates", "resource templates",
         write_resource},
        {"prompts/list", "prompts", "prompts", write_prompt},
        {"skills/list", "skills", "skills", write_skill},
    };
    enum mcp_err err = MCP_OK;

    for (size_t i = 0; err == MCP_OK && i < sizeof(kinds) / sizeof(kinds[0]);
         i++) {
        if (l->json)
            mcp_buf_printf(&l->out, "%s\"%s\":[", i > 0 ? "," : "{",
                           kinds[i].member);
        err = write_list(l, &kinds[i]);
        if (l->json)
            mcp_buf_putc(&l->out, ']');
    }
    write_routes(l);
    if (l->json)
        mcp_buf_puts(&l->out, "}\n");
    else if (l->out.len == 0)
        mcp_buf_puts(&l->out, "nothing is declared\n");
    return err == MCP_OK && l->out.failed ? MCP_ENOMEM : err;
}

enum mcp_err mcp_list_run(struct mcp_app *app, struct mcp_endpoint *endpoint,
                          const struct mcp_cli *cli, int fd, char *message,
                          size_t message_size)
{
    const struct mcp_generation *gen = mcp_app_acquire(app);
    struct lister l = {.endpoint = endpoint,
                       .gen = gen,
                       .config = gen->config,
                       .arena = mcp_arena_new(LIST_BYTES),
                       .json = cli->json};
    enum mcp_err err = MCP_ENOMEM;

    mcp_buf_init(&l.out, LIST_BYTES);
    if (l.arena != NULL)
        err = write_lists(&l);
    if (err == MCP_OK && !mcp_local_write(fd, &l.out)) {
        (void)snprintf(message, message_size, "cannot write the lists: %s",
                       strerror(errno));
        err = MCP_EINTERNAL;
    }
    mcp_buf_free(&l.out);
    mcp_arena_free(l.arena);
    mcp_generation_release(gen);
    return err;
}
