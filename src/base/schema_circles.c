/*
 * schema_circles.c - refuses schemas that apply themselves to the same value
 *
 * {"allOf": [{"$ref": "#"}]} would run for ever. Such a circle leads only
 * through keywords that stay at the same value, and a depth-first search over
 * those finds it. $dynamicRef is left to the depth limit of evaluation: where
 * it leads is known only then.
 */
#include "base/schema_compiler.h"

enum { WHITE, GREY, BLACK };

/* A node of the search and how far its edges have been followed. */
struct visit {
    struct schema_node *node;
    uint32_t op, sub;
};

/* The i-th subschema that `op` applies to the same value, or NULL. */
static const struct schema_node *edge(const struct schema_op *op, uint32_t i)
{
    switch (op->kind) {
    case SCHEMA_OP_REF:
    case SCHEMA_OP_NOT:
        return i == 0 ? op->u.node : NULL;
    case SCHEMA_OP_ALL_OF:
    case SCHEMA_OP_ANY_OF:
    case SCHEMA_OP_ONE_OF:
        return i < op->u.nodes->count ? op->u.nodes->items[i] : NULL;
    default:
        return NULL;
    }
}

/* The same for the keywords whose list has gaps; `*end` when it is over. */
static const struct schema_node *gappy_edge(const struct schema_op *op,
                                            uint32_t i, bool *end)
{
    *end = false;
    if (op->kind == SCHEMA_OP_IF && i < 3)
        return i == 0   ? op->u.choice->test
               : i == 1 ? op->u.choice->yes
                        : op->u.choice->no;
    if (op->kind == SCHEMA_OP_DEPENDENCIES && i < op->u.dependencies->count)
        return op->u.dependencies->items[i].node;
    *end = true;
    return NULL;
}

static const struct schema_node *next_edge(struct visit *v)
{
    const struct schema_node *to;
    bool end;

    while (v->op < v->node->op_count) {
        const struct schema_op *op = &v->node->ops[v->op];

        to = edge(op, v->sub);
        end = to == NULL;
        if (op->kind == SCHEMA_OP_IF || op->kind == SCHEMA_OP_DEPENDENCIES)
            to = gappy_edge(op, v->sub, &end);
        v->sub++;
        if (to != NULL)
            return to;
        if (end) {
            v->op++;
            v->sub = 0;
        }
    }
    return NULL;
}

static struct schema_location *location_of(const struct schema_compiler *c,
                                           const struct schema_node *n)
{
    uint32_t i;

    for (i = 0; i < c->work_count; i++)
        if (c->work[i]->node == n)
            break;
    return c->work[i];
}

static enum mcp_err search(struct schema_compiler *c, struct visit *stack,
                           struct schema_node *from)
{
    uint32_t depth = 0;

    from->color = GREY;
    stack[depth++] = (struct visit){from, 0, 0};
    while (depth > 0) {
        /* Nodes are the compiler's own until it is done: */
        struct schema_node *to =
            (struct schema_node *)(uintptr_t)next_edge(&stack[depth - 1]);

        if (to == NULL) {
            stack[--depth].node->color = BLACK;
        } else if (to->color == GREY) {
            return schema_fail(c, location_of(c, to)->spot, NULL,
                               "the schema applies itself to the same value "
                               "without end");
        } else if (to->color == WHITE) {
            to->color = GREY;
            stack[depth++] = (struct visit){to, 0, 0};
        }
    }
    return MCP_OK;
}

enum mcp_err schema_check_circles(struct schema_compiler *c)
{
    struct visit *stack =
        mcp_arena_alloc(c->scratch, (c->work_count + 1) * sizeof(*stack));
    uint32_t i;

    if (stack == NULL)
        return schema_fail_memory(c);
    for (i = 0; i < c->work_count; i++)
        if (c->work[i]->node->color == WHITE &&
            search(c, stack, c->work[i]->node) != MCP_OK)
            return c->err;
    return MCP_OK;
}
