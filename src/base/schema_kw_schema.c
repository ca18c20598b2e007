/*
 * schema_kw_schema.c - compiling the keywords that hold subschemas
 */
#include "base/schema_compiler.h"

/* The error place behind `keyword`: a member of its object, or an item. */
static void not_a_schema(struct schema_build *b, const char *keyword,
                         const struct mcp_json *key, uint32_t index)
{
    struct schema_spot *spot = schema_spot_new(b->c, b->at->spot, keyword,
                                               (uint32_t)strlen(keyword), 0);

    if (spot != NULL && key != NULL)
        spot = schema_spot_new(b->c, spot, key->u.text, key->count, 0);
    else if (spot != NULL && index != UINT32_MAX)
        spot = schema_spot_new(b->c, spot, NULL, 0, index);
    if (spot != NULL)
        (void)schema_fail(b->c, spot, NULL,
                          "must be a schema (an object, true or false)");
}

/* The node of a subschema under keyword/key; NULL: not a schema. */
static const struct schema_node *named_child(struct schema_build *b,
                                             const char *keyword,
                                             const struct mcp_json *key,
                                             const struct mcp_json *json)
{
    struct schema_location *at = schema_find_location(b->c, json);

    if (at != NULL)
        return schema_node_of(b->c, at);
    not_a_schema(b, keyword, key, UINT32_MAX);
    return NULL;
}

/* The same right under the keyword. */
static const struct schema_node *
child(struct schema_build *b, const char *keyword, const struct mcp_json *json)
{
    return named_child(b, keyword, NULL, json);
}

static void *alloc(struct schema_build *b, size_t count, size_t size)
{
    void *p = mcp_arena_alloc(b->c->program, count * size + 1);

    if (p == NULL)
        (void)schema_fail_memory(b->c);
    else
        memset(p, 0, count * size);
    return p;
}

/* A copy of a string in the program. False: the error is noted. */
static bool copy_name(struct schema_build *b, const struct mcp_json *s,
                      struct schema_name *to)
{
    to->text = mcp_arena_dup(b->c->program, s->u.text, s->count);
    to->len = s->count;
    if (to->text == NULL)
        (void)schema_fail_memory(b->c);
    return to->text != NULL;
}

/* ---- schemas that only references reach, and their names ---- */

/* $defs and its like compile nothing, but must hold schemas. */
enum mcp_err schema_kw_held(struct schema_build *b,
                            const struct schema_keyword *k,
                            const struct mcp_json *v)
{
    const struct mcp_json_member *m;
    uint32_t i;

    if (k->shape != SCHEMA_MAP) {
        if (schema_find_location(b->c, v) == NULL)
            not_a_schema(b, k->name, NULL, UINT32_MAX);
        return b->c->err;
    }
    if (v->type != MCP_JSON_OBJECT)
        return schema_bad_keyword(b, k->name, "must be an object of schemas");
    for (i = 0; i < v->count && b->c->err == MCP_OK; i++) {
        m = &v->u.members[i];
        if (schema_find_location(b->c, &m->value) == NULL)
            not_a_schema(b, k->name, &m->key, UINT32_MAX);
    }
    return b->c->err;
}

/* The index has read $id and anchors; here only what is no name is left. */
enum mcp_err schema_kw_name(struct schema_build *b,
                            const struct schema_keyword *k,
                            const struct mcp_json *v)
{
    if (v->type != MCP_JSON_STRING)
        return schema_bad_keyword(b, k->name, "must be a string");
    return MCP_OK;
}

/* ---- references ---- */

enum mcp_err schema_kw_ref(struct schema_build *b,
                           const struct schema_keyword *k,
                           const struct mcp_json *v)
{
    const struct schema_anchor_entry *anchor;
    struct schema_location *to =
        schema_resolve(b->c, b->at->source, b->at->spot, k->name, v, &anchor);
    const struct schema_node *node;

    node = to != NULL ? schema_node_of(b->c, to) : NULL;
    if (node == NULL)
        return b->c->err;
    schema_add_op(b, k)->u.node = node;
    return MCP_OK;
}

/* A reference that the dynamic scope may bend, when `anchor` is dynamic. */
static enum mcp_err add_dynamic(struct schema_build *b,
                                const struct schema_keyword *k,
                                struct schema_location *to,
                                const struct schema_anchor_entry *anchor)
{
    const struct schema_node *node =
        to != NULL ? schema_node_of(b->c, to) : NULL;
    struct schema_dynamic *d;
    struct schema_op *op;

    if (node == NULL)
        return b->c->err;
    d = alloc(b, 1, sizeof(*d));
    if (d == NULL)
        return b->c->err;
    op = schema_add_op(b, k);
    if (anchor == NULL || !anchor->dynamic) {
        op->kind = SCHEMA_OP_REF;
        op->u.node = node;
        return MCP_OK;
    }
    d->node = node;
    d->anchor = schema_anchor_number(b->c, anchor->name, anchor->len);
    op->u.dynamic = d;
    b->c->schema->dynamic = true;
    return MCP_OK;
}

enum mcp_err schema_kw_dynamic_ref(struct schema_build *b,
                                   const struct schema_keyword *k,
                                   const struct mcp_json *v)
{
    const struct schema_anchor_entry *anchor = NULL;
    struct schema_location *to =
        schema_resolve(b->c, b->at->source, b->at->spot, k->name, v, &anchor);

    return add_dynamic(b, k, to, anchor);
}

/* $recursiveRef is "#", and bends when the root says $recursiveAnchor. */
enum mcp_err schema_kw_recursive_ref(struct schema_build *b,
                                     const struct schema_keyword *k,
                                     const struct mcp_json *v)
{
    const struct schema_anchor_entry *anchor = NULL;
    struct schema_location *to =
        schema_resolve(b->c, b->at->source, b->at->spot, k->name, v, &anchor);

    if (to != NULL) {
        anchor = schema_find_anchor(b->c, to->source, "", 0);
        if (anchor != NULL && anchor->json != to->json)
            anchor = NULL;
    }
    return add_dynamic(b, k, to, anchor);
}

/* ---- in-place applicators ---- */

/* The nodes of an array of schemas. */
static bool node_list(struct schema_build *b, const char *keyword,
                      const struct mcp_json *v, struct schema_nodes *out)
{
    const struct schema_node **items = alloc(b, v->count, sizeof(*items));
    struct schema_location *at;
    uint32_t i;

    for (i = 0; items != NULL && i < v->count; i++) {
        at = schema_find_location(b->c, &v->u.items[i]);
        if (at == NULL)
            not_a_schema(b, keyword, NULL, i);
        items[i] = at != NULL ? schema_node_of(b->c, at) : NULL;
        if (items[i] == NULL)
            return false;
    }
    out->items = items;
    out->count = v->count;
    return items != NULL;
}

enum mcp_err schema_kw_list(struct schema_build *b,
                            const struct schema_keyword *k,
                            const struct mcp_json *v)
{
    struct schema_nodes *nodes;

    if (v->type != MCP_JSON_ARRAY || v->count == 0)
        return schema_bad_keyword(b, k->name,
                                  "must be an array with at least one schema");
    nodes = alloc(b, 1, sizeof(*nodes));
    if (nodes == NULL || !node_list(b, k->name, v, nodes))
        return b->c->err;
    schema_add_op(b, k)->u.nodes = nodes;
    return MCP_OK;
}

enum mcp_err schema_kw_one(struct schema_build *b,
                           const struct schema_keyword *k,
                           const struct mcp_json *v)
{
    const struct schema_node *node = child(b, k->name, v);

    if (node == NULL)
        return b->c->err;
    schema_add_op(b, k)->u.node = node;
    if (k->op == SCHEMA_OP_UNEVALUATED_ITEMS ||
        k->op == SCHEMA_OP_UNEVALUATED_PROPERTIES)
        b->node->tracks = true;
    return MCP_OK;
}

enum mcp_err schema_kw_if(struct schema_build *b,
                          const struct schema_keyword *k,
                          const struct mcp_json *v)
{
    const struct mcp_json *yes = mcp_json_find(b->json, "then");
    const struct mcp_json *no = mcp_json_find(b->json, "else");
    struct schema_choice *choice = alloc(b, 1, sizeof(*choice));

    if (choice == NULL)
        return b->c->err;
    choice->test = child(b, k->name, v);
    if (yes != NULL)
        choice->yes = child(b, "then", yes);
    if (no != NULL)
        choice->no = child(b, "else", no);
    if (b->c->err != MCP_OK)
        return b->c->err;
    schema_add_op(b, k)->u.choice = choice;
    return MCP_OK;
}

/* ---- dependencies ---- */

static bool is_name_list(const struct mcp_json *v)
{
    uint32_t i;

    for (i = 0; v->type == MCP_JSON_ARRAY && i < v->count; i++)
        if (v->u.items[i].type != MCP_JSON_STRING)
            return false;
    return v->type == MCP_JSON_ARRAY;
}

static bool read_dependency(struct schema_build *b,
                            const struct schema_keyword *k,
                            const struct mcp_json_member *m,
                            struct schema_dependency *d)
{
    struct schema_name *names;
    uint32_t i;

    if (!copy_name(b, &m->key, &d->trigger))
        return false;
    if (k->shape == SCHEMA_MAP ||
        (k->shape == SCHEMA_MAP_OR_NAMES && m->value.type != MCP_JSON_ARRAY)) {
        d->node = named_child(b, k->name, &m->key, &m->value);
        return d->node != NULL;
    }
    if (!is_name_list(&m->value)) {
        (void)schema_bad_keyword(b, k->name, "must hold arrays of names");
        return false;
    }
    names = alloc(b, m->value.count, sizeof(*names));
    for (i = 0; names != NULL && i < m->value.count; i++)
        if (!copy_name(b, &m->value.u.items[i], &names[i]))
            return false;
    d->required = names;
    d->required_count = m->value.count;
    return names != NULL;
}

enum mcp_err schema_kw_dependencies(struct schema_build *b,
                                    const struct schema_keyword *k,
                                    const struct mcp_json *v)
{
    struct schema_dependencies *list;
    struct schema_dependency *items;
    uint32_t i;

    if (v->type != MCP_JSON_OBJECT)
        return schema_bad_keyword(b, k->name, "must be an object");
    list = alloc(b, 1, sizeof(*list));
    items = alloc(b, v->count, sizeof(*items));
    if (list == NULL || items == NULL)
        return b->c->err;
    for (i = 0; i < v->count; i++)
        if (!read_dependency(b, k, &v->u.members[i], &items[i]))
            return b->c->err;
    list->items = items;
    list->count = v->count;
    schema_add_op(b, k)->u.dependencies = list;
    return MCP_OK;
}

/* ---- properties and companions ---- */

/* The value of a keyword of the group, checked to be of a type. */
static const struct mcp_json *member(struct schema_build *b,
                                     const char *keyword,
                                     enum mcp_json_type type, const char *wrong)
{
    const struct mcp_json *v = mcp_json_find(b->json, keyword);

    if (v != NULL && v->type != type)
        (void)schema_bad_keyword(b, keyword, wrong);
    return v != NULL && v->type == type ? v : NULL;
}

/* Names of `properties`, then of `required`: one set with an index. */
static bool read_names(struct schema_build *b, struct schema_object *o,
                       const struct mcp_json *properties,
                       const struct mcp_json *required, uint32_t *where)
{
    uint32_t declared = properties != NULL ? properties->count : 0;
    uint32_t total = declared + (required != NULL ? required->count : 0), i;
    struct schema_name *names = alloc(b, total, sizeof(*names));

    for (i = 0; names != NULL && i < total; i++)
        if (!copy_name(b,
                       i < declared ? &properties->u.members[i].key
                                    : &required->u.items[i - declared],
                       &names[i]))
            return false;
    if (names == NULL)
        return false;
    if (!schema_names_index(&o->names, b->c->program, names, total, where)) {
        (void)schema_fail_memory(b->c);
        return false;
    }
    return true;
}

static bool read_required(struct schema_build *b, struct schema_object *o,
                          struct schema_property *table, const uint32_t *where,
                          uint32_t count)
{
    uint32_t *required = alloc(b, count, sizeof(*required));
    uint32_t i, n = 0;

    for (i = 0; required != NULL && i < count; i++) {
        struct schema_property *p = &table[where[i]];

        if (p->required_bit != 0)
            continue;
        p->required_bit = n < 64 ? (uint64_t)1 << n : 1;
        required[n++] = where[i];
    }
    if (required == NULL)
        return false;
    o->required = required;
    o->required_count = n;
    o->required_mask = n == 0    ? 0
                       : n < 64  ? ((uint64_t)1 << n) - 1
                       : n == 64 ? UINT64_MAX
                                 : 0;
    return true;
}

static bool read_properties(struct schema_build *b, struct schema_object *o,
                            const struct mcp_json *properties,
                            const struct mcp_json *required)
{
    uint32_t declared = properties != NULL ? properties->count : 0, i;
    uint32_t needed = required != NULL ? required->count : 0;
    struct schema_property *table;
    uint32_t *where;

    where = mcp_arena_alloc(b->c->scratch,
                            (declared + needed + 1) * sizeof(*where));
    table = alloc(b, declared + needed, sizeof(*table));
    if (where == NULL || table == NULL) {
        (void)schema_fail_memory(b->c);
        return false;
    }
    if (!read_names(b, o, properties, required, where))
        return false;
    for (i = 0; i < declared; i++) {
        table[where[i]].node =
            named_child(b, "properties", &properties->u.members[i].key,
                        &properties->u.members[i].value);
        if (table[where[i]].node == NULL)
            return false;
    }
    o->properties = table;
    return read_required(b, o, table, where + declared, needed);
}

static bool read_patterns(struct schema_build *b, struct schema_object *o,
                          const struct mcp_json *v)
{
    struct schema_pattern *patterns = alloc(b, v->count, sizeof(*patterns));
    uint32_t i;

    for (i = 0; patterns != NULL && i < v->count; i++) {
        const struct mcp_json_member *m = &v->u.members[i];

        patterns[i].regex =
            schema_compile_regex(b, "patternProperties", &m->key);
        patterns[i].node =
            named_child(b, "patternProperties", &m->key, &m->value);
        if (patterns[i].regex == NULL || patterns[i].node == NULL)
            return false;
    }
    o->patterns = patterns;
    o->pattern_count = v->count;
    return patterns != NULL;
}

enum mcp_err schema_kw_object(struct schema_build *b,
                              const struct schema_keyword *k,
                              const struct mcp_json *v)
{
    const struct mcp_json *properties, *patterns, *required = NULL, *rest;
    struct schema_object *o;

    (void)v;
    if (b->object_done)
        return MCP_OK;
    b->object_done = true;
    properties = member(b, "properties", MCP_JSON_OBJECT, "must be an object");
    patterns =
        member(b, "patternProperties", MCP_JSON_OBJECT, "must be an object");
    rest = mcp_json_find(b->json, "additionalProperties");
    if (b->dialect.validates)
        required = member(b, "required", MCP_JSON_ARRAY,
                          "must be an array of property names");
    if (required != NULL && !is_name_list(required))
        return schema_bad_keyword(b, "required",
                                  "must be an array of property names");
    o = alloc(b, 1, sizeof(*o));
    if (b->c->err != MCP_OK || !read_properties(b, o, properties, required) ||
        (patterns != NULL && !read_patterns(b, o, patterns)))
        return b->c->err;
    if (rest != NULL)
        o->additional = child(b, "additionalProperties", rest);
    if (b->c->err == MCP_OK)
        schema_add_op(b, k)->u.object = o;
    return b->c->err;
}

/* ---- items and companions ---- */

static bool read_items(struct schema_build *b, struct schema_items *items)
{
    const struct mcp_json *v = mcp_json_find(b->json, "items");
    const struct mcp_json *prefix = NULL, *rest = v;

    items->rest_keyword = "items";
    if (b->dialect.revision == SCHEMA_2020)
        prefix = mcp_json_find(b->json, "prefixItems");
    else if (mcp_json_is(v, MCP_JSON_ARRAY)) {
        prefix = v;
        rest = mcp_json_find(b->json, "additionalItems");
        items->rest_keyword = "additionalItems";
    }
    if (prefix != NULL && prefix->type != MCP_JSON_ARRAY) {
        (void)schema_bad_keyword(b, "prefixItems",
                                 "must be an array of schemas");
        return false;
    }
    if (prefix != NULL && !node_list(b, prefix == v ? "items" : "prefixItems",
                                     prefix, &items->prefix))
        return false;
    if (mcp_json_is(rest, MCP_JSON_ARRAY)) {
        (void)schema_bad_keyword(b, "items",
                                 "must be a schema; a list of schemas is "
                                 "\"prefixItems\" since 2020-12");
        return false;
    }
    items->rest = rest != NULL ? child(b, items->rest_keyword, rest) : NULL;
    return b->c->err == MCP_OK;
}

enum mcp_err schema_kw_items(struct schema_build *b,
                             const struct schema_keyword *k,
                             const struct mcp_json *v)
{
    struct schema_items *items;

    (void)v;
    if (b->items_done)
        return MCP_OK;
    b->items_done = true;
    items = alloc(b, 1, sizeof(*items));
    if (items == NULL || !read_items(b, items))
        return b->c->err;
    if (items->prefix.count > 0 || items->rest != NULL)
        schema_add_op(b, k)->u.items = items;
    return MCP_OK;
}

enum mcp_err schema_kw_contains(struct schema_build *b,
                                const struct schema_keyword *k,
                                const struct mcp_json *v)
{
    struct schema_contains *contains = alloc(b, 1, sizeof(*contains));
    const struct mcp_json *bound;

    if (contains == NULL)
        return b->c->err;
    contains->node = child(b, k->name, v);
    if (contains->node == NULL)
        return b->c->err;
    contains->min = 1;
    contains->max = UINT64_MAX;
    contains->marks = b->dialect.revision == SCHEMA_2020;
    if (b->dialect.revision != SCHEMA_07 && b->dialect.validates) {
        bound = mcp_json_find(b->json, "minContains");
        if (bound != NULL)
            (void)schema_read_count(bound, &contains->min);
        bound = mcp_json_find(b->json, "maxContains");
        if (bound != NULL)
            (void)schema_read_count(bound, &contains->max);
    }
    schema_add_op(b, k)->u.contains = contains;
    return MCP_OK;
}
