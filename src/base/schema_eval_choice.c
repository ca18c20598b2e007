/*
 * schema_eval_choice.c - allOf, anyOf, oneOf, not, if
 *
 * When none of several alternatives fits, the faults of all of them would bury
 * the reader. They are ranked instead: an alternative of another type is far
 * away, one whose const or enum member differs (a tag) is nearer, any other is
 * nearest. A single nearest one tells its own faults; several are summed up in
 * one sentence.
 */
#include "base/schema_run.h"

enum { MAX_SHOWN = 3, MAX_BRANCH_ISSUES = 6, MAX_BRANCHES = 64 };

enum rank { RANK_TYPE, RANK_TAG, RANK_NEAR };

/* One alternative that does not fit. */
struct branch {
    struct schema_report report;
    enum rank rank;
};

bool schema_run_all_of(struct schema_run *r, const struct schema_node *n,
                       const struct schema_op *op, const struct mcp_json *v,
                       const struct schema_path *at, struct schema_seen *seen)
{
    bool ok = true;
    uint32_t i;

    (void)n;
    for (i = 0; i < op->u.nodes->count; i++) {
        if (schema_check(r, op->u.nodes->items[i], v, at, seen))
            continue;
        if (r->report == NULL || r->err != MCP_OK)
            return false;
        ok = false;
    }
    return ok;
}

/* ---- why no alternative fits ---- */

static uint32_t depth_of(const struct schema_path *at)
{
    uint32_t n = 0;

    for (; at != NULL; at = at->up)
        n++;
    return n;
}

static enum rank rank_of(const struct schema_report *report, uint32_t depth)
{
    enum rank rank = RANK_NEAR;
    uint32_t i;

    for (i = 0; i < report->count; i++) {
        const struct schema_issue *s = &report->items[i];

        if (s->kind == SCHEMA_ISSUE_TYPE && s->depth == depth)
            return RANK_TYPE;
        if ((s->kind == SCHEMA_OP_CONST || s->kind == SCHEMA_OP_ENUM) &&
            s->depth <= depth + 1)
            rank = RANK_TAG;
    }
    return rank;
}

/* Runs one alternative with a report of its own. */
static void explain(struct schema_run *r, const struct schema_node *n,
                    const struct mcp_json *v, const struct schema_path *at,
                    struct branch *b)
{
    struct schema_report *report = r->report;

    memset(b, 0, sizeof(*b));
    b->report.max = MAX_BRANCH_ISSUES;
    r->report = &b->report;
    (void)schema_check(r, n, v, at, NULL);
    r->report = report;
    if (r->err == MCP_EINVAL) /* only this report is full */
        r->err = MCP_OK;
    b->rank = rank_of(&b->report, depth_of(at));
}

/* Every alternative wants another type: one sentence names them all. */
static void report_types(struct schema_run *r, const struct schema_node *n,
                         const struct schema_op *op, const struct mcp_json *v,
                         const struct schema_path *at,
                         const struct branch *branches, uint32_t count)
{
    struct schema_text text;
    uint8_t types = 0;
    uint32_t i, j;

    for (i = 0; i < count; i++)
        for (j = 0; j < branches[i].report.count; j++)
            if (branches[i].report.items[j].kind == SCHEMA_ISSUE_TYPE)
                types |= branches[i].report.items[j].node->types;
    schema_text_clear(&text);
    schema_text_mismatch(&text, types, v);
    schema_report_text(r, n, SCHEMA_ISSUE_TYPE, op->keyword, at, &text);
}

/* One sentence with the first fault of each of the nearest. */
static void report_summary(struct schema_run *r, const struct schema_node *n,
                           const struct schema_op *op,
                           const struct schema_path *at,
                           const struct branch *branches, uint32_t count,
                           enum rank best)
{
    struct schema_text text;
    uint32_t i, shown = 0;

    schema_text_clear(&text);
    schema_text_puts(&text, "must match one of the ");
    schema_text_number(&text, op->u.nodes->count);
    schema_text_puts(&text, " alternatives");
    for (i = 0; i < count && shown < MAX_SHOWN; i++) {
        const struct schema_report *report = &branches[i].report;

        if (branches[i].rank != best || report->count == 0)
            continue;
        schema_text_puts(&text, shown++ == 0 ? "; " : ", or ");
        if (report->items[0].depth > depth_of(at)) {
            schema_text_puts(&text, report->items[0].error.instance_path);
            schema_text_puts(&text, " ");
        }
        schema_text_puts(&text, report->items[0].error.message);
    }
    schema_report_text(r, n, op->kind, op->keyword, at, &text);
}

static void report_none(struct schema_run *r, const struct schema_node *n,
                        const struct schema_op *op, const struct mcp_json *v,
                        const struct schema_path *at)
{
    uint32_t count = op->u.nodes->count, i, j, nearest = 0, found = 0;
    struct branch *branches;
    enum rank best = RANK_TYPE;

    count = count < MAX_BRANCHES ? count : (uint32_t)MAX_BRANCHES;
    branches = mcp_arena_alloc(r->arena, count * sizeof(*branches));
    if (branches == NULL) {
        r->err = MCP_ENOMEM;
        return;
    }
    for (i = 0; i < count && r->err == MCP_OK; i++) {
        explain(r, op->u.nodes->items[i], v, at, &branches[i]);
        if (branches[i].rank > best || i == 0) {
            best = branches[i].rank;
            nearest = i;
            found = 0;
        }
        found += branches[i].rank == best;
    }
    if (r->err != MCP_OK)
        return;
    if (best == RANK_TYPE)
        report_types(r, n, op, v, at, branches, count);
    else if (found > 1)
        report_summary(r, n, op, at, branches, count, best);
    else
        for (j = 0; j < branches[nearest].report.count; j++)
            schema_report_append(r, &branches[nearest].report.items[j]);
}

/* ---- the keywords ---- */

/* How many alternatives fit, up to `enough`; `first` and `last` of them. */
static uint32_t count_fits(struct schema_run *r, const struct schema_op *op,
                           const struct mcp_json *v, struct schema_seen *seen,
                           uint32_t enough, struct schema_detail *detail)
{
    uint32_t i, n = 0;

    for (i = 0; i < op->u.nodes->count && n < enough; i++) {
        if (schema_probe(r, op->u.nodes->items[i], v, seen)) {
            if (n == 0)
                detail->a = i;
            detail->b = i;
            n++;
        }
        if (r->err != MCP_OK)
            return 0;
    }
    return n;
}

bool schema_run_any_of(struct schema_run *r, const struct schema_node *n,
                       const struct schema_op *op, const struct mcp_json *v,
                       const struct schema_path *at, struct schema_seen *seen)
{
    struct schema_detail detail = {.a = 0};

    if (count_fits(r, op, v, seen, seen != NULL ? UINT32_MAX : 1, &detail) > 0)
        return true;
    if (r->report != NULL && r->err == MCP_OK)
        report_none(r, n, op, v, at);
    return false;
}

bool schema_run_one_of(struct schema_run *r, const struct schema_node *n,
                       const struct schema_op *op, const struct mcp_json *v,
                       const struct schema_path *at, struct schema_seen *seen)
{
    struct schema_detail detail = {.a = 0};
    uint32_t fits = count_fits(r, op, v, seen, 2, &detail);

    if (fits == 1)
        return true;
    if (r->report == NULL || r->err != MCP_OK)
        return false;
    if (fits == 0)
        report_none(r, n, op, v, at);
    else
        return schema_fault(r, n, op, v, at, &detail);
    return false;
}

bool schema_run_not(struct schema_run *r, const struct schema_node *n,
                    const struct schema_op *op, const struct mcp_json *v,
                    const struct schema_path *at, struct schema_seen *seen)
{
    (void)seen;
    if (!schema_probe(r, op->u.node, v, NULL))
        return r->err == MCP_OK;
    return schema_fault(r, n, op, v, at, NULL);
}

bool schema_run_if(struct schema_run *r, const struct schema_node *n,
                   const struct schema_op *op, const struct mcp_json *v,
                   const struct schema_path *at, struct schema_seen *seen)
{
    const struct schema_choice *c = op->u.choice;
    const struct schema_node *next;

    (void)n;
    next = schema_probe(r, c->test, v, seen) ? c->yes : c->no;
    if (r->err != MCP_OK)
        return false;
    return next == NULL || schema_check(r, next, v, at, seen);
}
