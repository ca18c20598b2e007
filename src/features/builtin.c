/*
 * builtin.c - see builtin.h
 */
#include "features/builtin.h"

#include <stdio.h>
#include <string.h>

#include "features/envelope.h"
#include "features/openapi.h"

#define OPENAPI_URI "mcpluad://openapi"
#define APP_URI     "mcpluad://app"

enum { BUILTINS = 2 };

/* ---- what would be in the way ---- */

static const char *file_of(const char *file)
{
    return file != NULL ? file : "?";
}

/* Is `path` that of a route without arguments? One slash at its end means
 * nothing. */
static bool is_at(const struct mcp_route *r, const char *path)
{
    size_t at = 0, len = strlen(path);

    while (len > 0 && path[len - 1] == '/')
        len--;
    for (size_t i = 0; i < r->part_count; i++) {
        size_t n = strlen(r->parts[i].text);

        if (r->parts[i].kind != MCP_PATH_LITERAL || at + 1 + n > len ||
            path[at] != '/' || memcmp(path + at + 1, r->parts[i].text, n) != 0)
            return false;
        at += 1 + n;
    }
    return at == len;
}

static enum mcp_err check_route(const struct mcp_generation *gen,
                                const struct mcp_route *r, char *message,
                                size_t size)
{
    const char *const paths[] = {gen->config->base_path, "/healthz", "/readyz"};
    static const char *const what[] = {"the MCP endpoint (base_path)",
                                       "the check of health",
                                       "the check of readiness"};

    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        if (paths[i] == NULL || !is_at(r, paths[i]))
            continue;
        (void)snprintf(
            message, size, "%.512s:%d: route \"%.128s\": %s is there",
            file_of(r->signature.file), r->signature.line, r->name, what[i]);
        return MCP_EINVAL;
    }
    return MCP_OK;
}

static enum mcp_err check_resource(const struct mcp_generation *gen,
                                   const char *uri, char *message, size_t size)
{
    const struct mcp_resource *r =
        mcp_generation_find_resource(gen, uri, strlen(uri));

    if (r == NULL)
        return MCP_OK;
    (void)snprintf(message, size,
                   "%.512s:%d: resource \"%s\": the server itself has one of "
                   "this URI",
                   file_of(r->file), r->line, uri);
    return MCP_EINVAL;
}

static enum mcp_err check(const struct mcp_generation *gen, char *message,
                          size_t size)
{
    enum mcp_err err = check_resource(gen, OPENAPI_URI, message, size);

    if (err == MCP_OK)
        err = check_resource(gen, APP_URI, message, size);
    for (size_t i = 0; err == MCP_OK && i < gen->route_count; i++)
        err = check_route(gen, &gen->routes[i], message, size);
    return err;
}

/* ---- mcpluad://app ---- */

/* ,"NAME":["...",...] of `count` things that begin with their name, each
 * `size` bytes. */
static void write_names(struct mcp_buf *out, const char *name,
                        const void *items, size_t count, size_t size)
{
    const char *item = items;

    mcp_buf_printf(out, ",\"%s\":[", name);
    for (size_t i = 0; i < count; i++, item += size) {
        const char *text;

        memcpy(&text, item, sizeof(text));
        mcp_buf_puts(out, i == 0 ? "" : ",");
        mcp_json_write_cstring(out, text);
    }
    mcp_buf_putc(out, ']');
}

static void write_app(struct mcp_buf *out, const struct mcp_generation *gen)
{
    mcp_envelope_write_server_info(out, gen->config, MCP_REVISION_LAST, true);
    if (!out->failed)
        out->len--; /* more members */
    if (gen->config->instructions != NULL) {
        mcp_buf_puts(out, ",\"instructions\":");
        mcp_json_write_cstring(out, gen->config->instructions);
    }
    write_names(out, "tools", gen->tools, gen->tool_count, sizeof(*gen->tools));
    write_names(out, "resources", gen->resources, gen->resource_count,
                sizeof(*gen->resources));
    write_names(out, "resourceTemplates", gen->templates, gen->template_count,
                sizeof(*gen->templates));
    write_names(out, "prompts", gen->prompts, gen->prompt_count,
                sizeof(*gen->prompts));
    write_names(out, "routes", gen->routes, gen->route_count,
                sizeof(*gen->routes));
    mcp_buf_putc(out, '}');
}

/* ---- both ---- */

/* A resource with what `b` holds; false: out of memory. */
static bool add(struct mcp_resource *out, struct mcp_arena *a,
                struct mcp_buf *b, const char *uri, const char *name,
                const char *description)
{
    *out = (struct mcp_resource){
        .uri = uri,
        .name = name,
        .description = description,
        .mime_type = "application/json",
        .size_bytes = (int64_t)b->len,
        .cache = {-1, -1},
        .content = b->failed ? NULL : mcp_arena_dup(a, b->data, b->len),
        .content_len = b->len,
    };
    mcp_buf_clear(b);
    return out->content != NULL;
}

enum mcp_err mcp_builtins_prepare(struct mcp_generation *gen,
                                  struct mcp_arena *a, struct mcp_buf *b,
                                  char *message, size_t message_size)
{
    struct mcp_resource *to = mcp_arena_alloc(a, BUILTINS * sizeof(*to));
    enum mcp_err err = check(gen, message, message_size);
    size_t n = 0;
    bool done = to != NULL;

    if (err != MCP_OK)
        return err;
    if (done && gen->route_count > 0) {
        mcp_openapi_write(b, gen, a);
        done = add(&to[n++], a, b, OPENAPI_URI, "openapi",
                   "OpenAPI description of the HTTP routes of this server");
    }
    if (done) {
        write_app(b, gen);
        done = add(&to[n++], a, b, APP_URI, "app",
                   "What this server is and offers");
    }
    if (!done) {
        (void)snprintf(message, message_size, "out of memory");
        return MCP_ENOMEM;
    }
    gen->builtins = to;
    gen->builtin_count = n;
    gen->builtin_listed = gen->route_count > 0 ? n : 0;
    return MCP_OK;
}
