/*
 * value.c - fuzzer: any Lua value is written as JSON or refused, nothing else
 *
 * The input is JSON text, or else a program for a small machine that builds
 * Lua values of every kind: nested, shared, cyclic, sparse, marked. JSON must
 * come back equal through Lua. Whatever a writer accepts must parse; what it
 * refuses must leave buffer and stack as they were, with a path in UTF-8.
 */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/host.h"
#include "app/result.h"
#include "app/value.h"

enum { ARENA_BYTES = 32 << 20, OUT_BYTES = 64 << 10, MAX_STEPS = 400 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static lua_State *L;
static struct mcp_arena *arena;
static struct mcp_buf out;
static struct mcp_outcome outcome;

static void check(bool holds, const char *what)
{
    if (holds)
        return;
    (void)fprintf(stderr, "value: %s\n", what);
    abort();
}

static void open_once(void)
{
    if (L != NULL)
        return;
    L = luaL_newstate();
    arena = mcp_arena_new(ARENA_BYTES);
    check(L != NULL && arena != NULL, "no memory");
    luaL_openlibs(L);
    mcp_value_open(L);
    lua_newtable(L);
    mcp_result_open(L);
    lua_setglobal(L, "mcp");
    mcp_buf_init(&out, OUT_BYTES);
    mcp_outcome_init(&outcome, OUT_BYTES);
}

static const struct mcp_json *parse(const char *text, size_t len)
{
    const struct mcp_json *v;
    struct mcp_json_options options = {.max_depth = MCP_VALUE_MAX_DEPTH};

    if (mcp_json_parse(arena, text, len, &options, &v, NULL) != MCP_OK)
        return NULL;
    return v;
}

/* ---- JSON through Lua ---- */

/* A number that overflows, or loses digits, cannot come back. */
static bool comes_back(const struct mcp_json *v)
{
    uint32_t i;

    if (v->type == MCP_JSON_NUMBER)
        return isfinite(v->number);
    for (i = 0; v->type == MCP_JSON_ARRAY && i < v->count; i++)
        if (!comes_back(&v->u.items[i]))
            return false;
    for (i = 0; v->type == MCP_JSON_OBJECT && i < v->count; i++)
        if (!comes_back(&v->u.members[i].value))
            return false;
    return true;
}

static void same(const struct mcp_json *a, const struct mcp_json *b)
{
    const struct mcp_json *other;
    uint32_t i;

    check(a->type == b->type, "another type");
    if (a->type == MCP_JSON_NUMBER) {
        check(a->number == b->number, "another number");
        return;
    }
    if (a->type >= MCP_JSON_STRING)
        check(a->count == b->count, "another count");
    if (a->type == MCP_JSON_STRING && a->count > 0)
        check(memcmp(a->u.text, b->u.text, a->count) == 0, "another string");
    for (i = 0; a->type == MCP_JSON_ARRAY && i < a->count; i++)
        same(&a->u.items[i], &b->u.items[i]);
    for (i = 0; a->type == MCP_JSON_OBJECT && i < a->count; i++) {
        other = mcp_json_find_n(b, a->u.members[i].key.u.text,
                                a->u.members[i].key.count);
        check(other != NULL, "a member is lost");
        same(&a->u.members[i].value, other);
    }
}

static void through_lua(const struct mcp_json *v)
{
    struct mcp_value_error error;
    const struct mcp_json *again;

    mcp_value_push(L, v);
    if (mcp_value_write(L, -1, &out, NULL, &error) == MCP_OK) {
        again = parse(out.data, out.len);
        check(again != NULL, "wrote no JSON");
        same(v, again);
    }
}

/* ---- any Lua value ---- */

static const char *const keys[] = {
    "type",     "text",  "data",       "mimeType", "uri",   "name",
    "resource", "blob",  "content",    "isError",  "_meta", "structuredContent",
    "message",  "items", "properties", "required", "\xff",  "a/b~",
};

static void push_scalar(uint8_t op, uint8_t arg)
{
    static const double numbers[] = {0, -0.0, 1.5, 1e300, NAN, INFINITY};

    switch (op % 8) {
    case 0:
        lua_pushboolean(L, arg & 1);
        break;
    case 1:
        lua_pushnumber(L, numbers[arg % 6]);
        break;
    case 2:
        lua_pushlstring(L, (const char *)&arg, 1);
        break;
    case 3:
        lua_pushlightuserdata(L, arg & 1 ? NULL : &arena);
        break;
    case 4:
        lua_pushstring(L, keys[arg % (sizeof(keys) / sizeof(keys[0]))]);
        break;
    case 5:
        lua_getglobal(L, arg & 1 ? "print" : "mcp");
        break;
    case 6:
        lua_pushliteral(L, "text");
        break;
    default:
        lua_pushnumber(L, arg);
    }
}

static void set_key(uint8_t op, uint8_t arg)
{
    if (!lua_istable(L, -2)) {
        lua_pop(L, 1);
        return;
    }
    if (op & 1)
        lua_pushnumber(L, arg % 8);
    else
        lua_pushstring(L, keys[arg % (sizeof(keys) / sizeof(keys[0]))]);
    lua_insert(L, -2);
    lua_rawset(L, -3);
}

static void set_mark(uint8_t arg)
{
    if (!lua_istable(L, -1))
        return;
    lua_rawgeti(L, LUA_REGISTRYINDEX, MCP_REF_ARRAY_MARK + arg % 4);
    lua_setmetatable(L, -2);
}

/* Leaves one value on the empty stack. */
static void build(const uint8_t *data, size_t size)
{
    size_t i;

    lua_newtable(L);
    for (i = 0; i + 1 < size && i < MAX_STEPS * 2; i += 2) {
        uint8_t op = data[i], arg = data[i + 1];

        switch (op >> 4 & 7) {
        case 0:
        case 1:
            if (lua_gettop(L) < 30)
                lua_newtable(L);
            break;
        case 2:
            set_mark(arg);
            break;
        case 3:
            lua_pushvalue(L, 1 + arg % lua_gettop(L)); /* shared or a circle */
            set_key(op, arg);
            break;
        case 4:
            if (lua_gettop(L) > 1)
                set_key(op, arg);
            break;
        default:
            push_scalar(op, arg);
            set_key(op >> 3, arg);
        }
    }
    lua_settop(L, 1);
}

typedef enum mcp_err writer_fn(lua_State *, int, struct mcp_buf *,
                               struct mcp_value_error *);

static enum mcp_err write_plain(lua_State *S, int idx, struct mcp_buf *b,
                                struct mcp_value_error *error)
{
    return mcp_value_write(S, idx, b, NULL, error);
}

static void try_writer(writer_fn *fn)
{
    struct mcp_value_error error;
    enum mcp_err err;

    mcp_buf_clear(&out);
    mcp_buf_puts(&out, "     ");
    err = fn(L, 1, &out, &error);
    check(lua_gettop(L) == 1, "stack");
    check(!out.failed && memcmp(out.data, "     ", 5) == 0, "buffer");
    if (err == MCP_OK) {
        check(parse(out.data, out.len) != NULL, "wrote no JSON");
        return;
    }
    check(out.len == 5, "buffer has more");
    if (err == MCP_EINVAL)
        check(mcp_utf8_valid(error.path, strlen(error.path), NULL), "path");
}

static void try_result(const uint8_t *data, size_t size)
{
    static const struct mcp_json any = {.type = MCP_JSON_TRUE};
    struct mcp_result_options options = {
        .kind = MCP_KIND_TOOL, .name = "t", .max_blob_bytes = 5};
    const struct mcp_json *v;

    options.revision = size > 0 ? data[size - 1] % 4 : 0;
    options.output_tree = size > 1 && data[size - 1] & 4 ? &any : NULL;
    options.expose_errors = true;
    mcp_result_write(L, 1, &options, &outcome, NULL);
    check(lua_gettop(L) == 1 && outcome.kind == MCP_OUTCOME_RESULT, "result");
    v = parse(outcome.text.data + outcome.content.at, outcome.content.len);
    check(mcp_json_is(v, MCP_JSON_ARRAY), "content is no array");
    if (outcome.structured.len > 0)
        check(parse(outcome.text.data + outcome.structured.at,
                    outcome.structured.len) != NULL,
              "structured is no JSON");
    if (outcome.meta.len > 0)
        check(mcp_json_is(
                  parse(outcome.text.data + outcome.meta.at, outcome.meta.len),
                  MCP_JSON_OBJECT),
              "meta is no object");
    check(outcome.is_error || options.output_tree == NULL ||
              outcome.structured.len > 0,
          "success without structured content");
    mcp_result_write_error(L, 1, &options, &outcome);
    check(lua_gettop(L) == 1 && outcome.is_error, "error");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct mcp_json *v;

    open_once();
    mcp_arena_reset(arena);
    mcp_buf_clear(&out);
    lua_settop(L, 0);
    v = parse((const char *)data, size);
    if (v != NULL) {
        if (comes_back(v))
            through_lua(v);
        lua_settop(L, 0);
    }
    build(data, size);
    try_writer(write_plain);
    try_writer(mcp_value_write_sorted);
    try_writer(mcp_value_write_schema);
    mcp_arena_reset(arena);
    try_result(data, size);
    lua_settop(L, 0);
    return 0;
}
