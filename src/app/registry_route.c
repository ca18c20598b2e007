/*
 * registry_route.c - see registry_route.h
 */
#include "app/registry_route.h"

#include <string.h>

#include "app/registry_tool.h"
#include "base/uri_template.h"

enum { PARTS_MAX = 64, PATH_MAX_BYTES = 2048 };

static bool same_part(const struct mcp_path_part *a,
                      const struct mcp_path_part *b)
{
    return a->kind == b->kind &&
           (a->kind != MCP_PATH_LITERAL || strcmp(a->text, b->text) == 0);
}

static bool same_paths(const struct mcp_route *a, const struct mcp_route *b)
{
    size_t i = 0;

    if (a->part_count != b->part_count)
        return false;
    while (i < a->part_count && same_part(&a->parts[i], &b->parts[i]))
        i++;
    return i == a->part_count;
}

const struct mcp_route *mcp_registry_same_route(const struct mcp_route *routes,
                                                size_t count,
                                                const struct mcp_route *r)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(routes[i].method, r->method) == 0 &&
            same_paths(&routes[i], r))
            return &routes[i];
    return NULL;
}

static enum mcp_err check_method(struct mcp_copy *c, const char *method)
{
    static const char *const known[] = {"GET",    "POST", "PUT",    "PATCH",
                                        "DELETE", "HEAD", "OPTIONS"};

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(known[i], method) == 0)
            return MCP_OK;
    return mcp_copy_refuse(c, "no route has the method \"%.32s\"", method);
}

static enum mcp_err check_part(struct mcp_copy *c, const struct mcp_route *r,
                               size_t i)
{
    const struct mcp_path_part *part = &r->parts[i];

    if (part->text == NULL || part->text[0] == '\0')
        return mcp_copy_refuse(c, "the path has an empty segment");
    if (part->kind == MCP_PATH_REST && i + 1 < r->part_count)
        return mcp_copy_refuse(c,
                               "the argument \"%.64s\" of type path takes all "
                               "segments, so it must be the last",
                               part->text);
    for (size_t j = 0; part->kind != MCP_PATH_LITERAL && j < i; j++)
        if (r->parts[j].kind != MCP_PATH_LITERAL &&
            strcmp(r->parts[j].text, part->text) == 0)
            return mcp_copy_refuse(c, "the path has two arguments \"%.64s\"",
                                   part->text);
    return MCP_OK;
}

static enum mcp_err copy_parts(struct mcp_copy *c, const struct mcp_route *in,
                               struct mcp_route *out)
{
    size_t count = in->part_count;
    struct mcp_path_part *to;
    enum mcp_err err = MCP_OK;

    if (count > PARTS_MAX || strlen(in->path) > PATH_MAX_BYTES)
        return mcp_copy_refuse(c,
                               "the path has more than %d segments or %d bytes",
                               (int)PARTS_MAX, (int)PATH_MAX_BYTES);
    to = mcp_arena_alloc(c->a, (count + 1) * sizeof(*to));
    if (to == NULL)
        return mcp_copy_no_memory(c);
    for (size_t i = 0; err == MCP_OK && i < count; i++) {
        to[i].kind = in->parts[i].kind;
        err = check_part(c, in, i);
        if (err == MCP_OK)
            err = mcp_copy_text(c, "path", in->parts[i].text, &to[i].text);
    }
    out->parts = to;
    out->part_count = count;
    return err;
}

static enum mcp_err copy_texts(struct mcp_copy *c, const struct mcp_route *in,
                               struct mcp_route *out)
{
    enum mcp_err err = mcp_copy_text(c, "path", in->path, &out->path);

    if (err == MCP_OK)
        err = mcp_copy_text(c, "method", in->method, &out->method);
    if (err == MCP_OK && in->status != 0 &&
        (in->status < 200 || in->status > 299))
        err = mcp_copy_refuse(
            c, "status must be a whole number from 200 to 299, got %d",
            in->status);
    if (err == MCP_OK && in->mime_type != NULL)
        err = mcp_copy_check_mime(c, in->mime_type);
    if (err == MCP_OK)
        err = mcp_copy_text(c, "mime_type", in->mime_type, &out->mime_type);
    if (err == MCP_OK)
        err = mcp_copy_json(c, "tags", in->tags, MCP_JSON_ARRAY, &out->tags);
    if (err == MCP_OK) {
        out->name = mcp_arena_printf(c->a, "%s %s", out->method, out->path);
        err = out->name == NULL ? mcp_copy_no_memory(c) : MCP_OK;
    }
    return err;
}

/* The arguments of the path must be such of the schema. */
static enum mcp_err check_arguments(struct mcp_copy *c,
                                    const struct mcp_route *r)
{
    const struct mcp_json *properties =
        mcp_json_find(r->signature.input_tree, "properties");

    for (size_t i = 0; i < r->part_count; i++)
        if (r->parts[i].kind != MCP_PATH_LITERAL &&
            mcp_json_find(properties, r->parts[i].text) == NULL)
            return mcp_copy_refuse(c,
                                   "the path has the argument \"%.64s\", but "
                                   "the input schema has no such property",
                                   r->parts[i].text);
    return MCP_OK;
}

enum mcp_err mcp_registry_copy_route(struct mcp_copy *c,
                                     const struct mcp_route *in,
                                     bool assert_format, struct mcp_route *out)
{
    struct mcp_route copy = {.status = in->status};
    enum mcp_err err = check_method(c, in->method);

    if (err == MCP_OK)
        err = copy_texts(c, in, &copy);
    if (err == MCP_OK)
        err = copy_parts(c, in, &copy);
    if (err == MCP_OK)
        err = mcp_registry_copy_signature(c, "route", &in->signature,
                                          assert_format, &copy.signature);
    if (err != MCP_OK)
        return err;
    copy.signature.name = copy.signature.handler.name = copy.name;
    copy.signature.handler.kind = MCP_KIND_ROUTE;
    err = check_arguments(c, &copy);
    if (err == MCP_OK)
        *out = copy;
    else
        mcp_registry_drop_tool(&copy.signature);
    return err;
}

static bool has_variable(const struct mcp_uri_template *t,
                         const struct mcp_json *name)
{
    size_t count = t == NULL ? 0 : mcp_uri_template_variable_count(t);
    size_t i = 0;

    while (i < count &&
           !mcp_json_equals_string(name, mcp_uri_template_variable(t, i)))
        i++;
    return i < count;
}

enum mcp_err mcp_registry_check_route_resource(struct mcp_copy *c,
                                               const struct mcp_route *route,
                                               const struct mcp_resource *r)
{
    const struct mcp_uri_template *t = r->uri_template;
    const struct mcp_json *schema = route->signature.input_tree;
    const struct mcp_json *required = mcp_json_find(schema, "required");
    const struct mcp_json *known = mcp_json_find(schema, "properties");
    size_t count = t == NULL ? 0 : mcp_uri_template_variable_count(t);

    for (uint32_t i = 0;
         mcp_json_is(required, MCP_JSON_ARRAY) && i < required->count; i++) {
        const struct mcp_json *name = &required->u.items[i];

        if (!has_variable(t, name))
            return mcp_copy_refuse(
                c,
                "the route needs the argument \"%.*s\", so its resource needs "
                "a uri_template with that variable",
                (int)(name->count < 64 ? name->count : 64), name->u.text);
    }
    for (size_t i = 0; i < count; i++)
        if (mcp_json_find(known, mcp_uri_template_variable(t, i)) == NULL)
            return mcp_copy_refuse(c,
                                   "the variable \"%.64s\" of the "
                                   "uri_template is no argument of the route",
                                   mcp_uri_template_variable(t, i));
    return MCP_OK;
}
