/*
 * box.c - see box.h
 *
 * The walk knows which members hold schemas, which hold maps of schemas, and
 * which hold plain data: a "$ref" inside `const` or `default` is a value, and
 * a property may be called "enum".
 */
#include "features/box.h"

#define INNER "#/properties/result"

static const char *const hoisted[] = {"$schema", "$defs", "definitions"};
static const char *const maps[] = {
    "properties",  "patternProperties", "$defs",
    "definitions", "dependentSchemas",  "dependencies"};
static const char *const data[] = {"const", "enum", "default", "examples"};
static const char *const references[] = {"$ref", "$dynamicRef",
                                         "$recursiveRef"};

#define IS_ONE_OF(key, list) is_one_of(key, list, sizeof(list) / sizeof(*list))

static bool is_one_of(const struct mcp_json *key, const char *const *list,
                      size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (mcp_json_equals_string(key, list[i]))
            return true;
    return false;
}

bool mcp_box_is_needed(const struct mcp_json *schema)
{
    return !mcp_json_equals_string(mcp_json_find(schema, "type"), "object");
}

static bool starts_with(const char *text, size_t len, const char *prefix)
{
    size_t n = strlen(prefix);

    return len >= n && memcmp(text, prefix, n) == 0;
}

/* Does the pointer text[0..len) lead into the part that is hoisted? */
static bool leads_to_hoisted(const char *text, size_t len)
{
    static const char *const roots[] = {"#/$defs", "#/definitions"};

    for (size_t i = 0; i < 2; i++) {
        size_t n = strlen(roots[i]);

        if (starts_with(text, len, roots[i]) && (len == n || text[n] == '/'))
            return true;
    }
    return false;
}

/* Writes the reference `ref` as seen from inside of the box. */
static void write_reference(struct mcp_buf *out, const struct mcp_json *ref)
{
    const char *text = ref->u.text;
    size_t len = ref->count;

    if (len == 0 || (len == 1 && text[0] == '#') ||
        (starts_with(text, len, "#/") && !leads_to_hoisted(text, len))) {
        mcp_buf_puts(out, "\"" INNER);
        if (len > 1)
            mcp_json_write_escaped(out, text + 1, len - 1);
        mcp_buf_putc(out, '"');
        return;
    }
    mcp_json_write(out, ref);
}

static void write_schema(struct mcp_buf *out, const struct mcp_json *schema,
                         bool is_root);

static void write_map(struct mcp_buf *out, const struct mcp_json *map)
{
    if (map->type != MCP_JSON_OBJECT) {
        mcp_json_write(out, map);
        return;
    }
    mcp_buf_putc(out, '{');
    for (uint32_t i = 0; i < map->count; i++) {
        if (i > 0)
            mcp_buf_putc(out, ',');
        mcp_json_write(out, &map->u.members[i].key);
        mcp_buf_putc(out, ':');
        write_schema(out, &map->u.members[i].value, false);
    }
    mcp_buf_putc(out, '}');
}

static void write_member(struct mcp_buf *out, const struct mcp_json_member *m)
{
    mcp_json_write(out, &m->key);
    mcp_buf_putc(out, ':');
    if (IS_ONE_OF(&m->key, references) && m->value.type == MCP_JSON_STRING)
        write_reference(out, &m->value);
    else if (IS_ONE_OF(&m->key, maps))
        write_map(out, &m->value);
    else if (IS_ONE_OF(&m->key, data))
        mcp_json_write(out, &m->value);
    else
        write_schema(out, &m->value, false);
}

/* A subschema with an $id of its own is a resource of its own: its references
 * start from itself. */
static bool is_resource(const struct mcp_json *schema)
{
    const struct mcp_json *id = mcp_json_find(schema, "$id");

    return mcp_json_is(id, MCP_JSON_STRING) && id->count > 0 &&
           id->u.text[0] != '#';
}

static void write_schema(struct mcp_buf *out, const struct mcp_json *schema,
                         bool is_root)
{
    bool first = true;

    if (schema->type == MCP_JSON_ARRAY) {
        mcp_buf_putc(out, '[');
        for (uint32_t i = 0; i < schema->count; i++) {
            if (i > 0)
                mcp_buf_putc(out, ',');
            write_schema(out, &schema->u.items[i], false);
        }
        mcp_buf_putc(out, ']');
        return;
    }
    if (schema->type != MCP_JSON_OBJECT || (!is_root && is_resource(schema))) {
        mcp_json_write(out, schema);
        return;
    }
    mcp_buf_putc(out, '{');
    for (uint32_t i = 0; i < schema->count; i++) {
        if (is_root && IS_ONE_OF(&schema->u.members[i].key, hoisted))
            continue;
        if (!first)
            mcp_buf_putc(out, ',');
        first = false;
        write_member(out, &schema->u.members[i]);
    }
    mcp_buf_putc(out, '}');
}

static void write_hoisted(struct mcp_buf *out, const struct mcp_json *schema,
                          const char *name)
{
    const struct mcp_json *v = mcp_json_find(schema, name);

    if (v == NULL)
        return;
    mcp_buf_putc(out, ',');
    mcp_json_write_cstring(out, name);
    mcp_buf_putc(out, ':');
    write_map(out, v);
}

void mcp_box_write_schema(struct mcp_buf *out, const struct mcp_json *schema)
{
    const struct mcp_json *dialect = mcp_json_find(schema, "$schema");
    bool whole = is_resource(schema);

    mcp_buf_putc(out, '{');
    if (dialect != NULL) {
        mcp_buf_puts(out, "\"$schema\":");
        mcp_json_write(out, dialect);
        mcp_buf_putc(out, ',');
    }
    mcp_buf_puts(out, "\"type\":\"object\",\"properties\":{\"result\":");
    if (whole)
        mcp_json_write(out, schema);
    else
        write_schema(out, schema, true);
    mcp_buf_puts(out, "},\"required\":[\"result\"]");
    if (!whole) {
        write_hoisted(out, schema, "$defs");
        write_hoisted(out, schema, "definitions");
    }
    mcp_buf_putc(out, '}');
}
