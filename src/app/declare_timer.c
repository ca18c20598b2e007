/*
 * declare_timer.c - see declare_timer.h; the rule of declare.c holds here too
 */
#include "app/declare_timer.h"

#include <lauxlib.h>
#include <string.h>

#include "app/declare_field.h"

int mcp_declare_add_timer(lua_State *L)
{
    static const struct mcp_bind ctx = {MCP_BIND_CTX, "ctx"};
    struct mcp_load *load = mcp_declare_load(L);
    char message[MCP_DECLARE_MESSAGE_SIZE];
    struct mcp_timer t = {0};
    const struct mcp_timer *known;
    enum mcp_err err;

    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    t.name = mcp_field_string(L, 1, "name");
    t.seconds = mcp_field_number(L, 1, "seconds", 0);
    if (t.name == NULL)
        return luaL_error(L, "add_timer needs a name");
    t.handler = (struct mcp_handler){.kind = MCP_KIND_TIMER,
                                     .name = t.name,
                                     .binds = &ctx,
                                     .bind_count = 1,
                                     .slot = 1};
    known = mcp_generation_find_timer(mcp_declare_generation(load), t.name,
                                      strlen(t.name));
    if (load->follow == NULL)
        err =
            mcp_builder_add_timer(load->builder, &t, message, sizeof(message));
    else
        err = mcp_declare_follow(load, known != NULL ? &known->handler : NULL,
                                 &t.handler, message, sizeof(message));
    if (err != MCP_OK)
        return mcp_declare_refuse(L, message);
    known = mcp_generation_find_timer(mcp_declare_generation(load), t.name,
                                      strlen(t.name));
    mcp_declare_keep(L, 1, known->handler.slot);
    lua_pushboolean(L, 1);
    return 1;
}
