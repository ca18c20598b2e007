/*
 * call_item.c - see call_item.h
 */
#include "cli/call_item.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/suggest.h"
#include "cli/call_arguments.h"

enum { NAMES_MAX = 256, SCHEMA_BYTES = 1 << 20 };

static enum mcp_err refuse(const struct mcp_generation *gen,
                           const struct mcp_cli *cli, char *message,
                           size_t message_size)
{
    const char *names[NAMES_MAX], *near, *name = cli->tool;
    size_t count = 0;

    for (size_t i = 0; i < gen->tool_count && count < NAMES_MAX; i++)
        names[count++] = gen->tools[i].name;
    for (size_t i = 0; i < gen->prompt_count && count < NAMES_MAX; i++)
        names[count++] = gen->prompts[i].name;
    near = mcp_suggest(name, strlen(name), names, count);
    if (near != NULL)
        (void)snprintf(message, message_size,
                       "there is no tool \"%.128s\"; did you mean \"%s\"?",
                       name, near);
    else
        (void)snprintf(message, message_size,
                       "there is no tool \"%.128s\"; mcpluad list %s tells "
                       "which there are",
                       name, cli->app);
    return MCP_EINVAL;
}

/* The arguments of prompts are strings: { "properties": { ... } }. NULL: out
 * of memory. */
static const struct mcp_json *strings_of(const struct mcp_prompt *prompt,
                                         struct mcp_arena *arena)
{
    const struct mcp_json *tree = NULL;
    struct mcp_buf b;
    char *text;

    mcp_buf_init(&b, SCHEMA_BYTES);
    mcp_buf_puts(&b, "{\"properties\":{");
    for (size_t i = 0; i < prompt->argument_count; i++) {
        mcp_buf_puts(&b, i > 0 ? "," : "");
        mcp_json_write_cstring(&b, prompt->arguments[i].name);
        mcp_buf_puts(&b, ":{\"type\":\"string\"}");
    }
    mcp_buf_puts(&b, "}}");
    text = b.failed ? NULL : mcp_arena_dup(arena, b.data, b.len);
    if (text == NULL ||
        mcp_json_parse(arena, text, b.len, NULL, &tree, NULL) != MCP_OK)
        tree = NULL;
    mcp_buf_free(&b);
    return tree;
}

static enum mcp_err write_uri(struct mcp_buf *params, const struct mcp_cli *cli,
                              char *message, size_t message_size)
{
    if (cli->arguments != NULL || cli->pair_count > 0) {
        (void)snprintf(
            message, message_size,
            "a resource takes no arguments; write them into the URI");
        return MCP_EINVAL;
    }
    mcp_buf_puts(params, "\"uri\":");
    mcp_json_write_cstring(params, cli->tool);
    return MCP_OK;
}

static enum mcp_err write_named(struct mcp_buf *params,
                                const struct mcp_cli *cli,
                                const struct mcp_json *schema,
                                struct mcp_arena *arena, char *message,
                                size_t message_size)
{
    mcp_buf_puts(params, "\"name\":");
    mcp_json_write_cstring(params, cli->tool);
    mcp_buf_puts(params, ",\"arguments\":");
    return mcp_call_arguments_write(params, cli->arguments, cli->pairs,
                                    cli->pair_count, schema, arena, message,
                                    message_size);
}

enum mcp_err
mcp_call_item_write(struct mcp_buf *params, struct mcp_call_item *item,
                    const struct mcp_generation *gen, const struct mcp_cli *cli,
                    struct mcp_arena *arena, char *message, size_t message_size)
{
    const char *name = cli->tool;
    const struct mcp_tool *tool =
        mcp_generation_find_tool(gen, name, strlen(name));
    const struct mcp_prompt *prompt =
        mcp_generation_find_prompt(gen, name, strlen(name));
    const struct mcp_json *schema;

    if (tool != NULL) {
        *item = (struct mcp_call_item){"tool", "tools/call"};
        schema = tool->input_tree;
    } else if (strstr(name, "://") != NULL) {
        *item = (struct mcp_call_item){"resource", "resources/read"};
        return write_uri(params, cli, message, message_size);
    } else if (prompt != NULL) {
        *item = (struct mcp_call_item){"prompt", "prompts/get"};
        schema = strings_of(prompt, arena);
        if (schema == NULL)
            return MCP_ENOMEM;
    } else {
        return refuse(gen, cli, message, message_size);
    }
    return write_named(params, cli, schema, arena, message, message_size);
}
