/*
 * value.c - push a tree, write a Lua value
 *
 * Writing looks at a table twice: whether its keys are exactly 1..n, then at
 * its items. It takes no Lua memory, so it cannot raise half-way and cannot
 * run a finalizer of the app. A shared table is written each time it is met;
 * the limit of the buffer bounds that.
 */
#include "app/value.h"

#include <lauxlib.h>
#include <math.h>
#include <stdio.h>

#include "app/host.h"
#include "app/value_int64.h"
#include "app/value_write.h"
#include "base/codec.h"

/* ---- marks ---- */

void mcp_value_open(lua_State *L)
{
    static const int marks[] = {MCP_REF_ARRAY_MARK, MCP_REF_OBJECT_MARK,
                                MCP_REF_BLOCK_MARK, MCP_REF_RESULT_MARK,
                                MCP_REF_HTTP_MARK};
    size_t i;

    for (i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
        lua_newtable(L);
        lua_rawseti(L, LUA_REGISTRYINDEX, marks[i]);
    }
}

static void mark(lua_State *L, int idx, int ref)
{
    lua_pushvalue(L, idx);
    lua_rawgeti(L, LUA_REGISTRYINDEX, ref);
    lua_setmetatable(L, -2);
    lua_pop(L, 1);
}

void mcp_value_mark_array(lua_State *L, int idx)
{
    mark(L, idx, MCP_REF_ARRAY_MARK);
}

void mcp_value_mark_object(lua_State *L, int idx)
{
    mark(L, idx, MCP_REF_OBJECT_MARK);
}

/* ---- pushing ---- */

static void push_array(lua_State *L, const struct mcp_json *v)
{
    uint32_t i;

    luaL_checkstack(L, 3, "JSON is nested too deep");
    lua_createtable(L, (int)v->count, 0);
    for (i = 0; i < v->count; i++) {
        mcp_value_push(L, &v->u.items[i]);
        lua_rawseti(L, -2, (int)i + 1);
    }
    lua_rawgeti(L, LUA_REGISTRYINDEX, MCP_REF_ARRAY_MARK);
    lua_setmetatable(L, -2);
}

static void push_object(lua_State *L, const struct mcp_json *v)
{
    const struct mcp_json_member *m;
    uint32_t i;

    luaL_checkstack(L, 4, "JSON is nested too deep");
    lua_createtable(L, 0, (int)v->count);
    for (i = 0; i < v->count; i++) {
        m = &v->u.members[i];
        lua_pushlstring(L, m->key.u.text, m->key.count);
        mcp_value_push(L, &m->value);
        lua_rawset(L, -3);
    }
}

void mcp_value_push(lua_State *L, const struct mcp_json *v)
{
    if (v == NULL) {
        lua_pushnil(L);
        return;
    }
    switch ((enum mcp_json_type)v->type) {
    case MCP_JSON_NULL:
        lua_pushlightuserdata(L, NULL);
        break;
    case MCP_JSON_FALSE:
    case MCP_JSON_TRUE:
        lua_pushboolean(L, v->type == MCP_JSON_TRUE);
        break;
    case MCP_JSON_NUMBER:
        if (v->flags & MCP_JSON_F_INT64)
            mcp_int64_push(L, v);
        else
            lua_pushnumber(L, v->number);
        break;
    case MCP_JSON_STRING:
        lua_pushlstring(L, v->u.text, v->count);
        break;
    case MCP_JSON_ARRAY:
        push_array(L, v);
        break;
    case MCP_JSON_OBJECT:
        push_object(L, v);
        break;
    }
}

/* ---- the shape: what an empty table is ---- */

/* `schema`, or what its local $ref leads to. */
static const struct mcp_json *follow(const struct mcp_json *root,
                                     const struct mcp_json *schema)
{
    const struct mcp_json *ref, *to;
    const char *p, *end, *slash;
    int hops;

    for (hops = 0; hops < 8; hops++) {
        ref = mcp_json_find(schema, "$ref");
        if (!mcp_json_is(ref, MCP_JSON_STRING) || ref->count < 1 ||
            ref->u.text[0] != '#')
            return schema;
        p = ref->u.text + 1;
        end = ref->u.text + ref->count;
        for (to = root; to != NULL && p < end && *p == '/'; p = slash) {
            p++;
            slash = memchr(p, '/', (size_t)(end - p));
            slash = slash != NULL ? slash : end;
            to = mcp_json_find_n(to, p, (size_t)(slash - p));
        }
        schema = p == end ? to : NULL;
    }
    return NULL;
}

static const struct mcp_json *shape_of(const struct mcp_value_writer *w,
                                       const struct mcp_place *at)
{
    const struct mcp_json *up, *s, *list;

    if (at->up == NULL)
        return follow(w->shape, w->shape);
    up = shape_of(w, at->up);
    if (at->key != NULL) {
        s = mcp_json_find_n(mcp_json_find(up, "properties"), at->key, at->n);
        if (s == NULL)
            s = mcp_json_find(up, "additionalProperties");
    } else {
        list = mcp_json_find(up, "prefixItems");
        s = mcp_json_is(list, MCP_JSON_ARRAY) && at->n < list->count
                ? &list->u.items[at->n]
                : mcp_json_find(up, "items");
    }
    return follow(w->shape, s);
}

static bool has_type(const struct mcp_json *type, const char *name)
{
    uint32_t i;

    if (!mcp_json_is(type, MCP_JSON_ARRAY))
        return mcp_json_equals_string(type, name);
    for (i = 0; i < type->count; i++)
        if (mcp_json_equals_string(&type->u.items[i], name))
            return true;
    return false;
}

/* Is an empty table without a mark an array here? */
static bool empty_is_array(const struct mcp_value_writer *w,
                           const struct mcp_place *at)
{
    const struct mcp_json *shape, *type;

    switch (at->role) {
    case MCP_ROLE_DATA_LIST:
    case MCP_ROLE_SCHEMA_LIST:
    case MCP_ROLE_VALUES:
    case MCP_ROLE_VALUES_LISTS:
        return true;
    default:
        break;
    }
    if (w->shape == NULL)
        return false;
    shape = shape_of(w, at);
    type = mcp_json_find(shape, "type");
    if (type != NULL)
        return has_type(type, "array") && !has_type(type, "object");
    return (mcp_json_find(shape, "items") != NULL ||
            mcp_json_find(shape, "prefixItems") != NULL) &&
           mcp_json_find(shape, "properties") == NULL;
}

/* ---- writing ---- */

static const void *mark_pointer(lua_State *L, int ref)
{
    const void *p;

    lua_rawgeti(L, LUA_REGISTRYINDEX, ref);
    p = lua_topointer(L, -1);
    lua_pop(L, 1);
    return p;
}

/* The metatable of the table at the top, NULL when it has none. */
static const void *metatable_of(struct mcp_value_writer *w)
{
    const void *p;

    if (!lua_getmetatable(w->L, -1))
        return NULL;
    p = lua_topointer(w->L, -1);
    lua_pop(w->L, 1);
    if (w->array_mark == NULL) {
        w->array_mark = mark_pointer(w->L, MCP_REF_ARRAY_MARK);
        w->object_mark = mark_pointer(w->L, MCP_REF_OBJECT_MARK);
        w->block_mark = mark_pointer(w->L, MCP_REF_BLOCK_MARK);
    }
    return p;
}

enum mcp_err mcp_value_write_key(struct mcp_value_writer *w,
                                 const struct mcp_place *at,
                                 struct mcp_place *child)
{
    const char *key;
    size_t len;

    if (lua_type(w->L, -2) == LUA_TNUMBER)
        return mcp_value_refuse(w, at, "mixes list items and named fields");
    if (lua_type(w->L, -2) != LUA_TSTRING)
        return mcp_value_refuse(w, at, "has a key that is a %s",
                                luaL_typename(w->L, -2));
    key = lua_tolstring(w->L, -2, &len);
    if (!mcp_utf8_valid(key, len, NULL))
        return mcp_value_refuse(w, at, "has a key that is not valid UTF-8");
    child->up = at;
    child->key = key;
    child->n = len;
    child->depth = at->depth + 1;
    child->role = w->child_role(at, key, len);
    mcp_json_write_string(w->out, key, len);
    mcp_buf_putc(w->out, ':');
    return MCP_OK;
}

static enum mcp_err write_object(struct mcp_value_writer *w,
                                 const struct mcp_place *at, int t)
{
    struct mcp_place child;
    enum mcp_err err;
    char before = '{';

    do {
        mcp_buf_putc(w->out, before);
        before = ',';
        err = mcp_value_write_key(w, at, &child);
        if (err == MCP_OK)
            err = mcp_value_write_any(w, &child);
        if (err != MCP_OK)
            return err;
        lua_pop(w->L, 1);
    } while (lua_next(w->L, t));
    mcp_buf_putc(w->out, '}');
    return MCP_OK;
}

static enum mcp_role child_role(const struct mcp_place *at, const char *key,
                                size_t len)
{
    if (at->role == MCP_ROLE_BLOCK && len == 8 &&
        memcmp(key, "resource", 8) == 0)
        return MCP_ROLE_BLOCK_INSIDE;
    return MCP_ROLE_DATA;
}

/* Why the keys of a table that begins like a list are not 1..n; `count` pairs,
 * the keys up to `bad` were seen. */
static enum mcp_err refuse_list(struct mcp_value_writer *w,
                                const struct mcp_place *at, int t, int count)
{
    int i;

    for (i = 1; i <= count; i++) {
        lua_rawgeti(w->L, t, i);
        if (lua_isnil(w->L, -1))
            break;
        lua_pop(w->L, 1);
    }
    return mcp_value_refuse(w, at, "is a list with holes: item %d is missing",
                            i);
}

/* Counts the pairs of the table at `t`, of which the first is on the stack
 * (popped at the end): they must be 1..n in any order. */
static enum mcp_err count_items(struct mcp_value_writer *w,
                                const struct mcp_place *at, int t, int *count)
{
    double key, highest = 0;

    *count = 0;
    do {
        if (lua_type(w->L, -2) == LUA_TSTRING)
            return mcp_value_refuse(w, at, "mixes list items and named fields");
        if (lua_type(w->L, -2) != LUA_TNUMBER)
            return mcp_value_refuse(w, at, "has a key that is a %s",
                                    luaL_typename(w->L, -2));
        key = lua_tonumber(w->L, -2);
        if (!(key >= 1) || key != floor(key) || isinf(key))
            return mcp_value_refuse(
                w, at, "has the key %.14g; lists have 1, 2, ...", key);
        highest = key > highest ? key : highest;
        ++*count;
        lua_pop(w->L, 1);
    } while (lua_next(w->L, t));
    return highest == *count ? MCP_OK : refuse_list(w, at, t, *count);
}

static enum mcp_err write_array(struct mcp_value_writer *w,
                                const struct mcp_place *at, int t)
{
    struct mcp_place child = {at, NULL, 0, at->depth + 1, MCP_ROLE_DATA, NULL};
    enum mcp_err err;
    int count, i;

    err = count_items(w, at, t, &count);
    if (err != MCP_OK)
        return err;
    if (at->role == MCP_ROLE_SCHEMA_MAP)
        return mcp_value_write_pairs(w, at, t, count);
    child.role = w->child_role(at, NULL, 0);
    for (i = 1; i <= count; i++) {
        mcp_buf_putc(w->out, i == 1 ? '[' : ',');
        child.n = (size_t)i - 1;
        lua_rawgeti(w->L, t, i);
        err = mcp_value_write_any(w, &child);
        if (err != MCP_OK)
            return err;
        lua_pop(w->L, 1);
    }
    mcp_buf_putc(w->out, ']');
    return MCP_OK;
}

/* A table without keys: the mark decides, then the shape. */
static enum mcp_err write_empty(struct mcp_value_writer *w,
                                const struct mcp_place *at, const void *meta)
{
    bool array;

    if (meta != NULL && (meta == w->array_mark || meta == w->object_mark))
        array = meta == w->array_mark;
    else
        array = empty_is_array(w, at);
    mcp_buf_add(w->out, array ? "[]" : "{}", 2);
    return MCP_OK;
}

static enum mcp_err write_table(struct mcp_value_writer *w,
                                const struct mcp_place *at)
{
    const void *meta = metatable_of(w);
    struct mcp_place here = *at;
    int t = lua_gettop(w->L);

    at = &here;
    here.table = lua_topointer(w->L, t);
    if (here.depth >= MCP_VALUE_MAX_DEPTH)
        return mcp_value_refuse_depth(w, at);
    if (w->out->failed)
        return MCP_ENOMEM;
    luaL_checkstack(w->L, 8, "a value is nested too deep");
    lua_pushnil(w->L);
    if (!lua_next(w->L, t))
        return write_empty(w, at, meta);
    if (meta != NULL && meta == w->block_mark)
        here.role = MCP_ROLE_BLOCK;
    if (lua_type(w->L, -2) == LUA_TNUMBER) {
        if (meta != NULL && meta == w->object_mark)
            return mcp_value_refuse(w, at,
                                    "is marked as an object, but has items");
        return write_array(w, at, t);
    }
    if (meta != NULL && meta == w->array_mark)
        return mcp_value_refuse(w, at,
                                "is marked as an array, but has named fields");
    return w->write_object(w, at, t);
}

/* Does the string at `at` hold raw bytes, which JSON carries as base64? */
static bool is_raw(const struct mcp_place *at)
{
    if (at->up == NULL || at->key == NULL || at->n != 4)
        return false;
    if (at->up->role == MCP_ROLE_BLOCK)
        return memcmp(at->key, "data", 4) == 0;
    return at->up->role == MCP_ROLE_BLOCK_INSIDE &&
           memcmp(at->key, "blob", 4) == 0;
}

static enum mcp_err write_string(struct mcp_value_writer *w,
                                 const struct mcp_place *at)
{
    size_t len, bad;
    const char *s = lua_tolstring(w->L, -1, &len);

    if (is_raw(at)) {
        mcp_buf_putc(w->out, '"');
        mcp_base64_write(w->out, MCP_BASE64, s, len);
        mcp_buf_putc(w->out, '"');
        return MCP_OK;
    }
    if (!mcp_utf8_valid(s, len, &bad))
        return mcp_value_refuse(w, at, "is not valid UTF-8 (byte %zu)",
                                bad + 1);
    mcp_json_write_string(w->out, s, len);
    return MCP_OK;
}

static enum mcp_err write_number(struct mcp_value_writer *w,
                                 const struct mcp_place *at)
{
    double v = lua_tonumber(w->L, -1);

    if (isnan(v))
        return mcp_value_refuse(w, at, "is NaN, which JSON cannot carry");
    if (isinf(v))
        return mcp_value_refuse(w, at, "is infinite, which JSON cannot carry");
    mcp_json_write_number(w->out, v);
    return MCP_OK;
}

static enum mcp_err write_other(struct mcp_value_writer *w,
                                const struct mcp_place *at)
{
    const char *name = luaL_typename(w->L, -1);

    if (mcp_int64_write(w->L, -1, w->out))
        return MCP_OK;
    return mcp_value_refuse(
        w, at, "is a %s, which JSON cannot carry",
        lua_type(w->L, -1) == LUA_TLIGHTUSERDATA ? "light userdata" : name);
}

enum mcp_err mcp_value_write_any(struct mcp_value_writer *w,
                                 const struct mcp_place *at)
{
    switch (lua_type(w->L, -1)) {
    case LUA_TNIL:
        mcp_buf_add(w->out, "null", 4);
        return MCP_OK;
    case LUA_TBOOLEAN:
        mcp_buf_puts(w->out, lua_toboolean(w->L, -1) ? "true" : "false");
        return MCP_OK;
    case LUA_TNUMBER:
        return write_number(w, at);
    case LUA_TSTRING:
        return write_string(w, at);
    case LUA_TTABLE:
        return write_table(w, at);
    case LUA_TLIGHTUSERDATA:
        if (lua_touserdata(w->L, -1) == NULL) {
            mcp_buf_add(w->out, "null", 4);
            return MCP_OK;
        }
        return write_other(w, at);
    default:
        return write_other(w, at);
    }
}

enum mcp_err mcp_value_run(struct mcp_value_writer *w, int idx,
                           enum mcp_role role, int stack)
{
    struct mcp_place root = {NULL, NULL, 0, 0, role, NULL};
    bool failed_before = w->out->failed;
    size_t len = w->out->len;
    int top = lua_gettop(w->L);
    enum mcp_err err;

    luaL_checkstack(w->L, stack, "a value is nested too deep");
    lua_pushvalue(w->L, idx);
    err = mcp_value_write_any(w, &root);
    lua_settop(w->L, top);
    if (err == MCP_OK && w->out->failed)
        err = MCP_ENOMEM;
    if (err == MCP_ENOMEM)
        (void)mcp_value_refuse(w, &root, "is too large");
    if (err != MCP_OK) {
        w->out->len = len;
        w->out->failed = failed_before;
    }
    return err;
}

enum mcp_err mcp_value_write(lua_State *L, int idx, struct mcp_buf *out,
                             const struct mcp_json *shape,
                             struct mcp_value_error *error)
{
    struct mcp_value_writer w = {.L = L,
                                 .out = out,
                                 .shape = shape,
                                 .error = error,
                                 .write_object = write_object,
                                 .child_role = child_role};

    return mcp_value_run(&w, idx, MCP_ROLE_DATA, 8);
}
