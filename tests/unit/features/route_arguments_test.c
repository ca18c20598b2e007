/* Mirrors src/features/route_arguments.c, and what src/features/arguments.c
 * does with `data`. */
#include "features/route_arguments.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "route_common.h"

#define SCHEMA                                                                 \
    "{\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"integer\"},"      \
    "\"n\":{\"type\":\"integer\",\"maximum\":9},\"l\":{\"type\":\"array\","    \
    "\"items\":{\"type\":\"integer\"}}},\"required\":[\"id\"],"                \
    "\"additionalProperties\":false}"

static struct mcp_builder *builder;
static struct mcp_call call;
static struct mcp_header json = {"Content-Type", "application/json"};

static int set_up(void **state)
{
    static const char *const none[] = {NULL};

    (void)state;
    builder = with_routes(none);
    add_route(builder, "POST /p/{id:int}", SCHEMA);
    add_route(builder, "GET /g/{id:int}", SCHEMA);
    call = (struct mcp_call){.arena = mcp_arena_new((size_t)8 << 20)};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    mcp_builder_free(builder);
    mcp_arena_free(call.arena);
    return 0;
}

/* The arguments of a request, or "STATUS MESSAGE [ERRORS]". */
static const char *ask(const char *method, const char *path, const char *query,
                       const char *body)
{
    static char answer[4096];
    struct mcp_route_match match;
    struct mcp_route_refusal why;
    const struct mcp_json *args;
    const char *reason;
    struct mcp_buf b;

    call.http_method = method;
    call.query = query;
    call.body = body != NULL ? body : "";
    call.body_len = strlen(call.body);
    call.headers = &json;
    call.header_count = 1;
    assert_int_equal(mcp_route_find(mcp_builder_view(builder), method, path,
                                    call.arena, &match, &reason),
                     MCP_OK);
    assert_non_null(match.route);
    mcp_buf_init(&b, sizeof(answer) - 1);
    if (mcp_route_arguments(&match, &call, 64, &args, &why) == MCP_OK)
        mcp_json_write(&b, args);
    else
        mcp_buf_printf(&b, "%d %s [%.*s]", why.status, why.message,
                       (int)why.errors.len, why.errors.data);
    mcp_buf_free(&why.errors);
    memcpy(answer, b.data, b.len);
    answer[b.len] = '\0';
    mcp_buf_free(&b);
    return answer;
}

static void all_three_places(void **state)
{
    (void)state;
    assert_string_equal(ask("POST", "/p/1", "l=2&l=3", "{\"n\":4}"),
                        "{\"id\":1,\"l\":[2,3],\"n\":4}");
    assert_string_equal(ask("GET", "/g/1", NULL, NULL), "{\"id\":1}");
    assert_string_equal(ask("GET", "/g/1", "", NULL), "{\"id\":1}");
}

static void names_in_two_places(void **state)
{
    (void)state;
    assert_string_equal(ask("GET", "/g/1", "id=1", NULL),
                        "400 \"id\" is in the path and in the query []");
    assert_string_equal(ask("POST", "/p/1", NULL, "{\"id\":1}"),
                        "400 \"id\" is in the path and in the body []");
    assert_string_equal(ask("POST", "/p/1", "n=1", "{\"n\":1}"),
                        "400 \"n\" is in the query and in the body []");
    assert_string_equal(
        ask("GET", "/g/1", "n=1&l=1&n=1", NULL),
        "400 The parameter \"n\" of the query is given twice []");
}

static void what_is_wrong_is_told_with_its_place(void **state)
{
    (void)state;
    assert_string_equal(
        ask("POST", "/p/1", "l=x", "{\"n\":10,\"z\":1}"),
        "422 Invalid arguments for POST /p/{id:int} "
        "[{\"in\":\"query\",\"path\":\"/l/0\",\"rule\":\"type\","
        "\"message\":\"must be an integer, got string \\\"x\\\"\"},"
        "{\"in\":\"body\",\"path\":\"/n\",\"rule\":\"maximum\","
        "\"message\":\"must be at most 9, got 10\"},"
        "{\"in\":\"body\",\"path\":\"/z\",\"rule\":\"additionalProperties\","
        "\"message\":\"unknown property; allowed: id, n, l\"}]");
}

/* `count` parameters. */
static char *parameters(int count)
{
    char *text = calloc((size_t)count + 1, 4);

    assert_non_null(text);
    for (int i = 0; i < count; i++)
        memcpy(text + (size_t)i * 4, "l=1&", 4);
    return text;
}

static void the_number_of_parameters(void **state)
{
    char *query = parameters(MCP_ROUTE_MAX_PARAMETERS);

    (void)state;
    assert_non_null(strstr(ask("GET", "/g/1", query, NULL), "\"l\":[1,1,"));
    free(query);
    query = parameters(MCP_ROUTE_MAX_PARAMETERS + 1);
    assert_string_equal(ask("GET", "/g/1", query, NULL),
                        "400 The query has more than 200 parameters []");
    free(query);
}

static void bodies_that_are_refused(void **state)
{
    static const struct mcp_header plain = {"Content-Type", "text/plain"};

    (void)state;
    assert_non_null(
        strstr(ask("POST", "/p/1", NULL, "{"), "400 The body is not JSON: "));
    assert_non_null(strstr(ask("POST", "/p/1", NULL, "{\"n\":1,\"n\":1}"),
                           "400 The body is not JSON: "));
    assert_string_equal(ask("POST", "/p/1", NULL, "[1]"),
                        "422 Invalid arguments for POST /p/{id:int} "
                        "[{\"in\":\"body\",\"path\":\"\",\"rule\":\"type\","
                        "\"message\":\"must be an object\"}]");
    assert_string_equal(ask("GET", "/g/1", NULL, "{}"),
                        "400 A GET request has no body here []");
    json = plain;
    assert_string_equal(ask("POST", "/p/1", NULL, "{}"),
                        "415 Content-Type must be application/json []");
    assert_string_equal(ask("POST", "/p/1", NULL, NULL), "{\"id\":1}");
    json =
        (struct mcp_header){"content-type", "application/json;charset=utf-8"};
    assert_string_equal(ask("POST", "/p/1", NULL, "{}"), "{\"id\":1}");
}

static void long_names_are_shortened_between_characters(void **state)
{
    char body[512] = "{\"";
    const char *said;

    (void)state;
    json = (struct mcp_header){"Content-Type", "application/json"};
    for (int i = 0; i < 40; i++)
        memcpy(body + 2 + 2 * i, "\xc3\xa9", 3);
    memcpy(body + strlen(body), "\":1}", 5);
    said = ask("POST", "/p/1",
               "%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9"
               "%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9"
               "%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9"
               "%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9=1",
               body);
    assert_true(mcp_utf8_valid(said, strlen(said), NULL));
    assert_non_null(strstr(said, "is in the query and in the body"));
}

/* ---- data ---- */

static struct mcp_builder *with_data(void)
{
    static const char *const outside[] = {"id", "dry"};
    static const struct mcp_path_part parts[] = {{MCP_PATH_LITERAL, "d"},
                                                 {MCP_PATH_INT, "id"}};
    struct mcp_builder *b = mcp_builder_new(mcp_config_new());
    struct mcp_route r = {
        .method = "POST",
        .path = "/d/{id:int}",
        .parts = parts,
        .part_count = 2,
        .signature = {.has_data = true,
                      .outside = outside,
                      .outside_count = 2,
                      .input_schema =
                          "{\"properties\":{\"id\":{},\"a\":{\"type\":"
                          "\"integer\"},\"b\":{\"default\":2},\"dry\":{}},"
                          "\"required\":[\"a\"],"
                          "\"additionalProperties\":false}"}};
    char message[256];

    assert_int_equal(mcp_builder_add_route(b, &r, message, sizeof(message)),
                     MCP_OK);
    return b;
}

static void data_is_gathered_and_may_be_nested(void **state)
{
    struct mcp_builder *before = builder;

    (void)state;
    builder = with_data();
    assert_string_equal(ask("POST", "/d/1", "dry=x", "{\"a\":1}"),
                        "{\"id\":1,\"dry\":\"x\",\"data\":{\"a\":1,\"b\":2}}");
    assert_string_equal(
        ask("POST", "/d/1", NULL, "{\"data\":{\"a\":1,\"b\":3}}"),
        "{\"id\":1,\"data\":{\"a\":1,\"b\":3}}");
    assert_string_equal(
        ask("POST", "/d/1", NULL, "{\"data\":null,\"a\":1,\"dry\":5}"),
        "{\"id\":1,\"dry\":5,\"data\":{\"a\":1,\"b\":2}}");
    mcp_builder_free(builder);
    builder = before;
}

static void data_is_refused_where_its_fields_are(void **state)
{
    static const char *const bodies[] = {
        "{\"data\":{\"a\":1},\"a\":1}", "{\"data\":{\"a\":1},\"z\":1}",
        "{\"data\":{\"a\":1,\"dry\":1}}", "{\"data\":{\"id\":1,\"a\":1}}",
        "{\"data\":[]}"};
    struct mcp_builder *before = builder;

    (void)state;
    builder = with_data();
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++)
        if (strstr(ask("POST", "/d/1", NULL, bodies[i]),
                   "\"path\":\"/data\"") == NULL)
            fail_msg("%s: %s", bodies[i], ask("POST", "/d/1", NULL, bodies[i]));
    assert_non_null(
        strstr(ask("POST", "/d/1", NULL, "{\"data\":{\"a\":\"x\"}}"),
               "\"path\":\"/data/a\""));
    assert_non_null(
        strstr(ask("POST", "/d/1", NULL, "{\"a\":\"x\"}"), "\"path\":\"/a\""));
    mcp_builder_free(builder);
    builder = before;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_three_places),
        cmocka_unit_test(names_in_two_places),
        cmocka_unit_test(what_is_wrong_is_told_with_its_place),
        cmocka_unit_test(the_number_of_parameters),
        cmocka_unit_test(bodies_that_are_refused),
        cmocka_unit_test(long_names_are_shortened_between_characters),
        cmocka_unit_test(data_is_gathered_and_may_be_nested),
        cmocka_unit_test(data_is_refused_where_its_fields_are),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
