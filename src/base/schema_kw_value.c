/*
 * schema_kw_value.c - compiling the keywords that hold no subschemas
 */
#include "base/schema_compiler.h"

#include "base/json_number.h"

/* ---- type, enum, const ---- */

static uint8_t type_bits(const struct mcp_json *name)
{
    static const struct {
        const char *name;
        uint8_t bits;
    } types[] = {
        {"object", SCHEMA_OBJECT},   {"string", SCHEMA_STRING},
        {"integer", SCHEMA_INTEGER}, {"number", SCHEMA_NUMBER},
        {"array", SCHEMA_ARRAY},     {"boolean", SCHEMA_BOOLEAN},
        {"null", SCHEMA_NULL},
    };
    size_t i;

    for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (mcp_json_equals_string(name, types[i].name))
            return types[i].bits;
    return 0;
}

static enum mcp_err add_type(struct schema_build *b,
                             const struct mcp_json *name, uint8_t *types)
{
    uint8_t bits = type_bits(name);
    struct schema_text text;

    *types |= bits;
    if (bits != 0)
        return MCP_OK;
    schema_text_clear(&text);
    schema_text_puts(&text, "unknown type ");
    schema_text_value(&text, name, 40);
    schema_text_puts(&text, "; use object, string, integer, number, array, "
                            "boolean or null");
    return schema_bad_keyword(b, "type", text.data);
}

enum mcp_err schema_kw_type(struct schema_build *b,
                            const struct schema_keyword *k,
                            const struct mcp_json *v)
{
    uint8_t types = 0;
    uint32_t i;

    if (v->type == MCP_JSON_STRING) {
        if (add_type(b, v, &types) != MCP_OK)
            return b->c->err;
    } else if (v->type != MCP_JSON_ARRAY || v->count == 0)
        return schema_bad_keyword(b, k->name,
                                  "must be a type or a list of types");
    for (i = 0; v->type == MCP_JSON_ARRAY && i < v->count; i++)
        if (add_type(b, &v->u.items[i], &types) != MCP_OK)
            return b->c->err;
    b->node->types = types;
    return MCP_OK;
}

/* Strings only: an index by hash instead of a list of values. */
static bool index_strings(struct schema_build *b, struct schema_enum *e)
{
    struct schema_name *names;
    uint32_t i;

    for (i = 0; i < e->count; i++)
        if (e->values[i].type != MCP_JSON_STRING)
            return true;
    names = mcp_arena_alloc(b->c->program, (e->count + 1) * sizeof(*names));
    for (i = 0; names != NULL && i < e->count; i++) {
        names[i].text = e->values[i].u.text;
        names[i].len = e->values[i].count;
    }
    e->only_strings = e->count > 0;
    return names != NULL &&
           schema_names_index(&e->names, b->c->program, names, e->count, NULL);
}

enum mcp_err schema_kw_enum(struct schema_build *b,
                            const struct schema_keyword *k,
                            const struct mcp_json *v)
{
    struct schema_enum *e;
    const struct mcp_json *copy;

    if (v->type != MCP_JSON_ARRAY)
        return schema_bad_keyword(b, k->name, "must be an array");
    copy = schema_copy_value(b->c, v);
    e = mcp_arena_alloc(b->c->program, sizeof(*e));
    if (copy == NULL || e == NULL)
        return schema_fail_memory(b->c);
    memset(e, 0, sizeof(*e));
    e->values = copy->u.items;
    e->count = copy->count;
    if (!index_strings(b, e))
        return schema_fail_memory(b->c);
    schema_add_op(b, k)->u.choices = e;
    return MCP_OK;
}

enum mcp_err schema_kw_const(struct schema_build *b,
                             const struct schema_keyword *k,
                             const struct mcp_json *v)
{
    const struct mcp_json *copy = schema_copy_value(b->c, v);

    if (copy == NULL)
        return b->c->err;
    schema_add_op(b, k)->u.value = copy;
    return MCP_OK;
}

/* ---- numbers and counts ---- */

enum mcp_err schema_kw_number(struct schema_build *b,
                              const struct schema_keyword *k,
                              const struct mcp_json *v)
{
    static const struct mcp_json zero = {.type = MCP_JSON_NUMBER,
                                         .flags = MCP_JSON_F_INTEGER,
                                         .count = 1,
                                         .u.text = "0"};
    const struct mcp_json *copy;

    if (v->type != MCP_JSON_NUMBER)
        return schema_bad_keyword(b, k->name, "must be a number");
    if (k->op == SCHEMA_OP_MULTIPLE_OF &&
        mcp_json_number_compare(v, &zero) <= 0)
        return schema_bad_keyword(b, k->name, "must be above 0");
    copy = schema_copy_value(b->c, v);
    if (copy == NULL)
        return b->c->err;
    schema_add_op(b, k)->u.value = copy;
    return MCP_OK;
}

bool schema_read_count(const struct mcp_json *v, uint64_t *count)
{
    if (v->type != MCP_JSON_NUMBER || !mcp_json_number_is_integer(v) ||
        v->number < 0)
        return false;
    *count = v->number < 9e15 ? (uint64_t)v->number : (uint64_t)9e15;
    return true;
}

enum mcp_err schema_kw_bound(struct schema_build *b,
                             const struct schema_keyword *k,
                             const struct mcp_json *v)
{
    uint64_t count;

    if (!schema_read_count(v, &count))
        return schema_bad_keyword(b, k->name,
                                  "must be a whole number, 0 or more");
    return MCP_OK;
}

enum mcp_err schema_kw_count(struct schema_build *b,
                             const struct schema_keyword *k,
                             const struct mcp_json *v)
{
    uint64_t count;

    if (schema_kw_bound(b, k, v) != MCP_OK)
        return b->c->err;
    if (schema_read_count(v, &count))
        schema_add_op(b, k)->u.count = count;
    return MCP_OK;
}

enum mcp_err schema_kw_unique(struct schema_build *b,
                              const struct schema_keyword *k,
                              const struct mcp_json *v)
{
    if (v->type != MCP_JSON_TRUE && v->type != MCP_JSON_FALSE)
        return schema_bad_keyword(b, k->name, "must be true or false");
    if (v->type == MCP_JSON_TRUE)
        schema_add_op(b, k)->u.count = 1;
    return MCP_OK;
}

/* ---- strings ---- */

const struct mcp_regex *schema_compile_regex(struct schema_build *b,
                                             const char *keyword,
                                             const struct mcp_json *pattern)
{
    struct schema_compiler *c = b->c;
    struct schema_text text;
    struct mcp_regex *re;
    char why[200] = "";
    enum mcp_err err;

    if (!schema_grow(c, &c->regexes, c->regex_count, &c->regex_cap,
                     sizeof(*c->regexes)))
        return NULL;
    err = mcp_regex_compile(pattern->u.text, pattern->count, &re, why,
                            sizeof(why));
    if (err == MCP_OK) {
        c->regexes[c->regex_count++] = re;
        return re;
    }
    if (err == MCP_ENOMEM) {
        (void)schema_fail_memory(c);
        return NULL;
    }
    schema_text_clear(&text);
    schema_text_puts(&text, "the pattern ");
    schema_text_quote(&text, pattern->u.text, pattern->count, 80);
    schema_text_puts(&text, " is not valid: ");
    schema_text_puts(&text, why);
    (void)schema_bad_keyword(b, keyword, text.data);
    return NULL;
}

enum mcp_err schema_kw_pattern(struct schema_build *b,
                               const struct schema_keyword *k,
                               const struct mcp_json *v)
{
    const struct mcp_regex *re;
    struct schema_op *op;
    const char *text;

    if (v->type != MCP_JSON_STRING)
        return schema_bad_keyword(b, k->name, "must be a string");
    re = schema_compile_regex(b, k->name, v);
    if (re == NULL)
        return b->c->err;
    text = mcp_arena_dup(b->c->program, v->u.text, v->count);
    if (text == NULL)
        return schema_fail_memory(b->c);
    op = schema_add_op(b, k);
    op->u.pattern.regex = re;
    op->u.pattern.text = text;
    return MCP_OK;
}

enum mcp_err schema_kw_format(struct schema_build *b,
                              const struct schema_keyword *k,
                              const struct mcp_json *v)
{
    const struct mcp_format *format;

    if (v->type != MCP_JSON_STRING)
        return schema_bad_keyword(b, k->name, "must be a string");
    format = mcp_format_find(v->u.text, v->count);
    if (format != NULL && b->dialect.asserts_format)
        schema_add_op(b, k)->u.format = format;
    return MCP_OK;
}
