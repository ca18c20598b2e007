/*
 * schema_run.h - the state of one evaluation, shared by the evaluator's parts
 *
 * Private to src/base/schema*.c. Every evaluating function says whether the
 * value is valid. Without a report it stops at the first fault; with one it
 * goes on and writes all of them down. When run->err is set, everything
 * returns false at once and nothing is known.
 *
 * Layer:  base. Uses base/schema_program, base/schema_text.
 * Thread: one at a time.
 */
#ifndef MCP_BASE_SCHEMA_RUN_H
#define MCP_BASE_SCHEMA_RUN_H

#include "base/schema_program.h"
#include "base/schema_text.h"

/* A fault, with what choosing between alternatives asks about it. */
struct schema_issue {
    struct mcp_schema_error error;
    const struct schema_node *node;
    uint32_t depth; /* steps of the path */
    uint8_t kind;   /* enum schema_op_kind, or one of these: */
};

enum { SCHEMA_ISSUE_TYPE = 100, SCHEMA_ISSUE_NEVER };

struct schema_report {
    struct schema_issue *items;
    uint32_t count, cap, max;
    bool truncated;
};

/* The resources that were entered on the way, innermost first. */
struct schema_scope {
    const struct schema_scope *up;
    uint32_t resource;
};

/* Which members or items of one value have been evaluated. */
struct schema_seen {
    uint64_t *bits;
    uint64_t few; /* where `bits` points for up to 64 of them */
    uint32_t count;
};

struct schema_run {
    const struct mcp_schema *schema;
    struct mcp_arena *arena;
    uint64_t steps; /* left */
    uint32_t depth;
    enum mcp_err err;
    struct schema_report *report; /* NULL: yes or no only */
    const struct schema_scope *scope;
    struct mcp_regex_scratch scratch;
};

/* What a message mentions beyond the operation and the value. */
struct schema_detail {
    const struct schema_name *name, *other;
    uint64_t a, b;
};

bool schema_eval(struct schema_run *r, const struct schema_node *n,
                 const struct mcp_json *v, const struct schema_path *at,
                 struct schema_seen *seen);

static inline uint8_t schema_type_bits(const struct mcp_json *v)
{
    static const uint8_t bits[] = {
        SCHEMA_NULL,   SCHEMA_BOOLEAN, SCHEMA_BOOLEAN, SCHEMA_NUMBER,
        SCHEMA_STRING, SCHEMA_ARRAY,   SCHEMA_OBJECT};

    return bits[v->type];
}

/* schema_eval() with a short cut for what has nothing but a type to check. */
static inline bool schema_check(struct schema_run *r,
                                const struct schema_node *n,
                                const struct mcp_json *v,
                                const struct schema_path *at,
                                struct schema_seen *seen)
{
    if (n->op_count == 0 && r->steps > 0) {
        uint8_t bits = schema_type_bits(v);

        if (((n->types & bits) == bits ||
             ((n->types & bits) != 0 && (v->flags & MCP_JSON_F_INTEGER))) &&
            !n->never) {
            r->steps--;
            return true;
        }
    }
    return schema_eval(r, n, v, at, seen);
}

/* Takes `n` steps of work. False: there were not enough, r->err is set. */
static inline bool schema_work(struct schema_run *r, uint64_t n)
{
    if (r->steps >= n) {
        r->steps -= n;
        return true;
    }
    r->steps = 0;
    r->err = MCP_ELIMIT;
    return false;
}

/* ---- schema_seen: marks for unevaluated* ---- */

/* No marks for `count` members or items. False: r->err is set. */
bool schema_seen_init(struct schema_run *r, struct schema_seen *s,
                      uint32_t count);

/* Adds the marks of `from`, which is of the same size. */
void schema_seen_merge(struct schema_seen *to, const struct schema_seen *from);

static inline void schema_seen_mark(struct schema_seen *s, uint32_t i)
{
    if (s != NULL)
        s->bits[i / 64] |= (uint64_t)1 << (i % 64);
}

static inline bool schema_seen_has(const struct schema_seen *s, uint32_t i)
{
    return (s->bits[i / 64] >> (i % 64) & 1) != 0;
}

/* schema_check() whose marks count only when it succeeds. */
bool schema_branch(struct schema_run *r, const struct schema_node *n,
                   const struct mcp_json *v, const struct schema_path *at,
                   struct schema_seen *seen);

/* schema_check() as a question: nothing is reported. */
bool schema_probe(struct schema_run *r, const struct schema_node *n,
                  const struct mcp_json *v, struct schema_seen *seen);

/* Does the pattern match? False also with r->err set. */
bool schema_matches(struct schema_run *r, const struct mcp_regex *re,
                    const struct mcp_json *string);

/* ---- operations, by file ---- */

typedef bool schema_op_fn(struct schema_run *r, const struct schema_node *n,
                          const struct schema_op *op, const struct mcp_json *v,
                          const struct schema_path *at,
                          struct schema_seen *seen);

/* schema_eval_object.c */
schema_op_fn schema_run_object, schema_run_property_names,
    schema_run_dependencies, schema_run_unevaluated_properties;
/* schema_eval_array.c */
schema_op_fn schema_run_items, schema_run_contains, schema_run_unique,
    schema_run_unevaluated_items;
/* schema_eval_choice.c */
schema_op_fn schema_run_all_of, schema_run_any_of, schema_run_one_of,
    schema_run_not, schema_run_if;
/* schema_eval_value.c: what looks at the value alone */
schema_op_fn schema_run_value;

/* ---- schema_report.c ---- */

/* Writes a broken rule down; for use through schema_fault(). */
void schema_report_op(struct schema_run *r, const struct schema_node *n,
                      const struct schema_op *op, const struct mcp_json *v,
                      const struct schema_path *at,
                      const struct schema_detail *detail);
void schema_report_type(struct schema_run *r, const struct schema_node *n,
                        const struct mcp_json *v, const struct schema_path *at);

/* Writes a fault with this text, unless there are too many. */
void schema_report_text(struct schema_run *r, const struct schema_node *n,
                        uint8_t kind, const char *keyword,
                        const struct schema_path *at,
                        const struct schema_text *text);

/* Appends a fault that another report holds. */
void schema_report_append(struct schema_run *r,
                          const struct schema_issue *issue);

/* The text of a type mismatch: "must be a string or null, got number 5". */
void schema_text_mismatch(struct schema_text *t, uint8_t types,
                          const struct mcp_json *v);

/* The operation `op` does not hold: reports it, returns false. */
static inline bool
schema_fault(struct schema_run *r, const struct schema_node *n,
             const struct schema_op *op, const struct mcp_json *v,
             const struct schema_path *at, const struct schema_detail *detail)
{
    if (r->report != NULL && r->err == MCP_OK)
        schema_report_op(r, n, op, v, at, detail);
    return false;
}

#endif
