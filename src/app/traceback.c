/*
 * traceback.c - see traceback.h
 */
#include "app/traceback.h"

#include <lauxlib.h>
#include <string.h>

void mcp_traceback_push(lua_State *L, lua_State *co)
{
    static const char nameless[] = "\t[C]: at 0x";
    const char *text, *end;
    luaL_Buffer b;

    luaL_traceback(L, co, lua_tostring(co, -1), 0);
    text = lua_tostring(L, -1);
    luaL_buffinit(L, &b);
    while ((end = strstr(text, nameless)) != NULL) {
        luaL_addlstring(&b, text, (size_t)(end - text));
        luaL_addstring(&b, "\t[C]");
        text = end + sizeof(nameless) - 1;
        text += strspn(text, "0123456789abcdefABCDEF");
    }
    luaL_addstring(&b, text);
    luaL_pushresult(&b);
    lua_remove(L, -2);
}

bool mcp_traceback_is_fault(lua_State *co)
{
    const char *text, *colon;
    size_t digits;

    if (lua_type(co, -1) != LUA_TSTRING)
        return false;
    text = lua_tostring(co, -1);
    colon = text + strcspn(text, ":\n");
    if (colon == text || *colon != ':')
        return false;
    digits = strspn(colon + 1, "0123456789");
    return digits > 0 && strncmp(colon + 1 + digits, ": ", 2) == 0;
}
