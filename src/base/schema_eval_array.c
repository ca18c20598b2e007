/*
 * schema_eval_array.c - the rules about items
 */
#include "base/schema_run.h"

enum { FEW_ITEMS = 8 };

bool schema_run_items(struct schema_run *r, const struct schema_node *n,
                      const struct schema_op *op, const struct mcp_json *v,
                      const struct schema_path *at, struct schema_seen *seen)
{
    const struct schema_items *items = op->u.items;
    struct schema_path here = {.up = at};
    uint32_t count = v->count, i;
    bool ok = true;

    (void)n;
    if (items->rest == NULL && count > items->prefix.count)
        count = items->prefix.count;
    for (i = 0; i < count; i++) {
        here.index = i;
        schema_seen_mark(seen, i);
        if (schema_check(r,
                         i < items->prefix.count ? items->prefix.items[i]
                                                 : items->rest,
                         &v->u.items[i], &here, NULL))
            continue;
        if (r->report == NULL || r->err != MCP_OK)
            return false;
        ok = false;
    }
    return ok;
}

bool schema_run_contains(struct schema_run *r, const struct schema_node *n,
                         const struct schema_op *op, const struct mcp_json *v,
                         const struct schema_path *at, struct schema_seen *seen)
{
    const struct schema_contains *c = op->u.contains;
    struct schema_detail detail = {.a = 0};
    uint32_t i;

    for (i = 0; i < v->count; i++) {
        if (schema_probe(r, c->node, &v->u.items[i], NULL)) {
            detail.a++;
            if (c->marks)
                schema_seen_mark(seen, i);
            if (seen == NULL && c->max == UINT64_MAX && detail.a >= c->min)
                break;
        }
        if (r->err != MCP_OK)
            return false;
    }
    return (detail.a >= c->min && detail.a <= c->max) ||
           schema_fault(r, n, op, v, at, &detail);
}

/* One item that nothing has evaluated. */
static bool run_unknown(struct schema_run *r, const struct schema_node *n,
                        const struct schema_op *op, const struct mcp_json *item,
                        const struct schema_path *at)
{
    if (op->u.node->never)
        return schema_fault(r, n, op, item, at, NULL);
    return schema_check(r, op->u.node, item, at, NULL);
}

bool schema_run_unevaluated_items(struct schema_run *r,
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
        here.index = i;
        schema_seen_mark(seen, i);
        if (run_unknown(r, n, op, &v->u.items[i], &here))
            continue;
        if (r->report == NULL || r->err != MCP_OK)
            return false;
        ok = false;
    }
    return ok;
}

/* ---- uniqueItems ---- */

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0xff51afd7ed558ccdu;
    return h ^ h >> 33;
}

static uint64_t hash_text(const char *text, size_t len)
{
    uint64_t h = len, word;

    for (; len >= 8; text += 8, len -= 8) {
        memcpy(&word, text, 8);
        h = mix(h, word);
    }
    word = 0;
    if (len > 0)
        memcpy(&word, text, len);
    return mix(h, word);
}

/* Equal values have equal hashes: a number's is that of its double, an
 * object's does not depend on order. */
static uint64_t hash_value(struct schema_run *r, const struct mcp_json *v)
{
    uint64_t h = v->type, bits = 0, sum = 0;
    double number;
    uint32_t i;

    if (!schema_work(r, 1 + v->count / 16))
        return 0;
    switch (v->type) {
    case MCP_JSON_NUMBER:
        number = v->number + 0.0; /* -0 becomes 0 */
        memcpy(&bits, &number, sizeof(bits));
        return mix(h, bits);
    case MCP_JSON_STRING:
        return mix(h, hash_text(v->u.text, v->count));
    case MCP_JSON_ARRAY:
        for (i = 0; i < v->count && r->err == MCP_OK; i++)
            h = mix(h, hash_value(r, &v->u.items[i]));
        return h;
    case MCP_JSON_OBJECT:
        for (i = 0; i < v->count && r->err == MCP_OK; i++)
            sum += mix(hash_value(r, &v->u.members[i].key),
                       hash_value(r, &v->u.members[i].value));
        return mix(h, sum);
    default:
        return h;
    }
}

/* Finds two equal items by comparing each with each. */
static bool few_are_unique(const struct mcp_json *v,
                           struct schema_detail *detail)
{
    uint32_t i, j;

    for (i = 1; i < v->count; i++)
        for (j = 0; j < i; j++)
            if (v->u.items[i].type == v->u.items[j].type &&
                mcp_json_equal(&v->u.items[i], &v->u.items[j])) {
                detail->a = j;
                detail->b = i;
                return false;
            }
    return true;
}

struct slot {
    uint64_t hash;
    uint64_t index; /* + 1; 0: free */
};

/* Puts item `i` into the table. False: `*twin` is equal to it, or r->err. */
static bool add_item(struct schema_run *r, struct slot *table, uint64_t mask,
                     const struct mcp_json *v, uint32_t i, uint64_t *twin)
{
    uint64_t hash = hash_value(r, &v->u.items[i]), at;

    for (at = hash & mask; table[at].index != 0; at = (at + 1) & mask) {
        if (!schema_work(r, 1))
            return false;
        *twin = table[at].index - 1;
        if (table[at].hash == hash &&
            mcp_json_equal(&v->u.items[*twin], &v->u.items[i]))
            return false;
    }
    table[at].hash = hash;
    table[at].index = (uint64_t)i + 1;
    return r->err == MCP_OK;
}

static bool many_are_unique(struct schema_run *r, const struct mcp_json *v,
                            struct schema_detail *detail)
{
    uint64_t size = 32;
    struct slot *table;
    uint32_t i;

    while (size < (uint64_t)v->count * 2)
        size *= 2;
    table = mcp_arena_alloc(r->arena, size * sizeof(*table));
    if (table == NULL) {
        r->err = MCP_ENOMEM;
        return false;
    }
    memset(table, 0, size * sizeof(*table));
    for (i = 0; i < v->count; i++) {
        if (!add_item(r, table, size - 1, v, i, &detail->a)) {
            detail->b = i;
            return false;
        }
    }
    return true;
}

bool schema_run_unique(struct schema_run *r, const struct schema_node *n,
                       const struct schema_op *op, const struct mcp_json *v,
                       const struct schema_path *at, struct schema_seen *seen)
{
    struct schema_detail detail = {.a = 0};
    bool ok;

    (void)seen;
    ok = v->count <= FEW_ITEMS ? few_are_unique(v, &detail)
                               : many_are_unique(r, v, &detail);
    return ok || schema_fault(r, n, op, v, at, &detail);
}
