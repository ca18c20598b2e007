/*
 * route.c - fuzzer: requests of plain HTTP up to the arguments of a handler
 *
 * Input: METHOD, path, query and body, each ended by a line feed but the last.
 * What reaches a handler is UTF-8 without a NUL in the path, has no segment
 * "..", and every refusal is a status with JSON.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "features/route_arguments.h"
#include "features/route_match.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds, const char *what)
{
    if (holds)
        return;
    (void)fprintf(stderr, "route: %s\n", what);
    abort();
}

static void add(struct mcp_builder *b, const char *method, const char *path,
                const struct mcp_path_part *parts, size_t count, bool data)
{
    static const char *const outside[] = {"i", "s", "p", "l", "b"};
    struct mcp_route r = {
        .method = method,
        .path = path,
        .parts = parts,
        .part_count = count,
        .signature = {
            .has_data = data,
            .outside = outside,
            .outside_count = 5,
            .input_schema =
                "{\"properties\":{\"i\":{\"type\":\"integer\",\"maximum\":9},"
                "\"s\":{\"type\":\"string\"},\"p\":{\"type\":\"string\"},"
                "\"l\":{\"type\":\"array\",\"items\":{\"type\":\"number\"}},"
                "\"b\":{\"type\":\"boolean\",\"default\":true},"
                "\"o\":{\"type\":\"object\"}},\"additionalProperties\":"
                "false}"}};
    char message[256];

    check(mcp_builder_add_route(b, &r, message, sizeof(message)) == MCP_OK,
          message);
}

static struct mcp_builder *make(void)
{
    static const struct mcp_path_part root[] = {{MCP_PATH_LITERAL, "a"}};
    static const struct mcp_path_part whole[] = {{MCP_PATH_LITERAL, "a"},
                                                 {MCP_PATH_INT, "i"}};
    static const struct mcp_path_part text[] = {{MCP_PATH_LITERAL, "a"},
                                                {MCP_PATH_STR, "s"}};
    static const struct mcp_path_part rest[] = {{MCP_PATH_STR, "s"},
                                                {MCP_PATH_REST, "p"}};
    struct mcp_builder *b = mcp_builder_new(mcp_config_new());

    check(b != NULL, "no memory");
    add(b, "GET", "/a", root, 1, false);
    add(b, "POST", "/a", root, 1, true);
    add(b, "GET", "/a/{i:int}", whole, 2, false);
    add(b, "GET", "/a/{s}", text, 2, false);
    add(b, "PUT", "/{s}/{p:path}", rest, 2, true);
    return b;
}

/* The text up to the next line feed, NUL-terminated, in `a`. */
static const char *take(struct mcp_arena *a, const uint8_t **data, size_t *size)
{
    const uint8_t *end = *size > 0 ? memchr(*data, '\n', *size) : NULL;
    size_t len = end != NULL ? (size_t)(end - *data) : *size;
    const char *text = mcp_arena_dup(a, (const char *)*data, len);

    check(text != NULL, "no memory");
    *data += len + (end != NULL);
    *size -= len + (end != NULL);
    return text;
}

/* What a handler gets of the path. */
static void check_values(const struct mcp_json *values)
{
    for (uint32_t i = 0; i < values->count; i++) {
        const struct mcp_json *v = &values->u.members[i].value;

        if (v->type != MCP_JSON_STRING)
            continue;
        check(v->count > 0, "an empty value");
        check(memchr(v->u.text, '\0', v->count) == NULL, "a NUL");
        check(mcp_utf8_valid(v->u.text, v->count, NULL), "no UTF-8");
        check(!(v->count >= 2 && memcmp(v->u.text, "..", 2) == 0 &&
                (v->count == 2 || v->u.text[2] == '/')),
              "it climbs");
        check(memmem(v->u.text, v->count, "/../", 4) == NULL, "it climbs");
    }
}

static void serve(const struct mcp_route_match *m, struct mcp_call *call)
{
    struct mcp_route_refusal why;
    const struct mcp_json *args = NULL, *errors;
    enum mcp_err err = mcp_route_arguments(m, call, 64, &args, &why);
    struct mcp_buf b;

    check_values(m->values);
    mcp_buf_init(&b, 1 << 20);
    mcp_buf_putc(&b, '[');
    mcp_buf_add(&b, why.errors.data, why.errors.len);
    mcp_buf_putc(&b, ']');
    if (err == MCP_OK)
        check(args != NULL && args->type == MCP_JSON_OBJECT, "no object");
    else if (err == MCP_EINVAL)
        check(why.status >= 400 && why.status < 500 && why.message != NULL &&
                  mcp_utf8_valid(why.message, strlen(why.message), NULL) &&
                  mcp_json_parse(call->arena, b.data, b.len, NULL, &errors,
                                 NULL) == MCP_OK,
              "a refusal that says nothing");
    mcp_buf_free(&b);
    mcp_buf_free(&why.errors);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct mcp_header json = {"Content-Type", "application/json"};
    static struct mcp_builder *builder;
    struct mcp_call call = {.headers = &json, .header_count = 1};
    struct mcp_route_match m;
    const char *why = NULL, *path;
    enum mcp_err err;

    if (builder == NULL)
        builder = make();
    call.arena = mcp_arena_new((size_t)16 << 20);
    check(call.arena != NULL, "no memory");
    call.http_method = take(call.arena, &data, &size);
    path = take(call.arena, &data, &size);
    call.query = take(call.arena, &data, &size);
    call.body = (const char *)data;
    call.body_len = size;
    err = mcp_route_find(mcp_builder_view(builder), call.http_method, path,
                         call.arena, &m, &why);
    if (err == MCP_OK && m.route != NULL)
        serve(&m, &call);
    else
        check(err != MCP_EINVAL || why != NULL, "refused without a reason");
    mcp_arena_free(call.arena);
    return 0;
}
