/*
 * declare.c - see declare.h
 *
 * Rule: lua_error jumps over C frames. So every function here reads and checks
 * its arguments first (they stay anchored on the Lua stack), works second,
 * pushes results last, and holds no C memory across a Lua call that may raise;
 * where bytes must cross into Lua they cross in a protected call.
 */
#include "app/declare.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#include "app/declare_field.h"
#include "app/declare_prompt.h"
#include "app/declare_resource.h"
#include "app/declare_route.h"
#include "app/declare_skill.h"
#include "app/declare_timer.h"
#include "app/declare_tool.h"
#include "app/host.h"
#include "app/registry.h"
#include "app/value.h"
#include "base/buf.h"
#include "base/config_table.h"
#include "base/suggest.h"

enum {
    MESSAGE_SIZE = 1024,
    TEXT_MAX_BYTES = 16 << 20, /* of one encoded schema, annotation, ...  */
    SUGGEST_NAMES_MAX = 512,   /* looked at for the nearest name          */
    WRITE_STACK = 4 * MCP_VALUE_MAX_DEPTH, /* Lua stack of one encode     */
};

/* set_option(name, text) -> true | nil, message
 * A follow load changes nothing: the generation has its options. */
static int core_set_option(lua_State *L)
{
    struct mcp_load *load = mcp_declare_load(L);
    const char *name = luaL_checkstring(L, 1);
    size_t len;
    const char *text = luaL_checklstring(L, 2, &len);
    char message[MESSAGE_SIZE];

    if (strlen(text) != len)
        return mcp_declare_refuse(L, "the value has a NUL character inside");
    if (load->follow == NULL &&
        mcp_config_set(mcp_builder_config(load->builder), name, text,
                       MCP_FROM_APP, message, sizeof(message)) != MCP_OK)
        return mcp_declare_refuse(L, message);
    lua_pushboolean(L, 1);
    return 1;
}

static const char *kind_name(enum mcp_option_type type)
{
    switch (type) {
    case MCP_OPTION_TEXT:
        return "text";
    case MCP_OPTION_LIST:
        return "list";
    case MCP_OPTION_BOOL:
        return "boolean";
    case MCP_OPTION_COUNT:
        return "count";
    case MCP_OPTION_BYTES:
        return "bytes";
    case MCP_OPTION_SECONDS:
        return "seconds";
    case MCP_OPTION_WORD:
    case MCP_OPTION_SWITCH:
        break;
    }
    return "word";
}

/* option_names() -> list of names, { name = kind } */
static int core_option_names(lua_State *L)
{
    size_t count;
    const struct mcp_option *options = mcp_config_options(&count);
    int n = 0;

    lua_settop(L, 0);
    lua_newtable(L);
    lua_newtable(L);
    for (size_t i = 0; i < count; i++) {
        if ((options[i].by & MCP_BY_APP) == 0)
            continue;
        lua_pushstring(L, options[i].name);
        lua_rawseti(L, 1, ++n);
        lua_pushstring(L, kind_name(options[i].type));
        lua_setfield(L, 2, options[i].name);
    }
    return 2;
}

/* following() -> boolean */
static int core_following(lua_State *L)
{
    lua_pushboolean(L, mcp_declare_load(L)->follow != NULL);
    return 1;
}

/* extra_arguments() -> boolean */
static int core_extra_arguments(lua_State *L)
{
    lua_pushboolean(
        L,
        mcp_declare_generation(mcp_declare_load(L))->config->extra_arguments);
    return 1;
}

/* infer_annotations() -> boolean */
static int core_infer_annotations(lua_State *L)
{
    lua_pushboolean(L, mcp_declare_generation(mcp_declare_load(L))
                           ->config->infer_http_method_annotations);
    return 1;
}

/* tool_count() -> number of tools declared so far in this load */
static int core_tool_count(lua_State *L)
{
    const struct mcp_load *load = mcp_declare_load(L);
    size_t count = 0;

    if (load->follow == NULL)
        count = mcp_builder_view(load->builder)->tool_count;
    for (size_t i = 0; load->follow != NULL && i < load->seen_count; i++)
        count +=
            load->seen[i] != 0 &&
            mcp_generation_handler(load->follow, i + 1)->kind == MCP_KIND_TOOL;
    lua_pushinteger(L, (lua_Integer)count);
    return 1;
}

/* suggest(name, list) -> nearest name | nil */
static int core_suggest(lua_State *L)
{
    const char *names[SUGGEST_NAMES_MAX], *near;
    size_t len, count, kept = 0;
    const char *name = luaL_checklstring(L, 1, &len);

    luaL_checktype(L, 2, LUA_TTABLE);
    count = lua_objlen(L, 2);
    for (size_t i = 0; i < count && kept < SUGGEST_NAMES_MAX; i++) {
        lua_rawgeti(L, 2, (int)i + 1);
        if (lua_type(L, -1) == LUA_TSTRING)
            names[kept++] = lua_tostring(L, -1); /* the list keeps it */
        lua_pop(L, 1);
    }
    near = mcp_suggest(name, len, names, kept);
    if (near == NULL)
        lua_pushnil(L);
    else
        lua_pushstring(L, near);
    return 1;
}

typedef enum mcp_err (*write_fn)(lua_State *L, int idx, struct mcp_buf *out,
                                 struct mcp_value_error *error);

static enum mcp_err write_plain(lua_State *L, int idx, struct mcp_buf *out,
                                struct mcp_value_error *error)
{
    return mcp_value_write(L, idx, out, NULL, error);
}

/* Pushes the bytes of the buffer at 1 (light); runs protected, as it may be
 * refused memory. */
static int push_bytes(lua_State *L)
{
    const struct mcp_buf *buf = lua_touserdata(L, 1);

    lua_pushlstring(L, buf->data == NULL ? "" : buf->data, buf->len);
    return 1;
}

/* -> JSON text | nil, path, message */
static int encode(lua_State *L, write_fn write)
{
    struct mcp_value_error error = {"", "is too large"};
    struct mcp_buf buf;
    int failed;

    luaL_checkany(L, 1);
    lua_settop(L, 1);
    luaL_checkstack(L, WRITE_STACK, "encode");
    mcp_buf_init(&buf, TEXT_MAX_BYTES);
    lua_pushcfunction(L, push_bytes);
    lua_pushlightuserdata(L, &buf);
    if (write(L, 1, &buf, &error) != MCP_OK || buf.failed) {
        mcp_buf_free(&buf);
        lua_pushnil(L);
        lua_pushstring(L, error.path);
        lua_pushstring(L, error.message);
        return 3;
    }
    failed = lua_pcall(L, 1, 1, 0);
    mcp_buf_free(&buf);
    return failed ? lua_error(L) : 1;
}

static int core_encode(lua_State *L)
{
    return encode(L, write_plain);
}

static int core_encode_schema(lua_State *L)
{
    return encode(L, mcp_value_write_schema);
}

static int core_encode_sorted(lua_State *L)
{
    return encode(L, mcp_value_write_sorted);
}

/* loading() -> boolean */
static int core_loading(lua_State *L)
{
    lua_pushboolean(L, mcp_host_of(L)->load != NULL);
    return 1;
}

void mcp_declare_open(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"add_tool", mcp_declare_add_tool},
        {"add_resource", mcp_declare_add_resource},
        {"read_content", mcp_declare_read_content},
        {"add_prompt", mcp_declare_add_prompt},
        {"add_timer", mcp_declare_add_timer},
        {"set_skills", mcp_declare_set_skills},
        {"add_skill_folder", mcp_declare_add_skill_folder},
        {"add_skill", mcp_declare_add_skill},
        {"add_skill_source", mcp_declare_add_skill_source},
        {"sha256", mcp_declare_sha256},
        {"add_route", mcp_declare_add_route},
        {"set_option", core_set_option},
        {"option_names", core_option_names},
        {"following", core_following},
        {"extra_arguments", core_extra_arguments},
        {"infer_annotations", core_infer_annotations},
        {"tool_count", core_tool_count},
        {"suggest", core_suggest},
        {"encode", core_encode},
        {"encode_schema", core_encode_schema},
        {"encode_sorted", core_encode_sorted},
        {"loading", core_loading},
        {NULL, NULL},
    };

    for (const luaL_Reg *f = functions; f->name != NULL; f++) {
        lua_pushcfunction(L, f->func);
        lua_setfield(L, -2, f->name);
    }
    lua_newtable(L);
    lua_rawseti(L, LUA_REGISTRYINDEX, MCP_REF_HANDLERS);
}

const char *mcp_declare_missing(const struct mcp_load *load, char *message,
                                size_t message_size)
{
    const struct mcp_handler *missing;

    for (size_t i = 0; load->follow != NULL && i < load->seen_count; i++) {
        if (load->seen[i])
            continue;
        missing = mcp_generation_handler(load->follow, i + 1);
        snprintf(message, message_size,
                 "%s \"%.128s\" was declared when the app was loaded the "
                 "first time, and not now; an app must declare the same each "
                 "time",
                 mcp_kind_name(missing->kind), missing->name);
        return message;
    }
    return NULL;
}
