/*
 * declare_prompt.c - see declare_prompt.h; the rule of declare.c holds here too
 */
#include "app/declare_prompt.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#include "app/declare_field.h"

/* The field `key` of the table at `idx`, which keeps it. */
static const char *kept_string(lua_State *L, int idx, const char *key)
{
    const char *text = mcp_field_string(L, idx, key);

    lua_pop(L, 1);
    return text;
}

/* The list field "arguments"; it lives as long as what this leaves on the
 * stack. */
static void read_arguments(lua_State *L, struct mcp_prompt *p)
{
    struct mcp_prompt_argument *arguments;
    size_t count;
    int list;

    lua_getfield(L, 1, "arguments");
    if (lua_isnil(L, -1))
        return;
    luaL_checktype(L, -1, LUA_TTABLE);
    list = lua_gettop(L);
    count = lua_objlen(L, list);
    arguments = lua_newuserdata(L, (count + 1) * sizeof(*arguments));
    for (size_t i = 0; i < count; i++) {
        int entry;

        lua_rawgeti(L, list, (int)i + 1);
        luaL_checktype(L, -1, LUA_TTABLE);
        entry = lua_gettop(L);
        arguments[i] = (struct mcp_prompt_argument){
            .name = kept_string(L, entry, "name"),
            .title = kept_string(L, entry, "title"),
            .description = kept_string(L, entry, "description"),
            .initial = kept_string(L, entry, "initial"),
            .required = mcp_field_boolean(L, entry, "required"),
        };
        lua_pop(L, 1);
    }
    p->arguments = arguments;
    p->argument_count = count;
}

static void read_prompt(lua_State *L, struct mcp_prompt *p)
{
    p->name = mcp_field_string(L, 1, "name");
    p->title = mcp_field_string(L, 1, "title");
    p->description = mcp_field_string(L, 1, "description");
    p->icons = mcp_field_string(L, 1, "icons");
    p->meta = mcp_field_string(L, 1, "meta");
    p->instructions = mcp_field_string(L, 1, "instructions");
    p->file = mcp_field_string(L, 1, "file");
    p->line = (int)mcp_field_number(L, 1, "line", 0);
    p->has_arguments = mcp_field_boolean(L, 1, "has_arguments");
    p->handler = (struct mcp_handler){
        .kind = MCP_KIND_PROMPT,
        .name = p->name,
        .timeout_s = mcp_field_number(L, 1, "timeout", 0),
        .slot = 1,
    };
    read_arguments(L, p);
    mcp_field_binds(L, &p->handler);
    p->route = mcp_field_route(L);
    p->completers = mcp_field_completers(L, &p->completer_count);
}

static enum mcp_err follow(const struct mcp_load *load,
                           const struct mcp_prompt *p, char *message,
                           size_t message_size)
{
    const struct mcp_prompt *known =
        mcp_generation_find_prompt(load->follow, p->name, strlen(p->name));
    char parent[160];
    enum mcp_err err =
        mcp_declare_follow(load, known != NULL ? &known->handler : NULL,
                           &p->handler, message, message_size);

    if (err != MCP_OK)
        return err;
    (void)snprintf(parent, sizeof(parent), "prompt %.128s", p->name);
    return mcp_declare_follow_completers(
        load, known->completers, known->completer_count, p->completers,
        p->completer_count, parent, message, message_size);
}

int mcp_declare_add_prompt(lua_State *L)
{
    struct mcp_load *load = mcp_declare_load(L);
    char message[MCP_DECLARE_MESSAGE_SIZE];
    struct mcp_prompt p = {0};
    const struct mcp_prompt *known;
    enum mcp_err err;

    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    luaL_checkstack(L, 32, "add_prompt");
    read_prompt(L, &p);
    if (p.name == NULL)
        return luaL_error(L, "add_prompt needs a name");

    if (load->follow == NULL)
        err =
            mcp_builder_add_prompt(load->builder, &p, message, sizeof(message));
    else
        err = follow(load, &p, message, sizeof(message));
    if (err != MCP_OK)
        return mcp_declare_refuse(L, message);
    known = mcp_generation_find_prompt(mcp_declare_generation(load), p.name,
                                       strlen(p.name));
    mcp_declare_keep(L, 1, known->handler.slot);
    mcp_declare_keep_completers(L, known->completers, known->completer_count);
    lua_pushboolean(L, 1);
    return 1;
}
