/*
 * mirror.c - see mirror.h
 *
 * Annotations are counted twice: those reached over `properties` alone, and
 * all that the schema holds. A difference means that one is where no client
 * would look.
 */
#include "features/mirror.h"

#include <stdio.h>
#include <strings.h>

#define KEYWORD "x-mcp-header"

enum { MAX_MIRRORS = 64, MAX_DEPTH = 32 };

struct finder {
    const struct mcp_tool *tool;
    struct mcp_arena *arena;
    struct mcp_mirror found[MAX_MIRRORS];
    size_t count;
    const struct mcp_json *path[MAX_DEPTH];
    char *message;
    size_t message_size;
};

static enum mcp_err refuse(const struct finder *f, const char *why)
{
    const struct mcp_tool *tool = f->tool;

    if (tool->file != NULL)
        snprintf(f->message, f->message_size,
                 "%s:%d: tool \"%s\": " KEYWORD " %s", tool->file, tool->line,
                 tool->name, why);
    else
        snprintf(f->message, f->message_size, "tool \"%s\": " KEYWORD " %s",
                 tool->name, why);
    return MCP_EINVAL;
}

static bool is_token(const struct mcp_json *name)
{
    static const char symbols[] = "!#$%&'*+-.^_`|~";

    for (uint32_t i = 0; i < name->count; i++) {
        char c = name->u.text[i];
        bool alnum = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
                     (c >= 'a' && c <= 'z');

        if (!alnum && (c == '\0' || strchr(symbols, c) == NULL))
            return false;
    }
    return name->count > 0;
}

static bool has_header_form(const struct mcp_json *schema)
{
    const struct mcp_json *type = mcp_json_find(schema, "type");

    return mcp_json_equals_string(type, "string") ||
           mcp_json_equals_string(type, "integer") ||
           mcp_json_equals_string(type, "boolean");
}

static enum mcp_err add(struct finder *f, const struct mcp_json *schema,
                        const struct mcp_json *name, size_t depth)
{
    const struct mcp_json **path;
    struct mcp_mirror *m;

    if (!mcp_json_is(name, MCP_JSON_STRING) || !is_token(name))
        return refuse(f, "must be a header token such as \"Region\"");
    if (!has_header_form(schema))
        return refuse(f, "needs a property of type string, integer or boolean");
    if (f->count == MAX_MIRRORS)
        return refuse(f, "is used more than 64 times");
    m = &f->found[f->count];
    m->header = mcp_arena_printf(f->arena, "Mcp-Param-%.*s", (int)name->count,
                                 name->u.text);
    path = mcp_arena_alloc(f->arena, depth * sizeof(*path));
    if (m->header == NULL || path == NULL)
        return MCP_ENOMEM;
    for (size_t i = 0; i < f->count; i++)
        if (strcasecmp(f->found[i].header, m->header) == 0)
            return refuse(f, "names the same header twice");
    memcpy(path, f->path, depth * sizeof(*path));
    m->path = path;
    m->depth = depth;
    f->count++;
    return MCP_OK;
}

/* The annotations reached from `schema` over `properties` alone. */
static enum mcp_err walk(struct finder *f, const struct mcp_json *schema,
                         size_t depth)
{
    const struct mcp_json *properties = mcp_json_find(schema, "properties");

    if (!mcp_json_is(properties, MCP_JSON_OBJECT) || depth == MAX_DEPTH)
        return MCP_OK;
    for (uint32_t i = 0; i < properties->count; i++) {
        const struct mcp_json_member *m = &properties->u.members[i];
        const struct mcp_json *name = mcp_json_find(&m->value, KEYWORD);
        enum mcp_err err;

        f->path[depth] = &m->key;
        err = name == NULL ? MCP_OK : add(f, &m->value, name, depth + 1);
        if (err == MCP_OK)
            err = walk(f, &m->value, depth + 1);
        if (err != MCP_OK)
            return err;
    }
    return MCP_OK;
}

static bool is_data(const struct mcp_json *key)
{
    return mcp_json_equals_string(key, "const") ||
           mcp_json_equals_string(key, "enum") ||
           mcp_json_equals_string(key, "default") ||
           mcp_json_equals_string(key, "examples");
}

/* All annotations in `v`, wherever. `is_map`: the members of `v` are names,
 * not keywords. */
static size_t count_all(const struct mcp_json *v, bool is_map)
{
    size_t n = 0;

    if (v->type == MCP_JSON_ARRAY)
        for (uint32_t i = 0; i < v->count; i++)
            n += count_all(&v->u.items[i], false);
    if (v->type != MCP_JSON_OBJECT)
        return n;
    for (uint32_t i = 0; i < v->count; i++) {
        const struct mcp_json_member *m = &v->u.members[i];
        bool is_keyword = !is_map;

        if (is_keyword && mcp_json_equals_string(&m->key, KEYWORD))
            n++;
        if (is_keyword && is_data(&m->key))
            continue;
        n += count_all(&m->value,
                       is_keyword &&
                           (mcp_json_equals_string(&m->key, "properties") ||
                            mcp_json_equals_string(&m->key, "$defs")));
    }
    return n;
}

enum mcp_err mcp_mirrors_find(const struct mcp_tool *tool, struct mcp_arena *a,
                              struct mcp_mirrors *out, char *message,
                              size_t message_size)
{
    struct finder f = {.tool = tool,
                       .arena = a,
                       .message = message,
                       .message_size = message_size};
    struct mcp_mirror *items;
    enum mcp_err err = walk(&f, tool->input_tree, 0);

    if (err == MCP_ENOMEM)
        snprintf(message, message_size, "out of memory");
    if (err != MCP_OK)
        return err;
    if (count_all(tool->input_tree, false) != f.count)
        return refuse(&f, "is only allowed on properties that are reached over "
                          "\"properties\" alone");
    items = mcp_arena_alloc(a, f.count * sizeof(*items));
    if (items == NULL && f.count > 0) {
        snprintf(message, message_size, "out of memory");
        return MCP_ENOMEM;
    }
    if (f.count > 0)
        memcpy(items, f.found, f.count * sizeof(*items));
    out->items = items;
    out->count = f.count;
    return MCP_OK;
}

const struct mcp_json *mcp_mirror_value(const struct mcp_mirror *mirror,
                                        const struct mcp_json *arguments)
{
    const struct mcp_json *v = arguments;

    for (size_t i = 0; i < mirror->depth && v != NULL; i++)
        v = mcp_json_find_n(v, mirror->path[i]->u.text, mirror->path[i]->count);
    return v;
}
