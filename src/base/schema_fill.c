/*
 * schema_fill.c - dropping nulls and filling in defaults, copy on write
 *
 * Both walk a value together with its view: the nodes that describe it, found
 * from one node through $ref and allOf. Alternatives (anyOf, if ...) are not
 * followed: which of them counts is not known here.
 */
#include "base/schema_run.h"

enum { FEW_NODES = 8 };

/* The nodes that describe one value. */
struct view {
    const struct schema_node **nodes;
    uint32_t count, cap;
    const struct schema_node *few[FEW_NODES];
};

/* Defaults being inserted, innermost first: a node whose default contains
 * itself is inserted once. */
struct chain {
    const struct chain *up;
    const struct schema_node *node;
};

struct walk {
    struct schema_run run;
    bool filling; /* else: dropping nulls */
    const struct chain *chain;
};

static const struct mcp_json *rewrite(struct walk *w, const struct mcp_json *v,
                                      const struct view *view);

static void view_init(struct view *view)
{
    view->nodes = view->few;
    view->count = 0;
    view->cap = FEW_NODES;
}

static bool view_add(struct walk *w, struct view *view,
                     const struct schema_node *n)
{
    const struct schema_node **nodes;
    uint32_t i;

    for (i = 0; i < view->count; i++)
        if (view->nodes[i] == n)
            return true;
    if (!schema_work(&w->run, 1 + view->count))
        return false;
    if (view->count == view->cap) {
        nodes = mcp_arena_alloc(w->run.arena, view->cap * 2 * sizeof(*nodes));
        if (nodes == NULL) {
            w->run.err = MCP_ENOMEM;
            return false;
        }
        memcpy(nodes, view->nodes, view->count * sizeof(*nodes));
        view->nodes = nodes;
        view->cap *= 2;
    }
    view->nodes[view->count++] = n;
    return true;
}

/* Adds what the nodes of the view lead to at the same value. */
static bool view_close(struct walk *w, struct view *view)
{
    const struct schema_op *op;
    uint32_t i, j, k;

    for (i = 0; i < view->count; i++) {
        for (j = 0; j < view->nodes[i]->op_count; j++) {
            op = &view->nodes[i]->ops[j];
            if (op->kind == SCHEMA_OP_REF && !view_add(w, view, op->u.node))
                return false;
            if (op->kind == SCHEMA_OP_DYNAMIC_REF &&
                !view_add(w, view, op->u.dynamic->node))
                return false;
            if (op->kind != SCHEMA_OP_ALL_OF)
                continue;
            for (k = 0; k < op->u.nodes->count; k++)
                if (!view_add(w, view, op->u.nodes->items[k]))
                    return false;
        }
    }
    return true;
}

/* ---- what describes a member or an item ---- */

/* The node that `properties` has for a key, or NULL. */
static const struct schema_property *
find_property(const struct schema_object *o, const struct mcp_json *key)
{
    int64_t i = schema_names_find(&o->names, key->u.text, key->count, 0);

    return i >= 0 ? &o->properties[i] : NULL;
}

static bool add_by_pattern(struct walk *w, const struct schema_object *o,
                           const struct mcp_json *key, struct view *to,
                           bool *known)
{
    uint32_t i;

    for (i = 0; i < o->pattern_count; i++) {
        if (!schema_matches(&w->run, o->patterns[i].regex, key))
            continue;
        *known = true;
        if (!view_add(w, to, o->patterns[i].node))
            return false;
    }
    return w->run.err == MCP_OK;
}

/* Adds the nodes for member `key` to `to`. `*declared` is set when it stands
 * under properties, `*required` when it is required. */
static bool member_view(struct walk *w, const struct view *view,
                        const struct mcp_json *key, struct view *to,
                        bool *declared, bool *required)
{
    const struct schema_op *op;
    uint32_t i, j;

    for (i = 0; i < view->count; i++) {
        for (j = 0; j < view->nodes[i]->op_count; j++) {
            const struct schema_property *p;
            const struct schema_object *o;
            bool known;

            op = &view->nodes[i]->ops[j];
            if (op->kind != SCHEMA_OP_OBJECT)
                continue;
            o = op->u.object;
            p = find_property(o, key);
            known = p != NULL && p->node != NULL;
            *declared = *declared || known;
            *required = *required || (p != NULL && p->required_bit != 0);
            if (known && !view_add(w, to, p->node))
                return false;
            if (!add_by_pattern(w, o, key, to, &known))
                return false;
            if (!known && o->additional != NULL &&
                !view_add(w, to, o->additional))
                return false;
        }
    }
    return view_close(w, to);
}

static bool item_view(struct walk *w, const struct view *view, uint32_t index,
                      struct view *to)
{
    uint32_t i, j;

    for (i = 0; i < view->count; i++) {
        for (j = 0; j < view->nodes[i]->op_count; j++) {
            const struct schema_op *op = &view->nodes[i]->ops[j];
            const struct schema_node *n;

            if (op->kind != SCHEMA_OP_ITEMS)
                continue;
            n = index < op->u.items->prefix.count
                    ? op->u.items->prefix.items[index]
                    : op->u.items->rest;
            if (n != NULL && !view_add(w, to, n))
                return false;
        }
    }
    return view_close(w, to);
}

/* ---- copies ---- */

static void *copy_first(struct walk *w, const void *from, uint32_t count,
                        size_t room, size_t size)
{
    void *to = mcp_arena_alloc(w->run.arena, room * size + 1);

    if (to == NULL)
        w->run.err = MCP_ENOMEM;
    else if (count > 0)
        memcpy(to, from, count * size);
    return to;
}

static const struct mcp_json *new_value(struct walk *w,
                                        const struct mcp_json *like,
                                        const void *content, uint32_t count)
{
    struct mcp_json *v = mcp_arena_alloc(w->run.arena, sizeof(*v));

    if (v == NULL) {
        w->run.err = MCP_ENOMEM;
        return NULL;
    }
    *v = *like;
    v->count = count;
    if (v->type == MCP_JSON_ARRAY)
        v->u.items = content;
    else
        v->u.members = content;
    return v;
}

/* ---- arrays ---- */

static const struct mcp_json *
rewrite_items(struct walk *w, const struct mcp_json *v, const struct view *view)
{
    struct mcp_json *copy = NULL;
    uint32_t i;

    for (i = 0; i < v->count; i++) {
        const struct mcp_json *item = &v->u.items[i], *now;
        struct view inner;

        if (item->type < MCP_JSON_ARRAY)
            continue;
        view_init(&inner);
        if (!item_view(w, view, i, &inner))
            return NULL;
        now = rewrite(w, item, &inner);
        if (now == NULL)
            return NULL;
        if (now == item)
            continue;
        if (copy == NULL)
            copy = copy_first(w, v->u.items, v->count, v->count, sizeof(*copy));
        if (copy == NULL)
            return NULL;
        copy[i] = *now;
    }
    return copy != NULL ? new_value(w, v, copy, v->count) : v;
}

/* ---- objects: nulls ---- */

/* Is null forbidden by a schema of the member? */
static bool refuses_null(struct walk *w, const struct view *inner,
                         const struct mcp_json *null)
{
    uint32_t i;

    for (i = 0; i < inner->count; i++)
        if (!schema_probe(&w->run, inner->nodes[i], null, NULL))
            return w->run.err == MCP_OK;
    return false;
}

/* The new value of a member; NULL: an error, or (`*drop`) it goes. */
static const struct mcp_json *rewrite_member(struct walk *w,
                                             const struct mcp_json_member *m,
                                             const struct view *view,
                                             bool *drop)
{
    bool declared = false, required = false;
    struct view inner;

    *drop = false;
    if (m->value.type < MCP_JSON_ARRAY &&
        (w->filling || m->value.type != MCP_JSON_NULL))
        return &m->value;
    view_init(&inner);
    if (!member_view(w, view, &m->key, &inner, &declared, &required))
        return NULL;
    if (m->value.type != MCP_JSON_NULL)
        return rewrite(w, &m->value, &inner);
    *drop = declared && !required && refuses_null(w, &inner, &m->value);
    return *drop || w->run.err != MCP_OK ? NULL : &m->value;
}

/* ---- objects: defaults ---- */

/* A list of members to add. */
struct additions {
    struct mcp_json_member *items;
    uint32_t count, cap;
};

static bool is_added(const struct additions *add, const struct schema_name *key)
{
    uint32_t i;

    for (i = 0; i < add->count; i++)
        if (add->items[i].key.count == key->len &&
            memcmp(add->items[i].key.u.text, key->text, key->len) == 0)
            return true;
    return false;
}

static bool add_member(struct walk *w, struct additions *add,
                       const struct schema_name *key,
                       const struct mcp_json *value)
{
    struct mcp_json_member *m;

    if (add->count == add->cap) {
        add->cap = add->cap > 0 ? add->cap * 2 : 4;
        m = copy_first(w, add->items, add->count, add->cap, sizeof(*m));
        if (m == NULL)
            return false;
        add->items = m;
    }
    m = &add->items[add->count++];
    memset(m, 0, sizeof(*m));
    m->key.type = MCP_JSON_STRING;
    m->key.u.text = key->text;
    m->key.count = key->len;
    m->value = *value;
    return true;
}

/* The default of the nodes, the first there is; filled in itself unless it is
 * being inserted already. NULL: none, or an error. */
static const struct mcp_json *default_of(struct walk *w,
                                         const struct view *inner)
{
    const struct chain *up;
    struct chain link = {.up = w->chain};
    const struct mcp_json *value;
    uint32_t i;

    for (i = 0; i < inner->count && inner->nodes[i]->default_value == NULL; i++)
        ;
    if (i == inner->count)
        return NULL;
    value = inner->nodes[i]->default_value;
    link.node = inner->nodes[i];
    for (up = w->chain; up != NULL; up = up->up)
        if (up->node == link.node)
            return value;
    w->chain = &link;
    value = rewrite(w, value, inner);
    w->chain = link.up;
    return value;
}

/* The defaults of one node's properties that `v` lacks. */
static bool find_missing(struct walk *w, const struct schema_object *o,
                         const struct mcp_json *v, struct additions *add)
{
    uint32_t i;

    for (i = 0; i < o->names.count; i++) {
        const struct schema_name *key = &o->names.items[i];
        const struct mcp_json *value;
        struct view inner;

        if (o->properties[i].node == NULL)
            continue;
        if (!schema_work(&w->run, 1 + v->count + add->count))
            return false;
        if (mcp_json_find_n(v, key->text, key->len) != NULL ||
            is_added(add, key))
            continue;
        view_init(&inner);
        if (!view_add(w, &inner, o->properties[i].node) ||
            !view_close(w, &inner))
            return false;
        value = default_of(w, &inner);
        if (w->run.err != MCP_OK ||
            (value != NULL && !add_member(w, add, key, value)))
            return false;
    }
    return true;
}

static bool find_additions(struct walk *w, const struct mcp_json *v,
                           const struct view *view, struct additions *add)
{
    uint32_t i, j;

    for (i = 0; w->filling && i < view->count; i++)
        for (j = 0; j < view->nodes[i]->op_count; j++)
            if (view->nodes[i]->ops[j].kind == SCHEMA_OP_OBJECT &&
                !find_missing(w, view->nodes[i]->ops[j].u.object, v, add))
                return false;
    return true;
}

static const struct mcp_json *rewrite_members(struct walk *w,
                                              const struct mcp_json *v,
                                              const struct view *view)
{
    struct additions add = {NULL, 0, 0};
    struct mcp_json_member *copy = NULL;
    uint32_t i, n = 0;
    bool drop;

    if (!find_additions(w, v, view, &add))
        return NULL;
    for (i = 0; i < v->count; i++) {
        const struct mcp_json_member *m = &v->u.members[i];
        const struct mcp_json *now = rewrite_member(w, m, view, &drop);

        if (now == NULL && !drop)
            return NULL;
        if (now != &m->value && copy == NULL) {
            copy = copy_first(w, v->u.members, i, v->count + add.count,
                              sizeof(*copy));
            if (copy == NULL)
                return NULL;
        }
        if (copy != NULL && !drop)
            copy[n] = (struct mcp_json_member){m->key, *now};
        n += !drop;
    }
    if (copy == NULL && add.count == 0)
        return v;
    if (copy == NULL)
        copy = copy_first(w, v->u.members, n, n + add.count, sizeof(*copy));
    if (copy == NULL)
        return NULL;
    if (add.count > 0)
        memcpy(copy + n, add.items, add.count * sizeof(*copy));
    return new_value(w, v, copy, n + add.count);
}

/* ---- the walk ---- */

static const struct mcp_json *rewrite(struct walk *w, const struct mcp_json *v,
                                      const struct view *view)
{
    const struct mcp_json *now = v;

    if (v->type < MCP_JSON_ARRAY || view->count == 0)
        return v;
    if (!schema_work(&w->run, 1 + v->count))
        return NULL;
    if (w->run.depth >= w->run.schema->max_depth) {
        w->run.err = MCP_ELIMIT;
        return NULL;
    }
    w->run.depth++;
    now = v->type == MCP_JSON_ARRAY ? rewrite_items(w, v, view)
                                    : rewrite_members(w, v, view);
    w->run.depth--;
    return now;
}

static enum mcp_err walk(const struct mcp_schema *s,
                         const struct mcp_json *value, struct mcp_arena *a,
                         bool filling, const struct mcp_json **out)
{
    struct walk w = {.run = {.schema = s,
                             .arena = a,
                             .steps = s->max_steps,
                             .scratch = {.arena = a}},
                     .filling = filling};
    const struct mcp_json *now = NULL;
    struct view view;

    view_init(&view);
    if (view_add(&w, &view, s->root) && view_close(&w, &view))
        now = rewrite(&w, value, &view);
    if (now == NULL)
        return w.run.err != MCP_OK ? w.run.err : MCP_EINTERNAL;
    *out = now;
    return MCP_OK;
}

enum mcp_err mcp_schema_normalize(const struct mcp_schema *s,
                                  const struct mcp_json *value,
                                  struct mcp_arena *a,
                                  const struct mcp_json **out)
{
    return walk(s, value, a, false, out);
}

enum mcp_err mcp_schema_fill_defaults(const struct mcp_schema *s,
                                      const struct mcp_json *value,
                                      struct mcp_arena *a,
                                      const struct mcp_json **out)
{
    if (s->has_defaults)
        return walk(s, value, a, true, out);
    *out = value;
    return MCP_OK;
}
