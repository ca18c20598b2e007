/*
 * route_value.c - see route_value.h
 */
#include "features/route_value.h"

#include <string.h>

struct mcp_json mcp_route_string(const char *text, size_t len)
{
    return (struct mcp_json){
        .type = MCP_JSON_STRING, .count = (uint32_t)len, .u.text = text};
}

const struct mcp_json *mcp_route_property(const struct mcp_route *route,
                                          const char *name, size_t len)
{
    return mcp_json_find_n(
        mcp_json_find(route->signature.input_tree, "properties"), name, len);
}

/* ---- what a text looks like ---- */

static size_t count_digits(const char *text, size_t len)
{
    size_t n = 0;

    while (n < len && text[n] >= '0' && text[n] <= '9')
        n++;
    return n;
}

/* The length of -?(0|[1-9][0-9]*) at the start; 0: it is not there. */
static size_t integer_length(const char *text, size_t len)
{
    size_t sign = len > 0 && text[0] == '-';
    size_t n = count_digits(text + sign, len - sign);

    if (n == 0 || (n > 1 && text[sign] == '0'))
        return 0;
    return sign + n;
}

/* As JSON writes numbers (RFC 8259, section 6). */
static bool is_number(const char *text, size_t len)
{
    size_t at = integer_length(text, len), n;

    if (at == 0)
        return false;
    if (at < len && text[at] == '.') {
        n = count_digits(text + at + 1, len - at - 1);
        if (n == 0)
            return false;
        at += 1 + n;
    }
    if (at < len && (text[at] == 'e' || text[at] == 'E')) {
        at++;
        at += at < len && (text[at] == '+' || text[at] == '-');
        n = count_digits(text + at, len - at);
        if (n == 0)
            return false;
        at += n;
    }
    return at == len;
}

/* 8-4-4-4-12 hexadecimal digits (RFC 9562, section 4). */
static bool is_uuid(const char *text, size_t len)
{
    static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

    if (len != sizeof(form) - 1)
        return false;
    for (size_t i = 0; i < len; i++) {
        bool is_hex = strchr("0123456789abcdefABCDEF", text[i]) != NULL;

        if (form[i] == '-' ? text[i] != '-' : !is_hex)
            return false;
    }
    return true;
}

bool mcp_route_fits(enum mcp_path_kind kind, const char *text, size_t len)
{
    switch (kind) {
    case MCP_PATH_INT:
        return len > 0 && integer_length(text, len) == len;
    case MCP_PATH_NUMBER:
        return is_number(text, len);
    case MCP_PATH_UUID:
        return is_uuid(text, len);
    case MCP_PATH_LITERAL:
    case MCP_PATH_STR:
    case MCP_PATH_REST:
        break;
    }
    return len > 0;
}

/* ---- what a schema wants ---- */

/* Does the root of `schema`, or one of its alternatives, name this type? */
static bool names_type(const struct mcp_json *schema, const char *type)
{
    const struct mcp_json *t = mcp_json_find(schema, "type");
    const struct mcp_json *any = mcp_json_find(schema, "anyOf");

    if (mcp_json_equals_string(t, type))
        return true;
    for (uint32_t i = 0; mcp_json_is(t, MCP_JSON_ARRAY) && i < t->count; i++)
        if (mcp_json_equals_string(&t->u.items[i], type))
            return true;
    for (uint32_t i = 0; mcp_json_is(any, MCP_JSON_ARRAY) && i < any->count;
         i++)
        if (mcp_json_equals_string(mcp_json_find(&any->u.items[i], "type"),
                                   type))
            return true;
    return false;
}

/* Does it say nothing of types, so that a string will do? */
static bool is_untyped(const struct mcp_json *schema)
{
    return mcp_json_find(schema, "type") == NULL &&
           mcp_json_find(schema, "anyOf") == NULL;
}

bool mcp_route_wants_array(const struct mcp_json *schema)
{
    return names_type(schema, "array") && !names_type(schema, "string");
}

/* ---- values ---- */

static enum mcp_err parse(const char *text, size_t len, struct mcp_arena *a,
                          struct mcp_json *out)
{
    const struct mcp_json *tree;
    enum mcp_err err = mcp_json_parse(a, text, len, NULL, &tree, NULL);

    if (err == MCP_OK)
        *out = *tree;
    return err == MCP_ENOMEM ? err : MCP_OK;
}

static bool is_text(const char *text, size_t len, const char *word)
{
    return strlen(word) == len && memcmp(text, word, len) == 0;
}

static bool set_boolean(const char *text, size_t len, struct mcp_json *out)
{
    bool yes = is_text(text, len, "true") || is_text(text, len, "1");

    if (!yes && !is_text(text, len, "false") && !is_text(text, len, "0"))
        return false;
    *out = (struct mcp_json){.type = yes ? MCP_JSON_TRUE : MCP_JSON_FALSE};
    return true;
}

enum mcp_err mcp_route_value(const struct mcp_json *schema, const char *text,
                             size_t len, struct mcp_arena *a,
                             struct mcp_json *out)
{
    *out = mcp_route_string(text, len);
    if (len == 0 || is_untyped(schema) || names_type(schema, "string"))
        return MCP_OK;
    if (is_number(text, len) &&
        (names_type(schema, "integer") || names_type(schema, "number")))
        return parse(text, len, a, out);
    if (names_type(schema, "boolean") && set_boolean(text, len, out))
        return MCP_OK;
    if ((text[0] == '{' && names_type(schema, "object")) ||
        (text[0] == '[' && names_type(schema, "array")))
        return parse(text, len, a, out);
    return MCP_OK;
}

/* One member of mcp_route_values(); one text is an array of one, too. */
static enum mcp_err value_of(const struct mcp_json *schema,
                             const struct mcp_json *sent, struct mcp_arena *a,
                             struct mcp_json *out)
{
    struct mcp_json *item;
    enum mcp_err err;

    if (sent->type != MCP_JSON_STRING) {
        *out = *sent;
        return MCP_OK;
    }
    err = mcp_route_value(schema, sent->u.text, sent->count, a, out);
    if (err != MCP_OK || out->type != MCP_JSON_STRING ||
        !mcp_route_wants_array(schema))
        return err;
    item = mcp_arena_alloc(a, sizeof(*item));
    if (item == NULL)
        return MCP_ENOMEM;
    *out =
        (struct mcp_json){.type = MCP_JSON_ARRAY, .count = 1, .u.items = item};
    return mcp_route_value(mcp_json_find(schema, "items"), sent->u.text,
                           sent->count, a, item);
}

enum mcp_err mcp_route_values(const struct mcp_route *route,
                              const struct mcp_json *sent, struct mcp_arena *a,
                              const struct mcp_json **out)
{
    struct mcp_json *object = mcp_arena_alloc(a, sizeof(*object));
    struct mcp_json_member *to =
        mcp_arena_alloc(a, ((size_t)sent->count + 1) * sizeof(*to));
    enum mcp_err err = MCP_OK;

    if (object == NULL || to == NULL)
        return MCP_ENOMEM;
    for (uint32_t i = 0; err == MCP_OK && i < sent->count; i++) {
        const struct mcp_json_member *m = &sent->u.members[i];

        to[i].key = m->key;
        err = value_of(mcp_route_property(route, m->key.u.text, m->key.count),
                       &m->value, a, &to[i].value);
    }
    *object = (struct mcp_json){
        .type = MCP_JSON_OBJECT, .count = sent->count, .u.members = to};
    *out = object;
    return err;
}
