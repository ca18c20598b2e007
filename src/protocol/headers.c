/*
 * headers.c - see headers.h
 */
#include "protocol/headers.h"

#include <strings.h>

#include "base/codec.h"
#include "base/json_number.h"
#include "features/prepared.h"

#define SENTINEL_HEAD "=?base64?"
#define SENTINEL_TAIL "?="

enum { SHOWN_MAX_BYTES = 80 };

/* Which member of params is repeated in Mcp-Name. */
struct name_rule {
    const char *method, *member;
    bool required;
};

static const struct name_rule name_rules[] = {
    {"tools/call", "name", true},
    {"prompts/get", "name", true},
    {"resources/read", "uri", true},
    {"tasks/get", "taskId", true},
    {"tasks/update", "taskId", true},
    {"tasks/cancel", "taskId", true},
    {"skills/get", "uri", false},
    {"resources/directory/read", "uri", false},
};

const char *mcp_headers_sole(const struct mcp_call *call, const char *name,
                             size_t *len)
{
    const char *v = NULL;
    size_t n;

    for (size_t i = 0; i < call->header_count; i++) {
        const struct mcp_header *h = &call->headers[i];

        if (((h->name[0] ^ name[0]) & ~0x20) != 0 ||
            strcasecmp(h->name, name) != 0)
            continue;
        if (v != NULL)
            return NULL;
        v = h->value;
    }
    if (v == NULL)
        return NULL;
    v += strspn(v, " \t");
    n = strlen(v);
    while (n > 0 && (v[n - 1] == ' ' || v[n - 1] == '\t'))
        n--;
    *len = n;
    return v;
}

/* What is wrong is never lost: without memory it is told in short. */
static const char *told(const char *text)
{
    return text != NULL ? text : "Header mismatch";
}

/* Why there is no single header `name`. */
static const char *absent(struct mcp_call *call, const char *name)
{
    return told(mcp_arena_printf(call->arena, "Header mismatch: %s %s", name,
                                 mcp_call_header_count(call, name) > 1
                                     ? "is there more than once"
                                     : "is missing"));
}

static int shown(size_t len)
{
    return len < SHOWN_MAX_BYTES ? (int)len : SHOWN_MAX_BYTES;
}

static const char *differs(struct mcp_call *call, const char *name)
{
    return told(mcp_arena_printf(
        call->arena, "Header mismatch: %s does not match the body", name));
}

static bool is_plain(const char *v, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if ((v[i] < ' ' && v[i] != '\t') || v[i] > '~')
            return false;
    return true;
}

/* The text that header value v[0..*len) stands for, or NULL when it is badly
 * encoded or has bytes that no header may have. */
static const char *decoded(struct mcp_call *call, const char *v, size_t *len)
{
    const size_t head = sizeof(SENTINEL_HEAD) - 1;
    const size_t tail = sizeof(SENTINEL_TAIL) - 1;
    char *to;

    if (!is_plain(v, *len))
        return NULL;
    if (*len < head + tail || memcmp(v, SENTINEL_HEAD, head) != 0 ||
        memcmp(v + *len - tail, SENTINEL_TAIL, tail) != 0)
        return v;
    to = mcp_arena_alloc(call->arena, *len);
    if (to == NULL || mcp_base64_decode(MCP_BASE64, v + head,
                                        *len - head - tail, to, len) != MCP_OK)
        return NULL;
    return to;
}

static bool equals(const struct mcp_json *s, const char *v, size_t len)
{
    return mcp_json_is(s, MCP_JSON_STRING) && s->count == len &&
           memcmp(s->u.text, v, len) == 0;
}

const char *mcp_headers_check_version(struct mcp_call *call,
                                      const struct mcp_json *version)
{
    size_t len;
    const char *v = mcp_headers_sole(call, "MCP-Protocol-Version", &len);

    if (v == NULL)
        return absent(call, "MCP-Protocol-Version");
    if (equals(version, v, len))
        return NULL;
    if (!is_plain(v, len))
        return differs(call, "MCP-Protocol-Version");
    return told(
        mcp_arena_printf(call->arena,
                         "Header mismatch: MCP-Protocol-Version is \"%.*s\""
                         ", but _meta says otherwise",
                         shown(len), v));
}

static const char *check_method(struct mcp_call *call,
                                const struct mcp_message *m)
{
    size_t len;
    const char *v = mcp_headers_sole(call, "Mcp-Method", &len);

    if (v == NULL)
        return absent(call, "Mcp-Method");
    if (equals(m->method, v, len))
        return NULL;
    if (!is_plain(v, len))
        return differs(call, "Mcp-Method");
    return told(
        mcp_arena_printf(call->arena,
                         "Header mismatch: Mcp-Method is \"%.*s\", but the "
                         "body has another method",
                         shown(len), v));
}

static const char *check_name(struct mcp_call *call,
                              const struct mcp_message *m,
                              const struct name_rule *rule)
{
    const struct mcp_json *name = mcp_json_find(m->params, rule->member);
    size_t len;
    const char *v;

    if (!rule->required && mcp_call_header_count(call, "Mcp-Name") == 0)
        return NULL;
    v = mcp_headers_sole(call, "Mcp-Name", &len);
    if (v == NULL)
        return absent(call, "Mcp-Name");
    v = decoded(call, v, &len);
    if (v == NULL)
        return "Header mismatch: Mcp-Name is badly encoded";
    if (equals(name, v, len))
        return NULL;
    return told(mcp_arena_printf(call->arena,
                                 "Header mismatch: Mcp-Name does not match "
                                 "params.%s",
                                 rule->member));
}

/* Does the decoded header v[0..len) stand for the argument `value`? Integers
 * are compared as numbers: 42.0 is 42. */
static bool stands_for(const struct mcp_json *value, const char *v, size_t len)
{
    const char *at = v;
    struct mcp_json number;

    switch (value->type) {
    case MCP_JSON_STRING:
        return equals(value, v, len);
    case MCP_JSON_TRUE:
        return len == 4 && memcmp(v, "true", 4) == 0;
    case MCP_JSON_FALSE:
        return len == 5 && memcmp(v, "false", 5) == 0;
    case MCP_JSON_NUMBER:
        return len > 0 && (v[0] == '-' || (v[0] >= '0' && v[0] <= '9')) &&
               mcp_json_number_parse(&at, v + len, &number) && at == v + len &&
               mcp_json_number_compare(value, &number) == 0;
    default:
        return false;
    }
}

static const char *check_mirror(struct mcp_call *call,
                                const struct mcp_mirror *mirror,
                                const struct mcp_json *arguments)
{
    const struct mcp_json *value = mcp_mirror_value(mirror, arguments);
    bool there = mcp_call_header_count(call, mirror->header) > 0;
    size_t len;
    const char *v;

    if (mcp_json_is(value, MCP_JSON_NULL))
        value = NULL;
    if (!there && (value == NULL || value->type == MCP_JSON_ARRAY ||
                   value->type == MCP_JSON_OBJECT))
        return NULL; /* nothing that has a header form */
    v = mcp_headers_sole(call, mirror->header, &len);
    if (v == NULL)
        return absent(call, mirror->header);
    v = decoded(call, v, &len);
    if (v != NULL && value != NULL && stands_for(value, v, len))
        return NULL;
    return told(mcp_arena_printf(
        call->arena, "Header mismatch: %s does not match the argument",
        mirror->header));
}

static const char *check_mirrors(struct mcp_call *call,
                                 const struct mcp_message *m,
                                 const struct mcp_generation *gen)
{
    const struct mcp_json *name = mcp_json_find(m->params, "name");
    const struct mcp_prepared *prepared = gen->prepared;
    const struct mcp_mirrors *mirrors;
    const struct mcp_tool *tool;

    if (!mcp_json_is(name, MCP_JSON_STRING))
        return NULL;
    tool = mcp_generation_find_tool(gen, name->u.text, name->count);
    if (tool == NULL)
        return NULL;
    mirrors = &prepared->tools[tool->index].mirrors;
    for (size_t i = 0; i < mirrors->count; i++) {
        const char *problem = check_mirror(
            call, &mirrors->items[i], mcp_json_find(m->params, "arguments"));

        if (problem != NULL)
            return problem;
    }
    return NULL;
}

const char *mcp_headers_check_message(struct mcp_call *call,
                                      const struct mcp_message *m,
                                      const struct mcp_generation *gen)
{
    const char *problem = check_method(call, m);

    for (size_t i = 0;
         problem == NULL && i < sizeof(name_rules) / sizeof(*name_rules); i++)
        if (mcp_json_equals_string(m->method, name_rules[i].method))
            problem = check_name(call, m, &name_rules[i]);
    if (problem == NULL && mcp_json_equals_string(m->method, "tools/call"))
        problem = check_mirrors(call, m, gen);
    return problem;
}
