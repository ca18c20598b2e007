/*
 * bind_wiring.c - see bind_wiring.h
 */
#include "app/bind_wiring.h"

#include <lauxlib.h>

#include "app/host.h"
#include "base/clock.h"
#include "base/log.h"

static int keep(lua_State *L, int ref)
{
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_settop(L, 1);
    lua_rawseti(L, LUA_REGISTRYINDEX, ref);
    return 0;
}

static int keep_finish(lua_State *L)
{
    return keep(L, MCP_REF_FINISH);
}

static int keep_life(lua_State *L)
{
    struct mcp_load *load = mcp_host_of(L)->load;

    if (load == NULL)
        return luaL_error(L, "the app has loaded");
    load->has_life = true;
    return keep(L, MCP_REF_LIFE);
}

static int expect_finish(lua_State *L)
{
    mcp_host_of(L)->finish_expected = true;
    return 0;
}

static int log_fault(lua_State *L)
{
    mcp_log(MCP_LOG_WARNING, "app", "%s", luaL_checkstring(L, 1));
    return 0;
}

static int now(lua_State *L)
{
    lua_pushnumber(L, (double)mcp_clock_now_ns() / 1e9);
    return 1;
}

void mcp_bind_wiring_open(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"keep_finish", keep_finish},
        {"expect_finish", expect_finish},
        {"keep_life", keep_life},
        {"log_fault", log_fault},
        {"now", now},
        {NULL, NULL},
    };

    luaL_register(L, NULL, functions);
}
