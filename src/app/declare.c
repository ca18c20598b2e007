/*
 * declare.c - see declare.h
 *
 * Rule: lua_error jumps over C frames. So every function here reads and checks
 * its arguments first (they stay anchored on the Lua stack), works second,
 * pushes results last, and holds no C memory across a Lua call that may raise;
 * where bytes must cross into Lua they cross in a protected call.
 */
#include "app/declare.h"

#include <errno.h>
#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/host.h"
#include "app/registry.h"
#include "app/sources.h"
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

/* The load that this state is in. Raises inside a call. */
static struct mcp_load *load_of(lua_State *L)
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
    tool->binds = binds;
    tool->bind_count = count;
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

/* Finds `tool` in the generation that this load follows; `*index` gets its
 * place. */
static enum mcp_err add_following(const struct mcp_load *load,
                                  const struct mcp_tool *tool, size_t *index,
                                  char *message, size_t message_size)
{
    const struct mcp_tool *known =
        mcp_generation_find_tool(load->follow, tool->name, strlen(tool->name));
    size_t same = 0;

    if (known == NULL || known->index >= load->seen_count) {
        snprintf(message, message_size,
                 "tool \"%.128s\" was not declared when the app was loaded the "
                 "first time; an app must declare the same each time",
                 tool->name);
        return MCP_ENOENT;
    }
    if (load->seen[known->index]) {
        snprintf(message, message_size, "tool \"%.128s\" is declared twice",
                 tool->name);
        return MCP_EEXIST;
    }
    while (same < known->bind_count && same < tool->bind_count &&
           strcmp(known->binds[same].name, tool->binds[same].name) == 0)
        same++;
    if (same != known->bind_count || same != tool->bind_count) {
        snprintf(message, message_size,
                 "tool \"%.128s\" had other parameters when the app was loaded "
                 "the first time; an app must declare the same each time",
                 tool->name);
        return MCP_EINVAL;
    }
    load->seen[known->index] = 1;
    *index = known->index;
    return MCP_OK;
}

/* Keeps the field "handler" of the table at 1 under `index`. */
static void keep_handler(lua_State *L, size_t index)
{
    lua_rawgeti(L, LUA_REGISTRYINDEX, MCP_REF_TOOLS);
    lua_getfield(L, 1, "handler");
    lua_rawseti(L, -2, (int)index + 1);
    lua_pop(L, 1);
}

/* add_tool{...} -> true | nil, message */
static int core_add_tool(lua_State *L)
{
    struct mcp_load *load = load_of(L);
    const char *input_file, *output_file;
    char message[MESSAGE_SIZE];
    struct mcp_tool tool = {0};
    size_t index = 0;
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
    tool.timeout_s = field_number(L, "timeout");
    tool.assert_format = field_boolean(L, "assert_format");
    field_binds(L, &tool);
    if (tool.name == NULL)
        return luaL_error(L, "add_tool needs a name");
    if (load->follow == NULL && !tool.input_schema && !input_file)
        return luaL_error(L, "add_tool needs an input schema");

    if (load->follow == NULL) {
        index = mcp_builder_view(load->builder)->tool_count;
        err = add_first(mcp_host_of(L), &tool, input_file, output_file, message,
                        sizeof(message));
    } else {
        err = add_following(load, &tool, &index, message, sizeof(message));
    }
    if (err != MCP_OK)
        return refuse(L, message);
    keep_handler(L, index);
    lua_pushboolean(L, 1);
    return 1;
}

/* set_option(name, text) -> true | nil, message
 * A follow load changes nothing: the generation has its options. */
static int core_set_option(lua_State *L)
{
    struct mcp_load *load = load_of(L);
    const char *name = luaL_checkstring(L, 1);
    size_t len;
    const char *text = luaL_checklstring(L, 2, &len);
    char message[MESSAGE_SIZE];

    if (strlen(text) != len)
        return refuse(L, "the value has a NUL character inside");
    if (load->follow == NULL &&
        mcp_config_set(mcp_builder_config(load->builder), name, text,
                       MCP_FROM_APP, message, sizeof(message)) != MCP_OK)
        return refuse(L, message);
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

/* What the load fills or follows. */
static const struct mcp_generation *generation_of(const struct mcp_load *load)
{
    return load->follow != NULL ? load->follow
                                : mcp_builder_view(load->builder);
}

/* following() -> boolean */
static int core_following(lua_State *L)
{
    lua_pushboolean(L, load_of(L)->follow != NULL);
    return 1;
}

/* extra_arguments() -> boolean */
static int core_extra_arguments(lua_State *L)
{
    lua_pushboolean(L, generation_of(load_of(L))->config->extra_arguments);
    return 1;
}

/* tool_count() -> number of tools declared so far in this load */
static int core_tool_count(lua_State *L)
{
    const struct mcp_load *load = load_of(L);
    size_t count = 0;

    if (load->follow == NULL)
        count = mcp_builder_view(load->builder)->tool_count;
    for (size_t i = 0; load->follow != NULL && i < load->seen_count; i++)
        count += load->seen[i] != 0;
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
        {"add_tool", core_add_tool},
        {"set_option", core_set_option},
        {"option_names", core_option_names},
        {"following", core_following},
        {"extra_arguments", core_extra_arguments},
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
    lua_rawseti(L, LUA_REGISTRYINDEX, MCP_REF_TOOLS);
}

const char *mcp_declare_missing(const struct mcp_load *load, char *message,
                                size_t message_size)
{
    for (size_t i = 0; load->follow != NULL && i < load->seen_count; i++) {
        if (load->seen[i])
            continue;
        snprintf(message, message_size,
                 "tool \"%.128s\" was declared when the app was loaded the "
                 "first time, and not now; an app must declare the same each "
                 "time",
                 load->follow->tools[i].name);
        return message;
    }
    return NULL;
}
