/*
 * bridge_message.c - see bridge_message.h
 */
#include "transport/bridge_message.h"

#define META         "io.modelcontextprotocol/"
#define META_VERSION META "protocolVersion"
#define META_CLIENT  META "clientInfo"
#define META_CAPABLE META "clientCapabilities"
#define MODERN       "2026-07-28"
#define CLIENT_OBJECT                                                          \
    "{\"name\":\"mcpluad-bridge\",\"version\":\"" MCP_VERSION "\"}"

enum { PARSE_ERROR = -32700, INVALID_REQUEST = -32600 };

/* What a modern message must say of itself, and what we say when it does not;
 * clientInfo is not required, but an app may want to know. */
static const struct {
    const char *name, *value;
    bool required;
} members[] = {
    {META_VERSION, "\"" MODERN "\"", true},
    {META_CLIENT, CLIENT_OBJECT, false},
    {META_CAPABLE, "{}", true},
};

enum { MEMBER_COUNT = sizeof(members) / sizeof(members[0]) };

/* ---- reading ------------------------------------------------------------ */

static bool is_id(const struct mcp_json *id)
{
    return mcp_json_is(id, MCP_JSON_STRING) ||
           (mcp_json_is(id, MCP_JSON_NUMBER) &&
            (id->flags & MCP_JSON_F_INTEGER) != 0);
}

/* What is wrong with an object, or NULL. */
static const char *classify(struct mcp_bridge_message *m)
{
    const struct mcp_json *id = mcp_json_find(m->tree, "id");
    bool answers = mcp_json_find(m->tree, "result") != NULL ||
                   mcp_json_find(m->tree, "error") != NULL;

    m->method = mcp_json_find(m->tree, "method");
    m->id = is_id(id) ? id : NULL;
    m->params = mcp_json_find(m->tree, "params");
    m->meta = mcp_json_find(m->params, "_meta");
    if (id != NULL && m->id == NULL && m->method != NULL)
        return "id must be a string or an integer";
    if (m->method == NULL && !answers)
        return "a message needs a method, a result or an error";
    if (m->method != NULL && m->method->type != MCP_JSON_STRING)
        return "method must be a string";
    m->kind = m->method == NULL ? MCP_BRIDGE_RESPONSE
              : m->id != NULL   ? MCP_BRIDGE_REQUEST
                                : MCP_BRIDGE_NOTIFICATION;
    return NULL;
}

enum mcp_err mcp_bridge_read(struct mcp_arena *a, const char *text, size_t len,
                             struct mcp_bridge_message *out, int *code,
                             const char **why)
{
    const struct mcp_json_options options = {.max_depth = MCP_JSON_MAX_DEPTH};
    struct mcp_json_error error = {0};
    enum mcp_err rc;

    memset(out, 0, sizeof(*out));
    rc = mcp_json_parse(a, text, len, &options, &out->tree, &error);
    *code = error.duplicate_key ? INVALID_REQUEST : PARSE_ERROR;
    if (rc == MCP_ENOMEM)
        return rc;
    if (rc != MCP_OK) {
        *why = mcp_arena_printf(a, "Parse error: %s at byte %zu", error.reason,
                                error.offset);
        return *why != NULL ? MCP_EINVAL : MCP_ENOMEM;
    }
    *code = INVALID_REQUEST;
    if (out->tree->type == MCP_JSON_ARRAY) {
        out->kind = MCP_BRIDGE_BATCH;
        return MCP_OK;
    }
    *why = out->tree->type == MCP_JSON_OBJECT ? classify(out)
                                              : "a message is a JSON object";
    return *why == NULL ? MCP_OK : MCP_EINVAL;
}

bool mcp_bridge_is(const struct mcp_bridge_message *m, const char *name)
{
    return mcp_json_equals_string(m->method, name);
}

bool mcp_bridge_is_modern(const struct mcp_bridge_message *m,
                          bool client_is_legacy)
{
    if (m->method == NULL)
        return false;
    if (mcp_json_find(m->meta, META_VERSION) != NULL)
        return true;
    return !client_is_legacy && !mcp_bridge_is(m, "initialize") &&
           !mcp_bridge_is(m, "notifications/initialized") &&
           !mcp_bridge_is(m, "ping");
}

/* ---- _meta -------------------------------------------------------------- */

bool mcp_bridge_lacks_meta(const struct mcp_bridge_message *m)
{
    if ((m->params != NULL && m->params->type != MCP_JSON_OBJECT) ||
        (m->meta != NULL && m->meta->type != MCP_JSON_OBJECT))
        return false; /* the remote says what is wrong */
    for (size_t i = 0; i < MEMBER_COUNT; i++)
        if (members[i].required &&
            mcp_json_find(m->meta, members[i].name) == NULL)
            return true;
    return false;
}

static void write_member(struct mcp_buf *out, const struct mcp_json_member *m,
                         bool *first)
{
    if (!*first)
        mcp_buf_putc(out, ',');
    *first = false;
    mcp_json_write(out, &m->key);
    mcp_buf_putc(out, ':');
    mcp_json_write(out, &m->value);
}

static void write_key(struct mcp_buf *out, const char *key, bool *first)
{
    if (!*first)
        mcp_buf_putc(out, ',');
    *first = false;
    mcp_json_write_cstring(out, key);
    mcp_buf_putc(out, ':');
}

static bool is_ours(const struct mcp_json *key)
{
    for (size_t i = 0; i < MEMBER_COUNT; i++)
        if (mcp_json_equals_string(key, members[i].name))
            return true;
    return false;
}

void mcp_bridge_write_meta(struct mcp_buf *out, const struct mcp_json *meta,
                           bool whole)
{
    bool first = true;

    mcp_buf_putc(out, '{');
    if (mcp_json_is(meta, MCP_JSON_OBJECT))
        for (uint32_t i = 0; i < meta->count; i++)
            if (whole || is_ours(&meta->u.members[i].key))
                write_member(out, &meta->u.members[i], &first);
    for (size_t i = 0; i < MEMBER_COUNT; i++) {
        if (mcp_json_find(meta, members[i].name) != NULL)
            continue;
        write_key(out, members[i].name, &first);
        mcp_buf_puts(out, members[i].value);
    }
    mcp_buf_putc(out, '}');
}

static void write_params(struct mcp_buf *out,
                         const struct mcp_bridge_message *m)
{
    bool first = true;

    mcp_buf_putc(out, '{');
    for (uint32_t i = 0; m->params != NULL && i < m->params->count; i++)
        if (&m->params->u.members[i].value != m->meta)
            write_member(out, &m->params->u.members[i], &first);
    write_key(out, "_meta", &first);
    mcp_bridge_write_meta(out, m->meta, true);
    mcp_buf_putc(out, '}');
}

void mcp_bridge_write_completed(struct mcp_buf *out,
                                const struct mcp_bridge_message *m)
{
    bool first = true;

    mcp_buf_putc(out, '{');
    for (uint32_t i = 0; i < m->tree->count; i++)
        if (&m->tree->u.members[i].value != m->params)
            write_member(out, &m->tree->u.members[i], &first);
    write_key(out, "params", &first);
    write_params(out, m);
    mcp_buf_putc(out, '}');
}
