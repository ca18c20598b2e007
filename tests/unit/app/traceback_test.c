/* Mirrors src/app/traceback.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <lauxlib.h>
#include <lualib.h>

#include "app/traceback.h"

/* A C function without a name below the script's frames. */
static int call_through(lua_State *L)
{
    lua_call(L, 0, 0);
    return 0;
}

/* A coroutine that has failed in `code`. */
static lua_State *failed(lua_State *L, const char *code)
{
    lua_State *co = lua_newthread(L);

    lua_pushcfunction(co, call_through);
    assert_int_equal(luaL_loadbuffer(co, code, strlen(code), "@app.lua"), 0);
    assert_int_not_equal(lua_resume(co, 1), 0);
    return co;
}

static void addresses_are_left_out(void **state)
{
    lua_State *L = luaL_newstate();
    const char *text;
    int top;

    (void)state;
    luaL_openlibs(L);
    lua_State *co = failed(L, "\nlocal x = nil + 1");
    top = lua_gettop(L);
    luaL_traceback(L, co, "", 0);
    assert_non_null(strstr(lua_tostring(L, -1), "[C]: at 0x")); /* to test */
    mcp_traceback_push(L, co);
    assert_int_equal(lua_gettop(L), top + 2);
    text = lua_tostring(L, -1);
    assert_memory_equal(text, "app.lua:2: ", 11);
    assert_non_null(strstr(text, "stack traceback:"));
    assert_non_null(strstr(text, "\t[C]"));
    assert_null(strstr(text, "0x"));
    lua_close(L);
}

static void all_else_stays(void **state)
{
    lua_State *L = luaL_newstate();
    lua_State *co = lua_newthread(L);

    (void)state;
    luaL_openlibs(L);
    assert_int_equal(luaL_loadstring(co, "error('what of [C]: at 0x12?')"), 0);
    assert_int_not_equal(lua_resume(co, 0), 0);
    mcp_traceback_push(L, co);
    assert_non_null(strstr(lua_tostring(L, -1), "what of [C]: at 0x12?"));
    assert_non_null(strstr(lua_tostring(L, -1), "[C]: in function 'error'"));
    lua_close(L);
}

static void faults_have_a_place(void **state)
{
    static const struct {
        const char *code;
        int is_fault;
    } cases[] = {
        {"local x = nil + 1", 1},
        {"error('a')", 1},
        {"error('a', 0)", 0},
        {"error('at 12:30: b', 0)", 1}, /* as good as one */
        {"error('12:30', 0)", 0},
        {"error(':1: a', 0)", 0},
        {"error('a\\nb:1: c', 0)", 0},
        {"error({message = 'a'})", 0},
        {"error()", 0},
        {"error(5, 0)", 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lua_State *L = luaL_newstate();

        luaL_openlibs(L);
        assert_int_equal(mcp_traceback_is_fault(failed(L, cases[i].code)),
                         cases[i].is_fault);
        lua_close(L);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_left_out),
        cmocka_unit_test(all_else_stays),
        cmocka_unit_test(faults_have_a_place),
    };

    return cmocka_run_group_tests_name("app/traceback", tests, NULL, NULL);
}
