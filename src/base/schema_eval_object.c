/*
 * schema_eval_object.c - the rules about members
 */
#include "base/schema_run.h"

enum { MAX_NAME_SHOWN = 60 };

/* ---- properties, patternProperties, additionalProperties, required ---- */

/* The patterns that match the key. `*known` is set by each. */
static bool run_patterns(struct schema_run *r, const struct schema_object *o,
                         const struct mcp_json_member *m,
                         const struct schema_path *at, bool *known)
{
    bool ok = true;
    uint32_t i;

    for (i = 0; i < o->pattern_count; i++) {
        if (schema_matches(r, o->patterns[i].regex, &m->key)) {
            *known = true;
            ok =
                schema_check(r, o->patterns[i].node, &m->value, at, NULL) && ok;
        }
        if (r->err != MCP_OK || (!ok && r->report == NULL))
            return false;
    }
    return ok;
}

/* A member that neither properties nor a pattern knows. */
static bool run_additional(struct schema_run *r, const struct schema_node *n,
                           const struct schema_op *op,
                           const struct mcp_json_member *m,
                           const struct schema_path *at)
{
    const struct schema_node *rest = op->u.object->additional;
    struct schema_name name = {m->key.u.text, m->key.count};
    struct schema_detail detail = {.name = &name};

    if (rest->never)
        return schema_fault(r, n, op, &m->value, at, &detail);
    return schema_check(r, rest, &m->value, at, NULL);
}

/* One member. `*hint` is where its name is looked for first. */
static bool run_member(struct schema_run *r, const struct schema_node *n,
                       const struct schema_op *op,
                       const struct mcp_json_member *m,
                       const struct schema_path *at, uint32_t *hint,
                       uint64_t *required, bool *known)
{
    const struct schema_object *o = op->u.object;
    const struct schema_property *p;
    bool ok = true;
    int64_t i;

    i = schema_names_find(&o->names, m->key.u.text, m->key.count, *hint);
    if (i >= 0) {
        *hint = (uint32_t)i + 1;
        p = &o->properties[i];
        *required |= p->required_bit;
        if (p->node != NULL) {
            *known = true;
            ok = schema_check(r, p->node, &m->value, at, NULL);
            if (!ok && (r->report == NULL || r->err != MCP_OK))
                return false;
        }
    }
    if (o->pattern_count > 0)
        ok = run_patterns(r, o, m, at, known) && ok;
    if (*known || o->additional == NULL || r->err != MCP_OK)
        return ok && r->err == MCP_OK;
    *known = true;
    return run_additional(r, n, op, m, at);
}

/* Names each required member that is not there. */
static bool run_required(struct schema_run *r, const struct schema_node *n,
                         const struct schema_op *op, const struct mcp_json *v,
                         const struct schema_path *at)
{
    const struct schema_object *o = op->u.object;
    struct schema_detail detail = {.a = 1};
    bool ok = true;
    uint32_t i;

    if (!schema_work(r, (uint64_t)o->required_count * (v->count + 1)))
        return false;
    for (i = 0; i < o->required_count; i++) {
        const struct schema_name *name = &o->names.items[o->required[i]];

        if (mcp_json_find_n(v, name->text, name->len) != NULL)
            continue;
        detail.name = name;
        ok = schema_fault(r, n, op, v, at, &detail);
        if (r->report == NULL || r->err != MCP_OK)
            return false;
    }
    return ok;
}

bool schema_run_object(struct schema_run *r, const struct schema_node *n,
                       const struct schema_op *op, const struct mcp_json *v,
                       const struct schema_path *at, struct schema_seen *seen)
{
    const struct schema_object *o = op->u.object;
    struct schema_path here = {.up = at};
    uint64_t required = 0;
    uint32_t i, hint = 0;
    bool ok = true, known;

    for (i = 0; i < v->count; i++) {
        const struct mcp_json_member *m = &v->u.members[i];

        here.key = &m->key;
        known = false;
        if (!run_member(r, n, op, m, &here, &hint, &required, &known)) {
            if (r->report == NULL || r->err != MCP_OK)
                return false;
            ok = false;
        }
        if (known)
            schema_seen_mark(seen, i);
    }
    if (o->required_count > 0 &&
        (o->required_mask == 0 ||
         (required & o->required_mask) != o->required_mask))
        ok = run_required(r, n, op, v, at) && ok;
    return ok;
}

/* ---- the rest ---- */

/* Says that a name is wrong, and why. */
static void report_name(struct schema_run *r, const struct schema_node *n,
                        const struct schema_op *op, const struct mcp_json *key,
                        const struct schema_path *at)
{
    struct schema_report own = {.max = 1}, *report = r->report;
    struct schema_text text;

    r->report = &own;
    (void)schema_check(r, op->u.node, key, at, NULL);
    r->report = report;
    if (r->err == MCP_EINVAL) /* only `own` is full */
        r->err = MCP_OK;
    if (r->err != MCP_OK)
        return;
    schema_text_clear(&text);
    schema_text_puts(&text, "the name ");
    schema_text_quote(&text, key->u.text, key->count, MAX_NAME_SHOWN);
    schema_text_puts(&text, " ");
    schema_text_puts(&text, own.count > 0 ? own.items[0].error.message
                                          : "is not allowed");
    schema_report_text(r, n, op->kind, op->keyword, at, &text);
}

bool schema_run_property_names(struct schema_run *r,
                               const struct schema_node *n,
                               const struct schema_op *op,
                               const struct mcp_json *v,
                               const struct schema_path *at,
                               struct schema_seen *seen)
{
    struct schema_path here = {.up = at};
    bool ok = true;
    uint32_t i;

    (void)seen;
    for (i = 0; i < v->count; i++) {
        here.key = &v->u.members[i].key;
        if (schema_probe(r, op->u.node, here.key, NULL))
            continue;
        if (r->report == NULL || r->err != MCP_OK)
            return false;
        report_name(r, n, op, here.key, &here);
        ok = false;
    }
    return ok;
}

static bool run_names(struct schema_run *r, const struct schema_node *n,
                      const struct schema_op *op,
                      const struct schema_dependency *d,
                      const struct mcp_json *v, const struct schema_path *at)
{
    struct schema_detail detail = {.other = &d->trigger};
    bool ok = true;
    uint32_t i;

    for (i = 0; i < d->required_count; i++) {
        if (!schema_work(r, 1 + v->count))
            return false;
        if (mcp_json_find_n(v, d->required[i].text, d->required[i].len) != NULL)
            continue;
        detail.name = &d->required[i];
        ok = schema_fault(r, n, op, v, at, &detail);
        if (r->report == NULL || r->err != MCP_OK)
            return false;
    }
    return ok;
}

bool schema_run_dependencies(struct schema_run *r, const struct schema_node *n,
                             const struct schema_op *op,
                             const struct mcp_json *v,
                             const struct schema_path *at,
                             struct schema_seen *seen)
{
    const struct schema_dependencies *list = op->u.dependencies;
    bool ok = true;
    uint32_t i;

    for (i = 0; i < list->count; i++) {
        const struct schema_dependency *d = &list->items[i];

        if (!schema_work(r, 1 + v->count))
            return false;
        if (mcp_json_find_n(v, d->trigger.text, d->trigger.len) == NULL)
            continue;
        if (d->node != NULL ? schema_check(r, d->node, v, at, seen)
                            : run_names(r, n, op, d, v, at))
            continue;
        if (r->report == NULL || r->err != MCP_OK)
            return false;
        ok = false;
    }
    return ok;
}

/* One member that nothing has evaluated. */
static bool run_unknown(struct schema_run *r, const struct schema_node *n,
                        const struct schema_op *op,
                        const struct mcp_json_member *m,
                        const struct schema_path *at)
{
    struct schema_name name = {m->key.u.text, m->key.count};
    struct schema_detail detail = {.name = &name};

    if (op->u.node->never)
        return schema_fault(r, n, op, &m->value, at, &detail);
    return schema_check(r, op->u.node, &m->value, at, NULL);
}

bool schema_run_unevaluated_properties(struct schema_run *r,
                                       const struct schema_node *n,
                                       const struct schema_op *op,
                                       const struct mcp_json *v,
                                       const struct schema_path *at,
                                       struct schema_seen *seen)
{
    struct schema_path here = {.up = at};
    bool ok = true;
    uint32_t i;

    for (i = 0; i < v->count; i++) {
        if (schema_seen_has(seen, i))
            continue;
        here.key = &v->u.members[i].key;
        schema_seen_mark(seen, i);
        if (run_unknown(r, n, op, &v->u.members[i], &here))
            continue;
        if (r->report == NULL || r->err != MCP_OK)
            return false;
        ok = false;
    }
    return ok;
}
