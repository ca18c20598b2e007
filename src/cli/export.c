/*
 * export.c - the prepared lists, item by item, and skills
 */
#include "cli/export.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/file.h"
#include "cli/json_text.h"
#include "cli/local.h"
#include "features/prepared.h"

enum {
    EXPORT_BYTES = 1 << 30,
    CURSOR_BYTES = 1 << 16,
    FILE_MODE = 0666,
    METHOD_NOT_FOUND = -32601
};

/* What is exported. */
struct spec {
    const struct mcp_generation *gen;
    struct mcp_endpoint *endpoint;
    bool all;
    enum mcp_revision revision;
};

/* The items of one page; `*count` counts them. */
static void write_page(struct mcp_buf *out, enum mcp_item_kind kind,
                       const struct mcp_text *page, size_t *count)
{
    const char *text = page->text;
    size_t len = page->len, item;
    size_t at = mcp_json_text_find(text, len, 0, mcp_items_member(kind));

    while (mcp_json_text_next(text, len, &at, &item)) {
        at = mcp_json_text_end(text, len, item);
        mcp_buf_puts(out, (*count)++ > 0 ? ",\n" : "\n");
        mcp_buf_add(out, text + item, at - item);
    }
}

static void write_list(struct mcp_buf *out, const struct mcp_prepared *prepared,
                       enum mcp_item_kind kind, enum mcp_revision revision)
{
    const struct mcp_list *list = &prepared->lists[kind];
    size_t count = 0;

    mcp_buf_printf(out, "\"%s\":[", mcp_items_member(kind));
    for (size_t i = 0; i < list->page_count; i++)
        write_page(out, kind, &list->pages[i].by_revision[revision], &count);
    mcp_buf_puts(out, count > 0 ? "\n]" : "]");
}

/* The params that ask for the page at `cursor` (NULL: the first). NULL: no
 * memory. */
static const char *write_cursor(struct mcp_arena *arena,
                                const struct mcp_json *cursor)
{
    struct mcp_buf b;
    const char *params = "";

    if (cursor == NULL)
        return params;
    mcp_buf_init(&b, CURSOR_BYTES);
    mcp_buf_puts(&b, "\"cursor\":");
    mcp_json_write(&b, cursor);
    params = b.failed ? NULL : mcp_arena_dup(arena, b.data, b.len);
    mcp_buf_free(&b);
    return params;
}

/* Was the answer an error? That there is no such method is none: an app without
 * skills has not got it. */
static bool has_failed(const struct mcp_json *answer, char *message,
                       size_t message_size)
{
    const struct mcp_json *error = mcp_json_find(answer, "error");
    const struct mcp_json *code = mcp_json_find(error, "code");
    const struct mcp_json *text = mcp_json_find(error, "message");

    if (error == NULL || (mcp_json_is(code, MCP_JSON_NUMBER) &&
                          code->number == METHOD_NOT_FOUND))
        return false;
    (void)snprintf(message, message_size, "skills/list: %.*s",
                   text != NULL ? (int)text->count : 0,
                   text != NULL ? text->u.text : "");
    return true;
}

static void write_items(struct mcp_buf *out, const struct mcp_json *list,
                        size_t *count)
{
    for (uint32_t i = 0; mcp_json_is(list, MCP_JSON_ARRAY) && i < list->count;
         i++) {
        mcp_buf_puts(out, (*count)++ > 0 ? ",\n" : "\n");
        mcp_json_write(out, &list->u.items[i]);
    }
}

/* Skills may come from functions of the app, so they are asked for; the newest
 * revision alone has them. */
static enum mcp_err write_skills(struct mcp_buf *out, const struct spec *spec,
                                 struct mcp_arena *arena, char *message,
                                 size_t message_size)
{
    const struct mcp_json *answer = NULL, *result, *cursor = NULL;
    size_t count = 0;

    do {
        const char *params = write_cursor(arena, cursor);
        enum mcp_err rc = MCP_ENOMEM;

        if (params != NULL)
            rc = mcp_local_request(spec->endpoint, spec->gen->config, arena,
                                   "skills/list", params, &answer);
        if (rc == MCP_OK && has_failed(answer, message, message_size))
            rc = MCP_EINTERNAL;
        if (rc != MCP_OK)
            return rc;
        result = mcp_json_find(answer, "result");
        write_items(out, mcp_json_find(result, "skills"), &count);
        cursor = mcp_json_find(result, "nextCursor");
    } while (cursor != NULL);
    mcp_buf_puts(out, count > 0 ? "\n" : "");
    return MCP_OK;
}

static void write_lists(struct mcp_buf *out,
                        const struct mcp_prepared *prepared, bool all,
                        enum mcp_revision revision)
{
    static const enum mcp_item_kind kinds[] = {
        MCP_ITEM_TOOL, MCP_ITEM_RESOURCE, MCP_ITEM_TEMPLATE, MCP_ITEM_PROMPT};
    size_t count = all ? sizeof(kinds) / sizeof(kinds[0]) : 1;

    mcp_buf_putc(out, '{');
    for (size_t i = 0; i < count; i++) {
        mcp_buf_puts(out, i > 0 ? ",\n" : "");
        write_list(out, prepared, kinds[i], revision);
    }
}

static enum mcp_err put(const struct mcp_buf *out, const char *path, int fd,
                        char *message, size_t message_size)
{
    if (path != NULL && strcmp(path, "-") != 0)
        return mcp_file_replace(path, out->data, out->len, FILE_MODE, message,
                                message_size);
    if (mcp_local_write(fd, out))
        return MCP_OK;
    (void)snprintf(message, message_size, "cannot write the lists: %s",
                   strerror(errno));
    return MCP_EINTERNAL;
}

static enum mcp_err write_spec(struct mcp_buf *out, const struct spec *spec,
                               char *message, size_t message_size)
{
    struct mcp_arena *arena = mcp_arena_new(EXPORT_BYTES);
    enum mcp_err rc = arena != NULL ? MCP_OK : MCP_ENOMEM;

    write_lists(out, spec->gen->prepared, spec->all, spec->revision);
    mcp_buf_puts(out, spec->all ? ",\n\"skills\":[" : "");
    if (rc == MCP_OK && spec->all && spec->revision == MCP_2026_07_28)
        rc = write_skills(out, spec, arena, message, message_size);
    mcp_buf_puts(out, spec->all ? "]}\n" : "}\n");
    mcp_arena_free(arena);
    return rc == MCP_OK && out->failed ? MCP_ENOMEM : rc;
}

enum mcp_err mcp_export_run(struct mcp_app *app, struct mcp_endpoint *endpoint,
                            const struct mcp_cli *cli, int fd, char *message,
                            size_t message_size)
{
    const char *name = cli->revision;
    struct spec spec = {
        .gen = mcp_app_acquire(app), .endpoint = endpoint, .all = cli->all};
    struct mcp_buf out;
    enum mcp_err rc;

    spec.revision =
        name == NULL
            ? MCP_REVISION_LAST
            : (enum mcp_revision)mcp_revision_parse(name, strlen(name));
    mcp_buf_init(&out, EXPORT_BYTES);
    rc = write_spec(&out, &spec, message, message_size);
    if (rc == MCP_OK)
        rc = put(&out, cli->output, fd, message, message_size);
    mcp_buf_free(&out);
    mcp_generation_release(spec.gen);
    return rc;
}
