/*
 * value_sorted.c - objects whose members come in the same order everywhere
 *
 * Lua's table order differs from state to state. Members are written as they
 * come, each remembered as a segment of the buffer, and put in order at the
 * end: so a key is never looked up, and no Lua memory is taken.
 */
#include <lauxlib.h>
#include <stdlib.h>

#include "app/value_write.h"

struct segment {
    const char *key; /* of the Lua string, which its table keeps */
    size_t key_len;
    size_t at, len; /* "key":value, with a comma behind         */
    size_t rank;
};

/* ---- JSON Schema: what stands where ---- */

struct keyword {
    const char *name;
    enum mcp_role role; /* of its value */
};

/* The first seven are also written in this order, before all others. */
static const struct keyword keywords[] = {
    {"$schema", MCP_ROLE_DATA},
    {"$id", MCP_ROLE_DATA},
    {"type", MCP_ROLE_DATA_LIST},
    {"title", MCP_ROLE_DATA},
    {"description", MCP_ROLE_DATA},
    {"properties", MCP_ROLE_SCHEMA_MAP},
    {"required", MCP_ROLE_DATA_LIST},
    {"items", MCP_ROLE_SCHEMA},
    {"enum", MCP_ROLE_VALUES},
    {"examples", MCP_ROLE_VALUES},
    {"anyOf", MCP_ROLE_SCHEMA_LIST},
    {"oneOf", MCP_ROLE_SCHEMA_LIST},
    {"allOf", MCP_ROLE_SCHEMA_LIST},
    {"prefixItems", MCP_ROLE_SCHEMA_LIST},
    {"additionalProperties", MCP_ROLE_SCHEMA},
    {"unevaluatedProperties", MCP_ROLE_SCHEMA},
    {"unevaluatedItems", MCP_ROLE_SCHEMA},
    {"propertyNames", MCP_ROLE_SCHEMA},
    {"contains", MCP_ROLE_SCHEMA},
    {"contentSchema", MCP_ROLE_SCHEMA},
    {"not", MCP_ROLE_SCHEMA},
    {"if", MCP_ROLE_SCHEMA},
    {"then", MCP_ROLE_SCHEMA},
    {"else", MCP_ROLE_SCHEMA},
    {"$defs", MCP_ROLE_SCHEMA_MAP},
    {"definitions", MCP_ROLE_SCHEMA_MAP},
    {"patternProperties", MCP_ROLE_SCHEMA_MAP},
    {"dependentSchemas", MCP_ROLE_SCHEMA_MAP},
    {"dependentRequired", MCP_ROLE_LISTS_MAP},
};
enum { KEYWORDS = sizeof(keywords) / sizeof(keywords[0]), RANKED = 7 };

static bool is_key(const char *key, size_t len, const char *name)
{
    return strlen(name) == len && memcmp(key, name, len) == 0;
}

/* The place in keywords[], KEYWORDS when it has none. */
static size_t find_keyword(const char *key, size_t len)
{
    size_t i;

    for (i = 0; i < KEYWORDS; i++)
        if (is_key(key, len, keywords[i].name))
            break;
    return i;
}

static enum mcp_role schema_child(const struct mcp_place *at, const char *key,
                                  size_t len)
{
    size_t i;

    switch (at->role) {
    case MCP_ROLE_SCHEMA:
        if (key == NULL)
            return MCP_ROLE_SCHEMA;
        i = find_keyword(key, len);
        return i < KEYWORDS ? keywords[i].role : MCP_ROLE_DATA;
    case MCP_ROLE_SCHEMA_MAP:
    case MCP_ROLE_SCHEMA_LIST:
        return MCP_ROLE_SCHEMA;
    case MCP_ROLE_LISTS_MAP:
    case MCP_ROLE_VALUES_LISTS:
        return MCP_ROLE_DATA_LIST;
    default:
        return MCP_ROLE_DATA;
    }
}

static enum mcp_role data_child(const struct mcp_place *at, const char *key,
                                size_t len)
{
    (void)at;
    (void)key;
    (void)len;
    return MCP_ROLE_DATA;
}

/* Does the schema at `t` say "type": "array"? Then an empty table as default,
 * const, enum or example is an array. */
static bool is_array_schema(lua_State *L, int t)
{
    bool found = false;
    const char *s;
    size_t len;

    lua_pushnil(L);
    while (!found && lua_next(L, t)) {
        if (lua_type(L, -2) == LUA_TSTRING && lua_type(L, -1) == LUA_TSTRING) {
            s = lua_tolstring(L, -2, &len);
            if (is_key(s, len, "type")) {
                s = lua_tolstring(L, -1, &len);
                found = is_key(s, len, "array");
            }
        }
        lua_pop(L, 1);
    }
    if (found)
        lua_pop(L, 1);
    return found;
}

static enum mcp_role of_array_schema(const struct mcp_place *child)
{
    if (child->role == MCP_ROLE_VALUES)
        return MCP_ROLE_VALUES_LISTS;
    if (is_key(child->key, child->n, "default") ||
        is_key(child->key, child->n, "const"))
        return MCP_ROLE_DATA_LIST;
    return child->role;
}

/* ---- sorting ---- */

static int by_rank_then_bytes(const void *a, const void *b)
{
    const struct segment *x = a, *y = b;
    size_t n = x->key_len < y->key_len ? x->key_len : y->key_len;
    int order;

    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    order = memcmp(x->key, y->key, n);
    if (order != 0)
        return order;
    return (x->key_len > y->key_len) - (x->key_len < y->key_len);
}

/* Puts the segments, which fill `out` from `start` on, in order. */
static enum mcp_err reorder(struct mcp_buf *out, size_t start,
                            struct segment *segments, size_t count)
{
    size_t i, len = out->len - start, to = start;
    char *copy;

    if (out->failed)
        return MCP_ENOMEM;
    copy = malloc(len);
    if (copy == NULL)
        return MCP_ENOMEM;
    memcpy(copy, out->data + start, len);
    qsort(segments, count, sizeof(*segments), by_rank_then_bytes);
    for (i = 0; i < count; i++) {
        memcpy(out->data + to, copy + (segments[i].at - start),
               segments[i].len);
        to += segments[i].len;
    }
    free(copy);
    out->data[out->len - 1] = '}';
    return MCP_OK;
}

/* Writes the members of the table at `t`; the first is on the stack. */
static enum mcp_err write_members(struct mcp_value_writer *w,
                                  const struct mcp_place *at, int t,
                                  struct segment *segments, size_t *count)
{
    bool schema = at->role == MCP_ROLE_SCHEMA;
    bool of_array = schema && is_array_schema(w->L, t);
    struct mcp_place child;
    struct segment *s = segments;
    enum mcp_err err;

    do {
        s->at = w->out->len;
        err = mcp_value_write_key(w, at, &child);
        if (err != MCP_OK)
            return err;
        if (of_array)
            child.role = of_array_schema(&child);
        err = mcp_value_write_any(w, &child);
        if (err != MCP_OK)
            return err;
        mcp_buf_putc(w->out, ',');
        s->key = child.key;
        s->key_len = child.n;
        s->len = w->out->len - s->at;
        s->rank = schema ? find_keyword(child.key, child.n) : RANKED;
        s->rank = s->rank < RANKED ? s->rank : RANKED;
        s++;
        lua_pop(w->L, 1);
    } while (lua_next(w->L, t));
    *count = (size_t)(s - segments);
    return MCP_OK;
}

static size_t count_pairs(lua_State *L, int t)
{
    size_t n = 0;

    lua_pushnil(L);
    while (lua_next(L, t)) {
        n++;
        lua_pop(L, 1);
    }
    return n;
}

static enum mcp_err write_object(struct mcp_value_writer *w,
                                 const struct mcp_place *at, int t)
{
    struct segment *segments;
    enum mcp_err err;
    size_t start, count;

    segments = calloc(count_pairs(w->L, t), sizeof(*segments));
    if (segments == NULL)
        return MCP_ENOMEM;
    mcp_buf_putc(w->out, '{');
    start = w->out->len;
    err = write_members(w, at, t, segments, &count);
    if (err == MCP_OK)
        err = reorder(w->out, start, segments, count);
    free(segments);
    return err;
}

/* ---- properties as a list of pairs ---- */

/* The value at the top of the stack is { name, schema }: leaves the name and
 * the schema above it. */
static enum mcp_err open_pair(struct mcp_value_writer *w,
                              const struct mcp_place *at)
{
    int type;

    if (!lua_istable(w->L, -1))
        return mcp_value_refuse(w, at, "is not a pair { name, schema }");
    lua_rawgeti(w->L, -1, 1);
    lua_rawgeti(w->L, -2, 2);
    type = lua_type(w->L, -1);
    if (lua_type(w->L, -2) != LUA_TSTRING ||
        (type != LUA_TTABLE && type != LUA_TBOOLEAN))
        return mcp_value_refuse(w, at, "is not a pair { name, schema }");
    return MCP_OK;
}

/* Is the name of pair `i` (at index -2) also that of an earlier one? */
static bool named_before(lua_State *L, int t, int i)
{
    bool same = false;
    int j;

    for (j = 1; j < i && !same; j++) {
        lua_rawgeti(L, t, j);
        lua_rawgeti(L, -1, 1);
        same = lua_rawequal(L, -1, -4) != 0;
        lua_pop(L, 2);
    }
    return same;
}

enum mcp_err mcp_value_write_pairs(struct mcp_value_writer *w,
                                   const struct mcp_place *at, int t, int count)
{
    struct mcp_place item = {at, NULL, 0, at->depth + 1, MCP_ROLE_DATA, NULL};
    struct mcp_place child;
    enum mcp_err err;
    int i;

    for (i = 1; i <= count; i++) {
        mcp_buf_putc(w->out, i == 1 ? '{' : ',');
        item.n = (size_t)i - 1;
        lua_rawgeti(w->L, t, i);
        err = open_pair(w, &item);
        if (err == MCP_OK && named_before(w->L, t, i))
            err = mcp_value_refuse(w, &item, "repeats a name");
        if (err == MCP_OK)
            err = mcp_value_write_key(w, at, &child);
        if (err == MCP_OK)
            err = mcp_value_write_any(w, &child);
        if (err != MCP_OK)
            return err;
        lua_pop(w->L, 3);
    }
    mcp_buf_putc(w->out, '}');
    return MCP_OK;
}

/* ---- the two public writers ---- */

enum mcp_err mcp_value_write_schema(lua_State *L, int idx, struct mcp_buf *out,
                                    struct mcp_value_error *error)
{
    struct mcp_value_writer w = {.L = L,
                                 .out = out,
                                 .error = error,
                                 .write_object = write_object,
                                 .child_role = schema_child};

    return mcp_value_run(&w, idx, MCP_ROLE_SCHEMA, MCP_VALUE_STACK);
}

enum mcp_err mcp_value_write_sorted(lua_State *L, int idx, struct mcp_buf *out,
                                    struct mcp_value_error *error)
{
    struct mcp_value_writer w = {.L = L,
                                 .out = out,
                                 .error = error,
                                 .write_object = write_object,
                                 .child_role = data_child};

    return mcp_value_run(&w, idx, MCP_ROLE_DATA, MCP_VALUE_STACK);
}
