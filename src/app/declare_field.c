/*
 * declare_field.c - see declare_field.h; the rule of declare.c holds here too
 */
#include "app/declare_field.h"

#include <errno.h>
#include <lauxlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/sources.h"

struct mcp_load *mcp_declare_load(lua_State *L)
{
    struct mcp_load *load = mcp_host_of(L)->load;

    if (load == NULL)
        luaL_error(L, "the app is loaded: nothing can be declared any more");
    return load;
}

const struct mcp_generation *mcp_declare_generation(const struct mcp_load *load)
{
    return load->follow != NULL ? load->follow
                                : mcp_builder_view(load->builder);
}

int mcp_declare_refuse(lua_State *L, const char *message)
{
    lua_pushnil(L);
    lua_pushstring(L, message);
    return 2;
}

/* ---- fields ---------------------------------------------------------------
 */

const char *mcp_field_string(lua_State *L, int idx, const char *key)
{
    size_t len;
    const char *text;

    lua_getfield(L, idx, key);
    if (lua_isnil(L, -1))
        return NULL;
    if (lua_type(L, -1) != LUA_TSTRING)
        luaL_error(L, "%s: string expected, got %s", key, luaL_typename(L, -1));
    text = lua_tolstring(L, -1, &len);
    if (strlen(text) != len)
        luaL_error(L, "%s has a NUL character inside", key);
    return text;
}

double mcp_field_number(lua_State *L, int idx, const char *key, double initial)
{
    double value;

    lua_getfield(L, idx, key);
    value = luaL_optnumber(L, -1, initial);
    lua_pop(L, 1);
    return value;
}

bool mcp_field_boolean(lua_State *L, int idx, const char *key)
{
    bool value;

    lua_getfield(L, idx, key);
    value = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return value;
}

static enum mcp_bind_kind kind_of(const char *parameter)
{
    if (strcmp(parameter, "args") == 0)
        return MCP_BIND_ARGS;
    return strcmp(parameter, "ctx") == 0 ? MCP_BIND_CTX : MCP_BIND_ARGUMENT;
}

void mcp_field_binds(lua_State *L, struct mcp_handler *handler)
{
    struct mcp_bind *binds;
    size_t count;
    int list;

    lua_getfield(L, 1, "binds");
    if (lua_isnil(L, -1))
        return;
    luaL_checktype(L, -1, LUA_TTABLE);
    list = lua_gettop(L);
    count = lua_objlen(L, list);
    binds = lua_newuserdata(L, (count + 1) * sizeof(*binds));
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(L, list, (int)i + 1);
        binds[i].name = luaL_checkstring(L, -1);
        binds[i].kind = kind_of(binds[i].name);
        lua_pop(L, 1); /* the list keeps it */
    }
    handler->binds = binds;
    handler->bind_count = count;
}

/* The field "values" of the table at the top; the list keeps the strings. */
static void read_values(lua_State *L, struct mcp_completer *out)
{
    const char **values;

    lua_getfield(L, -1, "values");
    luaL_checktype(L, -1, LUA_TTABLE);
    out->value_count = lua_objlen(L, -1);
    values = lua_newuserdata(L, (out->value_count + 1) * sizeof(*values));
    for (size_t i = 0; i < out->value_count; i++) {
        lua_rawgeti(L, -2, (int)i + 1);
        values[i] = luaL_checkstring(L, -1);
        lua_pop(L, 1);
    }
    out->values = values;
    lua_setfield(L, -3, "values_block"); /* anchored in the entry */
    lua_pop(L, 1);
}

/* Reads the entry at the top. */
static void read_completer(lua_State *L, struct mcp_completer *out)
{
    static const struct mcp_bind binds[] = {{MCP_BIND_ARGUMENT, "value"},
                                            {MCP_BIND_CTX, "ctx"}};

    luaL_checktype(L, -1, LUA_TTABLE);
    *out = (struct mcp_completer){0};
    lua_getfield(L, -1, "argument");
    out->argument = luaL_checkstring(L, -1);
    lua_pop(L, 1);
    lua_getfield(L, -1, "handler");
    if (lua_isfunction(L, -1))
        out->handler = (struct mcp_handler){.kind = MCP_KIND_COMPLETER,
                                            .binds = binds,
                                            .bind_count = 2,
                                            .slot = 1};
    lua_pop(L, 1);
    if (out->handler.slot == 0)
        read_values(L, out);
}

const struct mcp_completer *mcp_field_completers(lua_State *L, size_t *count)
{
    struct mcp_completer *completers;
    int list;

    *count = 0;
    lua_getfield(L, 1, "completers");
    if (lua_isnil(L, -1))
        return NULL;
    luaL_checktype(L, -1, LUA_TTABLE);
    list = lua_gettop(L);
    *count = lua_objlen(L, list);
    completers = lua_newuserdata(L, (*count + 1) * sizeof(*completers));
    for (size_t i = 0; i < *count; i++) {
        lua_rawgeti(L, list, (int)i + 1);
        read_completer(L, &completers[i]);
        lua_pop(L, 1);
    }
    return completers;
}

size_t mcp_field_route(lua_State *L)
{
    const struct mcp_load *load = mcp_declare_load(L);
    const char *name = mcp_field_string(L, 1, "route");
    const struct mcp_route *route;

    if (name == NULL || load->follow != NULL)
        return 0;
    route = mcp_generation_find_route(mcp_declare_generation(load), name,
                                      strlen(name));
    if (route == NULL)
        luaL_error(L, "there is no route \"%s\"", name);
    return route == NULL ? 0 : route->index + 1;
}

const char *mcp_declare_read_file(const struct mcp_host *host, const char *path,
                                  size_t *len, char *message,
                                  size_t message_size)
{
    const char *folder = path[0] == '/' ? NULL : host->load->folder, *bytes;
    char full[4096];

    (void)snprintf(full, sizeof(full), "%s%s%s", folder == NULL ? "" : folder,
                   folder == NULL ? "" : "/", path);
    bytes = mcp_sources_read(host->sources, full, len);
    if (bytes == NULL)
        (void)snprintf(
            message, message_size, "cannot read \"%.512s\": %s", full,
            access(full, R_OK) != 0 ? strerror(errno) : "not a regular file");
    return bytes;
}

/* ---- further loads --------------------------------------------------------
 */

static bool same_parameters(const struct mcp_handler *a,
                            const struct mcp_handler *b)
{
    size_t i = 0;

    if (a->bind_count != b->bind_count)
        return false;
    while (i < a->bind_count && strcmp(a->binds[i].name, b->binds[i].name) == 0)
        i++;
    return i == a->bind_count;
}

enum mcp_err mcp_declare_follow(const struct mcp_load *load,
                                const struct mcp_handler *known,
                                const struct mcp_handler *now, char *message,
                                size_t message_size)
{
    const char *kind = mcp_kind_name(now->kind);

    if (known == NULL || known->slot > load->seen_count) {
        (void)snprintf(message, message_size,
                       "%s \"%.128s\" was not declared when the app was loaded "
                       "the first time; an app must declare the same each time",
                       kind, now->name);
        return MCP_ENOENT;
    }
    if ((known->slot == 0) != (now->slot == 0)) {
        (void)snprintf(message, message_size,
                       "%s \"%.128s\" had %s handler when the app was loaded "
                       "the first time; an app must declare the same each time",
                       kind, now->name, known->slot == 0 ? "no" : "a");
        return MCP_EINVAL;
    }
    if (known->slot == 0)
        return MCP_OK;
    if (load->seen[known->slot - 1]) {
        (void)snprintf(message, message_size, "%s \"%.128s\" is declared twice",
                       kind, now->name);
        return MCP_EEXIST;
    }
    if (!same_parameters(known, now)) {
        (void)snprintf(message, message_size,
                       "%s \"%.128s\" had other parameters when the app was "
                       "loaded the first time; an app must declare the same "
                       "each time",
                       kind, now->name);
        return MCP_EINVAL;
    }
    load->seen[known->slot - 1] = 1;
    return MCP_OK;
}

static const struct mcp_handler *completer_of(const struct mcp_completer *list,
                                              size_t count,
                                              const char *argument)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].argument, argument) == 0)
            return &list[i].handler;
    return NULL;
}

enum mcp_err mcp_declare_follow_completers(const struct mcp_load *load,
                                           const struct mcp_completer *known,
                                           size_t known_count,
                                           const struct mcp_completer *now,
                                           size_t count, const char *parent,
                                           char *message, size_t message_size)
{
    enum mcp_err err = MCP_OK;
    char name[200];

    for (size_t i = 0; err == MCP_OK && i < count; i++) {
        struct mcp_handler handler = now[i].handler;

        (void)snprintf(name, sizeof(name), "%.64s of %.128s", now[i].argument,
                       parent);
        handler.kind = MCP_KIND_COMPLETER;
        handler.name = name;
        err = mcp_declare_follow(
            load, completer_of(known, known_count, now[i].argument), &handler,
            message, message_size);
    }
    return err;
}

/* ---- handlers -------------------------------------------------------------
 */

void mcp_declare_keep(lua_State *L, int idx, size_t slot)
{
    if (slot == 0)
        return;
    lua_getfield(L, idx, "handler");
    lua_rawgeti(L, LUA_REGISTRYINDEX, MCP_REF_HANDLERS);
    lua_insert(L, -2);
    lua_rawseti(L, -2, (int)slot);
    lua_pop(L, 1);
}

void mcp_declare_keep_completers(lua_State *L,
                                 const struct mcp_completer *known,
                                 size_t count)
{
    int list;

    lua_getfield(L, 1, "completers");
    list = lua_gettop(L);
    for (size_t i = 0; !lua_isnil(L, list) && i < lua_objlen(L, list); i++) {
        const struct mcp_handler *handler;

        lua_rawgeti(L, list, (int)i + 1);
        lua_getfield(L, -1, "argument");
        handler = completer_of(known, count, lua_tostring(L, -1));
        lua_pop(L, 1);
        if (handler != NULL)
            mcp_declare_keep(L, lua_gettop(L), handler->slot);
        lua_pop(L, 1);
    }
    lua_settop(L, list - 1);
}
