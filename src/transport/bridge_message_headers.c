/*
 * bridge_message_headers.c - what of a message is repeated in its headers
 */
#include <stdio.h>

#include "base/codec.h"
#include "transport/bridge_message.h"

#define SENTINEL_HEAD "=?base64?"
#define SENTINEL_TAIL "?="

/* Every whole number below is one double, and the other way round. */
#define WHOLE_MAX 9007199254740991.0

/* Which member of params is repeated in Mcp-Name. */
static const struct {
    const char *method, *member;
} name_rules[] = {
    {"tools/call", "name"},     {"prompts/get", "name"},
    {"resources/read", "uri"},  {"tasks/get", "taskId"},
    {"tasks/update", "taskId"}, {"tasks/cancel", "taskId"},
    {"skills/get", "uri"},      {"resources/directory/read", "uri"},
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Does text[0..len) come back the same from a header? */
static bool is_safe(const char *text, size_t len)
{
    const size_t head = sizeof(SENTINEL_HEAD) - 1;
    const size_t tail = sizeof(SENTINEL_TAIL) - 1;

    for (size_t i = 0; i < len; i++)
        if ((text[i] < ' ' && text[i] != '\t') || text[i] > '~')
            return false;
    if (len > 0 && (is_blank(text[0]) || is_blank(text[len - 1])))
        return false;
    return len < head + tail || memcmp(text, SENTINEL_HEAD, head) != 0 ||
           memcmp(text + len - tail, SENTINEL_TAIL, tail) != 0;
}

void mcp_bridge_write_value(struct mcp_buf *out, const char *text, size_t len)
{
    if (is_safe(text, len)) {
        mcp_buf_add(out, text, len);
        return;
    }
    mcp_buf_puts(out, SENTINEL_HEAD);
    mcp_base64_write(out, MCP_BASE64, text, len);
    mcp_buf_puts(out, SENTINEL_TAIL);
}

static void put(struct mcp_buf *out, const char *name, const char *text,
                size_t len)
{
    mcp_buf_puts(out, name);
    mcp_buf_puts(out, ": ");
    mcp_bridge_write_value(out, text, len);
    mcp_buf_putc(out, '\0');
}

/* 42, 42.0 and 4.2e1 are all "42". */
static void put_number(struct mcp_buf *out, const char *name,
                       const struct mcp_json *v)
{
    char text[32];
    int n;

    if ((v->flags & MCP_JSON_F_INTEGER) == 0 && v->number >= -WHOLE_MAX &&
        v->number <= WHOLE_MAX && v->number == (double)(long long)v->number) {
        n = snprintf(text, sizeof(text), "%lld", (long long)v->number);
        put(out, name, text, (size_t)n);
        return;
    }
    put(out, name, v->u.text, v->count);
}

static void put_json(struct mcp_buf *out, const char *name,
                     const struct mcp_json *v)
{
    if (v == NULL)
        return;
    switch (v->type) {
    case MCP_JSON_STRING:
        put(out, name, v->u.text, v->count);
        break;
    case MCP_JSON_NUMBER:
        put_number(out, name, v);
        break;
    case MCP_JSON_TRUE:
        put(out, name, "true", 4);
        break;
    case MCP_JSON_FALSE:
        put(out, name, "false", 5);
        break;
    default: /* null, and what has no header form */
        break;
    }
}

static void put_name(struct mcp_buf *out, const struct mcp_bridge_message *m)
{
    for (size_t i = 0; i < sizeof(name_rules) / sizeof(name_rules[0]); i++) {
        const struct mcp_json *v;

        if (!mcp_bridge_is(m, name_rules[i].method))
            continue;
        v = mcp_json_find(m->params, name_rules[i].member);
        if (mcp_json_is(v, MCP_JSON_STRING))
            put_json(out, "Mcp-Name", v);
    }
}

void mcp_bridge_write_headers(struct mcp_buf *out,
                              const struct mcp_bridge_message *m,
                              const struct mcp_mirrors *mirrors)
{
    const struct mcp_json *arguments = mcp_json_find(m->params, "arguments");
    const struct mcp_json *version =
        mcp_json_find(m->meta, "io.modelcontextprotocol/protocolVersion");

    if (version == NULL)
        put(out, "MCP-Protocol-Version", "2026-07-28", 10);
    else
        put_json(out, "MCP-Protocol-Version", version);
    put_json(out, "Mcp-Method", m->method);
    put_name(out, m);
    for (size_t i = 0; mirrors != NULL && i < mirrors->count; i++)
        put_json(out, mirrors->items[i].header,
                 mcp_mirror_value(&mirrors->items[i], arguments));
}
