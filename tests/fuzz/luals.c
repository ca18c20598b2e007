/*
 * luals.c - fuzzer: the parser of LuaLS comments
 *
 * The input is the source of an app. Whatever its comments say, reading them
 * ends in types or in a refusal with the line of the comment, never in a fault
 * of our own modules.
 */
#include <lauxlib.h>
#include <lualib.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/declare.h"
#include "app/heap.h"
#include "app/host.h"
#include "app/result.h"
#include "app/value.h"
#include "embedded_lua.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char driver[] =
    "local core = require 'mcp.core'\n"
    "local text\n"
    "core.source = function(chunk) return chunk == '@app.lua' and text end\n"
    "local comment = require 'mcp.comment'\n"
    "local luals = require 'mcp.luals'\n"
    "local signature = require 'mcp.signature'\n"
    "local where = require 'mcp.where'\n"
    "local type_ = require 'mcp.type'\n"
    "local function fine(ok, err)\n"
    "  if not ok and not tostring(err):find('^app%.lua:%d+: ') then\n"
    "    error('a fault of our own: ' .. tostring(err), 0)\n"
    "  end\n"
    "end\n"
    "local function schema(f, ...)\n"
    "  local t, defs = f(...)\n"
    "  if t then core.encode_schema(type_.schema(t, false)) end\n"
    "  for _, def in pairs(defs or {}) do\n"
    "    core.encode_schema(type_.schema(def, false))\n"
    "  end\n"
    "end\n"
    "local round = 0\n"
    "return function(source)\n"
    "  round, text = round + 1, source\n"
    "  collectgarbage()\n"
    "  for _, entry in pairs(luals.names('@app.lua')) do\n"
    "    fine(pcall(luals.read, entry))\n"
    "  end\n"
    "  local at = where.at('mcp.tool', '@app.lua', 1)\n"
    "  for _, block in ipairs(comment.all('@app.lua')) do\n"
    "    comment.prose(block)\n"
    "    fine(pcall(schema, signature.input, at, block, { 'args', 'a' }))\n"
    "    fine(pcall(schema, signature.output, at, block))\n"
    "  end\n"
    "end\n";

/* The heap of the app's states: its memory is no concern of a leak checker,
 * and its limit stops a comment that grows without bounds. */
static void *allocate(void *ud, void *ptr, size_t old_size, size_t new_size)
{
    struct mcp_host *host = ud;

    return mcp_heap_realloc(host->heap, ptr, old_size, new_size);
}

static int load_embedded(lua_State *L)
{
    const struct mcp_embedded_lua *m = lua_touserdata(L, lua_upvalueindex(1));

    if (luaL_loadbuffer(L, (const char *)m->data, m->len, m->chunk) != 0)
        return lua_error(L);
    lua_call(L, 0, 1);
    return 1;
}

static void die(lua_State *L)
{
    (void)fprintf(stderr, "luals: %s\n", lua_tostring(L, -1));
    abort();
}

/* A state with lua/mcp and the driver's function at 1. */
static lua_State *make_state(void)
{
    static struct mcp_load load;
    static struct mcp_host host = {.load = &load};
    lua_State *L;

    host.heap = mcp_heap_new((size_t)64 << 20);
    L = host.heap == NULL ? NULL : lua_newstate(allocate, &host);
    if (L == NULL)
        abort();
    luaL_openlibs(L);
    mcp_value_open(L);
    lua_newtable(L);
    mcp_declare_open(L);
    mcp_result_open(L);
    lua_getfield(L, LUA_REGISTRYINDEX, "_LOADED");
    lua_pushvalue(L, -2);
    lua_setfield(L, -2, "mcp.core");
    lua_getglobal(L, "package");
    lua_getfield(L, -1, "preload");
    for (size_t i = 0; i < mcp_embedded_lua_count; i++) {
        lua_pushlightuserdata(L, (void *)&mcp_embedded_lua[i]);
        lua_pushcclosure(L, load_embedded, 1);
        lua_setfield(L, -2, mcp_embedded_lua[i].module);
    }
    lua_settop(L, 0);
    if (luaL_loadstring(L, driver) != 0 || lua_pcall(L, 0, 1, 0) != 0)
        die(L);
    return L;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static lua_State *L;

    if (L == NULL)
        L = make_state();
    lua_pushvalue(L, 1);
    lua_pushlstring(L, (const char *)data, size);
    if (lua_pcall(L, 1, 0, 0) != 0)
        die(L);
    return 0;
}
