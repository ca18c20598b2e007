/*
 * registry_tool.c - see registry_tool.h
 *
 * A tool is refused here, while the app loads, rather than in front of a
 * client: its name, its texts, its schemas, and the names that its handler
 * wants to be given.
 */
#include "app/registry_tool.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/suggest.h"

enum {
    TOOL_NAME_MAX = 128,     /* bytes; Source: MCP 2026-07-28, server/tools */
    SCHEMA_MAX_DEPTH = 256,  /* nested values of a schema's text            */
    PROPERTY_NAMES_MAX = 256 /* looked at for the nearest name              */
};

static const char name_chars[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "abcdefghijklmnopqrstuvwxyz0123456789_.-";

/* One tool on its way in. */
struct work {
    struct mcp_arena *a;
    const struct mcp_tool *in;
    struct mcp_tool *out;
    bool assert_format;
    char *message;
    size_t message_size;
};

static enum mcp_err no_memory(struct work *w)
{
    snprintf(w->message, w->message_size, "out of memory");
    return MCP_ENOMEM;
}

static enum mcp_err check_name(struct work *w)
{
    const char *name = w->in->name;
    size_t good = strspn(name, name_chars), len = strlen(name);

    if (good == len && len >= 1 && len <= TOOL_NAME_MAX)
        return MCP_OK;
    if (len == 0)
        snprintf(w->message, w->message_size, "the tool's name is empty");
    else if (good == len)
        snprintf(w->message, w->message_size,
                 "the tool's name has %zu bytes; %d are allowed: \"%.40s...\"",
                 len, (int)TOOL_NAME_MAX, name);
    else
        snprintf(w->message, w->message_size,
                 "the tool's name \"%.128s\" has a character that is not one "
                 "of A-Z a-z 0-9 _ . - (byte %zu)",
                 name, good + 1);
    return MCP_EINVAL;
}

/* `*to` is a copy of `from`, which may be NULL; it must be UTF-8. */
static enum mcp_err copy_text(struct work *w, const char *what,
                              const char *from, const char **to)
{
    size_t len, bad;

    if (from == NULL) {
        *to = NULL;
        return MCP_OK;
    }
    len = strlen(from);
    if (!mcp_utf8_valid(from, len, &bad)) {
        snprintf(w->message, w->message_size,
                 "%s is not valid UTF-8 (byte %zu)", what, bad + 1);
        return MCP_EINVAL;
    }
    *to = mcp_arena_dup(w->a, from, len);
    return *to == NULL ? no_memory(w) : MCP_OK;
}

/* Parses text[0..len), which stays where it is. */
static enum mcp_err parse(struct work *w, const char *what, const char *text,
                          size_t len, const struct mcp_json **tree)
{
    struct mcp_json_options options = {.max_depth = SCHEMA_MAX_DEPTH};
    struct mcp_json_error error;
    enum mcp_err err = mcp_json_parse(w->a, text, len, &options, tree, &error);
    size_t line = 1;

    if (err == MCP_OK)
        return MCP_OK;
    if (err == MCP_ENOMEM)
        return no_memory(w);
    for (size_t i = 0; i < error.offset && i < len; i++)
        line += text[i] == '\n';
    snprintf(w->message, w->message_size,
             "%s is not JSON: %s (line %zu, byte %zu)", what, error.reason,
             line, error.offset + 1);
    return MCP_EINVAL;
}

/* A copy of a JSON text that must be of type `type`; NULL stays NULL. */
static enum mcp_err copy_json(struct work *w, const char *what,
                              const char *from, enum mcp_json_type type,
                              const char **to)
{
    const struct mcp_json *tree;
    enum mcp_err err = copy_text(w, what, from, to);

    if (err != MCP_OK || from == NULL)
        return err;
    err = parse(w, what, *to, strlen(*to), &tree);
    if (err != MCP_OK || tree->type == type)
        return err;
    snprintf(w->message, w->message_size, "%s must be %s", what,
             type == MCP_JSON_ARRAY ? "a list" : "a table with string keys");
    return MCP_EINVAL;
}

/* Copies valid JSON without the white space between its tokens; returns the
 * end of the copy. `to` has room for all of it. */
static char *squeeze(char *to, const char *text, size_t len)
{
    bool in_string = false;

    for (size_t i = 0; i < len; i++) {
        char c = text[i];

        if (in_string && c == '\\') {
            *to++ = c;
            c = text[++i]; /* valid JSON never ends behind a backslash */
        } else if (c == '"') {
            in_string = !in_string;
        } else if (!in_string && strchr(" \t\r\n", c) != NULL) {
            continue;
        }
        *to++ = c;
    }
    return to;
}

/* The schema text as clients get it, in the arena, NUL-terminated; `add_type`
 * puts "type":"object" behind the first brace. NULL: the arena is full. */
static char *schema_text(struct mcp_arena *a, const char *text, bool add_type,
                         bool empty)
{
    static const char type[] = "\"type\":\"object\"";
    size_t len = strlen(text);
    char *copy = mcp_arena_alloc(a, len + sizeof(type) + 2), *end;

    if (copy == NULL)
        return NULL;
    end = squeeze(copy, text, len);
    if (add_type) {
        size_t n = sizeof(type) - 1 + !empty;

        memmove(copy + 1 + n, copy + 1, (size_t)(end - copy) - 1);
        memcpy(copy + 1, type, sizeof(type) - 1);
        if (!empty)
            copy[n] = ',';
        end += n;
    }
    *end = '\0';
    return copy;
}

/* An input schema describes an object, and says so at its root. */
static enum mcp_err check_input_root(struct work *w, const struct mcp_json *v,
                                     bool *add_type)
{
    const struct mcp_json *type = mcp_json_find(v, "type");

    *add_type = type == NULL;
    if (v->type != MCP_JSON_OBJECT) {
        snprintf(w->message, w->message_size,
                 "the input schema must be a JSON object, not %s",
                 mcp_json_type_name(v));
        return MCP_EINVAL;
    }
    if (type == NULL || mcp_json_equals_string(type, "object"))
        return MCP_OK;
    if (type->type == MCP_JSON_STRING)
        snprintf(w->message, w->message_size,
                 "the input schema's root type must be \"object\", not "
                 "\"%.*s\"",
                 (int)(type->count < 40 ? type->count : 40), type->u.text);
    else
        snprintf(w->message, w->message_size,
                 "the input schema's root type must be \"object\" alone");
    return MCP_EINVAL;
}

/* Normalizes, parses and compiles one schema. */
static enum mcp_err take_schema(struct work *w, const char *what,
                                const char *from, bool is_input,
                                const char **text, const struct mcp_json **tree,
                                struct mcp_schema **program)
{
    struct mcp_schema_options options = {.assert_format = w->assert_format};
    char why[256];
    bool add_type = false;
    enum mcp_err err = parse(w, what, from, strlen(from), tree);

    if (err == MCP_OK && is_input)
        err = check_input_root(w, *tree, &add_type);
    if (err != MCP_OK)
        return err;
    *text = schema_text(w->a, from, add_type, (*tree)->count == 0);
    if (*text == NULL)
        return no_memory(w);
    err = parse(w, what, *text, strlen(*text), tree);
    if (err != MCP_OK)
        return err;
    err = mcp_schema_compile(*tree, &options, program, why, sizeof(why));
    if (err == MCP_ENOMEM)
        return no_memory(w);
    if (err != MCP_OK)
        snprintf(w->message, w->message_size, "%s: %s", what, why);
    return err == MCP_ELIMIT ? MCP_EINVAL : err;
}

/* May a caller send arguments that `schema` does not list at its root? */
static bool properties_are_open(const struct mcp_json *schema)
{
    static const char *const more[] = {"$ref",
                                       "$dynamicRef",
                                       "allOf",
                                       "anyOf",
                                       "oneOf",
                                       "if",
                                       "dependentSchemas",
                                       "patternProperties"};
    const struct mcp_json *listed = mcp_json_find(schema, "properties");

    for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++)
        if (mcp_json_find(schema, more[i]) != NULL)
            return true;
    return (listed == NULL || listed->count == 0) &&
           !mcp_json_is(mcp_json_find(schema, "additionalProperties"),
                        MCP_JSON_FALSE);
}

static enum mcp_err refuse_bind(struct work *w, const char *name,
                                const struct mcp_json *properties)
{
    const char *names[PROPERTY_NAMES_MAX], *near;
    size_t count = properties == NULL ? 0 : properties->count, kept = 0;

    for (size_t i = 0; i < count && kept < PROPERTY_NAMES_MAX; i++) {
        const struct mcp_json *key = &properties->u.members[i].key;

        names[kept] = mcp_arena_dup(w->a, key->u.text, key->count);
        kept += names[kept] != NULL;
    }
    near = mcp_suggest(name, strlen(name), names, kept);
    if (near != NULL)
        snprintf(w->message, w->message_size,
                 "the handler's parameter \"%.64s\" is no argument of the "
                 "tool; did you mean \"%.64s\"?",
                 name, near);
    else
        snprintf(w->message, w->message_size,
                 "the handler's parameter \"%.64s\" is no argument of the "
                 "tool",
                 name);
    return MCP_EINVAL;
}

/* Every name that the handler wants must be one that a caller may send. */
static enum mcp_err check_binds(struct work *w)
{
    const struct mcp_json *schema = w->out->input_tree;
    const struct mcp_json *properties = mcp_json_find(schema, "properties");
    static const char *const ours[] = {"args", "ctx"};

    for (size_t i = 0; i < 2; i++)
        if (mcp_json_find(properties, ours[i]) != NULL) {
            snprintf(w->message, w->message_size,
                     "an argument may not be called \"%s\": a handler's "
                     "parameter of that name is something else",
                     ours[i]);
            return MCP_EINVAL;
        }
    if (properties_are_open(schema))
        return MCP_OK;
    for (size_t i = 0; i < w->in->handler.bind_count; i++) {
        const struct mcp_bind *bind = &w->in->handler.binds[i];

        if (bind->kind == MCP_BIND_ARGUMENT &&
            mcp_json_find(properties, bind->name) == NULL)
            return refuse_bind(w, bind->name, properties);
    }
    return MCP_OK;
}

static enum mcp_err copy_binds(struct work *w)
{
    size_t count = w->in->handler.bind_count;
    struct mcp_bind *binds;

    w->out->handler.binds = NULL;
    w->out->handler.bind_count = count;
    if (count == 0)
        return MCP_OK;
    binds = mcp_arena_alloc(w->a, count * sizeof(*binds));
    if (binds == NULL)
        return no_memory(w);
    for (size_t i = 0; i < count; i++) {
        enum mcp_err err;

        binds[i].kind = w->in->handler.binds[i].kind;
        err = copy_text(w, "a parameter's name", w->in->handler.binds[i].name,
                        &binds[i].name);
        if (err != MCP_OK)
            return err;
    }
    w->out->handler.binds = binds;
    return MCP_OK;
}

static enum mcp_err copy_path(struct work *w, const struct mcp_convert *in,
                              struct mcp_convert *out)
{
    const char **path = mcp_arena_alloc(w->a, (in->depth + 1) * sizeof(*path));
    enum mcp_err err = path == NULL ? no_memory(w) : MCP_OK;

    for (size_t i = 0; err == MCP_OK && i < in->depth; i++)
        err = copy_text(w, "an argument's name", in->path[i], &path[i]);
    *out = (struct mcp_convert){in->kind, path, in->depth};
    return err;
}

static enum mcp_err copy_converts(struct work *w)
{
    size_t count = w->in->convert_count;
    struct mcp_convert *converts;
    enum mcp_err err = MCP_OK;

    if (count == 0)
        return MCP_OK;
    converts = mcp_arena_alloc(w->a, count * sizeof(*converts));
    if (converts == NULL)
        return no_memory(w);
    for (size_t i = 0; err == MCP_OK && i < count; i++)
        err = copy_path(w, &w->in->converts[i], &converts[i]);
    w->out->converts = converts;
    w->out->convert_count = count;
    return err;
}

static enum mcp_err copy_texts(struct work *w)
{
    const struct mcp_tool *in = w->in;
    struct mcp_tool *out = w->out;
    enum mcp_err err = copy_text(w, "name", in->name, &out->name);

    if (err == MCP_OK)
        err = copy_text(w, "title", in->title, &out->title);
    if (err == MCP_OK)
        err = copy_text(w, "description", in->description, &out->description);
    if (err == MCP_OK)
        err = copy_json(w, "annotations", in->annotations, MCP_JSON_OBJECT,
                        &out->annotations);
    if (err == MCP_OK)
        err = copy_json(w, "icons", in->icons, MCP_JSON_ARRAY, &out->icons);
    if (err == MCP_OK)
        err = copy_json(w, "meta", in->meta, MCP_JSON_OBJECT, &out->meta);
    if (err == MCP_OK && in->file != NULL) {
        out->file = mcp_arena_dup(w->a, in->file, strlen(in->file));
        if (out->file == NULL)
            err = no_memory(w);
    }
    return err;
}

static enum mcp_err copy_schemas(struct work *w)
{
    struct mcp_tool *out = w->out;
    enum mcp_err err =
        take_schema(w, "input_schema", w->in->input_schema, true,
                    &out->input_schema, &out->input_tree, &out->input);

    if (err == MCP_OK && w->in->output_schema != NULL)
        err = take_schema(w, "output_schema", w->in->output_schema, false,
                          &out->output_schema, &out->output_tree, &out->output);
    return err;
}

enum mcp_err mcp_registry_copy_tool(struct mcp_arena *a,
                                    const struct mcp_tool *in,
                                    bool assert_format, struct mcp_tool *out,
                                    char *message, size_t message_size)
{
    struct mcp_tool copy = {.line = in->line,
                            .handler.timeout_s = in->handler.timeout_s,
                            .assert_format = assert_format};
    struct work w = {a, in, &copy, assert_format, message, message_size};
    enum mcp_err err = check_name(&w);

    if (err == MCP_OK &&
        !(in->handler.timeout_s >= 0 && isfinite(in->handler.timeout_s))) {
        snprintf(message, message_size, "timeout must be 0 or more seconds");
        err = MCP_EINVAL;
    }
    if (err == MCP_OK)
        err = copy_texts(&w);
    if (err == MCP_OK)
        err = copy_binds(&w);
    if (err == MCP_OK)
        err = copy_converts(&w);
    if (err == MCP_OK)
        err = copy_schemas(&w);
    if (err == MCP_OK)
        err = check_binds(&w);
    if (err != MCP_OK) {
        mcp_registry_drop_tool(&copy);
        return err;
    }
    *out = copy;
    return MCP_OK;
}

void mcp_registry_drop_tool(struct mcp_tool *tool)
{
    mcp_schema_free(tool->input);
    mcp_schema_free(tool->output);
    tool->input = tool->output = NULL;
}
