/*
 * bind_call.c - see bind_call.h
 */
#include "app/bind_call.h"

#include <lauxlib.h>

#include "app/host.h"
#include "app/job.h"
#include "app/value.h"

/* Source: splitmix64, public domain, Vigna 2015. */
static uint64_t next_seed(struct mcp_host *host)
{
    uint64_t z = host->seed += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static void seed_random(lua_State *L)
{
    lua_rawgeti(L, LUA_REGISTRYINDEX, MCP_REF_RANDOMSEED);
    lua_pushnumber(L, (double)(next_seed(mcp_host_of(L)) >> 11));
    lua_call(L, 1, 0);
}

int mcp_bind_call(lua_State *L)
{
    const struct mcp_job *job = mcp_host_of(L)->job;
    const struct mcp_handler *handler = job->handler;
    size_t i;

    luaL_checkstack(L, (int)handler->bind_count + 4, "too many parameters");
    if (!mcp_host_of(L)->kept)
        seed_random(L);
    lua_rawgeti(L, LUA_REGISTRYINDEX, MCP_REF_HANDLERS);
    lua_rawgeti(L, -1, (int)handler->slot);
    for (i = 0; i < handler->bind_count; i++) {
        switch (handler->binds[i].kind) {
        case MCP_BIND_ARGUMENT:
            mcp_value_push(L, mcp_json_find(job->args, handler->binds[i].name));
            break;
        case MCP_BIND_ARGS:
            mcp_value_push(L, job->args);
            break;
        case MCP_BIND_CTX:
            lua_rawgeti(L, LUA_REGISTRYINDEX, MCP_REF_CTX);
            break;
        }
    }
    return (int)handler->bind_count + 1;
}
