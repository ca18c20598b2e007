/*
 * bridge_fetch.c - tools/list for the headers of tools/call
 */
#include <stdio.h>

#include "base/log.h"
#include "transport/bridge_private.h"

enum { PAGES_MAX = 1000 };

/* ---- fetching ----------------------------------------------------------- */

/* Asks for a page as the message `like` would. Errors: MCP_ENOMEM. */
static enum mcp_err ask(struct mcp_bridge *b, const struct mcp_json *meta,
                        const struct mcp_json *cursor)
{
    struct mcp_bridge_call *c = NULL;
    struct mcp_json id = {.type = MCP_JSON_STRING};
    struct mcp_buf body;
    char text[64];
    int n;

    n = snprintf(text, sizeof(text), "mcpluad-bridge-%llu",
                 (unsigned long long)++b->next_id);
    id.u.text = text;
    id.count = (uint32_t)n;
    mcp_buf_init(&body, b->o->max_message_bytes);
    mcp_buf_printf(&body,
                   "{\"jsonrpc\":\"2.0\",\"id\":\"%s\",\"method\":"
                   "\"tools/list\",\"params\":{",
                   text);
    if (cursor != NULL) {
        mcp_buf_puts(&body, "\"cursor\":");
        mcp_json_write(&body, cursor);
        mcp_buf_putc(&body, ',');
    }
    mcp_buf_puts(&body, "\"_meta\":");
    mcp_bridge_write_meta(&body, meta, false);
    mcp_buf_puts(&body, "}}");
    if (!body.failed)
        c = mcp_bridge_call_new(b, MCP_BRIDGE_FETCH, body.data, body.len);
    mcp_buf_free(&body);
    if (c == NULL)
        return MCP_ENOMEM;
    c->modern = true;
    c->name = "tools/list";
    if (mcp_bridge_call_add_id(c, &id) == MCP_OK)
        return MCP_OK;
    mcp_bridge_call_end(c);
    return MCP_ENOMEM;
}

/* The same with the _meta of the message that `c` sends. */
static enum mcp_err ask_like(const struct mcp_bridge_call *c,
                             const struct mcp_json *cursor)
{
    struct mcp_json_error ignored;
    struct mcp_arena *arena;
    const struct mcp_json *tree =
        mcp_bridge_parse(c->body, c->body_len, &arena, &ignored);
    enum mcp_err rc = ask(
        c->b, mcp_json_find(mcp_json_find(tree, "params"), "_meta"), cursor);

    mcp_arena_free(arena);
    return rc;
}

/* Those who wait for the list go without it. */
static void release(struct mcp_bridge *b)
{
    struct mcp_bridge_call *c;

    for (c = b->calls.next; c != &b->calls; c = c->next)
        if (c->is_tool_call)
            c->tools_tried = true;
}

bool mcp_bridge_tools_ready(struct mcp_bridge_call *c)
{
    struct mcp_bridge *b = c->b;

    if (b->tools_state == MCP_TOOLS_KNOWN || c->tools_tried)
        return true;
    if (b->tools_state == MCP_TOOLS_FETCHING)
        return false;
    mcp_bridge_tools_clear(&b->tools);
    b->pages = 0;
    b->tools_state = MCP_TOOLS_FETCHING;
    if (ask_like(c, NULL) == MCP_OK)
        return false;
    b->tools_state = MCP_TOOLS_UNKNOWN;
    return true;
}

static void known(struct mcp_bridge *b)
{
    b->tools_state = MCP_TOOLS_KNOWN;
    b->tools_version++;
}

/* A page has come: is there another? */
static void take_page(struct mcp_bridge_call *c, const struct mcp_json *result)
{
    struct mcp_bridge *b = c->b;
    const struct mcp_json *cursor = mcp_json_find(result, "nextCursor");

    if (mcp_bridge_tools_add(&b->tools, result) != MCP_OK)
        mcp_log(MCP_LOG_WARNING, "bridge",
                "tools/list: not all of it could be kept");
    if (mcp_json_is(cursor, MCP_JSON_STRING) && ++b->pages < PAGES_MAX &&
        ask_like(c, cursor) == MCP_OK)
        return;
    known(b);
}

void mcp_bridge_fetch_ended(struct mcp_bridge_call *c, CURLcode code)
{
    struct mcp_bridge *b = c->b;
    struct mcp_json_error error;
    struct mcp_arena *arena = NULL;
    const struct mcp_json *tree = NULL, *result;

    if ((code == CURLE_OK || c->finished) && c->answer.len > 0)
        tree = mcp_bridge_parse(c->answer.data, c->answer.len, &arena, &error);
    result = mcp_json_find(tree, "result");
    if (result != NULL) {
        take_page(c, result);
    } else if (mcp_json_find(tree, "error") != NULL) {
        known(b); /* there is no list: nothing is mirrored */
    } else {
        mcp_log(MCP_LOG_WARNING, "bridge",
                "tools/list: no answer; tools are called without the headers "
                "of their arguments");
        b->tools_state = MCP_TOOLS_UNKNOWN;
        release(b);
    }
    mcp_arena_free(arena);
    mcp_bridge_call_end(c);
}

/* ---- watching ----------------------------------------------------------- */

void mcp_bridge_tools_seen(const struct mcp_bridge_call *c,
                           const struct mcp_json *answer)
{
    struct mcp_bridge *b = c->b;
    const struct mcp_json *result = mcp_json_find(answer, "result");

    if (c->is_first_page)
        mcp_bridge_tools_clear(&b->seen);
    if (mcp_bridge_tools_add(&b->seen, result) != MCP_OK ||
        mcp_json_find(result, "nextCursor") != NULL ||
        b->tools_state == MCP_TOOLS_FETCHING)
        return;
    mcp_bridge_tools_clear(&b->tools);
    b->tools = b->seen;
    b->seen = (struct mcp_bridge_tools){0};
    known(b);
}

void mcp_bridge_tools_changed(struct mcp_bridge *b)
{
    if (b->tools_state == MCP_TOOLS_KNOWN)
        b->tools_state = MCP_TOOLS_UNKNOWN;
}
