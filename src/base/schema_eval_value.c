/*
 * schema_eval_value.c - the rules that look at the value alone
 */
#include "base/schema_run.h"

#include "base/json_number.h"

#define EXACT_LIMIT 9007199254740992.0 /* 2^53 */

enum { BYTES_PER_STEP = 16 };

/* Is a number small enough and whole, so that its double says it all? */
static bool is_small_integer(const struct mcp_json *v)
{
    return (v->flags & MCP_JSON_F_INTEGER) != 0 && v->number < EXACT_LIMIT &&
           v->number > -EXACT_LIMIT;
}

/* Rounding keeps order, so different doubles decide; equal ones may not. */
static int compare(const struct mcp_json *a, const struct mcp_json *b)
{
    if (a->number < b->number)
        return -1;
    if (a->number > b->number)
        return 1;
    if (is_small_integer(a) && is_small_integer(b))
        return 0;
    return mcp_json_number_compare(a, b);
}

static bool is_multiple(const struct mcp_json *v, const struct mcp_json *of)
{
    if (is_small_integer(v) && is_small_integer(of))
        return (int64_t)v->number % (int64_t)of->number == 0;
    return mcp_json_number_is_multiple_of(v, of);
}

/* Characters of a string, which is valid UTF-8. */
static uint64_t count_chars(const struct mcp_json *s)
{
    uint64_t n = 0;
    uint32_t i;

    for (i = 0; i < s->count; i++)
        n += ((unsigned char)s->u.text[i] & 0xc0) != 0x80;
    return n;
}

static bool has_at_least(const struct mcp_json *s, uint64_t min)
{
    return s->count >= min && (s->count / 4 >= min || count_chars(s) >= min);
}

static bool has_at_most(const struct mcp_json *s, uint64_t max)
{
    return s->count <= max || (s->count / 4 <= max && count_chars(s) <= max);
}

static bool is_one_of(struct schema_run *r, const struct schema_enum *e,
                      const struct mcp_json *v)
{
    uint32_t i;

    if (e->only_strings)
        return v->type == MCP_JSON_STRING &&
               schema_names_find(&e->names, v->u.text, v->count, 0) >= 0;
    if (!schema_work(r, e->count))
        return false;
    for (i = 0; i < e->count; i++)
        if (mcp_json_equal(&e->values[i], v))
            return true;
    return false;
}

bool schema_matches(struct schema_run *r, const struct mcp_regex *re,
                    const struct mcp_json *string)
{
    uint64_t work = 0;
    bool matched = false;
    enum mcp_err err;

    err = mcp_regex_match(re, string->u.text, string->count,
                          r->schema->pattern_match_limit, &r->scratch, &matched,
                          &work);
    if (err != MCP_OK) {
        r->err = err;
        return false;
    }
    return schema_work(r, work) && matched;
}

static bool holds(struct schema_run *r, const struct schema_op *op,
                  const struct mcp_json *v)
{
    switch (op->kind) {
    case SCHEMA_OP_CONST:
        return mcp_json_equal(op->u.value, v);
    case SCHEMA_OP_ENUM:
        return is_one_of(r, op->u.choices, v);
    case SCHEMA_OP_MINIMUM:
        return compare(v, op->u.value) >= 0;
    case SCHEMA_OP_MAXIMUM:
        return compare(v, op->u.value) <= 0;
    case SCHEMA_OP_EXCLUSIVE_MINIMUM:
        return compare(v, op->u.value) > 0;
    case SCHEMA_OP_EXCLUSIVE_MAXIMUM:
        return compare(v, op->u.value) < 0;
    case SCHEMA_OP_MULTIPLE_OF:
        return is_multiple(v, op->u.value);
    case SCHEMA_OP_MIN_LENGTH:
        return has_at_least(v, op->u.count);
    case SCHEMA_OP_MAX_LENGTH:
        return has_at_most(v, op->u.count);
    case SCHEMA_OP_PATTERN:
        return schema_matches(r, op->u.pattern.regex, v);
    case SCHEMA_OP_FORMAT:
        return op->u.format->check(v->u.text, v->count);
    case SCHEMA_OP_MIN_ITEMS:
    case SCHEMA_OP_MIN_PROPERTIES:
        return v->count >= op->u.count;
    default: /* MAX_ITEMS, MAX_PROPERTIES */
        return v->count <= op->u.count;
    }
}

bool schema_run_value(struct schema_run *r, const struct schema_node *n,
                      const struct schema_op *op, const struct mcp_json *v,
                      const struct schema_path *at, struct schema_seen *seen)
{
    (void)seen;
    if (!schema_work(r, 1 + v->count / BYTES_PER_STEP))
        return false;
    return holds(r, op, v) || schema_fault(r, n, op, v, at, NULL);
}
