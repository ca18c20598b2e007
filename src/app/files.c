/*
 * files.c - see files.h
 *
 * The handle of a file in Lua is a userdata that begins with its FILE *, as
 * in PUC Lua; NULL when it is closed.
 */
#include "app/files.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdlib.h>

#include "app/host.h"

struct mcp_file {
    FILE *file;
    bool is_pipe;
};

static bool add(struct mcp_files *files, FILE *file, bool is_pipe)
{
    if (files->count == files->room) {
        size_t room = files->room > 0 ? files->room * 2 : 8;
        struct mcp_file *items =
            realloc(files->items, room * sizeof(*files->items));

        if (items == NULL)
            return false;
        files->items = items;
        files->room = room;
    }
    files->items[files->count++] = (struct mcp_file){file, is_pipe};
    return true;
}

static void drop(struct mcp_files *files, const FILE *file)
{
    size_t i;

    for (i = files->count; i-- > 0;)
        if (files->items[i].file == file) {
            files->items[i] = files->items[--files->count];
            return;
        }
}

void mcp_files_close(struct mcp_files *files)
{
    while (files->count > 0) {
        struct mcp_file last = files->items[--files->count];

        if (last.is_pipe)
            (void)pclose(last.file);
        else
            (void)fclose(last.file);
    }
    free(files->items);
    *files = (struct mcp_files){0};
}

/* note_file(file, is_pipe) */
static int note_file(lua_State *L)
{
    FILE *const *file = luaL_checkudata(L, 1, LUA_FILEHANDLE);

    if (*file != NULL &&
        !add(&mcp_host_of(L)->files, *file, lua_toboolean(L, 2)))
        luaL_error(L, "not enough memory");
    return 0;
}

/* What closing() returns. First the list, so that nothing is closed twice. */
static int close_noted(lua_State *L)
{
    if (lua_type(L, 1) == LUA_TUSERDATA && lua_objlen(L, 1) >= sizeof(FILE *)) {
        FILE *const *file = lua_touserdata(L, 1);

        drop(&mcp_host_of(L)->files, *file);
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

void mcp_files_open(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"note_file", note_file}, {"closing", closing}, {NULL, NULL}};

    luaL_register(L, NULL, functions);
}
