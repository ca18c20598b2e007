/*
 * registry_tool.c - see registry_tool.h
 *
 * A tool is refused here, while the app loads, rather than in front of a
 * client: its name, its texts, its schemas, and the names that its handler
 * wants to be given.
 */
#include "app/registry_tool.h"

#include <stdio.h>
#include <string.h>

#include "app/annotation.h"
#include "base/log.h"
#include "base/suggest.h"

/* One tool on its way in. */
struct work {
    struct mcp_copy *c;
    const char *kind; /* "tool", "route" */
    const struct mcp_tool *in;
    struct mcp_tool *out;
    bool assert_format;
};

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
        return mcp_copy_refuse(w->c,
                               "the input schema must be a JSON object, not %s",
                               mcp_json_type_name(v));
    }
    if (type == NULL || mcp_json_equals_string(type, "object"))
        return MCP_OK;
    if (type->type == MCP_JSON_STRING)
        return mcp_copy_refuse(
            w->c,
            "the input schema's root type must be \"object\", not \"%.*s\"",
            (int)(type->count < 40 ? type->count : 40), type->u.text);
    return mcp_copy_refuse(
        w->c, "the input schema's root type must be \"object\" alone");
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
    enum mcp_err err = mcp_copy_parse(w->c, what, from, strlen(from), tree);

    if (err == MCP_OK && is_input)
        err = check_input_root(w, *tree, &add_type);
    if (err != MCP_OK)
        return err;
    *text = schema_text(w->c->a, from, add_type, (*tree)->count == 0);
    if (*text == NULL)
        return mcp_copy_no_memory(w->c);
    err = mcp_copy_parse(w->c, what, *text, strlen(*text), tree);
    if (err != MCP_OK)
        return err;
    err = mcp_schema_compile(*tree, &options, program, why, sizeof(why));
    if (err == MCP_ENOMEM)
        return mcp_copy_no_memory(w->c);
    return err != MCP_OK ? mcp_copy_refuse(w->c, "%s: %s", what, why) : err;
}

/* Can it be that `schema` describes members elsewhere than in "properties"? */
static bool describes_elsewhere(const struct mcp_json *schema)
{
    static const char *const more[] = {"$ref",
                                       "$dynamicRef",
                                       "allOf",
                                       "anyOf",
                                       "oneOf",
                                       "if",
                                       "dependentSchemas",
                                       "patternProperties"};

    for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++)
        if (mcp_json_find(schema, more[i]) != NULL)
            return true;
    return false;
}

/* May a caller send arguments that `schema` does not list at its root? */
static bool properties_are_open(const struct mcp_json *schema)
{
    const struct mcp_json *listed = mcp_json_find(schema, "properties");

    if (describes_elsewhere(schema))
        return true;
    return (listed == NULL || listed->count == 0) &&
           !mcp_json_is(mcp_json_find(schema, "additionalProperties"),
                        MCP_JSON_FALSE);
}

/* A handler with parameters under a schema that says nothing at all of members:
 * a slip, as "propertis" or the properties without "properties" around them. */
static enum mcp_err check_root(struct work *w, const struct mcp_json *schema)
{
    static const char *const wanted[] = {"properties"};
    const struct mcp_handler *h = &w->in->handler;
    const struct mcp_json *near = NULL;
    size_t i = 0;

    while (i < h->bind_count && h->binds[i].kind != MCP_BIND_ARGUMENT)
        i++;
    if (i == h->bind_count || describes_elsewhere(schema) ||
        mcp_json_find(schema, "properties") != NULL ||
        mcp_json_find(schema, "additionalProperties") != NULL)
        return MCP_OK;
    for (uint32_t n = 0; n < schema->count && near == NULL; n++) {
        const struct mcp_json *key = &schema->u.members[n].key;

        if (mcp_suggest(key->u.text, key->count, wanted, 1) != NULL)
            near = key;
    }
    if (near != NULL)
        return mcp_copy_refuse(w->c,
                               "the handler's parameter \"%s\" is no argument "
                               "of the %s: the input schema has \"%.*s\"; "
                               "did you mean \"properties\"?",
                               h->binds[i].name, w->kind, (int)near->count,
                               near->u.text);
    return mcp_copy_refuse(w->c,
                           "the handler's parameter \"%s\" is no argument of "
                           "the %s: the input schema has no \"properties\" "
                           "that list it",
                           h->binds[i].name, w->kind);
}

/* The same when the fields of `data` are among the properties: they reach the
 * handler as that one table. */
static enum mcp_err check_outside(struct work *w, const char *of_what)
{
    size_t count = w->out->outside_count;
    const char **names = mcp_arena_alloc(w->c->a, (count + 1) * sizeof(*names));

    if (names == NULL)
        return mcp_copy_no_memory(w->c);
    for (size_t i = 0; i < count; i++)
        names[i] = w->out->outside[i];
    names[count] = "data";
    return mcp_copy_check_binds(w->c, &w->in->handler, names, count + 1,
                                of_what);
}

/* Is every name that the handler wants one of the schema's properties? */
static enum mcp_err check_names(struct work *w,
                                const struct mcp_json *properties)
{
    size_t count = properties == NULL ? 0 : properties->count;
    const char **names = mcp_arena_alloc(w->c->a, (count + 1) * sizeof(*names));
    char of_what[32];

    if (names == NULL)
        return mcp_copy_no_memory(w->c);
    (void)snprintf(of_what, sizeof(of_what), "argument of the %s", w->kind);
    if (w->in->has_data)
        return check_outside(w, of_what);
    for (size_t i = 0; i < count; i++) {
        const struct mcp_json *key = &properties->u.members[i].key;

        names[i] = mcp_arena_dup(w->c->a, key->u.text, key->count);
        if (names[i] == NULL)
            return mcp_copy_no_memory(w->c);
    }
    return mcp_copy_check_binds(w->c, &w->in->handler, names, count, of_what);
}

/* Every name that the handler wants must be one that a caller may send. */
static enum mcp_err check_binds(struct work *w)
{
    const struct mcp_json *schema = w->out->input_tree;
    const struct mcp_json *properties = mcp_json_find(schema, "properties");
    static const char *const ours[] = {"args", "ctx"};
    enum mcp_err err = check_root(w, schema);

    if (err != MCP_OK)
        return err;

    for (size_t i = 0; i < 2; i++)
        if (mcp_json_find(properties, ours[i]) != NULL)
            return mcp_copy_refuse(
                w->c,
                "an argument may not be called \"%s\": a handler's parameter "
                "of that name is something else",
                ours[i]);
    return properties_are_open(schema) ? MCP_OK : check_names(w, properties);
}

static enum mcp_err copy_path(struct work *w, const struct mcp_convert *in,
                              struct mcp_convert *out)
{
    const char **path =
        mcp_arena_alloc(w->c->a, (in->depth + 1) * sizeof(*path));
    enum mcp_err err = path == NULL ? mcp_copy_no_memory(w->c) : MCP_OK;

    for (size_t i = 0; err == MCP_OK && i < in->depth; i++)
        err = mcp_copy_text(w->c, "an argument's name", in->path[i], &path[i]);
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
    converts = mcp_arena_alloc(w->c->a, count * sizeof(*converts));
    if (converts == NULL)
        return mcp_copy_no_memory(w->c);
    for (size_t i = 0; err == MCP_OK && i < count; i++)
        err = copy_path(w, &w->in->converts[i], &converts[i]);
    w->out->converts = converts;
    w->out->convert_count = count;
    return err;
}

static enum mcp_err copy_outside(struct work *w)
{
    size_t count = w->in->outside_count;
    const char **names = mcp_arena_alloc(w->c->a, (count + 1) * sizeof(*names));
    enum mcp_err err = names == NULL ? mcp_copy_no_memory(w->c) : MCP_OK;

    for (size_t i = 0; err == MCP_OK && i < count; i++)
        err = mcp_copy_text(w->c, "an argument's name", w->in->outside[i],
                            &names[i]);
    w->out->has_data = w->in->has_data;
    w->out->outside = names;
    w->out->outside_count = count;
    return err;
}

/* Annotations that are slips are kept, as all are, and told. */
static enum mcp_err check_annotations(struct work *w)
{
    const char *text = w->out->annotations;
    const struct mcp_json *tree;
    enum mcp_err err;

    if (text == NULL)
        return MCP_OK;
    err = mcp_copy_parse(w->c, "annotations", text, strlen(text), &tree);
    for (uint32_t i = 0; err == MCP_OK && i < tree->count; i++) {
        const struct mcp_json *key = &tree->u.members[i].key;
        const char *meant = mcp_annotation_meant(key->u.text, key->count);

        if (meant != NULL)
            mcp_log(MCP_LOG_WARNING, "app",
                    "%s:%d: tool \"%s\": no client knows the annotation "
                    "\"%.*s\"; did you mean \"%s\"?",
                    w->in->file != NULL ? w->in->file : "?", w->in->line,
                    w->in->name, (int)key->count, key->u.text, meant);
    }
    return err;
}

static enum mcp_err copy_texts(struct work *w)
{
    const struct mcp_tool *in = w->in;
    struct mcp_tool *out = w->out;
    enum mcp_err err = mcp_copy_text(w->c, "name", in->name, &out->name);

    if (err == MCP_OK)
        err = mcp_copy_text(w->c, "title", in->title, &out->title);
    if (err == MCP_OK)
        err = mcp_copy_text(w->c, "description", in->description,
                            &out->description);
    if (err == MCP_OK)
        err = mcp_copy_json(w->c, "annotations", in->annotations,
                            MCP_JSON_OBJECT, &out->annotations);
    if (err == MCP_OK)
        err = check_annotations(w);
    if (err == MCP_OK)
        err = mcp_copy_json(w->c, "icons", in->icons, MCP_JSON_ARRAY,
                            &out->icons);
    if (err == MCP_OK)
        err =
            mcp_copy_json(w->c, "meta", in->meta, MCP_JSON_OBJECT, &out->meta);
    if (err == MCP_OK)
        err = mcp_copy_file(w->c, in->file, &out->file);
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

enum mcp_err mcp_registry_copy_signature(struct mcp_copy *c, const char *kind,
                                         const struct mcp_tool *in,
                                         bool assert_format,
                                         struct mcp_tool *out)
{
    struct mcp_tool copy = {
        .line = in->line, .assert_format = assert_format, .task = in->task};
    struct work w = {c, kind, in, &copy, assert_format};
    enum mcp_err err = copy_texts(&w);

    if (err == MCP_OK)
        err = mcp_copy_handler(c, &in->handler, &copy.handler);
    if (err == MCP_OK)
        err = copy_converts(&w);
    if (err == MCP_OK)
        err = copy_outside(&w);
    if (err == MCP_OK)
        err = copy_schemas(&w);
    if (err == MCP_OK)
        err = check_binds(&w);
    if (err != MCP_OK) {
        mcp_registry_drop_tool(&copy);
        return err;
    }
    copy.handler.kind = MCP_KIND_TOOL;
    copy.handler.name = copy.name;
    copy.handler.slot = 1;
    *out = copy;
    return MCP_OK;
}

enum mcp_err mcp_registry_copy_tool(struct mcp_copy *c,
                                    const struct mcp_tool *in,
                                    bool assert_format, struct mcp_tool *out)
{
    enum mcp_err err = mcp_copy_check_name(c, "tool", in->name, "_.-");

    if (err != MCP_OK)
        return err;
    return mcp_registry_copy_signature(c, "tool", in, assert_format, out);
}

void mcp_registry_drop_tool(struct mcp_tool *tool)
{
    mcp_schema_free(tool->input);
    mcp_schema_free(tool->output);
    tool->input = tool->output = NULL;
}
