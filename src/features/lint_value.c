/*
 * lint_value.c - defaults and examples against the schemas that they stand in
 *
 * All of a schema are judged at once: value n becomes member "n" of an object,
 * and its schema is a reference to where it was found. A default of null says
 * "none" (docs/schemas.md) and is not judged.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/schema.h"
#include "features/lint_rules.h"

#define ROOT_URI "lint:root"

enum { MAX_ERRORS = 1000 };

struct lint_value {
    struct lint_value *next;
    const struct mcp_json *value;
    const char *path;    /* of the value, from the tool's entry */
    const char *pointer; /* of its schema, as a URI fragment    */
    enum lint_rule rule;
    bool told;
};

void lint_values_begin(struct lint_values *v, struct lint *l,
                       const struct mcp_json *root)
{
    *v = (struct lint_values){.l = l, .root = root, .root_place = l->path.len};
    v->end = &v->first;
}

/* The present place below the root as a URI fragment. NULL: no memory. */
static const char *fragment(struct lint_values *v)
{
    static const char plain[] = "/-._~0123456789abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const struct mcp_buf *path = &v->l->path;
    char *out =
        mcp_arena_alloc(v->l->arena, (path->len - v->root_place) * 3 + 1);
    size_t n = 0;

    if (out == NULL)
        return NULL;
    for (size_t i = v->root_place; i < path->len; i++) {
        char c = path->data[i];

        if (c != '\0' && strchr(plain, c) != NULL)
            out[n++] = c;
        else
            n += (size_t)snprintf(out + n, 4, "%%%02X", (unsigned char)c);
    }
    out[n] = '\0';
    return out;
}

static void note(struct lint_values *v, const char *pointer,
                 const struct mcp_json *value, enum lint_rule rule)
{
    struct lint *l = v->l;
    struct lint_value *one = mcp_arena_alloc(l->arena, sizeof(*one));
    const char *path = mcp_arena_dup(l->arena, l->path.data, l->path.len);

    if (one == NULL || path == NULL || pointer == NULL) {
        l->no_memory = true;
        return;
    }
    *one = (struct lint_value){
        .value = value, .path = path, .pointer = pointer, .rule = rule};
    *v->end = one;
    v->end = &one->next;
    v->count++;
}

void lint_values_note(struct lint_values *v, const struct mcp_json *schema)
{
    const struct mcp_json *value = mcp_json_find(schema, "default");
    const struct mcp_json *examples = mcp_json_find(schema, "examples");
    const char *pointer;
    size_t place;

    if (value == NULL && examples == NULL)
        return;
    pointer = fragment(v);
    if (value != NULL && value->type != MCP_JSON_NULL) {
        place = lint_enter(v->l, "default");
        note(v, pointer, value, LINT_DEFAULT_INVALID);
        lint_leave(v->l, place);
    }
    if (!mcp_json_is(examples, MCP_JSON_ARRAY))
        return;
    place = lint_enter(v->l, "examples");
    for (uint32_t i = 0; i < examples->count; i++) {
        size_t at = lint_enter_index(v->l, i);

        note(v, pointer, &examples->u.items[i], LINT_EXAMPLE_INVALID);
        lint_leave(v->l, at);
    }
    lint_leave(v->l, place);
}

/* ---- judging ---- */

/* The object { "properties": { "0": { "$ref": ... } } } as JSON text. */
static void write_schema(struct mcp_buf *out, const struct lint_values *v)
{
    uint32_t n = 0;

    mcp_buf_puts(out, "{\"properties\":{");
    for (const struct lint_value *one = v->first; one != NULL; one = one->next)
        mcp_buf_printf(out, "%s\"%u\":{\"$ref\":\"" ROOT_URI "#%s\"}",
                       n > 0 ? "," : "", n, one->pointer),
            n++;
    mcp_buf_puts(out, "}}");
}

static void write_values(struct mcp_buf *out, const struct lint_values *v)
{
    uint32_t n = 0;

    mcp_buf_putc(out, '{');
    for (const struct lint_value *one = v->first; one != NULL;
         one = one->next) {
        mcp_buf_printf(out, "%s\"%u\":", n > 0 ? "," : "", n);
        mcp_json_write(out, one->value);
        n++;
    }
    mcp_buf_putc(out, '}');
}

/* What `write` writes, as a tree in the arena. NULL: no memory. */
static const struct mcp_json *make(struct lint_values *v,
                                   void (*write)(struct mcp_buf *,
                                                 const struct lint_values *))
{
    struct mcp_json_options options = {.max_depth = MCP_JSON_MAX_DEPTH};
    const struct mcp_json *tree = NULL;
    struct mcp_buf b;
    char *text;

    mcp_buf_init(&b, SIZE_MAX / 4);
    write(&b, v);
    text = b.failed ? NULL : mcp_arena_dup(v->l->arena, b.data, b.len);
    if (text == NULL || mcp_json_parse(v->l->arena, text, b.len, &options,
                                       &tree, NULL) != MCP_OK)
        v->l->no_memory = true;
    mcp_buf_free(&b);
    return tree;
}

/* Reports the value that an error of the whole speaks of, once. */
static void tell(struct lint_values *v, const struct mcp_schema_error *error)
{
    struct lint *l = v->l;
    char *rest;
    unsigned long n = strtoul(error->instance_path + 1, &rest, 10);
    struct lint_value *one = v->first;
    struct mcp_buf path = l->path;

    while (one != NULL && n-- > 0)
        one = one->next;
    if (one == NULL || one->told)
        return;
    one->told = true;
    l->path.data = (char *)one->path;
    l->path.len = strlen(one->path);
    lint_report(l, one->rule, "the %s%s%s %s",
                one->rule == LINT_DEFAULT_INVALID ? "default" : "example",
                *rest != '\0' ? ": " : "", rest, error->message);
    l->path = path;
}

void lint_values_judge(struct lint_values *v)
{
    struct mcp_schema_resource root = {ROOT_URI, v->root};
    struct mcp_schema_options options = {.assert_format =
                                             v->l->tool->assert_format,
                                         .resources = &root,
                                         .resource_count = 1,
                                         .max_errors = MAX_ERRORS};
    const struct mcp_json *schema, *values;
    struct mcp_schema_errors errors;
    struct mcp_schema *program = NULL;
    char message[256];

    if (v->count == 0)
        return;
    schema = make(v, write_schema);
    values = make(v, write_values);
    if (schema == NULL || values == NULL ||
        mcp_schema_compile(schema, &options, &program, message,
                           sizeof(message)) != MCP_OK)
        return;
    if (mcp_schema_validate(program, values, v->l->arena, &errors) ==
        MCP_EINVAL)
        for (size_t i = 0; i < errors.count; i++)
            tell(v, &errors.items[i]);
    mcp_schema_free(program);
}
