/*
 * check_type.c - schemas in the notation of docs/schemas.md, shortened
 *
 * What the notation cannot say is left out: bounds, patterns, formats. Long
 * lists and deep objects end in "...".
 */
#include "cli/check.h"

enum { MAX_LEVELS = 3, MAX_PARTS = 8 };

static void write_type(struct mcp_buf *out, const struct mcp_json *schema,
                       int level);

/* The `i`-th of `count` parts, behind `between`; false when they are enough. */
static bool write_between(struct mcp_buf *out, uint32_t i, const char *between)
{
    if (i > 0)
        mcp_buf_puts(out, between);
    if (i < MAX_PARTS)
        return true;
    mcp_buf_puts(out, "...");
    return false;
}

static void write_values(struct mcp_buf *out, const struct mcp_json *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (!write_between(out, i, " | "))
            return;
        mcp_json_write(out, &list->u.items[i]);
    }
}

static void write_union(struct mcp_buf *out, const struct mcp_json *list,
                        const char *between, int level)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (!write_between(out, i, between))
            return;
        write_type(out, &list->u.items[i], level + 1);
    }
}

bool mcp_check_requires(const struct mcp_json *schema,
                        const struct mcp_json *name)
{
    const struct mcp_json *list = mcp_json_find(schema, "required");

    if (!mcp_json_is(list, MCP_JSON_ARRAY))
        return false;
    for (uint32_t i = 0; i < list->count; i++)
        if (mcp_json_equal(&list->u.items[i], name))
            return true;
    return false;
}

static void write_object(struct mcp_buf *out, const struct mcp_json *schema,
                         int level)
{
    const struct mcp_json *properties = mcp_json_find(schema, "properties");
    const struct mcp_json *more = mcp_json_find(schema, "additionalProperties");

    if (mcp_json_is(more, MCP_JSON_OBJECT)) {
        mcp_buf_puts(out, "{ [string]: ");
        write_type(out, more, level + 1);
        mcp_buf_puts(out, " }");
        return;
    }
    if (!mcp_json_is(properties, MCP_JSON_OBJECT) || properties->count == 0) {
        mcp_buf_puts(out, "object");
        return;
    }
    mcp_buf_puts(out, "{ ");
    for (uint32_t i = 0; i < properties->count; i++) {
        const struct mcp_json_member *m = &properties->u.members[i];

        if (!write_between(out, i, ", "))
            break;
        mcp_buf_add(out, m->key.u.text, m->key.count);
        mcp_buf_puts(out, mcp_check_requires(schema, &m->key) ? ": " : "?: ");
        write_type(out, &m->value, level + 1);
    }
    mcp_buf_puts(out, " }");
}

static void write_array(struct mcp_buf *out, const struct mcp_json *schema,
                        int level)
{
    const struct mcp_json *items = mcp_json_find(schema, "items");
    size_t start = out->len;

    if (mcp_json_is(mcp_json_find(schema, "prefixItems"), MCP_JSON_ARRAY)) {
        mcp_buf_putc(out, '[');
        write_union(out, mcp_json_find(schema, "prefixItems"), ", ", level);
        mcp_buf_putc(out, ']');
        return;
    }
    if (!mcp_json_is(items, MCP_JSON_OBJECT)) {
        mcp_buf_puts(out, "any[]");
        return;
    }
    mcp_buf_putc(out, '(');
    write_type(out, items, level + 1);
    if (out->failed)
        return;
    if (memchr(out->data + start, '|', out->len - start) != NULL) {
        mcp_buf_putc(out, ')');
    } else {
        memmove(out->data + start, out->data + start + 1, out->len - start - 1);
        out->len--;
    }
    mcp_buf_puts(out, "[]");
}

static void write_named(struct mcp_buf *out, const struct mcp_json *schema,
                        const struct mcp_json *type, int level)
{
    if (mcp_json_equals_string(type, "object"))
        write_object(out, schema, level);
    else if (mcp_json_equals_string(type, "array"))
        write_array(out, schema, level);
    else
        mcp_buf_add(out, type->u.text, type->count);
}

static void write_type_list(struct mcp_buf *out, const struct mcp_json *schema,
                            const struct mcp_json *list, int level)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (!write_between(out, i, " | "))
            return;
        write_named(out, schema, &list->u.items[i], level);
    }
}

static void write_ref(struct mcp_buf *out, const struct mcp_json *ref)
{
    uint32_t at = ref->count;

    while (at > 0 && ref->u.text[at - 1] != '/')
        at--;
    mcp_buf_add(out, ref->u.text + at, ref->count - at);
}

static void write_type(struct mcp_buf *out, const struct mcp_json *schema,
                       int level)
{
    const struct mcp_json *type = mcp_json_find(schema, "type"), *v;

    if (level > MAX_LEVELS)
        mcp_buf_puts(out, "...");
    else if ((v = mcp_json_find(schema, "const")) != NULL)
        mcp_json_write(out, v);
    else if (mcp_json_is(v = mcp_json_find(schema, "enum"), MCP_JSON_ARRAY))
        write_values(out, v);
    else if (mcp_json_is(v = mcp_json_find(schema, "$ref"), MCP_JSON_STRING))
        write_ref(out, v);
    else if (mcp_json_is(type, MCP_JSON_STRING))
        write_named(out, schema, type, level);
    else if (mcp_json_is(type, MCP_JSON_ARRAY))
        write_type_list(out, schema, type, level);
    else if (mcp_json_is(v = mcp_json_find(schema, "anyOf"), MCP_JSON_ARRAY) ||
             mcp_json_is(v = mcp_json_find(schema, "oneOf"), MCP_JSON_ARRAY))
        write_union(out, v, " | ", level);
    else
        mcp_buf_puts(out, "any");
}

void mcp_check_write_type(struct mcp_buf *out, const struct mcp_json *schema)
{
    write_type(out, schema, 0);
}
