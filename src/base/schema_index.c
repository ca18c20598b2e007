/*
 * schema_index.c - where the subschemas, resources and anchors of a document
 * are
 *
 * Only what stands at a place where the standard expects a schema is looked
 * at: an $id inside an enum, or under an unknown keyword, names nothing.
 */
#include "base/schema_compiler.h"
#include "base/schema_uri.h"

enum { MAX_NESTING = 200, MAX_SOURCES = 2000 };

struct schema_spot *schema_spot_new(struct schema_compiler *c,
                                    struct schema_spot *up, const char *text,
                                    uint32_t len, uint32_t index)
{
    struct schema_spot *s = mcp_arena_alloc(c->scratch, sizeof(*s));

    if (s == NULL) {
        (void)schema_fail_memory(c);
        return NULL;
    }
    s->place.up = up != NULL ? &up->place : NULL;
    s->place.text = text;
    s->place.len = len;
    s->place.index = index;
    s->up = up;
    s->copy = NULL;
    return s;
}

/* ---- the table of locations ---- */

static uint32_t slot_of(const struct schema_compiler *c,
                        const struct mcp_json *json)
{
    uint64_t h = (uint64_t)(uintptr_t)json * 0x9e3779b97f4a7c15u;
    uint32_t at = (uint32_t)(h >> 32) & (c->location_cap - 1);

    while (c->locations[at] != NULL && c->locations[at]->json != json)
        at = (at + 1) & (c->location_cap - 1);
    return at;
}

struct schema_location *schema_find_location(const struct schema_compiler *c,
                                             const struct mcp_json *json)
{
    return c->location_cap > 0 ? c->locations[slot_of(c, json)] : NULL;
}

static enum mcp_err rehash(struct schema_compiler *c)
{
    struct schema_location **old = c->locations;
    uint32_t old_cap = c->location_cap, i;

    c->location_cap = old_cap > 0 ? old_cap * 2 : 64;
    c->locations =
        mcp_arena_alloc(c->scratch, c->location_cap * sizeof(*c->locations));
    if (c->locations == NULL) {
        c->location_cap = 0;
        return schema_fail_memory(c);
    }
    memset(c->locations, 0, c->location_cap * sizeof(*c->locations));
    for (i = 0; i < old_cap; i++)
        if (old[i] != NULL)
            c->locations[slot_of(c, old[i]->json)] = old[i];
    return MCP_OK;
}

static enum mcp_err add_location(struct schema_compiler *c,
                                 const struct mcp_json *json, uint32_t source,
                                 struct schema_spot *spot)
{
    struct schema_location *l = mcp_arena_alloc(c->scratch, sizeof(*l));

    if (l == NULL)
        return schema_fail_memory(c);
    if (c->location_count >= c->max_subschemas)
        return schema_fail_limit(c, "too many subschemas");
    if (c->location_count * 2 >= c->location_cap && rehash(c) != MCP_OK)
        return c->err;
    l->json = json;
    l->spot = spot;
    l->source = source;
    l->node = NULL;
    l->next = NULL;
    if (c->schema->root == NULL) {
        *(c->last != NULL ? &c->last->next : &c->first) = l;
        c->last = l;
    }
    c->locations[slot_of(c, json)] = l;
    c->location_count++;
    return MCP_OK;
}

/* ---- resources ---- */

static bool add_uri(struct schema_compiler *c, const char *uri, uint32_t source)
{
    if (!schema_grow(c, &c->uris, c->uri_count, &c->uri_cap, sizeof(*c->uris)))
        return false;
    c->uris[c->uri_count].uri = uri;
    c->uris[c->uri_count].source = source;
    c->uri_count++;
    return true;
}

static bool knows_uri(const struct schema_compiler *c, const char *uri)
{
    uint32_t i;

    for (i = 0; i < c->uri_count; i++)
        if (strcmp(c->uris[i].uri, uri) == 0)
            return true;
    return false;
}

/* A new resource with root `json`; its $schema may change the dialect. */
static enum mcp_err add_source(struct schema_compiler *c,
                               const struct mcp_json *json, const char *uri,
                               struct schema_dialect dialect,
                               const struct schema_spot *spot)
{
    struct schema_source *s;

    if (c->source_count >= MAX_SOURCES)
        return schema_fail_limit(c, "too many resources ($id)");
    if (schema_read_dialect(c, mcp_json_find(json, "$schema"), spot,
                            &dialect) != MCP_OK)
        return c->err;
    if (!schema_grow(c, &c->sources, c->source_count, &c->source_cap,
                     sizeof(*c->sources)) ||
        !add_uri(c, uri, c->source_count))
        return c->err;
    s = &c->sources[c->source_count++];
    s->uri = uri;
    s->json = json;
    s->dialect = dialect;
    s->entered = false;
    return MCP_OK;
}

/* Is the $id of `json` in force? In draft-07 a $ref beside it hides it. */
static const struct mcp_json *id_of(const struct mcp_json *json,
                                    uint8_t revision)
{
    const struct mcp_json *id = mcp_json_find(json, "$id");

    if (!mcp_json_is(id, MCP_JSON_STRING) ||
        (revision == SCHEMA_07 &&
         mcp_json_is(mcp_json_find(json, "$ref"), MCP_JSON_STRING)))
        return NULL;
    return id;
}

/* The $id inside a document: a new resource, or (draft-07, "#name") an
 * anchor. `*source` becomes the resource of what is inside. */
static enum mcp_err inner_id(struct schema_compiler *c,
                             const struct mcp_json *json,
                             const struct schema_spot *spot, uint32_t *source)
{
    const struct schema_source *s = &c->sources[*source];
    const struct mcp_json *id = id_of(json, s->dialect.revision);
    struct schema_uri uri;

    if (id == NULL || json == s->json)
        return MCP_OK;
    if (s->dialect.revision == SCHEMA_07 && id->count > 0 &&
        id->u.text[0] == '#')
        return schema_add_anchor(c, *source, id, 1, false, json) ? MCP_OK
                                                                 : c->err;
    if (!schema_uri_resolve(c->scratch, s->uri, id->u.text, id->count, &uri))
        return schema_fail_memory(c);
    if (knows_uri(c, uri.text))
        return schema_fail(c, spot, "$id", "this URI is already taken");
    if (add_source(c, json, uri.text, s->dialect, spot) != MCP_OK)
        return c->err;
    *source = c->source_count - 1;
    return MCP_OK;
}

/* The $id at the root of a document gives the resource a second name. */
static enum mcp_err root_id(struct schema_compiler *c, uint32_t source)
{
    struct schema_source *s = &c->sources[source];
    const struct mcp_json *id = id_of(s->json, s->dialect.revision);
    struct schema_uri uri;

    if (id == NULL || (id->count > 0 && id->u.text[0] == '#'))
        return MCP_OK;
    if (!schema_uri_resolve(c->scratch, s->uri, id->u.text, id->count, &uri))
        return schema_fail_memory(c);
    s->uri = uri.text;
    if (!knows_uri(c, uri.text) && !add_uri(c, uri.text, source))
        return c->err;
    return MCP_OK;
}

/* ---- the walk ---- */

static enum mcp_err anchors(struct schema_compiler *c,
                            const struct mcp_json *json, uint32_t source)
{
    uint8_t revision = c->sources[source].dialect.revision;
    const struct mcp_json *name = mcp_json_find(json, "$anchor");
    static const struct mcp_json unnamed = {.type = MCP_JSON_STRING,
                                            .u.text = ""};

    if (revision == SCHEMA_07)
        return MCP_OK;
    if (mcp_json_is(name, MCP_JSON_STRING) &&
        !schema_add_anchor(c, source, name, 0, false, json))
        return c->err;
    name = mcp_json_find(json, "$dynamicAnchor");
    if (revision == SCHEMA_2020 && mcp_json_is(name, MCP_JSON_STRING) &&
        !schema_add_anchor(c, source, name, 0, true, json))
        return c->err;
    name = mcp_json_find(json, "$recursiveAnchor");
    if (revision == SCHEMA_2019 && mcp_json_is(name, MCP_JSON_TRUE) &&
        !schema_add_anchor(c, source, &unnamed, 0, true, json))
        return c->err;
    return MCP_OK;
}

static enum mcp_err walk_list(struct schema_compiler *c,
                              const struct mcp_json *v, uint32_t source,
                              struct schema_spot *up, uint32_t depth)
{
    struct schema_spot *spot;
    uint32_t i;

    for (i = 0; i < v->count; i++) {
        spot = schema_spot_new(c, up, NULL, 0, i);
        if (spot == NULL || schema_index_subschema(c, &v->u.items[i], source,
                                                   spot, depth) != MCP_OK)
            return c->err;
    }
    return MCP_OK;
}

static enum mcp_err walk_map(struct schema_compiler *c,
                             const struct mcp_json *v, uint32_t source,
                             struct schema_spot *up, uint32_t depth)
{
    const struct mcp_json_member *m;
    struct schema_spot *spot;
    uint32_t i;

    for (i = 0; i < v->count; i++) {
        m = &v->u.members[i];
        spot = schema_spot_new(c, up, m->key.u.text, m->key.count, 0);
        if (spot == NULL ||
            schema_index_subschema(c, &m->value, source, spot, depth) != MCP_OK)
            return c->err;
    }
    return MCP_OK;
}

static enum mcp_err walk_member(struct schema_compiler *c,
                                const struct mcp_json_member *m,
                                uint32_t source, struct schema_spot *up,
                                uint32_t depth)
{
    const struct schema_keyword *k =
        schema_keyword_find(&m->key, c->sources[source].dialect.revision);
    struct schema_spot *spot;

    if (k == NULL || k->shape == SCHEMA_VALUE)
        return MCP_OK;
    spot = schema_spot_new(c, up, m->key.u.text, m->key.count, 0);
    if (spot == NULL)
        return c->err;
    if (m->value.type == MCP_JSON_ARRAY)
        return k->shape == SCHEMA_LIST || k->shape == SCHEMA_ONE_OR_LIST
                   ? walk_list(c, &m->value, source, spot, depth)
                   : MCP_OK;
    if (k->shape == SCHEMA_ONE || k->shape == SCHEMA_ONE_OR_LIST)
        return schema_index_subschema(c, &m->value, source, spot, depth);
    if (m->value.type == MCP_JSON_OBJECT && k->shape != SCHEMA_LIST)
        return walk_map(c, &m->value, source, spot, depth);
    return MCP_OK;
}

enum mcp_err schema_index_subschema(struct schema_compiler *c,
                                    const struct mcp_json *json,
                                    uint32_t source, struct schema_spot *spot,
                                    uint32_t depth)
{
    uint32_t i;

    if (depth > MAX_NESTING)
        return schema_fail_limit(c, "the schema is nested too deeply");
    if ((json->type != MCP_JSON_OBJECT && json->type != MCP_JSON_TRUE &&
         json->type != MCP_JSON_FALSE) ||
        schema_find_location(c, json) != NULL)
        return MCP_OK;
    if (inner_id(c, json, spot, &source) != MCP_OK ||
        add_location(c, json, source, spot) != MCP_OK ||
        anchors(c, json, source) != MCP_OK)
        return c->err;
    for (i = 0; json->type == MCP_JSON_OBJECT && i < json->count; i++)
        if (walk_member(c, &json->u.members[i], source, spot, depth + 1) !=
            MCP_OK)
            return c->err;
    return MCP_OK;
}

enum mcp_err schema_index_document(struct schema_compiler *c,
                                   const struct mcp_json *json, const char *uri,
                                   uint32_t *source)
{
    struct schema_dialect dialect = {
        .revision = c->options->default_draft == MCP_SCHEMA_DRAFT_07 ? SCHEMA_07
                    : c->options->default_draft == MCP_SCHEMA_2019_09
                        ? SCHEMA_2019
                        : SCHEMA_2020,
        .validates = true,
        .asserts_format = c->options->assert_format};
    struct schema_spot *spot =
        schema_spot_new(c, NULL, uri, (uint32_t)strlen(uri), 0);
    uint32_t mine = c->source_count;

    if (c->root_spot == NULL)
        c->root_spot = spot;
    if (spot == NULL || add_source(c, json, uri, dialect, spot) != MCP_OK ||
        root_id(c, mine) != MCP_OK ||
        schema_index_subschema(c, json, mine, spot, 0) != MCP_OK)
        return c->err;
    *source = mine;
    return MCP_OK;
}
