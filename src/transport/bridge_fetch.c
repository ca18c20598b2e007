/*
 * bridge_fetch.c - tools/list for the headers of tools/call
 */
#include "base/log.h"
#include "transport/bridge_private.h"

enum { PAGES_MAX = 1000 };

/* ---- fetching ----------------------------------------------------------- */

/* Asks for a page, with what the bridge's own messages need of `meta`. */
static enum mcp_err ask(struct mcp_bridge *b, const struct mcp_json *meta,
                        const struct mcp_json *cursor)
{
    struct mcp_bridge_call *c;
    struct mcp_buf params;

    mcp_buf_init(&params, b->o->max_message_bytes);
    mcp_buf_putc(&params, '{');
    if (cursor != NULL) {
        mcp_buf_puts(&params, "\"cursor\":");
        mcp_json_write(&params, cursor);
        mcp_buf_putc(&params, ',');
    }
    mcp_buf_puts(&params, "\"_meta\":");
    mcp_bridge_write_meta(&params, meta, false);
    mcp_buf_putc(&params, '}');
    c = mcp_bridge_request_new(b, MCP_BRIDGE_FETCH, "tools/list", &params);
    mcp_buf_free(&params);
    if (c == NULL)
        return MCP_ENOMEM;
    c->modern = true;
    return MCP_OK;
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
