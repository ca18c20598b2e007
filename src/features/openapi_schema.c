/*
 * openapi_schema.c - see openapi_schema.h
 */
#include "features/openapi_schema.h"

#include <string.h>

#define DEFS "#/$defs/"

/* The name of a component: what may not be in one becomes '_'. */
static void write_name(struct mcp_buf *out, struct mcp_openapi_owner owner,
                       const char *text, size_t len)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

    mcp_buf_printf(out, "%s%zu.", owner.side, owner.route);
    for (size_t i = 0; i < len; i++)
        mcp_buf_putc(out, text[i] != '\0' && strchr(allowed, text[i]) != NULL
                              ? text[i]
                              : '_');
}

/* A reference; one into `$defs` leads to the components. */
static void write_ref(struct mcp_buf *out, const struct mcp_json *ref,
                      struct mcp_openapi_owner owner)
{
    size_t lead = strlen(DEFS), len;
    const char *name = ref->u.text + lead, *rest;

    if (ref->count <= lead || memcmp(ref->u.text, DEFS, lead) != 0) {
        mcp_json_write(out, ref);
        return;
    }
    len = ref->count - lead;
    rest = memchr(name, '/', len);
    if (rest != NULL)
        len = (size_t)(rest - name);
    mcp_buf_puts(out, "\"#/components/schemas/");
    write_name(out, owner, name, len);
    if (rest != NULL)
        mcp_json_write_escaped(out, rest, ref->count - lead - len);
    mcp_buf_putc(out, '"');
}

/* Has the keyword a value that is no schema, whatever it looks like? */
static bool is_data(const struct mcp_json *keyword)
{
    return mcp_json_equals_string(keyword, "const") ||
           mcp_json_equals_string(keyword, "default") ||
           mcp_json_equals_string(keyword, "enum") ||
           mcp_json_equals_string(keyword, "example") ||
           mcp_json_equals_string(keyword, "examples");
}

static void write_value(struct mcp_buf *out, const struct mcp_json *v,
                        bool is_schema, struct mcp_openapi_owner owner);

/* A map of schemas: its keys are names, not keywords. */
static bool is_map(const struct mcp_json *keyword)
{
    return mcp_json_equals_string(keyword, "properties") ||
           mcp_json_equals_string(keyword, "patternProperties") ||
           mcp_json_equals_string(keyword, "dependentSchemas");
}

void mcp_openapi_write_member(struct mcp_buf *out,
                              const struct mcp_json_member *member,
                              struct mcp_openapi_owner owner)
{
    mcp_json_write(out, &member->key);
    mcp_buf_putc(out, ':');
    if (is_data(&member->key))
        mcp_json_write(out, &member->value);
    else if (mcp_json_equals_string(&member->key, "$ref") &&
             member->value.type == MCP_JSON_STRING)
        write_ref(out, &member->value, owner);
    else
        write_value(out, &member->value, !is_map(&member->key), owner);
}

static void write_object(struct mcp_buf *out, const struct mcp_json *v,
                         bool is_schema, struct mcp_openapi_owner owner)
{
    size_t n = 0;

    mcp_buf_putc(out, '{');
    for (uint32_t i = 0; i < v->count; i++) {
        const struct mcp_json_member *m = &v->u.members[i];

        if (is_schema && (mcp_json_equals_string(&m->key, "$defs") ||
                          mcp_json_equals_string(&m->key, "$schema")))
            continue;
        if (n++ > 0)
            mcp_buf_putc(out, ',');
        if (is_schema) {
            mcp_openapi_write_member(out, m, owner);
        } else {
            mcp_json_write(out, &m->key);
            mcp_buf_putc(out, ':');
            write_value(out, &m->value, true, owner);
        }
    }
    mcp_buf_putc(out, '}');
}

static void write_value(struct mcp_buf *out, const struct mcp_json *v,
                        bool is_schema, struct mcp_openapi_owner owner)
{
    if (v->type == MCP_JSON_OBJECT) {
        write_object(out, v, is_schema, owner);
        return;
    }
    if (v->type != MCP_JSON_ARRAY) {
        mcp_json_write(out, v);
        return;
    }
    mcp_buf_putc(out, '[');
    for (uint32_t i = 0; i < v->count; i++) {
        if (i > 0)
            mcp_buf_putc(out, ',');
        write_value(out, &v->u.items[i], true, owner);
    }
    mcp_buf_putc(out, ']');
}

void mcp_openapi_write_schema(struct mcp_buf *out,
                              const struct mcp_json *schema,
                              struct mcp_openapi_owner owner)
{
    write_value(out, schema, true, owner);
}

void mcp_openapi_write_defs(struct mcp_buf *out, const struct mcp_json *schema,
                            struct mcp_openapi_owner owner)
{
    const struct mcp_json *defs = mcp_json_find(schema, "$defs");

    for (uint32_t i = 0; mcp_json_is(defs, MCP_JSON_OBJECT) && i < defs->count;
         i++) {
        const struct mcp_json_member *m = &defs->u.members[i];

        mcp_buf_puts(out, ",\"");
        write_name(out, owner, m->key.u.text, m->key.count);
        mcp_buf_puts(out, "\":");
        mcp_openapi_write_schema(out, &m->value, owner);
    }
}
