/*
 * lua_common.c - a counting allocator, and code as strings
 */
#include "lua_common.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <lauxlib.h>
#include <lualib.h>
#include <stdlib.h>
#include <string.h>

#include "app/result.h"
#include "app/value.h"

static void *allocate(void *ud, void *p, size_t old, size_t size)
{
    struct test_lua *t = ud;
    void *q;

    if (size == 0) {
        t->blocks -= p != NULL;
        t->used_bytes -= p != NULL ? old : 0;
        free(p);
        return NULL;
    }
    t->allocations++;
    if (t->refuse_at != 0 && t->allocations >= t->refuse_at) {
        t->refused++;
        if (p == NULL || size > old)
            return NULL;
    }
    q = realloc(p, size);
    if (q != NULL) {
        t->blocks += p == NULL;
        t->used_bytes += size - (p != NULL ? old : 0);
    }
    return q;
}

void test_lua_open(struct test_lua *t)
{
    memset(t, 0, sizeof(*t));
    t->L = lua_newstate(allocate, t);
    assert_non_null(t->L);
    luaL_openlibs(t->L);
    mcp_value_open(t->L);
    lua_newtable(t->L);
    mcp_result_open(t->L);
    assert_int_equal(lua_gettop(t->L), 1);
    lua_setglobal(t->L, "mcp");
}

void test_lua_close(struct test_lua *t)
{
    t->refuse_at = 0;
    lua_close(t->L);
    assert_int_equal(t->blocks, 0);
    assert_int_equal(t->used_bytes, 0);
}

static int load_and_call(struct test_lua *t, const char *code)
{
    lua_settop(t->L, 0);
    if (luaL_loadbuffer(t->L, code, strlen(code), "@app.lua") != 0)
        fail_msg("%s", lua_tostring(t->L, -1));
    return lua_pcall(t->L, 0, LUA_MULTRET, 0);
}

int test_lua_run(struct test_lua *t, const char *code)
{
    if (load_and_call(t, code) != 0)
        fail_msg("%s: %s", code, lua_tostring(t->L, -1));
    return lua_gettop(t->L);
}

void test_lua_raise(struct test_lua *t, const char *code)
{
    if (load_and_call(t, code) == 0)
        fail_msg("did not raise: %s", code);
    assert_int_equal(lua_gettop(t->L), 1);
}

const struct mcp_json *test_json(struct mcp_arena **a, const char *text)
{
    const struct mcp_json *v;
    struct mcp_json_error error;

    if (*a == NULL)
        *a = mcp_arena_new(1 << 20);
    assert_non_null(*a);
    if (mcp_json_parse(*a, text, strlen(text), NULL, &v, &error) != MCP_OK)
        fail_msg("%s: %s", text, error.reason);
    return v;
}
