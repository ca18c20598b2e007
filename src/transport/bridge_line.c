/*
 * bridge_line.c - what a line of the client becomes
 */
#include "base/log.h"
#include "transport/bridge_private.h"

enum { PARSE_PER_BYTE = 64, PARSE_EXTRA = 1024 * 1024, NAME_BYTES = 100 };

/* ---- refusing ----------------------------------------------------------- */

static void refuse(struct mcp_bridge *b, const struct mcp_json *id, int code,
                   const char *why)
{
    struct mcp_bridge_id as_text = {0};
    struct mcp_buf text;

    mcp_log(MCP_LOG_WARNING, "bridge", "a message from stdin was refused: %s",
            why);
    mcp_buf_init(&text, b->o->max_message_bytes);
    if (id != NULL)
        mcp_json_write(&text, id);
    as_text.text = text.data;
    as_text.len = text.len;
    mcp_bridge_write_error(b, text.len > 0 && !text.failed ? &as_text : NULL,
                           code, why, 0);
    mcp_buf_free(&text);
}

/* ---- cancelling --------------------------------------------------------- */

static bool waits_for(const struct mcp_bridge_call *c, const char *text,
                      size_t len)
{
    for (size_t i = 0; i < c->id_count; i++)
        if (!c->ids[i].answered && c->ids[i].len == len &&
            memcmp(c->ids[i].text, text, len) == 0)
            return true;
    return false;
}

/* Closes the stream of a modern request, and forgets what was not sent yet.
 * True: the remote must be told by a message. */
static bool cancel(struct mcp_bridge *b, const struct mcp_json *id)
{
    struct mcp_bridge_call *c;
    struct mcp_buf text;
    bool post = b->client_is_legacy;

    mcp_buf_init(&text, b->o->max_message_bytes);
    if (id != NULL)
        mcp_json_write(&text, id);
    for (c = b->calls.next; c != &b->calls && text.len > 0; c = c->next) {
        if (c->state == MCP_BRIDGE_DONE || c->role != MCP_BRIDGE_OF_CLIENT ||
            !waits_for(c, text.data, text.len))
            continue;
        c->cancelled = true;
        post = !c->modern;
        if (c->modern ||
            (c->state == MCP_BRIDGE_QUEUED && !c->session_retried)) {
            mcp_bridge_call_end(c);
            post = false;
        }
    }
    mcp_buf_free(&text);
    return post;
}

/* ---- making calls ------------------------------------------------------- */

static enum mcp_err add_ids(struct mcp_bridge_call *c,
                            const struct mcp_bridge_message *m)
{
    enum mcp_err rc = MCP_OK;

    if (m->kind == MCP_BRIDGE_REQUEST)
        return mcp_bridge_call_add_id(c, m->id);
    for (uint32_t i = 0;
         m->kind == MCP_BRIDGE_BATCH && rc == MCP_OK && i < m->tree->count;
         i++) {
        const struct mcp_json *part = &m->tree->u.items[i];
        const struct mcp_json *id = mcp_json_find(part, "id");

        if (id != NULL && mcp_json_find(part, "method") != NULL)
            rc = mcp_bridge_call_add_id(c, id);
    }
    return rc;
}

/* What of the message matters later. */
static void describe(struct mcp_bridge_call *c,
                     const struct mcp_bridge_message *m)
{
    static const char *const kinds[] = {"request", "notification", "response",
                                        "batch"};
    const char *name = NULL;

    if (m->method != NULL)
        name = mcp_arena_dup(c->arena, m->method->u.text,
                             m->method->count < NAME_BYTES ? m->method->count
                                                           : NAME_BYTES);
    c->name = name != NULL ? name : kinds[m->kind];
    c->kind = m->kind;
    c->is_listen = c->modern && mcp_bridge_is(m, "subscriptions/listen");
    c->is_tool_call = mcp_bridge_is(m, "tools/call");
    c->is_list = mcp_bridge_is(m, "tools/list");
    c->is_first_page = mcp_json_find(m->params, "cursor") == NULL;
    c->is_initialize =
        mcp_bridge_is(m, "initialize") && m->kind == MCP_BRIDGE_REQUEST;
    c->is_initialized = mcp_bridge_is(m, "notifications/initialized");
    c->is_kept = !c->modern && mcp_bridge_is_kept(m);
}

static enum mcp_err make(struct mcp_bridge *b,
                         const struct mcp_bridge_message *m, const char *text,
                         size_t len)
{
    bool modern = mcp_bridge_is_modern(m, b->client_is_legacy);
    struct mcp_bridge_call *c;
    struct mcp_buf whole;

    mcp_buf_init(&whole, SIZE_MAX / 4);
    if (modern && mcp_bridge_lacks_meta(m)) {
        mcp_bridge_write_completed(&whole, m);
        text = whole.data;
        len = whole.len;
    }
    c = whole.failed ? NULL
                     : mcp_bridge_call_new(b, MCP_BRIDGE_OF_CLIENT, text, len);
    mcp_buf_free(&whole);
    if (c == NULL)
        return MCP_ENOMEM;
    c->modern = modern;
    describe(c, m);
    if (add_ids(c, m) != MCP_OK) {
        mcp_bridge_call_end(c);
        return MCP_ENOMEM;
    }
    b->client_is_legacy |= c->is_initialize;
    return MCP_OK;
}

static bool is_blank(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (text[i] != ' ' && text[i] != '\t' && text[i] != '\r')
            return false;
    return true;
}

void mcp_bridge_take_line(struct mcp_bridge *b, const char *text, size_t len)
{
    struct mcp_bridge_message m = {0};
    struct mcp_arena *arena;
    const char *why = "out of memory";
    enum mcp_err rc = MCP_ENOMEM;
    int code = MCP_BRIDGE_ERROR;

    if (is_blank(text, len))
        return;
    arena = mcp_arena_new(len * PARSE_PER_BYTE + PARSE_EXTRA);
    if (arena != NULL)
        rc = mcp_bridge_read(arena, text, len, &m, &code, &why);
    if (rc == MCP_OK && mcp_bridge_is(&m, "notifications/cancelled") &&
        !cancel(b, mcp_json_find(m.params, "requestId"))) {
        mcp_arena_free(arena);
        return;
    }
    if (rc == MCP_OK)
        rc = make(b, &m, text, len);
    if (rc == MCP_ENOMEM) {
        code = MCP_BRIDGE_ERROR;
        why = "The bridge is out of memory";
    }
    if (rc != MCP_OK)
        refuse(b, m.id, code, why);
    mcp_arena_free(arena);
}
