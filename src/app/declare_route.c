/*
 * declare_route.c - see declare_route.h; the rule of declare.c holds here too
 */
#include "app/declare_route.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#include "app/declare_field.h"
#include "app/declare_tool.h"

/* Reads the entry { kind, text } at the top, which keeps the text. */
static void read_part(lua_State *L, struct mcp_path_part *out)
{
    static const char *const kinds[] = {
        [MCP_PATH_LITERAL] = "literal", [MCP_PATH_STR] = "str",
        [MCP_PATH_INT] = "int",         [MCP_PATH_NUMBER] = "number",
        [MCP_PATH_UUID] = "uuid",       [MCP_PATH_REST] = "path",
        [MCP_PATH_REST + 1] = NULL};

    luaL_checktype(L, -1, LUA_TTABLE);
    lua_getfield(L, -1, "kind");
    out->kind = (enum mcp_path_kind)luaL_checkoption(L, -1, NULL, kinds);
    lua_pop(L, 1);
    lua_getfield(L, -1, "text");
    out->text = luaL_checkstring(L, -1);
    lua_pop(L, 1);
}

/* The list field "parts"; it lives as long as what this leaves on the stack. */
static void field_parts(lua_State *L, struct mcp_route *r)
{
    struct mcp_path_part *parts;
    size_t count;
    int list;

    lua_getfield(L, 1, "parts");
    luaL_checktype(L, -1, LUA_TTABLE);
    list = lua_gettop(L);
    count = lua_objlen(L, list);
    parts = lua_newuserdata(L, (count + 1) * sizeof(*parts));
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(L, list, (int)i + 1);
        read_part(L, &parts[i]);
        lua_pop(L, 1);
    }
    r->parts = parts;
    r->part_count = count;
}

static void read_route(lua_State *L, struct mcp_route *r,
                       struct mcp_declare_files *files)
{
    r->method = mcp_field_string(L, 1, "method");
    r->path = mcp_field_string(L, 1, "path");
    if (r->method == NULL || r->path == NULL)
        luaL_error(L, "add_route needs a method and a path");
    r->status = (int)mcp_field_number(L, 1, "status", 0);
    r->mime_type = mcp_field_string(L, 1, "mime_type");
    r->tags = mcp_field_string(L, 1, "tags");
    field_parts(L, r);
    mcp_declare_read_signature(L, &r->signature, files);
    r->signature.handler.kind = MCP_KIND_ROUTE;
    r->signature.handler.slot = 1;
    /* the name is made on the stack, which keeps it */
    r->name = lua_pushfstring(L, "%s %s", r->method, r->path);
    r->signature.handler.name = r->name;
}

/* What mcp_declare_with_files() adds. */
struct adding {
    struct mcp_builder *builder;
    const struct mcp_route *route;
};

static enum mcp_err add_to_builder(void *user, const struct mcp_tool *tool,
                                   char *message, size_t message_size)
{
    const struct adding *a = user;
    struct mcp_route route = *a->route;

    route.signature = *tool;
    return mcp_builder_add_route(a->builder, &route, message, message_size);
}

int mcp_declare_add_route(lua_State *L)
{
    struct mcp_load *load = mcp_declare_load(L);
    struct mcp_declare_files files;
    char message[MCP_DECLARE_MESSAGE_SIZE];
    struct mcp_route r = {0};
    struct adding adding = {load->builder, &r};
    const struct mcp_route *known;
    enum mcp_err err;

    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    luaL_checkstack(L, 40, "add_route");
    read_route(L, &r, &files);
    if (load->follow == NULL && !r.signature.input_schema && !files.input)
        return luaL_error(L, "add_route needs an input schema");

    known = mcp_generation_find_route(mcp_declare_generation(load), r.name,
                                      strlen(r.name));
    if (load->follow == NULL)
        err = mcp_declare_with_files(mcp_host_of(L), &r.signature, &files,
                                     add_to_builder, &adding, message,
                                     sizeof(message));
    else
        err = mcp_declare_follow(
            load, known != NULL ? &known->signature.handler : NULL,
            &r.signature.handler, message, sizeof(message));
    if (err != MCP_OK)
        return mcp_declare_refuse(L, message);
    known = mcp_generation_find_route(mcp_declare_generation(load), r.name,
                                      strlen(r.name));
    mcp_declare_keep(L, 1, known->signature.handler.slot);
    lua_pushboolean(L, 1);
    return 1;
}
