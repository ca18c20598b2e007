/*
 * schema_resolve.c - what a reference names: a resource, an anchor, a pointer
 */
#include "base/schema_compiler.h"
#include "base/schema_uri.h"

#define DRAFT_07        "http://json-schema.org/draft-07/schema"
#define DRAFT_06        "http://json-schema.org/draft-06/schema"
#define DRAFT_2019      "https://json-schema.org/draft/2019-09/schema"
#define DRAFT_2020      "https://json-schema.org/draft/2020-12/schema"
#define VOCABULARY_2019 "https://json-schema.org/draft/2019-09/vocab/"
#define VOCABULARY_2020 "https://json-schema.org/draft/2020-12/vocab/"

enum { MAX_META_LEVELS = 4 };

/* ---- documents and resources ---- */

const struct mcp_json *schema_find_document(struct schema_compiler *c,
                                            const char *uri)
{
    const struct mcp_json *doc = NULL;
    const char *text;
    size_t i;

    for (i = 0; i < c->options->resource_count; i++)
        if (strcmp(c->options->resources[i].uri, uri) == 0)
            return c->options->resources[i].doc;
    text = schema_meta_text(uri);
    if (text != NULL && mcp_json_parse(c->scratch, text, strlen(text), NULL,
                                       &doc, NULL) != MCP_OK)
        (void)schema_fail_memory(c);
    return doc;
}

int64_t schema_find_source(struct schema_compiler *c, const char *uri)
{
    const struct mcp_json *doc;
    uint32_t i;

    for (i = 0; i < c->uri_count; i++)
        if (strcmp(c->uris[i].uri, uri) == 0)
            return c->uris[i].source;
    doc = schema_find_document(c, uri);
    if (doc == NULL || schema_index_document(c, doc, uri, &i) != MCP_OK)
        return -1;
    return i;
}

/* ---- anchors ---- */

static uint32_t bucket_of(uint32_t source, const char *name, size_t len)
{
    uint32_t h = 2166136261u ^ source;
    size_t i;

    for (i = 0; i < len; i++)
        h = (h ^ (unsigned char)name[i]) * 16777619u;
    return (h ^ h >> 16) % SCHEMA_ANCHOR_BUCKETS;
}

const struct schema_anchor_entry *
schema_find_anchor(const struct schema_compiler *c, uint32_t source,
                   const char *name, size_t len)
{
    uint32_t i = c->anchor_buckets[bucket_of(source, name, len)];
    const struct schema_anchor_entry *a;

    for (; i != 0; i = a->next) {
        a = &c->anchors[i - 1];
        if (a->source == source && a->len == len &&
            memcmp(a->name, name, len) == 0)
            return a;
    }
    return NULL;
}

bool schema_add_anchor(struct schema_compiler *c, uint32_t source,
                       const struct mcp_json *name, size_t skip, bool dynamic,
                       const struct mcp_json *json)
{
    const char *text = name->u.text + skip;
    uint32_t len = name->count - (uint32_t)skip;
    uint32_t *bucket = &c->anchor_buckets[bucket_of(source, text, len)];
    struct schema_anchor_entry *a;

    if (!schema_grow(c, &c->anchors, c->anchor_count, &c->anchor_cap,
                     sizeof(*c->anchors)))
        return false;
    a = &c->anchors[c->anchor_count++];
    a->source = source;
    a->name = text;
    a->len = len;
    a->dynamic = dynamic;
    a->json = json;
    a->next = *bucket;
    *bucket = c->anchor_count;
    return true;
}

uint32_t schema_anchor_number(struct schema_compiler *c, const char *name,
                              size_t len)
{
    uint32_t i;

    for (i = 0; i < c->anchor_count; i++)
        if (c->anchors[i].dynamic && c->anchors[i].len == len &&
            memcmp(c->anchors[i].name, name, len) == 0)
            break;
    return i;
}

/* ---- JSON pointers ---- */

/* The next token of the pointer at `*p` ('/' consumed), unescaped into `to`,
 * which has room for the whole pointer. */
static size_t next_token(const char **p, const char *end, char *to)
{
    size_t n = 0;

    for (; *p < end && **p != '/'; (*p)++) {
        if (**p == '~' && end - *p > 1 && ((*p)[1] == '0' || (*p)[1] == '1')) {
            (*p)++;
            to[n++] = **p == '0' ? '~' : '/';
        } else
            to[n++] = **p;
    }
    return n;
}

/* The item of `array` that token[0..len) numbers, or NULL. */
static const struct mcp_json *item_at(const struct mcp_json *array,
                                      const char *token, size_t len,
                                      uint32_t *index)
{
    uint64_t n = 0;
    size_t i;

    if (len == 0 || len > 10 || (len > 1 && token[0] == '0'))
        return NULL;
    for (i = 0; i < len; i++) {
        if (token[i] < '0' || token[i] > '9')
            return NULL;
        n = n * 10 + (uint64_t)(token[i] - '0');
    }
    *index = (uint32_t)n;
    return n < array->count ? &array->u.items[n] : NULL;
}

/* One step of a pointer: `*json` and `*spot` move to the child. */
static bool step(struct schema_compiler *c, const struct mcp_json **json,
                 struct schema_spot **spot, const char *token, size_t len)
{
    const struct mcp_json *child;
    uint32_t index = 0;
    char *copy;

    if ((*json)->type == MCP_JSON_ARRAY) {
        child = item_at(*json, token, len, &index);
        *spot =
            child != NULL ? schema_spot_new(c, *spot, NULL, 0, index) : NULL;
    } else {
        child = mcp_json_find_n(*json, token, len);
        copy = child != NULL ? mcp_arena_dup(c->scratch, token, len) : NULL;
        *spot = copy != NULL ? schema_spot_new(c, *spot, copy, (uint32_t)len, 0)
                             : NULL;
    }
    *json = child;
    return child != NULL && *spot != NULL;
}

/* The subschema at a pointer below the root of `source`, or NULL. A place that
 * was no known subschema becomes one. */
static struct schema_location *find_pointer(struct schema_compiler *c,
                                            uint32_t source, const char *p,
                                            size_t len)
{
    const struct mcp_json *json = c->sources[source].json;
    struct schema_location *at = schema_find_location(c, json);
    const char *end = p + len;
    char *token = mcp_arena_alloc(c->scratch, len + 1);
    struct schema_spot *spot = at != NULL ? at->spot : NULL;

    if (token == NULL || spot == NULL)
        return NULL;
    while (p < end) {
        p++;
        if (!step(c, &json, &spot, token, next_token(&p, end, token)))
            return NULL;
        at = schema_find_location(c, json);
        if (at != NULL) {
            spot = at->spot;
            source = at->source;
        }
    }
    if (schema_index_subschema(c, json, source, spot, 0) != MCP_OK)
        return NULL;
    return schema_find_location(c, json);
}

/* ---- references ---- */

static struct schema_location *
find_target(struct schema_compiler *c, uint32_t source,
            const struct schema_uri *uri,
            const struct schema_anchor_entry **anchor)
{
    int64_t target = source;

    *anchor = NULL;
    if (strcmp(uri->text, c->sources[source].uri) != 0)
        target = schema_find_source(c, uri->text);
    if (target < 0)
        return NULL;
    if (uri->fragment_len == 0)
        return schema_find_location(c, c->sources[target].json);
    if (uri->fragment[0] == '/')
        return find_pointer(c, (uint32_t)target, uri->fragment,
                            uri->fragment_len);
    *anchor = schema_find_anchor(c, (uint32_t)target, uri->fragment,
                                 uri->fragment_len);
    return *anchor != NULL ? schema_find_location(c, (*anchor)->json) : NULL;
}

struct schema_location *
schema_resolve(struct schema_compiler *c, uint32_t source,
               const struct schema_spot *spot, const char *keyword,
               const struct mcp_json *ref,
               const struct schema_anchor_entry **anchor)
{
    struct schema_text text;
    struct schema_location *at;
    struct schema_uri uri;

    if (!mcp_json_is(ref, MCP_JSON_STRING)) {
        (void)schema_fail(c, spot, keyword, "must be a string");
        return NULL;
    }
    if (!schema_uri_resolve(c->scratch, c->sources[source].uri, ref->u.text,
                            ref->count, &uri)) {
        (void)schema_fail_memory(c);
        return NULL;
    }
    at = find_target(c, source, &uri, anchor);
    if (at == NULL && c->err == MCP_OK) {
        schema_text_clear(&text);
        schema_text_quote(&text, ref->u.text, ref->count, 120);
        schema_text_puts(&text, " leads to no schema; only this document, "
                                "what is embedded in it and the meta-schemas "
                                "can be referred to, nothing is fetched");
        (void)schema_fail(c, spot, keyword, text.data);
    }
    return at;
}

/* ---- dialects ---- */

static bool known_dialect(const char *uri, struct schema_dialect *d)
{
    if (strcmp(uri, DRAFT_2020) == 0)
        d->revision = SCHEMA_2020;
    else if (strcmp(uri, DRAFT_2019) == 0)
        d->revision = SCHEMA_2019;
    else if (strcmp(uri, DRAFT_07) == 0 || strcmp(uri, DRAFT_06) == 0)
        d->revision = SCHEMA_07;
    else
        return false;
    d->validates = true;
    return true;
}

/* The part of a vocabulary's URI behind the standard's prefix, or NULL. */
static bool is_vocabulary(const struct mcp_json *uri, const char *name)
{
    const size_t n = sizeof(VOCABULARY_2020) - 1;

    if (uri->count < n || (memcmp(uri->u.text, VOCABULARY_2020, n) != 0 &&
                           memcmp(uri->u.text, VOCABULARY_2019, n) != 0))
        return false;
    return name == NULL || (uri->count - n == strlen(name) &&
                            memcmp(uri->u.text + n, name, uri->count - n) == 0);
}

/* False: a vocabulary that is unknown is required. */
static bool read_vocabularies(const struct mcp_json *list,
                              struct schema_dialect *d)
{
    uint32_t i;

    if (!mcp_json_is(list, MCP_JSON_OBJECT))
        return true;
    d->validates = false;
    for (i = 0; i < list->count; i++) {
        const struct mcp_json_member *m = &list->u.members[i];

        if (m->value.type == MCP_JSON_TRUE && !is_vocabulary(&m->key, NULL))
            return false;
        if (is_vocabulary(&m->key, "validation"))
            d->validates = true;
        if (is_vocabulary(&m->key, "format-assertion"))
            d->asserts_format = true;
    }
    return true;
}

/* The dialect of the meta-schema `uri`. NULL, or a reason against it. */
static const char *find_dialect(struct schema_compiler *c, const char *uri,
                                struct schema_dialect *d, int level)
{
    const struct mcp_json *doc, *base;
    struct schema_uri next;
    const char *reason = NULL;

    if (known_dialect(uri, d))
        return NULL;
    doc = level < MAX_META_LEVELS ? schema_find_document(c, uri) : NULL;
    if (doc == NULL)
        return "unknown dialect; use \"" DRAFT_2020 "\" or \"" DRAFT_07 "#\"";
    base = mcp_json_find(doc, "$schema");
    if (mcp_json_is(base, MCP_JSON_STRING)) {
        if (!schema_uri_resolve(c->scratch, uri, base->u.text, base->count,
                                &next))
            return "out of memory";
        reason = find_dialect(c, next.text, d, level + 1);
    }
    if (reason == NULL &&
        !read_vocabularies(mcp_json_find(doc, "$vocabulary"), d))
        reason = "the meta-schema needs a vocabulary that is not supported";
    return reason;
}

enum mcp_err schema_read_dialect(struct schema_compiler *c,
                                 const struct mcp_json *uri,
                                 const struct schema_spot *spot,
                                 struct schema_dialect *dialect)
{
    struct schema_uri name;
    const char *reason;

    if (uri == NULL)
        return MCP_OK;
    if (uri->type != MCP_JSON_STRING)
        return schema_fail(c, spot, "$schema", "must be a string");
    if (!schema_uri_resolve(c->scratch, "", uri->u.text, uri->count, &name))
        return schema_fail_memory(c);
    reason = find_dialect(c, name.text, dialect, 0);
    return reason == NULL ? MCP_OK : schema_fail(c, spot, "$schema", reason);
}
