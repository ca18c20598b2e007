/*
 * export.c - the prepared lists, item by item
 */
#include "cli/export.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/file.h"
#include "cli/json_text.h"
#include "cli/local.h"
#include "features/prepared.h"

enum { EXPORT_BYTES = 1 << 30, FILE_MODE = 0666 };

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
    mcp_buf_puts(out, "}\n");
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

enum mcp_err mcp_export_run(struct mcp_app *app, const struct mcp_cli *cli,
                            int fd, char *message, size_t message_size)
{
    const struct mcp_generation *gen = mcp_app_acquire(app);
    const char *name = cli->revision;
    int revision = name == NULL ? (int)MCP_REVISION_LAST
                                : mcp_revision_parse(name, strlen(name));
    struct mcp_buf out;
    enum mcp_err rc = MCP_ENOMEM;

    mcp_buf_init(&out, EXPORT_BYTES);
    write_lists(&out, gen->prepared, cli->all, (enum mcp_revision)revision);
    if (!out.failed)
        rc = put(&out, cli->output, fd, message, message_size);
    mcp_buf_free(&out);
    mcp_generation_release(gen);
    return rc;
}
