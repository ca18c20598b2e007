/*
 * test.c - see test.h
 *
 * busted runs in a plain Lua state of this process, and the apps that its
 * specs open run in theirs, as when they are served.
 */
#include "cli/test.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/test_host.h"
#include "embedded_lua.h"

enum { STATUS_NO_BUSTED = 2 };

static const char run_busted[] =
    "local found, runner = pcall(require, 'busted.runner')\n"
    "if not found then return runner end\n"
    "runner { standalone = false }\n";

/* os.exit(status): the apps end first */
static int l_exit(lua_State *L)
{
    int status = EXIT_SUCCESS;

    if (lua_isboolean(L, 1))
        status = lua_toboolean(L, 1) ? EXIT_SUCCESS : EXIT_FAILURE;
    else
        status = (int)luaL_optinteger(L, 1, EXIT_SUCCESS);
    if (!mcp_test_host_close_all()) {
        (void)fflush(NULL);
        _exit(status);
    }
    exit(status);
}

static void preload(lua_State *L)
{
    lua_getglobal(L, "package");
    lua_getfield(L, -1, "preload");
    lua_pushcfunction(L, mcp_test_host_open);
    lua_setfield(L, -2, "mcp.test_host");
    for (size_t i = 0; i < mcp_embedded_lua_count; i++) {
        const struct mcp_embedded_lua *m = &mcp_embedded_lua[i];

        if (strcmp(m->module, "mcp.test") != 0)
            continue;
        if (luaL_loadbuffer(L, (const char *)m->data, m->len, m->chunk) != 0)
            (void)lua_error(L);
        lua_setfield(L, -2, m->module);
    }
    lua_pop(L, 2);
}

/* The global `arg`, as the lua command makes it. */
static void set_arguments(lua_State *L, int argc, char **argv)
{
    lua_createtable(L, argc, 1);
    lua_pushliteral(L, "mcpluad test");
    lua_rawseti(L, -2, 0);
    for (int i = 0; i < argc; i++) {
        lua_pushstring(L, argv[i]);
        lua_rawseti(L, -2, i + 1);
    }
    lua_setglobal(L, "arg");
}

struct command_line {
    int argc;
    char **argv;
};

static int body(lua_State *L)
{
    const struct command_line *line = lua_touserdata(L, 1);

    luaL_openlibs(L);
    lua_getglobal(L, "os");
    lua_pushcfunction(L, l_exit);
    lua_setfield(L, -2, "exit");
    preload(L);
    set_arguments(L, line->argc, line->argv);
    lua_settop(L, 0);
    if (luaL_loadstring(L, run_busted) != 0)
        return lua_error(L);
    lua_call(L, 0, 1);
    if (lua_isnil(L, 1))
        return 0;
    return luaL_error(L,
                      "busted cannot be loaded (Debian: apt install "
                      "lua-busted; LuaRocks: luarocks --lua-version=5.1 "
                      "install busted): %s",
                      lua_tostring(L, 1));
}

int mcp_test_run(int argc, char **argv)
{
    struct command_line line = {argc, argv};
    lua_State *L = luaL_newstate();
    int status = EXIT_SUCCESS;

    if (L == NULL)
        return EXIT_FAILURE;
    if (lua_cpcall(L, body, &line) != 0) {
        const char *why = lua_tostring(L, -1);

        (void)fprintf(stderr, "mcpluad test: %s\n",
                      why != NULL ? why : "an error that is no text");
        status = STATUS_NO_BUSTED;
    }
    if (mcp_test_host_close_all())
        lua_close(L);
    return status;
}
