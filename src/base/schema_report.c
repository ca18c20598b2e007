/*
 * schema_report.c - what was wrong, where, and what would be right
 */
#include "base/schema_run.h"

#include "base/json_number.h"
#include "base/suggest.h"

enum { VALUE_BYTES = 60, LIST_BYTES = 240, MAX_SUGGESTED = 256 };

/* ---- the list ---- */

/* Room for one more. False: the list is full, or r->err is set. */
static bool make_room(struct schema_run *r)
{
    struct schema_report *p = r->report;
    uint32_t cap = p->cap > 0 ? p->cap * 2 : 4;
    struct schema_issue *items;

    if (r->err != MCP_OK)
        return false;
    if (p->count >= p->max) {
        p->truncated = true;
        r->err = MCP_EINVAL; /* ends the run: there is nothing more to learn */
        return false;
    }
    if (p->count < p->cap)
        return true;
    items = mcp_arena_alloc(r->arena, cap * sizeof(*items));
    if (items == NULL) {
        r->err = MCP_ENOMEM;
        return false;
    }
    if (p->count > 0)
        memcpy(items, p->items, p->count * sizeof(*items));
    p->items = items;
    p->cap = cap;
    return true;
}

void schema_report_append(struct schema_run *r,
                          const struct schema_issue *issue)
{
    if (make_room(r))
        r->report->items[r->report->count++] = *issue;
}

static const char *keep(struct schema_run *r, const struct schema_text *t)
{
    const char *copy = mcp_arena_dup(r->arena, t->data, t->len);

    if (copy == NULL)
        r->err = MCP_ENOMEM;
    return copy;
}

void schema_report_text(struct schema_run *r, const struct schema_node *n,
                        uint8_t kind, const char *keyword,
                        const struct schema_path *at,
                        const struct schema_text *text)
{
    struct schema_issue issue = {.node = n, .kind = kind};
    struct schema_text path;
    const struct schema_path *p;

    if (!make_room(r))
        return;
    for (p = at; p != NULL; p = p->up)
        issue.depth++;
    issue.error.keyword = keyword;
    issue.error.message = keep(r, text);
    schema_text_clear(&path);
    schema_text_path(&path, at);
    issue.error.instance_path = keep(r, &path);
    schema_text_clear(&path);
    schema_text_place(&path, n->place);
    if (n->types != 0 && !n->never && keyword[0] != '\0')
        schema_text_segment(&path, keyword, strlen(keyword));
    issue.error.schema_path = keep(r, &path);
    if (r->err == MCP_OK)
        r->report->items[r->report->count++] = issue;
}

/* ---- type ---- */

/* Is `v` a string that would fit without its quotes? */
static bool is_quoted(const struct mcp_json *v, uint8_t types)
{
    const char *p = v->u.text;
    struct mcp_json number;

    if (v->type != MCP_JSON_STRING)
        return false;
    if ((types & SCHEMA_BOOLEAN) != 0 && (mcp_json_equals_string(v, "true") ||
                                          mcp_json_equals_string(v, "false")))
        return true;
    return v->count > 0 && v->count < VALUE_BYTES &&
           (types & SCHEMA_NUMBER) != 0 &&
           mcp_json_number_parse(&p, p + v->count, &number) &&
           p == v->u.text + v->count &&
           ((types & SCHEMA_FRACTION) != 0 ||
            mcp_json_number_is_integer(&number));
}

void schema_text_mismatch(struct schema_text *t, uint8_t types,
                          const struct mcp_json *v)
{
    schema_text_puts(t, "must be ");
    schema_text_types(t, types);
    schema_text_puts(t, ", got ");
    schema_text_puts(t, mcp_json_type_name(v));
    if (v->type == MCP_JSON_NUMBER || v->type == MCP_JSON_STRING) {
        schema_text_puts(t, " ");
        schema_text_value(t, v, VALUE_BYTES);
    }
    if (v->type == MCP_JSON_NUMBER && types == SCHEMA_STRING)
        schema_text_puts(t, "; put it in quotes");
    if (is_quoted(v, types))
        schema_text_puts(t, "; remove the quotes");
}

void schema_report_type(struct schema_run *r, const struct schema_node *n,
                        const struct mcp_json *v, const struct schema_path *at)
{
    struct schema_text text;

    schema_text_clear(&text);
    if (n->never) {
        schema_text_puts(&text, "is not allowed here");
        schema_report_text(r, n, SCHEMA_ISSUE_NEVER, "false", at, &text);
        return;
    }
    schema_text_mismatch(&text, n->types, v);
    schema_report_text(r, n, SCHEMA_ISSUE_TYPE, "type", at, &text);
}

/* ---- names ---- */

static const char *nearest(const struct schema_names *names,
                           const struct schema_property *declared,
                           const char *text, size_t len)
{
    const char *known[MAX_SUGGESTED];
    size_t n = 0;
    uint32_t i;

    for (i = 0; i < names->count && n < MAX_SUGGESTED; i++)
        if (declared == NULL || declared[i].node != NULL)
            known[n++] = names->items[i].text;
    return mcp_suggest(text, len, known, n);
}

static void put_nearest(struct schema_text *t, const char *name)
{
    if (name == NULL)
        return;
    schema_text_puts(t, "; did you mean ");
    schema_text_quote(t, name, strlen(name), VALUE_BYTES);
    schema_text_puts(t, "?");
}

/* A name, in quotes unless it is a plain word. */
static void put_name(struct schema_text *t, const struct schema_name *name)
{
    const char *rest = " \"\\,;";
    uint32_t i;

    for (i = 0; i < name->len; i++)
        if ((unsigned char)name->text[i] <= 0x20 ||
            (unsigned char)name->text[i] >= 0x7f ||
            strchr(rest, name->text[i]) != NULL)
            break;
    if (i == name->len && i > 0 && i <= VALUE_BYTES)
        schema_text_puts(t, name->text);
    else
        schema_text_quote(t, name->text, name->len, VALUE_BYTES);
}

/* "unknown property; did you mean "a"? allowed: a, b" */
static void put_unknown(struct schema_text *t, const struct schema_object *o,
                        const struct schema_name *name)
{
    const char *near = nearest(&o->names, o->properties, name->text, name->len);
    size_t start;
    uint32_t i;
    bool first = true;

    schema_text_puts(t, "unknown property");
    put_nearest(t, near);
    schema_text_puts(t, near != NULL ? " allowed: " : "; allowed: ");
    start = t->len;
    for (i = 0; i < o->names.count; i++) {
        const struct schema_name *n = &o->names.items[i];

        if (o->properties[i].node == NULL)
            continue;
        schema_text_puts(t, first ? "" : ", ");
        first = false;
        if (t->len - start > LIST_BYTES) {
            schema_text_puts(t, "...");
            return;
        }
        put_name(t, n);
    }
    if (o->pattern_count > 0)
        schema_text_puts(t, first ? "names that match a pattern"
                                  : " and names that match a pattern");
    else if (first)
        schema_text_puts(t, "none");
}

static void put_object(struct schema_text *t, const struct schema_op *op,
                       const struct schema_detail *d)
{
    if (d->a == 1)
        schema_text_puts(t, "is required");
    else
        put_unknown(t, op->u.object, d->name);
}

static void put_dependency(struct schema_text *t, const struct schema_detail *d)
{
    schema_text_puts(t, "is required when ");
    schema_text_quote(t, d->other->text, d->other->len, VALUE_BYTES);
    schema_text_puts(t, " is present");
}

/* ---- values ---- */

static void put_enum(struct schema_text *t, const struct schema_enum *e,
                     const struct mcp_json *v)
{
    size_t start;
    uint32_t i;

    schema_text_puts(t, e->count == 1 ? "must be " : "must be one of ");
    start = t->len;
    for (i = 0; i < e->count; i++) {
        schema_text_puts(t, i > 0 ? ", " : "");
        if (t->len - start > LIST_BYTES) {
            schema_text_puts(t, "...");
            break;
        }
        schema_text_value(t, &e->values[i], VALUE_BYTES);
    }
    if (e->count == 0)
        schema_text_puts(t, "nothing: the list is empty");
    schema_text_puts(t, ", got ");
    schema_text_value(t, v, VALUE_BYTES);
    if (e->only_strings && v->type == MCP_JSON_STRING)
        put_nearest(t, nearest(&e->names, NULL, v->u.text, v->count));
}

static void put_bound(struct schema_text *t, const char *words,
                      const struct schema_op *op, const struct mcp_json *v)
{
    schema_text_puts(t, words);
    schema_text_value(t, op->u.value, VALUE_BYTES);
    schema_text_puts(t, ", got ");
    schema_text_value(t, v, VALUE_BYTES);
}

static uint64_t count_of(const struct mcp_json *v)
{
    uint64_t n = 0;
    uint32_t i;

    if (v->type != MCP_JSON_STRING)
        return v->count;
    for (i = 0; i < v->count; i++)
        n += ((unsigned char)v->u.text[i] & 0xc0) != 0x80;
    return n;
}

/* "must have at least 2 items, got 1" */
static void put_count(struct schema_text *t, const char *bound,
                      const char *noun, const struct schema_op *op,
                      const struct mcp_json *v)
{
    schema_text_puts(t, "must have at ");
    schema_text_puts(t, bound);
    schema_text_puts(t, " ");
    if (op->u.count != 1 && strcmp(noun, "property") == 0) {
        schema_text_number(t, op->u.count);
        schema_text_puts(t, " properties");
    } else
        schema_text_count(t, op->u.count, noun);
    schema_text_puts(t, ", got ");
    schema_text_number(t, count_of(v));
}

static void put_pattern(struct schema_text *t, const struct schema_op *op,
                        const struct mcp_json *v)
{
    size_t len = strlen(op->u.pattern.text);

    schema_text_puts(t, "must match the pattern ");
    schema_text_puts(t,
                     len <= LIST_BYTES ? op->u.pattern.text : "of the schema");
    schema_text_puts(t, ", got ");
    schema_text_value(t, v, VALUE_BYTES);
}

static void put_format(struct schema_text *t, const struct schema_op *op,
                       const struct mcp_json *v)
{
    schema_text_puts(t, "must be ");
    schema_text_puts(t, op->u.format->hint);
    schema_text_puts(t, ", got ");
    schema_text_value(t, v, VALUE_BYTES);
}

/* ---- arrays, alternatives ---- */

static void put_contains(struct schema_text *t, const struct schema_contains *c,
                         const struct schema_detail *d)
{
    bool few = d->a < c->min;

    schema_text_puts(t, few ? "must have at least " : "must have at most ");
    schema_text_count(t, few ? c->min : c->max, "item");
    schema_text_puts(t, " of the kind that \"contains\" describes, got ");
    schema_text_number(t, d->a);
}

static void put_unique(struct schema_text *t, const struct schema_detail *d)
{
    schema_text_puts(t, "must have no two equal items; items ");
    schema_text_number(t, d->a);
    schema_text_puts(t, " and ");
    schema_text_number(t, d->b);
    schema_text_puts(t, " are equal");
}

static void put_one_of(struct schema_text *t, const struct schema_detail *d)
{
    schema_text_puts(t, "must match exactly one alternative, matches number ");
    schema_text_number(t, d->a + 1);
    schema_text_puts(t, " and number ");
    schema_text_number(t, d->b + 1);
}

static void put_group(struct schema_text *t, const struct schema_op *op,
                      const struct mcp_json *v, const struct schema_detail *d)
{
    switch (op->kind) {
    case SCHEMA_OP_OBJECT:
        put_object(t, op, d);
        break;
    case SCHEMA_OP_DEPENDENCIES:
        put_dependency(t, d);
        break;
    case SCHEMA_OP_CONTAINS:
        put_contains(t, op->u.contains, d);
        break;
    case SCHEMA_OP_UNIQUE_ITEMS:
        put_unique(t, d);
        break;
    case SCHEMA_OP_ONE_OF:
        put_one_of(t, d);
        break;
    case SCHEMA_OP_NOT:
        schema_text_puts(t, "must not match what \"not\" describes, got ");
        schema_text_value(t, v, VALUE_BYTES);
        break;
    case SCHEMA_OP_UNEVALUATED_ITEMS:
        schema_text_puts(t, "unknown item: no more items are allowed");
        break;
    default:
        schema_text_puts(t, "unknown property: no part of the schema "
                            "describes it");
        break;
    }
}

static void put_value(struct schema_text *t, const struct schema_op *op,
                      const struct mcp_json *v, const struct schema_detail *d)
{
    switch (op->kind) {
    case SCHEMA_OP_CONST:
        put_bound(t, "must be ", op, v);
        break;
    case SCHEMA_OP_ENUM:
        put_enum(t, op->u.choices, v);
        break;
    case SCHEMA_OP_MINIMUM:
        put_bound(t, "must be at least ", op, v);
        break;
    case SCHEMA_OP_MAXIMUM:
        put_bound(t, "must be at most ", op, v);
        break;
    case SCHEMA_OP_EXCLUSIVE_MINIMUM:
        put_bound(t, "must be greater than ", op, v);
        break;
    case SCHEMA_OP_EXCLUSIVE_MAXIMUM:
        put_bound(t, "must be less than ", op, v);
        break;
    case SCHEMA_OP_MULTIPLE_OF:
        put_bound(t, "must be a multiple of ", op, v);
        break;
    case SCHEMA_OP_MIN_LENGTH:
        put_count(t, "least", "character", op, v);
        break;
    case SCHEMA_OP_MAX_LENGTH:
        put_count(t, "most", "character", op, v);
        break;
    case SCHEMA_OP_MIN_ITEMS:
        put_count(t, "least", "item", op, v);
        break;
    case SCHEMA_OP_MAX_ITEMS:
        put_count(t, "most", "item", op, v);
        break;
    case SCHEMA_OP_MIN_PROPERTIES:
        put_count(t, "least", "property", op, v);
        break;
    case SCHEMA_OP_MAX_PROPERTIES:
        put_count(t, "most", "property", op, v);
        break;
    case SCHEMA_OP_PATTERN:
        put_pattern(t, op, v);
        break;
    case SCHEMA_OP_FORMAT:
        put_format(t, op, v);
        break;
    default:
        put_group(t, op, v, d);
        break;
    }
}

void schema_report_op(struct schema_run *r, const struct schema_node *n,
                      const struct schema_op *op, const struct mcp_json *v,
                      const struct schema_path *at,
                      const struct schema_detail *detail)
{
    const char *keyword = op->keyword;
    struct schema_path missing = {.up = at};
    struct mcp_json key = {.type = MCP_JSON_STRING};
    struct schema_text text;

    schema_text_clear(&text);
    put_value(&text, op, v, detail);
    if (op->kind == SCHEMA_OP_OBJECT)
        keyword = detail->a == 1 ? "required" : "additionalProperties";
    if ((op->kind == SCHEMA_OP_OBJECT && detail->a == 1) ||
        op->kind == SCHEMA_OP_DEPENDENCIES) {
        key.u.text = detail->name->text;
        key.count = detail->name->len;
        missing.key = &key;
        at = &missing;
    }
    schema_report_text(r, n, op->kind, keyword, at, &text);
}
