/*
 * blocks.c - see blocks.h
 */
#include "features/blocks.h"

#define LINK "resource_link"

static bool is_link(const struct mcp_json *block)
{
    return mcp_json_equals_string(mcp_json_find(block, "type"), LINK);
}

static void write_link(struct mcp_buf *out, const struct mcp_json *link)
{
    const struct mcp_json *uri = mcp_json_find(link, "uri");
    const struct mcp_json *annotations = mcp_json_find(link, "annotations");

    mcp_buf_puts(out, "{\"type\":\"text\",\"text\":");
    if (uri != NULL)
        mcp_json_write(out, uri);
    else
        mcp_buf_puts(out, "\"\"");
    if (annotations != NULL) {
        mcp_buf_puts(out, ",\"annotations\":");
        mcp_json_write(out, annotations);
    }
    mcp_buf_putc(out, '}');
}

/* A block, or a message: an object whose `content` is a block. */
static void write_item(struct mcp_buf *out, const struct mcp_json *item)
{
    if (is_link(item)) {
        write_link(out, item);
        return;
    }
    if (!is_link(mcp_json_find(item, "content"))) {
        mcp_json_write(out, item);
        return;
    }
    for (uint32_t i = 0; i < item->count; i++) {
        const struct mcp_json_member *m = &item->u.members[i];

        mcp_buf_putc(out, i == 0 ? '{' : ',');
        mcp_json_write(out, &m->key);
        mcp_buf_putc(out, ':');
        if (is_link(&m->value))
            write_link(out, &m->value);
        else
            mcp_json_write(out, &m->value);
    }
    mcp_buf_putc(out, '}');
}

void mcp_blocks_write(struct mcp_call *call, const char *json, size_t len)
{
    const struct mcp_json_options options = {.max_depth = MCP_JSON_MAX_DEPTH,
                                             .allow_duplicate_keys = true};
    struct mcp_buf *out = &call->out;
    const struct mcp_json *list;

    if (call->revision > MCP_2025_03_26 ||
        memmem(json, len, LINK, sizeof(LINK) - 1) == NULL ||
        mcp_json_parse(call->arena, json, len, &options, &list, NULL) !=
            MCP_OK ||
        list->type != MCP_JSON_ARRAY) {
        mcp_buf_add(out, json, len);
        return;
    }
    mcp_buf_putc(out, '[');
    for (uint32_t i = 0; i < list->count; i++) {
        if (i > 0)
            mcp_buf_putc(out, ',');
        write_item(out, &list->u.items[i]);
    }
    mcp_buf_putc(out, ']');
}
