/*
 * declare_tool.c - see declare_tool.h; the rule of declare.c holds here too
 */
#include "app/declare_tool.h"

#include <errno.h>
#include <lauxlib.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/host.h"
#include "app/registry.h"
#include "app/sources.h"

enum { MESSAGE_SIZE = 1024 };

struct mcp_load *mcp_declare_load(lua_State *L)
{
    struct mcp_load *load = mcp_host_of(L)->load;

    if (load == NULL)
        luaL_error(L, "the app is loaded: nothing can be declared any more");
    return load;
}

static int refuse(lua_State *L, const char *message)
{
    lua_pushnil(L);
    lua_pushstring(L, message);
    return 2;
}

/* The string field `key` of the table at 1, which stays on the stack; NULL
 * when it is nil. Raises on another type and on a NUL inside. */
static const char *field_string(lua_State *L, const char *key)
{
    size_t len;
    const char *text;

    lua_getfield(L, 1, key);
    if (lua_isnil(L, -1))
        return NULL;
    if (lua_type(L, -1) != LUA_TSTRING)
        luaL_error(L, "%s: string expected, got %s", key, luaL_typename(L, -1));
    text = lua_tolstring(L, -1, &len);
    if (strlen(text) != len)
        luaL_error(L, "%s has a NUL character inside", key);
    return text;
}

/* The number field `key` of the table at 1; 0 when it is nil. */
static double field_number(lua_State *L, const char *key)
{
    double value;

    lua_getfield(L, 1, key);
    value = luaL_optnumber(L, -1, 0);
    lua_pop(L, 1);
    return value;
}

static bool field_boolean(lua_State *L, const char *key)
{
    bool value;

    lua_getfield(L, 1, key);
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

/* The list field "binds" as a plan; it lives as long as what this leaves on
 * the stack. */
static void field_binds(lua_State *L, struct mcp_tool *tool)
{
    struct mcp_bind *binds;
    size_t count;
    int list;

    lua_getfield(L, 1, "binds");
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
    tool->handler.binds = binds;
    tool->handler.bind_count = count;
}

/* How many path entries the list at `list` has in all. */
static size_t count_steps(lua_State *L, int list, size_t count)
{
    size_t steps = 0;

    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(L, list, (int)i + 1);
        luaL_checktype(L, -1, LUA_TTABLE);
        steps += lua_objlen(L, -1);
        lua_pop(L, 1);
    }
    return steps;
}

/* Reads the entry at the top: { kind = "int64", "items", false, "id" }. The
 * strings live as long as the entry. Returns the place behind its path. */
static const char **read_convert(lua_State *L, struct mcp_convert *out,
                                 const char **path)
{
    static const char *const kinds[] = {"int64", "bytes", NULL};

    out->path = path;
    out->depth = lua_objlen(L, -1);
    lua_getfield(L, -1, "kind");
    out->kind = luaL_checkoption(L, -1, NULL, kinds) == 0 ? MCP_CONVERT_INT64
                                                          : MCP_CONVERT_BYTES;
    lua_pop(L, 1);
    for (size_t i = 0; i < out->depth; i++) {
        lua_rawgeti(L, -1, (int)i + 1);
        *path++ = lua_isstring(L, -1) ? lua_tostring(L, -1) : NULL;
        lua_pop(L, 1);
    }
    return path;
}

/* The list field "converts"; it lives as long as what this leaves on the
 * stack. */
static void field_converts(lua_State *L, struct mcp_tool *tool)
{
    struct mcp_convert *converts;
    const char **path;
    size_t count, size;
    int list;

    lua_getfield(L, 1, "converts");
    if (lua_isnil(L, -1))
        return;
    luaL_checktype(L, -1, LUA_TTABLE);
    list = lua_gettop(L);
    count = lua_objlen(L, list);
    size = (count + 1) * sizeof(*converts) +
           count_steps(L, list, count) * sizeof(*path);
    converts = lua_newuserdata(L, size);
    path = (const char **)(converts + count);
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(L, list, (int)i + 1);
        path = read_convert(L, &converts[i], path);
        lua_pop(L, 1); /* the list keeps it */
    }
    tool->converts = converts;
    tool->convert_count = count;
}

/* A copy of the file's text; `path` is relative to the app's folder. OWNED:
 * free(). NULL: `message` says why. */
static char *read_file(const struct mcp_host *host, const char *path,
                       char *message, size_t message_size)
{
    const char *folder = path[0] == '/' ? NULL : host->load->folder;
    const char *text, *why = "out of memory";
    char full[4096], *copy = NULL;
    size_t len;

    snprintf(full, sizeof(full), "%s%s%s", folder == NULL ? "" : folder,
             folder == NULL ? "" : "/", path);
    text = mcp_sources_read(host->sources, full, &len);
    if (text == NULL)
        why = access(full, R_OK) != 0 ? strerror(errno) : "not a regular file";
    else if (memchr(text, '\0', len) != NULL)
        why = "it has a NUL byte inside";
    else
        copy = strndup(text, len);
    if (copy == NULL)
        snprintf(message, message_size, "cannot read \"%.512s\": %s", full,
                 why);
    return copy;
}

/* Adds `tool` to the builder; a schema given as a file is read here. Raises
 * nothing. */
static enum mcp_err add_first(const struct mcp_host *host,
                              struct mcp_tool *tool, const char *input_file,
                              const char *output_file, char *message,
                              size_t message_size)
{
    char *input = NULL, *output = NULL;
    enum mcp_err err = MCP_EINVAL;

    if (input_file != NULL) {
        input = read_file(host, input_file, message, message_size);
        if (input == NULL)
            goto done;
        tool->input_schema = input;
    }
    if (output_file != NULL) {
        output = read_file(host, output_file, message, message_size);
        if (output == NULL)
            goto done;
        tool->output_schema = output;
    }
    err =
        mcp_builder_add_tool(host->load->builder, tool, message, message_size);

done:
    free(input);
    free(output);
    return err;
}

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

/* Checks what a follow load declares against `known`, the handler of that kind
 * and name in the generation (NULL: there is none), and ticks it off. */
static enum mcp_err follow(const struct mcp_load *load,
                           const struct mcp_handler *known,
                           const struct mcp_handler *now, char *message,
                           size_t message_size)
{
    const char *kind = mcp_kind_name(now->kind);

    if (known == NULL || known->slot > load->seen_count) {
        snprintf(message, message_size,
                 "%s \"%.128s\" was not declared when the app was loaded the "
                 "first time; an app must declare the same each time",
                 kind, now->name);
        return MCP_ENOENT;
    }
    if (load->seen[known->slot - 1]) {
        snprintf(message, message_size, "%s \"%.128s\" is declared twice", kind,
                 now->name);
        return MCP_EEXIST;
    }
    if (!same_parameters(known, now)) {
        snprintf(message, message_size,
                 "%s \"%.128s\" had other parameters when the app was loaded "
                 "the first time; an app must declare the same each time",
                 kind, now->name);
        return MCP_EINVAL;
    }
    load->seen[known->slot - 1] = 1;
    return MCP_OK;
}

static enum mcp_err follow_tool(const struct mcp_load *load,
                                const struct mcp_tool *tool, size_t *slot,
                                char *message, size_t message_size)
{
    const struct mcp_tool *known =
        mcp_generation_find_tool(load->follow, tool->name, strlen(tool->name));
    struct mcp_handler now = tool->handler;
    enum mcp_err err;

    now.kind = MCP_KIND_TOOL;
    now.name = tool->name;
    err = follow(load, known != NULL ? &known->handler : NULL, &now, message,
                 message_size);
    if (err == MCP_OK)
        *slot = known->handler.slot;
    return err;
}

/* Keeps the field "handler" of the table at 1 in `slot`. */
static void keep_handler(lua_State *L, size_t slot)
{
    lua_rawgeti(L, LUA_REGISTRYINDEX, MCP_REF_HANDLERS);
    lua_getfield(L, 1, "handler");
    lua_rawseti(L, -2, (int)slot);
    lua_pop(L, 1);
}

int mcp_declare_add_tool(lua_State *L)
{
    struct mcp_load *load = mcp_declare_load(L);
    const char *input_file, *output_file;
    char message[MESSAGE_SIZE];
    struct mcp_tool tool = {0};
    size_t slot = 0;
    enum mcp_err err;

    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    luaL_checkstack(L, 24, "add_tool");
    tool.name = field_string(L, "name");
    tool.title = field_string(L, "title");
    tool.description = field_string(L, "description");
    tool.annotations = field_string(L, "annotations");
    tool.icons = field_string(L, "icons");
    tool.meta = field_string(L, "meta");
    tool.input_schema = field_string(L, "input_schema");
    tool.output_schema = field_string(L, "output_schema");
    input_file = field_string(L, "input_schema_file");
    output_file = field_string(L, "output_schema_file");
    tool.file = field_string(L, "file");
    tool.line = (int)field_number(L, "line");
    tool.handler.timeout_s = field_number(L, "timeout");
    tool.assert_format = field_boolean(L, "assert_format");
    field_binds(L, &tool);
    field_converts(L, &tool);
    if (tool.name == NULL)
        return luaL_error(L, "add_tool needs a name");
    if (load->follow == NULL && !tool.input_schema && !input_file)
        return luaL_error(L, "add_tool needs an input schema");

    if (load->follow == NULL) {
        slot = mcp_builder_view(load->builder)->handler_count + 1;
        err = add_first(mcp_host_of(L), &tool, input_file, output_file, message,
                        sizeof(message));
    } else {
        err = follow_tool(load, &tool, &slot, message, sizeof(message));
    }
    if (err != MCP_OK)
        return refuse(L, message);
    keep_handler(L, slot);
    lua_pushboolean(L, 1);
    return 1;
}
