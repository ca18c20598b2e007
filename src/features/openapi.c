/*
 * openapi.c - see openapi.h
 */
#include "features/openapi.h"

#include <string.h>

#include "base/http_status.h"
#include "features/openapi_schema.h"

#define ERROR_REF "{\"$ref\":\"#/components/schemas/Error\"}"

static void write_member(struct mcp_buf *out, const char *name,
                         const char *text)
{
    if (text == NULL)
        return;
    mcp_buf_printf(out, ",\"%s\":", name);
    mcp_json_write_cstring(out, text);
}

/* ---- which arguments are where ---- */

static struct mcp_openapi_owner input_of(const struct mcp_route *r)
{
    return (struct mcp_openapi_owner){"in", r->index};
}

static struct mcp_openapi_owner output_of(const struct mcp_route *r)
{
    return (struct mcp_openapi_owner){"out", r->index};
}

static bool has_body(const struct mcp_route *r)
{
    return r->method[0] == 'P'; /* POST, PUT, PATCH */
}

static bool in_path(const struct mcp_route *r, const struct mcp_json *name)
{
    for (size_t i = 0; i < r->part_count; i++)
        if (r->parts[i].kind != MCP_PATH_LITERAL &&
            mcp_json_equals_string(name, r->parts[i].text))
            return true;
    return false;
}

static bool is_outside(const struct mcp_tool *t, const struct mcp_json *name)
{
    for (size_t i = 0; i < t->outside_count; i++)
        if (mcp_json_equals_string(name, t->outside[i]))
            return true;
    return false;
}

/* Is it shown as part of the body? Beside `data` arguments are shown in the
 * query. */
static bool in_body(const struct mcp_route *r, const struct mcp_json *name)
{
    if (!has_body(r) || in_path(r, name))
        return false;
    return !r->signature.has_data || !is_outside(&r->signature, name);
}

static bool is_required(const struct mcp_route *r, const struct mcp_json *name)
{
    const struct mcp_json *list =
        mcp_json_find(r->signature.input_tree, "required");

    for (uint32_t i = 0; mcp_json_is(list, MCP_JSON_ARRAY) && i < list->count;
         i++)
        if (mcp_json_equal(&list->u.items[i], name))
            return true;
    return false;
}

static const struct mcp_json *properties_of(const struct mcp_route *r)
{
    static const struct mcp_json none = {.type = MCP_JSON_OBJECT};
    const struct mcp_json *p =
        mcp_json_find(r->signature.input_tree, "properties");

    return mcp_json_is(p, MCP_JSON_OBJECT) ? p : &none;
}

/* ---- one operation ---- */

static void write_parameter(struct mcp_buf *out, const struct mcp_route *r,
                            uint32_t place)
{
    const struct mcp_json_member *p = &properties_of(r)->u.members[place];
    const struct mcp_json *about = mcp_json_find(&p->value, "description");
    bool path = in_path(r, &p->key);

    mcp_buf_puts(out, "{\"name\":");
    mcp_json_write(out, &p->key);
    mcp_buf_printf(out, ",\"in\":\"%s\"", path ? "path" : "query");
    if (mcp_json_is(about, MCP_JSON_STRING)) {
        mcp_buf_puts(out, ",\"description\":");
        mcp_json_write(out, about);
    }
    if (path || is_required(r, &p->key))
        mcp_buf_puts(out, ",\"required\":true");
    mcp_buf_puts(out, ",\"schema\":");
    mcp_openapi_write_schema(out, &p->value, input_of(r));
    mcp_buf_putc(out, '}');
}

static void write_parameters(struct mcp_buf *out, const struct mcp_route *r)
{
    const struct mcp_json *p = properties_of(r);
    size_t n = 0;

    for (uint32_t i = 0; i < p->count; i++) {
        if (in_body(r, &p->u.members[i].key))
            continue;
        mcp_buf_puts(out, n++ == 0 ? ",\"parameters\":[" : ",");
        write_parameter(out, r, i);
    }
    if (n > 0)
        mcp_buf_putc(out, ']');
}

/* The names of what the body must have. Returns how many there are. */
static size_t write_required(struct mcp_buf *out, const struct mcp_route *r)
{
    const struct mcp_json *p = properties_of(r);
    size_t n = 0;

    for (uint32_t i = 0; i < p->count; i++) {
        const struct mcp_json *name = &p->u.members[i].key;

        if (!in_body(r, name) || !is_required(r, name))
            continue;
        mcp_buf_puts(out, n++ == 0 ? ",\"required\":[" : ",");
        mcp_json_write(out, name);
    }
    if (n > 0)
        mcp_buf_putc(out, ']');
    return n;
}

/* The members of the input schema that do not speak of single arguments. */
static void write_rest(struct mcp_buf *out, const struct mcp_route *r)
{
    const struct mcp_json *schema = r->signature.input_tree;

    for (uint32_t i = 0; i < schema->count; i++) {
        const struct mcp_json_member *m = &schema->u.members[i];

        if (mcp_json_equals_string(&m->key, "type") ||
            mcp_json_equals_string(&m->key, "properties") ||
            mcp_json_equals_string(&m->key, "required") ||
            mcp_json_equals_string(&m->key, "$defs") ||
            mcp_json_equals_string(&m->key, "$schema"))
            continue;
        mcp_buf_putc(out, ',');
        mcp_openapi_write_member(out, m, input_of(r));
    }
}

/* Could a body have anything in it? */
static bool takes_body(const struct mcp_route *r)
{
    const struct mcp_json *p = properties_of(r);
    const struct mcp_json *more =
        mcp_json_find(r->signature.input_tree, "additionalProperties");
    bool found = !mcp_json_is(more, MCP_JSON_FALSE);

    for (uint32_t i = 0; i < p->count; i++)
        found = found || in_body(r, &p->u.members[i].key);
    return found && has_body(r);
}

static void write_body(struct mcp_buf *out, const struct mcp_route *r)
{
    const struct mcp_json *p = properties_of(r);
    size_t n = 0;

    if (!takes_body(r))
        return;
    mcp_buf_puts(out, ",\"requestBody\":{\"content\":{\"application/json\":{"
                      "\"schema\":{\"type\":\"object\"");
    mcp_buf_puts(out, ",\"properties\":{");
    for (uint32_t i = 0; i < p->count; i++) {
        if (!in_body(r, &p->u.members[i].key))
            continue;
        mcp_buf_puts(out, n++ == 0 ? "" : ",");
        mcp_json_write(out, &p->u.members[i].key);
        mcp_buf_putc(out, ':');
        mcp_openapi_write_schema(out, &p->u.members[i].value, input_of(r));
    }
    mcp_buf_putc(out, '}');
    n = write_required(out, r);
    write_rest(out, r);
    mcp_buf_printf(out, "}}},\"required\":%s}", n > 0 ? "true" : "false");
}

static void write_responses(struct mcp_buf *out, const struct mcp_route *r)
{
    int status = r->status != 0 ? r->status : 200;
    const char *type = r->mime_type;

    mcp_buf_printf(out, ",\"responses\":{\"%d\":{\"description\":\"%s\"",
                   status, mcp_http_phrase(status));
    if (type == NULL && r->signature.output_schema != NULL)
        type = "application/json";
    if (type != NULL) {
        mcp_buf_puts(out, ",\"content\":{");
        mcp_json_write_cstring(out, type);
        mcp_buf_puts(out, ":{");
        if (r->signature.output_schema != NULL) {
            mcp_buf_puts(out, "\"schema\":");
            mcp_openapi_write_schema(out, r->signature.output_tree,
                                     output_of(r));
        }
        mcp_buf_puts(out, "}}");
    }
    mcp_buf_puts(out, "},\"default\":{\"description\":\"An error\","
                      "\"content\":{\"application/json\":{\"schema\":" ERROR_REF
                      "}}}}");
}

/* "get":{...} */
static void write_operation(struct mcp_buf *out, const struct mcp_route *r)
{
    mcp_buf_putc(out, '"');
    for (const char *c = r->method; *c != '\0'; c++)
        mcp_buf_putc(out, (char)(*c | 32)); /* in small letters */
    mcp_buf_puts(out, "\":{\"operationId\":");
    mcp_json_write_cstring(out, r->name);
    write_member(out, "summary", r->signature.title);
    write_member(out, "description", r->signature.description);
    if (r->tags != NULL && strcmp(r->tags, "[]") != 0) {
        mcp_buf_puts(out, ",\"tags\":");
        mcp_buf_puts(out, r->tags);
    }
    write_parameters(out, r);
    write_body(out, r);
    write_responses(out, r);
    mcp_buf_putc(out, '}');
}

/* ---- the document ---- */

/* The path without the types of its arguments: "/items/{item_id}". */
static const char *template_of(const struct mcp_route *r, struct mcp_arena *a)
{
    const char *text = r->part_count == 0 ? "/" : "";

    for (size_t i = 0; i < r->part_count && text != NULL; i++)
        text = mcp_arena_printf(
            a, r->parts[i].kind == MCP_PATH_LITERAL ? "%s/%s" : "%s/{%s}", text,
            r->parts[i].text);
    return text;
}

/* All operations of the path of routes[first], but those that come twice. */
static void write_path(struct mcp_buf *out, const struct mcp_generation *gen,
                       const char *const *templates, size_t first)
{
    unsigned n = 0;

    mcp_json_write_cstring(out, templates[first]);
    mcp_buf_puts(out, ":{");
    for (size_t i = first; i < gen->route_count; i++) {
        const struct mcp_route *r = &gen->routes[i];
        size_t j = first;

        if (strcmp(templates[i], templates[first]) != 0)
            continue;
        while (j < i && (strcmp(templates[j], templates[i]) != 0 ||
                         strcmp(gen->routes[j].method, r->method) != 0))
            j++;
        if (j < i)
            continue;
        mcp_buf_puts(out, n++ == 0 ? "" : ",");
        write_operation(out, r);
    }
    mcp_buf_putc(out, '}');
}

static void write_paths(struct mcp_buf *out, const struct mcp_generation *gen,
                        struct mcp_arena *a)
{
    const char **templates =
        mcp_arena_alloc(a, (gen->route_count + 1) * sizeof(*templates));
    size_t written = 0;

    for (size_t i = 0; templates != NULL && i < gen->route_count; i++) {
        templates[i] = template_of(&gen->routes[i], a);
        if (templates[i] == NULL)
            templates = NULL;
    }
    if (templates == NULL) {
        out->failed = true; /* out of memory */
        return;
    }
    for (size_t i = 0; i < gen->route_count; i++) {
        size_t j = 0;

        while (j < i && strcmp(templates[j], templates[i]) != 0)
            j++;
        if (j < i)
            continue; /* written with that one */
        mcp_buf_puts(out, written++ == 0 ? "" : ",");
        write_path(out, gen, templates, i);
    }
}

/* Where clients see the routes: public_url without the endpoint's path. */
static void write_servers(struct mcp_buf *out, const struct mcp_config *config)
{
    const char *url = config->public_url, *path = config->base_path;
    size_t len = url == NULL ? 0 : strlen(url);
    size_t n = path == NULL ? 0 : strlen(path);

    if (len <= n || memcmp(url + len - n, path, n) != 0)
        return;
    mcp_buf_puts(out, ",\"servers\":[{\"url\":");
    mcp_json_write_string(out, url, len - n);
    mcp_buf_puts(out, "}]");
}

void mcp_openapi_write(struct mcp_buf *out, const struct mcp_generation *gen,
                       struct mcp_arena *a)
{
    const struct mcp_config *config = gen->config;
    const char *title = config->title != NULL ? config->title : config->name;

    mcp_buf_puts(out, "{\"openapi\":\"3.1.0\",\"info\":{\"title\":");
    mcp_json_write_cstring(out, title != NULL ? title : "mcpluad");
    write_member(out, "version",
                 config->version != NULL ? config->version : MCP_VERSION);
    write_member(out, "description", config->instructions);
    mcp_buf_putc(out, '}');
    write_servers(out, config);
    mcp_buf_puts(out, ",\"paths\":{");
    write_paths(out, gen, a);
    mcp_buf_puts(
        out,
        "},\"components\":{\"schemas\":{\"Error\":{\"type\":\"object\","
        "\"properties\":{\"statusCode\":{\"type\":\"integer\"},"
        "\"error\":{\"type\":\"string\"},\"message\":{\"type\":\"string\"},"
        "\"errors\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
        "\"properties\":{\"in\":{\"type\":\"string\"},"
        "\"path\":{\"type\":\"string\"},\"rule\":{\"type\":\"string\"},"
        "\"message\":{\"type\":\"string\"}}}}},"
        "\"required\":[\"statusCode\",\"error\"]}");
    for (size_t i = 0; i < gen->route_count; i++) {
        const struct mcp_route *r = &gen->routes[i];

        mcp_openapi_write_defs(out, r->signature.input_tree, input_of(r));
        mcp_openapi_write_defs(out, r->signature.output_tree, output_of(r));
    }
    mcp_buf_puts(out, "}}}");
}
