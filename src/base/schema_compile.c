/*
 * schema_compile.c - from a document to a program, by a work list
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/schema_compiler.h"

enum {
    DEFAULT_MAX_SUBSCHEMAS = 20000,
    DEFAULT_MAX_DEPTH = 256,
    DEFAULT_MAX_STEPS = 50000000,
    DEFAULT_MAX_ERRORS = 32,
    DEFAULT_PATTERN_LIMIT = 1000000,
    ARENA_BYTES = 64 << 20,
    MAX_VALUE_DEPTH = 200,
    EXTRA_OPS = 4,
};

/* ---- errors ---- */

static enum mcp_err note(struct schema_compiler *c, enum mcp_err err,
                         const char *text)
{
    size_t n = strlen(text);

    if (c->err != MCP_OK)
        return c->err;
    c->err = err;
    if (c->message_size == 0)
        return err;
    if (n >= c->message_size) {
        n = c->message_size - 1;
        while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80)
            n--;
    }
    memcpy(c->message, text, n);
    c->message[n] = '\0';
    return err;
}

enum mcp_err schema_fail(struct schema_compiler *c,
                         const struct schema_spot *spot, const char *keyword,
                         const char *text)
{
    struct schema_text t;

    schema_text_clear(&t);
    schema_text_place(&t, &spot->place);
    if (keyword != NULL)
        schema_text_segment(&t, keyword, strlen(keyword));
    if (t.len > 0)
        schema_text_puts(&t, ": ");
    schema_text_puts(&t, text);
    return note(c, MCP_EINVAL, t.data);
}

enum mcp_err schema_fail_limit(struct schema_compiler *c, const char *text)
{
    return note(c, MCP_ELIMIT, text);
}

enum mcp_err schema_fail_memory(struct schema_compiler *c)
{
    return note(c, MCP_ENOMEM, "out of memory, or the schema is too large");
}

enum mcp_err schema_bad_keyword(struct schema_build *b, const char *keyword,
                                const char *text)
{
    return schema_fail(b->c, b->at->spot, keyword, text);
}

bool schema_grow(struct schema_compiler *c, void *array, uint32_t count,
                 uint32_t *cap, size_t size)
{
    uint32_t want = *cap > 0 ? *cap * 2 : 16;
    void *old, *now;

    if (count < *cap)
        return true;
    now = mcp_arena_alloc(c->scratch, want * size);
    if (now == NULL) {
        (void)schema_fail_memory(c);
        return false;
    }
    memcpy(&old, array, sizeof(old));
    if (count > 0)
        memcpy(now, old, count * size);
    memcpy(array, &now, sizeof(now));
    *cap = want;
    return true;
}

/* ---- copies into the program ---- */

static bool copy_value(struct schema_compiler *c, const struct mcp_json *v,
                       struct mcp_json *to, int depth);

/* Room in the program. NULL: the error is noted. */
static void *room(struct schema_compiler *c, size_t count, size_t size)
{
    void *p = mcp_arena_alloc(c->program, count * size + 1);

    if (p == NULL)
        (void)schema_fail_memory(c);
    return p;
}

static bool copy_text(struct schema_compiler *c, const struct mcp_json *v,
                      struct mcp_json *to)
{
    char *text = room(c, (size_t)v->count, 1);

    if (text != NULL && v->count > 0)
        memcpy(text, v->u.text, v->count);
    if (text != NULL)
        text[v->count] = '\0';
    *to = *v;
    to->u.text = text;
    return text != NULL;
}

static bool copy_items(struct schema_compiler *c, const struct mcp_json *v,
                       struct mcp_json *to, int depth)
{
    struct mcp_json *items = room(c, v->count, sizeof(*items));
    uint32_t i;

    for (i = 0; items != NULL && i < v->count; i++)
        if (!copy_value(c, &v->u.items[i], &items[i], depth + 1))
            return false;
    *to = *v;
    to->u.items = items;
    return items != NULL;
}

static bool copy_members(struct schema_compiler *c, const struct mcp_json *v,
                         struct mcp_json *to, int depth)
{
    struct mcp_json_member *members = room(c, v->count, sizeof(*members));
    uint32_t i;

    for (i = 0; members != NULL && i < v->count; i++)
        if (!copy_text(c, &v->u.members[i].key, &members[i].key) ||
            !copy_value(c, &v->u.members[i].value, &members[i].value,
                        depth + 1))
            return false;
    *to = *v;
    to->u.members = members;
    return members != NULL;
}

static bool copy_value(struct schema_compiler *c, const struct mcp_json *v,
                       struct mcp_json *to, int depth)
{
    if (depth > MAX_VALUE_DEPTH) {
        (void)schema_fail_limit(c, "a value in the schema is nested too "
                                   "deeply");
        return false;
    }
    switch (v->type) {
    case MCP_JSON_NUMBER:
    case MCP_JSON_STRING:
        return copy_text(c, v, to);
    case MCP_JSON_ARRAY:
        return copy_items(c, v, to, depth);
    case MCP_JSON_OBJECT:
        return copy_members(c, v, to, depth);
    default:
        *to = *v;
        return true;
    }
}

const struct mcp_json *schema_copy_value(struct schema_compiler *c,
                                         const struct mcp_json *v)
{
    struct mcp_json *to = room(c, 1, sizeof(*to));

    return to != NULL && copy_value(c, v, to, 0) ? to : NULL;
}

/* The place in the program that `spot` stands for. */
static const struct schema_place *copy_spot(struct schema_compiler *c,
                                            struct schema_spot *spot)
{
    struct schema_place *p;

    if (spot == NULL || spot->copy != NULL)
        return spot != NULL ? spot->copy : NULL;
    p = mcp_arena_alloc(c->program, sizeof(*p));
    if (p == NULL)
        return NULL;
    *p = spot->place;
    p->up = copy_spot(c, spot->up);
    if (spot->up != NULL && p->up == NULL)
        return NULL;
    if (p->text != NULL)
        p->text = mcp_arena_dup(c->program, p->text, p->len);
    if (p->text == NULL && spot->place.text != NULL)
        return NULL;
    spot->copy = p;
    return p;
}

/* ---- nodes ---- */

const struct schema_node *schema_node_of(struct schema_compiler *c,
                                         struct schema_location *at)
{
    struct schema_node *n;

    if (at->node != NULL)
        return at->node;
    n = mcp_arena_alloc(c->program, sizeof(*n));
    if (n == NULL || !schema_grow(c, &c->work, c->work_count, &c->work_cap,
                                  sizeof(struct schema_location *))) {
        (void)schema_fail_memory(c);
        return NULL;
    }
    memset(n, 0, sizeof(*n));
    n->types = SCHEMA_ANY;
    n->resource = at->source;
    n->place = copy_spot(c, at->spot);
    if (n->place == NULL) {
        (void)schema_fail_memory(c);
        return NULL;
    }
    at->node = n;
    c->work[c->work_count++] = at;
    return n;
}

struct schema_op *schema_add_op(struct schema_build *b,
                                const struct schema_keyword *k)
{
    struct schema_op *op = &b->ops[b->count++];

    op->kind = k->op;
    op->types = k->types;
    op->keyword = k->name;
    return op;
}

static enum mcp_err compile_members(struct schema_build *b)
{
    bool only_ref =
        b->dialect.revision == SCHEMA_07 &&
        mcp_json_is(mcp_json_find(b->json, "$ref"), MCP_JSON_STRING);
    uint32_t i;

    for (i = 0; i < b->json->count; i++) {
        const struct mcp_json_member *m = &b->json->u.members[i];
        const struct schema_keyword *k =
            schema_keyword_find(&m->key, b->dialect.revision);

        if (k == NULL || k->compile == NULL ||
            (k->validation && !b->dialect.validates) ||
            (only_ref && k->compile != schema_kw_ref))
            continue;
        if (k->compile(b, k, &m->value) != MCP_OK)
            return b->c->err;
    }
    return MCP_OK;
}

static bool is_last(const struct schema_op *op)
{
    return op->kind >= SCHEMA_OP_UNEVALUATED_ITEMS;
}

/* The collected operations, in source order, unevaluated* at the end. */
static enum mcp_err store_ops(struct schema_build *b)
{
    struct schema_op *ops =
        mcp_arena_alloc(b->c->program, b->count * sizeof(*ops) + 1);
    uint32_t i, n = 0;

    if (ops == NULL)
        return schema_fail_memory(b->c);
    for (i = 0; i < b->count; i++)
        if (!is_last(&b->ops[i]))
            ops[n++] = b->ops[i];
    for (i = 0; i < b->count; i++)
        if (is_last(&b->ops[i]))
            ops[n++] = b->ops[i];
    b->node->ops = ops;
    b->node->op_count = n;
    return MCP_OK;
}

static enum mcp_err store_default(struct schema_build *b)
{
    const struct mcp_json *v = mcp_json_find(b->json, "default");

    if (v == NULL || v->type == MCP_JSON_NULL)
        return MCP_OK;
    b->node->default_value = schema_copy_value(b->c, v);
    b->c->schema->has_defaults = true;
    return b->c->err;
}

/* Fills in the operations of one node. */
static enum mcp_err compile_node(struct schema_compiler *c,
                                 const struct schema_location *at)
{
    struct schema_build b = {.c = c,
                             .at = at,
                             .json = at->json,
                             .dialect = c->sources[at->source].dialect,
                             .node = at->node};

    c->sources[at->source].entered = true;
    if (at->json->type != MCP_JSON_OBJECT) {
        at->node->never = at->json->type == MCP_JSON_FALSE;
        return MCP_OK;
    }
    b.ops = mcp_arena_alloc(c->scratch,
                            (at->json->count + EXTRA_OPS) * sizeof(*b.ops));
    if (b.ops == NULL)
        return schema_fail_memory(c);
    if (compile_members(&b) != MCP_OK || store_ops(&b) != MCP_OK)
        return c->err;
    return store_default(&b);
}

static enum mcp_err run_work(struct schema_compiler *c)
{
    while (c->work_done < c->work_count)
        if (compile_node(c, c->work[c->work_done++]) != MCP_OK)
            return c->err;
    return MCP_OK;
}

/* ---- what $dynamicRef may find ---- */

/* Each dynamic anchor of a resource that evaluation may enter needs a node;
 * compiling one may enter further resources. */
static enum mcp_err compile_anchors(struct schema_compiler *c)
{
    uint32_t before, i;

    do {
        before = c->work_count;
        for (i = 0; i < c->anchor_count; i++) {
            const struct schema_anchor_entry *a = &c->anchors[i];

            if (a->dynamic && c->sources[a->source].entered &&
                schema_node_of(c, schema_find_location(c, a->json)) == NULL)
                return c->err;
        }
        if (run_work(c) != MCP_OK)
            return c->err;
    } while (c->work_count > before);
    return MCP_OK;
}

static bool store_anchors_of(struct schema_compiler *c, uint32_t source,
                             struct schema_resource *r)
{
    struct schema_anchor *list;
    uint32_t i, n = 0;

    for (i = 0; i < c->anchor_count; i++)
        n += c->anchors[i].dynamic && c->anchors[i].source == source;
    list = mcp_arena_alloc(c->program, n * sizeof(*list) + 1);
    if (list == NULL)
        return false;
    r->anchors = list;
    r->anchor_count = 0;
    for (i = 0; i < c->anchor_count; i++) {
        const struct schema_anchor_entry *a = &c->anchors[i];
        const struct schema_location *at = schema_find_location(c, a->json);

        if (!a->dynamic || a->source != source || at->node == NULL)
            continue;
        list[r->anchor_count].anchor = schema_anchor_number(c, a->name, a->len);
        list[r->anchor_count++].node = at->node;
    }
    return true;
}

static enum mcp_err store_anchors(struct schema_compiler *c)
{
    struct schema_resource *list;
    uint32_t i;

    if (!c->schema->dynamic)
        return MCP_OK;
    if (compile_anchors(c) != MCP_OK)
        return c->err;
    list = mcp_arena_alloc(c->program, c->source_count * sizeof(*list));
    for (i = 0; list != NULL && i < c->source_count; i++)
        if (!store_anchors_of(c, i, &list[i]))
            list = NULL;
    c->schema->resources = list;
    return list != NULL ? MCP_OK : schema_fail_memory(c);
}

/* ---- the whole ---- */

/* Subschemas that nothing refers to are compiled too, so that a mistake in
 * one is found when the schema is loaded. */
static enum mcp_err compile_all(struct schema_compiler *c,
                                const struct mcp_json *doc)
{
    struct schema_location *root, *at;
    uint32_t source;

    if (schema_index_document(c, doc, "", &source) != MCP_OK)
        return c->err;
    root = schema_find_location(c, doc);
    if (root == NULL)
        return schema_fail(c, c->root_spot, NULL,
                           "a schema is an object, true or false");
    c->schema->root = schema_node_of(c, root);
    if (c->schema->root == NULL || run_work(c) != MCP_OK)
        return c->err;
    for (at = c->first; at != NULL; at = at->next)
        if (schema_node_of(c, at) == NULL)
            return c->err;
    if (run_work(c) != MCP_OK || store_anchors(c) != MCP_OK)
        return c->err;
    return schema_check_circles(c);
}

static void set_limits(struct mcp_schema *s, const struct mcp_schema_options *o)
{
    s->max_depth = o->max_depth != 0 ? o->max_depth : DEFAULT_MAX_DEPTH;
    s->max_errors = o->max_errors != 0 ? o->max_errors : DEFAULT_MAX_ERRORS;
    s->max_steps = o->max_steps != 0 ? o->max_steps : DEFAULT_MAX_STEPS;
    s->pattern_match_limit = o->pattern_match_limit != 0
                                 ? o->pattern_match_limit
                                 : DEFAULT_PATTERN_LIMIT;
}

/* Hands the compiled patterns over; they are freed with the schema. */
static void store_regexes(struct schema_compiler *c)
{
    struct mcp_regex **list;
    uint32_t i;

    list = mcp_arena_alloc(c->program, c->regex_count * sizeof(*list) + 1);
    if (list == NULL) {
        for (i = 0; i < c->regex_count; i++)
            mcp_regex_free(c->regexes[i]);
        (void)schema_fail_memory(c);
        return;
    }
    if (c->regex_count > 0)
        memcpy(list, c->regexes, c->regex_count * sizeof(*list));
    c->schema->regexes = list;
    c->schema->regex_count = c->regex_count;
}

void mcp_schema_free(struct mcp_schema *s)
{
    uint32_t i;

    if (s == NULL)
        return;
    for (i = 0; i < s->regex_count; i++)
        mcp_regex_free(s->regexes[i]);
    mcp_arena_free(s->arena);
    free(s);
}

static struct mcp_schema *schema_new(const struct mcp_schema_options *options)
{
    struct mcp_schema *s = calloc(1, sizeof(*s));

    if (s == NULL)
        return NULL;
    set_limits(s, options);
    s->arena = mcp_arena_new(ARENA_BYTES);
    if (s->arena == NULL) {
        free(s);
        return NULL;
    }
    return s;
}

enum mcp_err mcp_schema_compile(const struct mcp_json *doc,
                                const struct mcp_schema_options *options,
                                struct mcp_schema **out, char *message,
                                size_t message_size)
{
    static const struct mcp_schema_options none;
    struct schema_compiler c = {.options = options != NULL ? options : &none,
                                .message = message,
                                .message_size = message_size};

    c.max_subschemas = c.options->max_subschemas != 0
                           ? c.options->max_subschemas
                           : DEFAULT_MAX_SUBSCHEMAS;
    c.schema = schema_new(c.options);
    c.scratch = mcp_arena_new(ARENA_BYTES);
    if (c.schema == NULL || c.scratch == NULL)
        (void)schema_fail_memory(&c);
    else {
        c.program = c.schema->arena;
        (void)compile_all(&c, doc);
        store_regexes(&c);
    }
    mcp_arena_free(c.scratch);
    if (c.err != MCP_OK) {
        mcp_schema_free(c.schema);
        return c.err;
    }
    *out = c.schema;
    return MCP_OK;
}
