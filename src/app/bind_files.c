/*
 * bind_files.c - see bind_files.h
 *
 * The handle of a file in Lua is a userdata that begins with its FILE *, as
 * in PUC Lua; NULL when it is closed.
 */
#include "app/bind_files.h"

#include <lauxlib.h>
#include <lualib.h>

#include "app/host.h"

/* note_file(file, is_pipe) */
static int note_file(lua_State *L)
{
    FILE *const *file = luaL_checkudata(L, 1, LUA_FILEHANDLE);

    if (*file != NULL &&
        !mcp_files_add(&mcp_host_of(L)->files, *file, lua_toboolean(L, 2)))
        luaL_error(L, "not enough memory");
    return 0;
}

/* What closing() returns. First the list, so that nothing is closed twice. */
static int close_noted(lua_State *L)
{
    if (lua_type(L, 1) == LUA_TUSERDATA && lua_objlen(L, 1) >= sizeof(FILE *)) {
        FILE *const *file = lua_touserdata(L, 1);

        mcp_files_drop(&mcp_host_of(L)->files, *file);
    }
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}

/* closing(f) -> f as above */
static int closing(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_settop(L, 1);
    lua_pushcclosure(L, close_noted, 1);
    return 1;
}

void mcp_bind_files_open(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"note_file", note_file}, {"closing", closing}, {NULL, NULL}};

    luaL_register(L, NULL, functions);
}
