/*
 * schema_eval.c - running the program on a value
 *
 * The first run only answers yes or no, and for a valid value it is the only
 * one. When the answer is no and faults are wanted, a second run collects.
 */
#include "base/schema_run.h"

#include "base/json_number.h"

/* ---- marks ---- */

bool schema_seen_init(struct schema_run *r, struct schema_seen *s,
                      uint32_t count)
{
    size_t words = (size_t)count / 64 + 1;

    s->few = 0;
    s->count = count;
    s->bits = &s->few;
    if (count <= 64)
        return true;
    if (!schema_work(r, words))
        return false;
    s->bits = mcp_arena_alloc(r->arena, words * sizeof(*s->bits));
    if (s->bits == NULL) {
        r->err = MCP_ENOMEM;
        return false;
    }
    memset(s->bits, 0, words * sizeof(*s->bits));
    return true;
}

void schema_seen_merge(struct schema_seen *to, const struct schema_seen *from)
{
    size_t i;

    for (i = 0; i <= to->count / 64; i++) {
        if (i > 0 && to->count <= 64)
            break;
        to->bits[i] |= from->bits[i];
    }
}

bool schema_branch(struct schema_run *r, const struct schema_node *n,
                   const struct mcp_json *v, const struct schema_path *at,
                   struct schema_seen *seen)
{
    struct schema_seen own;

    if (seen == NULL)
        return schema_check(r, n, v, at, NULL);
    if (!schema_seen_init(r, &own, seen->count) ||
        !schema_check(r, n, v, at, &own))
        return false;
    schema_seen_merge(seen, &own);
    return true;
}

bool schema_probe(struct schema_run *r, const struct schema_node *n,
                  const struct mcp_json *v, struct schema_seen *seen)
{
    struct schema_report *report = r->report;
    bool ok;

    r->report = NULL;
    ok = schema_branch(r, n, v, NULL, seen);
    r->report = report;
    return ok;
}

/* ---- one node ---- */

/* The node that $dynamicRef means here: the outermost resource that has the
 * anchor decides. */
static const struct schema_node *dynamic_target(struct schema_run *r,
                                                const struct schema_dynamic *d)
{
    const struct schema_node *found = d->node;
    const struct schema_scope *s;
    uint32_t i;

    for (s = r->scope; s != NULL; s = s->up) {
        const struct schema_resource *res = &r->schema->resources[s->resource];

        if (!schema_work(r, 1 + res->anchor_count))
            break;
        for (i = 0; i < res->anchor_count; i++)
            if (res->anchors[i].anchor == d->anchor)
                found = res->anchors[i].node;
    }
    return found;
}

static bool run_dynamic_ref(struct schema_run *r,
                            const struct schema_dynamic *d,
                            const struct mcp_json *v,
                            const struct schema_path *at,
                            struct schema_seen *seen)
{
    const struct schema_node *n = dynamic_target(r, d);

    return r->err == MCP_OK && schema_check(r, n, v, at, seen);
}

static bool run_op(struct schema_run *r, const struct schema_node *n,
                   const struct schema_op *op, const struct mcp_json *v,
                   const struct schema_path *at, struct schema_seen *seen)
{
    switch (op->kind) {
    case SCHEMA_OP_REF:
        return schema_check(r, op->u.node, v, at, seen);
    case SCHEMA_OP_DYNAMIC_REF:
        return run_dynamic_ref(r, op->u.dynamic, v, at, seen);
    case SCHEMA_OP_ALL_OF:
        return schema_run_all_of(r, n, op, v, at, seen);
    case SCHEMA_OP_ANY_OF:
        return schema_run_any_of(r, n, op, v, at, seen);
    case SCHEMA_OP_ONE_OF:
        return schema_run_one_of(r, n, op, v, at, seen);
    case SCHEMA_OP_NOT:
        return schema_run_not(r, n, op, v, at, seen);
    case SCHEMA_OP_IF:
        return schema_run_if(r, n, op, v, at, seen);
    case SCHEMA_OP_OBJECT:
        return schema_run_object(r, n, op, v, at, seen);
    case SCHEMA_OP_PROPERTY_NAMES:
        return schema_run_property_names(r, n, op, v, at, seen);
    case SCHEMA_OP_DEPENDENCIES:
        return schema_run_dependencies(r, n, op, v, at, seen);
    case SCHEMA_OP_ITEMS:
        return schema_run_items(r, n, op, v, at, seen);
    case SCHEMA_OP_CONTAINS:
        return schema_run_contains(r, n, op, v, at, seen);
    case SCHEMA_OP_UNIQUE_ITEMS:
        return schema_run_unique(r, n, op, v, at, seen);
    case SCHEMA_OP_UNEVALUATED_ITEMS:
        return schema_run_unevaluated_items(r, n, op, v, at, seen);
    case SCHEMA_OP_UNEVALUATED_PROPERTIES:
        return schema_run_unevaluated_properties(r, n, op, v, at, seen);
    default:
        return schema_run_value(r, n, op, v, at, seen);
    }
}

/* Does `type` allow the value, whose bits are given? */
static bool type_fits(const struct schema_node *n, const struct mcp_json *v,
                      uint8_t bits)
{
    uint8_t both = n->types & bits;

    if (both == bits)
        return !n->never;
    /* "integer": one of the two bits of a number */
    return both != 0 && ((v->flags & MCP_JSON_F_INTEGER) != 0 ||
                         mcp_json_number_is_integer(v));
}

static bool run_node(struct schema_run *r, const struct schema_node *n,
                     const struct mcp_json *v, const struct schema_path *at,
                     struct schema_seen *seen)
{
    const uint8_t bits = schema_type_bits(v);
    bool ok = true;
    uint32_t i;

    if (!type_fits(n, v, bits)) {
        if (r->report != NULL)
            schema_report_type(r, n, v, at);
        return false;
    }
    for (i = 0; i < n->op_count; i++) {
        const struct schema_op *op = &n->ops[i];

        if ((op->types & bits) == 0 || run_op(r, n, op, v, at, seen))
            continue;
        if (r->report == NULL || r->err != MCP_OK)
            return false;
        ok = false;
    }
    return ok && r->err == MCP_OK;
}

/* A node with unevaluated*: marks of its own, which its parent gets too. */
static __attribute__((noinline)) bool run_tracked(struct schema_run *r,
                                                  const struct schema_node *n,
                                                  const struct mcp_json *v,
                                                  const struct schema_path *at,
                                                  struct schema_seen *seen)
{
    bool counts = v->type == MCP_JSON_ARRAY || v->type == MCP_JSON_OBJECT;
    struct schema_seen own;
    bool ok;

    if (!schema_seen_init(r, &own, counts ? v->count : 0))
        return false;
    ok = run_node(r, n, v, at, &own);
    if (ok && seen != NULL && counts)
        schema_seen_merge(seen, &own);
    return ok;
}

static __attribute__((noinline)) bool run_scoped(struct schema_run *r,
                                                 const struct schema_node *n,
                                                 const struct mcp_json *v,
                                                 const struct schema_path *at,
                                                 struct schema_seen *seen)
{
    struct schema_scope scope = {r->scope, n->resource};
    bool ok;

    r->scope = &scope;
    ok = n->tracks ? run_tracked(r, n, v, at, seen)
                   : run_node(r, n, v, at, seen);
    r->scope = scope.up;
    return ok;
}

bool schema_eval(struct schema_run *r, const struct schema_node *n,
                 const struct mcp_json *v, const struct schema_path *at,
                 struct schema_seen *seen)
{
    bool ok;

    if (r->steps == 0 || r->depth >= r->schema->max_depth) {
        r->err = MCP_ELIMIT;
        return false;
    }
    r->steps--;
    r->depth++;
    if (r->schema->dynamic &&
        (r->scope == NULL || r->scope->resource != n->resource))
        ok = run_scoped(r, n, v, at, seen);
    else if (n->tracks)
        ok = run_tracked(r, n, v, at, seen);
    else
        ok = run_node(r, n, v, at, seen);
    r->depth--;
    return ok;
}

/* ---- the whole ---- */

/* The faults in the caller's arena. */
static enum mcp_err hand_over(struct schema_run *r,
                              const struct schema_report *report,
                              struct mcp_schema_errors *errors)
{
    struct mcp_schema_error *items;
    uint32_t i;

    items = mcp_arena_alloc(r->arena, report->count * sizeof(*items) + 1);
    if (items == NULL)
        return MCP_ENOMEM;
    for (i = 0; i < report->count; i++)
        items[i] = report->items[i].error;
    errors->items = items;
    errors->count = report->count;
    errors->truncated = report->truncated;
    return MCP_EINVAL;
}

/* The second run. That the value is invalid is known; when the limit of work
 * ends it early, the faults found so far are what there is. */
static enum mcp_err collect(const struct mcp_schema *s,
                            const struct mcp_json *value, struct mcp_arena *a,
                            struct mcp_schema_errors *errors)
{
    struct schema_report report = {.max = s->max_errors};
    struct schema_run r = {.schema = s,
                           .arena = a,
                           .steps = s->max_steps,
                           .report = &report,
                           .scratch = {.arena = a}};
    struct schema_text text;

    (void)schema_eval(&r, s->root, value, NULL, NULL);
    if (r.err == MCP_ENOMEM)
        return MCP_ENOMEM;
    if (r.err == MCP_ELIMIT)
        report.truncated = true;
    if (report.count == 0) {
        r.err = MCP_OK;
        schema_text_clear(&text);
        schema_text_puts(&text, "does not match the schema");
        schema_report_text(&r, s->root, SCHEMA_ISSUE_NEVER, "", NULL, &text);
    }
    return r.err == MCP_ENOMEM ? MCP_ENOMEM : hand_over(&r, &report, errors);
}

enum mcp_err mcp_schema_validate(const struct mcp_schema *s,
                                 const struct mcp_json *value,
                                 struct mcp_arena *a,
                                 struct mcp_schema_errors *errors)
{
    struct schema_run r = {.schema = s,
                           .arena = a,
                           .steps = s->max_steps,
                           .scratch = {.arena = a}};

    if (schema_eval(&r, s->root, value, NULL, NULL))
        return MCP_OK;
    if (r.err != MCP_OK)
        return r.err;
    return errors != NULL ? collect(s, value, a, errors) : MCP_EINVAL;
}
