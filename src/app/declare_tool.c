/*
 * declare_tool.c - see declare_tool.h; the rule of declare.c holds here too
 */
#include "app/declare_tool.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/declare_field.h"

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

/* The fields that say how the tool runs as a task. */
static void field_task(lua_State *L, struct mcp_tool_task *task)
{
    const char *use = mcp_field_string(L, 1, "task");
    const char *restart = mcp_field_string(L, 1, "restart");

    if (use != NULL)
        task->use = strcmp(use, "required") == 0 ? MCP_TASK_REQUIRED
                                                 : MCP_TASK_OPTIONAL;
    task->input_first = mcp_field_boolean(L, 1, "task_input_before_start");
    task->retry = restart != NULL && strcmp(restart, "retry") == 0;
}

/* A copy of the file's text. OWNED: free(). NULL: `message` says why. */
static char *read_file(const struct mcp_host *host, const char *path,
                       char *message, size_t message_size)
{
    size_t len;
    const char *text =
        mcp_declare_read_file(host, path, &len, message, message_size);
    char *copy = NULL;

    if (text == NULL)
        return NULL;
    if (memchr(text, '\0', len) != NULL) {
        (void)snprintf(message, message_size,
                       "cannot read \"%.512s\": it has a NUL byte inside",
                       path);
        return NULL;
    }
    copy = strndup(text, len);
    if (copy == NULL)
        (void)snprintf(message, message_size, "out of memory");
    return copy;
}

/* What is wrong with a schema is told with its file in front. */
static void name_file(const char *what, const char *file, char *message,
                      size_t message_size)
{
    char text[MCP_DECLARE_MESSAGE_SIZE];

    if (file == NULL || strncmp(message, what, strlen(what)) != 0)
        return;
    (void)snprintf(text, sizeof(text), "%.256s: %.700s", file, message);
    (void)snprintf(message, message_size, "%s", text);
}

enum mcp_err mcp_declare_with_files(
    const struct mcp_host *host, struct mcp_tool *tool,
    const struct mcp_declare_files *files,
    enum mcp_err (*add)(void *user, const struct mcp_tool *tool, char *message,
                        size_t message_size),
    void *user, char *message, size_t message_size)
{
    char *input = NULL, *output = NULL;
    enum mcp_err err = MCP_EINVAL;

    if (files->input != NULL) {
        input = read_file(host, files->input, message, message_size);
        if (input == NULL)
            goto done;
        tool->input_schema = input;
    }
    if (files->output != NULL) {
        output = read_file(host, files->output, message, message_size);
        if (output == NULL)
            goto done;
        tool->output_schema = output;
    }
    err = add(user, tool, message, message_size);
    if (err != MCP_OK) {
        name_file("input_schema", files->input, message, message_size);
        name_file("output_schema", files->output, message, message_size);
    }

done:
    free(input);
    free(output);
    return err;
}

static enum mcp_err add_to_builder(void *builder, const struct mcp_tool *tool,
                                   char *message, size_t message_size)
{
    return mcp_builder_add_tool(builder, tool, message, message_size);
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
    now.slot = 1;
    err = mcp_declare_follow(load, known != NULL ? &known->handler : NULL, &now,
                             message, message_size);
    if (err == MCP_OK)
        *slot = known->handler.slot;
    return err;
}

/* The list field "outside"; it lives as long as what this leaves on the stack.
 */
static void field_outside(lua_State *L, struct mcp_tool *tool)
{
    const char **names;
    size_t count;

    lua_getfield(L, 1, "outside");
    if (lua_isnil(L, -1))
        return;
    luaL_checktype(L, -1, LUA_TTABLE);
    count = lua_objlen(L, -1);
    names = lua_newuserdata(L, (count + 1) * sizeof(*names));
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(L, -2, (int)i + 1);
        names[i] = luaL_checkstring(L, -1);
        lua_pop(L, 1); /* the list keeps it */
    }
    tool->has_data = true;
    tool->outside = names;
    tool->outside_count = count;
}

void mcp_declare_read_signature(lua_State *L, struct mcp_tool *tool,
                                struct mcp_declare_files *files)
{
    tool->title = mcp_field_string(L, 1, "title");
    tool->description = mcp_field_string(L, 1, "description");
    tool->icons = mcp_field_string(L, 1, "icons");
    tool->meta = mcp_field_string(L, 1, "meta");
    tool->input_schema = mcp_field_string(L, 1, "input_schema");
    tool->output_schema = mcp_field_string(L, 1, "output_schema");
    files->input = mcp_field_string(L, 1, "input_schema_file");
    files->output = mcp_field_string(L, 1, "output_schema_file");
    tool->file = mcp_field_string(L, 1, "file");
    tool->line = (int)mcp_field_number(L, 1, "line", 0);
    tool->handler.timeout_s = mcp_field_number(L, 1, "timeout", 0);
    tool->assert_format = mcp_field_boolean(L, 1, "assert_format");
    field_task(L, &tool->task);
    mcp_field_binds(L, &tool->handler);
    field_converts(L, tool);
    field_outside(L, tool);
}

int mcp_declare_add_tool(lua_State *L)
{
    struct mcp_load *load = mcp_declare_load(L);
    struct mcp_declare_files files;
    char message[MCP_DECLARE_MESSAGE_SIZE];
    struct mcp_tool tool = {0};
    size_t slot = 0;
    enum mcp_err err;

    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    luaL_checkstack(L, 32, "add_tool");
    tool.name = mcp_field_string(L, 1, "name");
    tool.annotations = mcp_field_string(L, 1, "annotations");
    mcp_declare_read_signature(L, &tool, &files);
    if (tool.name == NULL)
        return luaL_error(L, "add_tool needs a name");
    if (load->follow == NULL && !tool.input_schema && !files.input)
        return luaL_error(L, "add_tool needs an input schema");

    if (load->follow == NULL) {
        slot = mcp_builder_view(load->builder)->handler_count + 1;
        err = mcp_declare_with_files(mcp_host_of(L), &tool, &files,
                                     add_to_builder, load->builder, message,
                                     sizeof(message));
    } else {
        err = follow_tool(load, &tool, &slot, message, sizeof(message));
    }
    if (err != MCP_OK)
        return mcp_declare_refuse(L, message);
    mcp_declare_keep(L, 1, slot);
    lua_pushboolean(L, 1);
    return 1;
}
