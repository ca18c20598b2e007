/*
 * call_arguments.c - see call_arguments.h
 */
#include "cli/call_arguments.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Does the type of `schema` (a name or a list of names) include `name`? */
static bool has_type(const struct mcp_json *schema, const char *name)
{
    const struct mcp_json *type = mcp_json_find(schema, "type");

    if (mcp_json_is(type, MCP_JSON_ARRAY))
        for (uint32_t i = 0; i < type->count; i++)
            if (mcp_json_equals_string(&type->u.items[i], name))
                return true;
    return mcp_json_equals_string(type, name);
}

/* Is the text one of the values of `schema`, which are listed? */
static bool is_listed(const struct mcp_json *schema, const char *text)
{
    const struct mcp_json *list = mcp_json_find(schema, "enum");

    if (mcp_json_is(list, MCP_JSON_ARRAY))
        for (uint32_t i = 0; i < list->count; i++)
            if (mcp_json_equals_string(&list->u.items[i], text))
                return true;
    return mcp_json_equals_string(mcp_json_find(schema, "const"), text);
}

static void write_value(struct mcp_buf *out, const char *text,
                        const struct mcp_json *schema, struct mcp_arena *arena)
{
    const struct mcp_json *tree;

    if (!has_type(schema, "string") && !is_listed(schema, text) &&
        mcp_json_parse(arena, text, strlen(text), NULL, &tree, NULL) == MCP_OK)
        mcp_json_write(out, tree);
    else
        mcp_json_write_cstring(out, text);
}

/* Length of the key of "key=value". */
static size_t key_len(const char *pair)
{
    return strcspn(pair, "=");
}

static bool is_same_key(const char *pair, const char *key, size_t len)
{
    return key_len(pair) == len && memcmp(pair, key, len) == 0;
}

static enum mcp_err check_pair(char *const *pairs, size_t i, char *message,
                               size_t message_size)
{
    size_t len = key_len(pairs[i]);

    if (!mcp_utf8_valid(pairs[i], strlen(pairs[i]), NULL)) {
        (void)snprintf(message, message_size,
                       "the argument \"%.*s\" is not valid UTF-8",
                       (int)(len < 60 ? len : 60), pairs[i]);
        return MCP_EINVAL;
    }
    for (size_t j = 0; j < i; j++)
        if (is_same_key(pairs[j], pairs[i], len)) {
            (void)snprintf(message, message_size,
                           "the argument \"%.*s\" is given twice",
                           (int)(len < 60 ? len : 60), pairs[i]);
            return MCP_EINVAL;
        }
    return MCP_OK;
}

static enum mcp_err parse_object(const char *json, struct mcp_arena *arena,
                                 const struct mcp_json **tree, char *message,
                                 size_t message_size)
{
    struct mcp_json_error e = {.reason = ""};
    enum mcp_err err =
        mcp_json_parse(arena, json, strlen(json), NULL, tree, &e);

    if (err == MCP_ENOMEM)
        return err;
    if (err != MCP_OK)
        (void)snprintf(message, message_size, "--json: %s at byte %zu",
                       e.reason, e.offset);
    else if ((*tree)->type != MCP_JSON_OBJECT)
        (void)snprintf(message, message_size,
                       "--json must be an object: {\"name\": value, ...}");
    else
        return MCP_OK;
    return MCP_EINVAL;
}

static bool is_overruled(const struct mcp_json *key, char *const *pairs,
                         size_t pair_count)
{
    for (size_t i = 0; i < pair_count; i++)
        if (is_same_key(pairs[i], key->u.text, key->count))
            return true;
    return false;
}

enum mcp_err mcp_call_arguments_write(struct mcp_buf *out, const char *json,
                                      char *const *pairs, size_t pair_count,
                                      const struct mcp_json *schema,
                                      struct mcp_arena *arena, char *message,
                                      size_t message_size)
{
    const struct mcp_json *properties = mcp_json_find(schema, "properties");
    const struct mcp_json *given = NULL;
    const char *between = "";
    enum mcp_err err = MCP_OK;

    if (json != NULL)
        err = parse_object(json, arena, &given, message, message_size);
    mcp_buf_putc(out, '{');
    for (uint32_t i = 0; err == MCP_OK && given != NULL && i < given->count;
         i++) {
        const struct mcp_json_member *m = &given->u.members[i];

        if (is_overruled(&m->key, pairs, pair_count))
            continue;
        mcp_buf_puts(out, between);
        mcp_json_write(out, &m->key);
        mcp_buf_putc(out, ':');
        mcp_json_write(out, &m->value);
        between = ",";
    }
    for (size_t i = 0; err == MCP_OK && i < pair_count; i++) {
        size_t len = key_len(pairs[i]);

        err = check_pair(pairs, i, message, message_size);
        if (err != MCP_OK)
            break;
        mcp_buf_puts(out, between);
        mcp_json_write_string(out, pairs[i], len);
        mcp_buf_putc(out, ':');
        write_value(out, pairs[i] + len + 1,
                    mcp_json_find_n(properties, pairs[i], len), arena);
        between = ",";
    }
    mcp_buf_putc(out, '}');
    return err == MCP_OK && out->failed ? MCP_ENOMEM : err;
}
