/* Mirrors src/features/route_match.c and src/features/route_value.c. */
#include "features/route_match.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "features/route_value.h"
#include "route_common.h"

static const char *const routes[] = {
    "GET /",
    "GET /items",
    "POST /items",
    "GET /items/{id:int}",
    "GET /items/{name:str}",
    "DELETE /items/{id:int}",
    "GET /m/{a:str}/x",
    "GET /m/y/{b:str}",
    "GET /m/{a:str}/{b:str}",
    "GET /m/{rest:path}",
    "HEAD /head",
    "GET /n/{v:number}",
    "GET /u/{v:uuid}",
    "OPTIONS /o",
    NULL,
};

static struct mcp_builder *builder;
static struct mcp_arena *arena;

static int set_up(void **state)
{
    (void)state;
    builder = with_routes(routes);
    arena = mcp_arena_new((size_t)4 << 20);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    mcp_builder_free(builder);
    mcp_arena_free(arena);
    return 0;
}

/* What a request is answered by: "ROUTE VALUES", "misfit NAME", "allow ...",
 * "nowhere", or "bad: ...". */
static const char *find(const char *method, const char *path)
{
    static char answer[4096];
    struct mcp_route_match m;
    const char *why = NULL;
    enum mcp_err err = mcp_route_find(mcp_builder_view(builder), method, path,
                                      arena, &m, &why);
    struct mcp_buf b;

    mcp_buf_init(&b, sizeof(answer) - 1);
    if (err == MCP_EINVAL) {
        mcp_buf_printf(&b, "bad: %s", why);
    } else if (m.route != NULL) {
        mcp_buf_printf(&b, "%s ", m.route->name);
        mcp_json_write(&b, m.values);
    } else if (m.misfit != NULL) {
        mcp_buf_printf(&b, "misfit %s", m.misfit->text);
    } else {
        mcp_buf_printf(&b, "%s%s", m.allow != NULL ? "allow " : "nowhere",
                       m.allow != NULL ? m.allow : "");
    }
    memcpy(answer, b.data, b.len);
    answer[b.len] = '\0';
    mcp_buf_free(&b);
    return answer;
}

static void literals_and_arguments(void **state)
{
    (void)state;
    assert_string_equal(find("GET", "/"), "GET / {}");
    assert_string_equal(find("GET", "/items"), "GET /items {}");
    assert_string_equal(find("GET", "/items/"), "GET /items {}");
    assert_string_equal(find("GET", "/items/7"),
                        "GET /items/{id:int} {\"id\":7}");
    assert_string_equal(find("GET", "/items/seven"),
                        "GET /items/{name:str} {\"name\":\"seven\"}");
    assert_string_equal(find("GET", "/n/-1.5e3"),
                        "GET /n/{v:number} {\"v\":-1.5e3}");
}

static void the_nearest_one(void **state)
{
    (void)state;
    assert_string_equal(find("GET", "/m/q/x"),
                        "GET /m/{a:str}/x {\"a\":\"q\"}");
    assert_string_equal(find("GET", "/m/y/x"),
                        "GET /m/y/{b:str} {\"b\":\"x\"}");
    assert_string_equal(find("GET", "/m/q/r"),
                        "GET /m/{a:str}/{b:str} {\"a\":\"q\",\"b\":\"r\"}");
    assert_string_equal(find("GET", "/m/q"),
                        "GET /m/{rest:path} {\"rest\":\"q\"}");
    assert_string_equal(find("GET", "/m/q/r/s"),
                        "GET /m/{rest:path} {\"rest\":\"q/r/s\"}");
}

static void a_value_that_does_not_fit(void **state)
{
    (void)state;
    assert_string_equal(find("DELETE", "/items/x"), "misfit id");
    assert_string_equal(find("GET", "/n/x"), "misfit v");
    assert_string_equal(find("GET", "/u/x"), "misfit v");
}

static void other_methods(void **state)
{
    (void)state;
    assert_string_equal(find("PUT", "/items"),
                        "allow GET, HEAD, POST, OPTIONS");
    assert_string_equal(find("PUT", "/items/7"),
                        "allow GET, HEAD, DELETE, OPTIONS");
    assert_string_equal(find("get", "/items"),
                        "allow GET, HEAD, POST, OPTIONS");
    assert_string_equal(find("HEAD", "/items"), "GET /items {}");
    assert_string_equal(find("HEAD", "/head"), "HEAD /head {}");
    assert_string_equal(find("GET", "/head"), "allow HEAD, OPTIONS");
    assert_string_equal(find("OPTIONS", "/items"),
                        "allow GET, HEAD, POST, OPTIONS");
    assert_string_equal(find("OPTIONS", "/o"), "OPTIONS /o {}");
}

static void nowhere(void **state)
{
    (void)state;
    assert_string_equal(find("GET", "/none"), "nowhere");
    assert_string_equal(find("GET", "/items//"), "nowhere");
    assert_string_equal(find("GET", "//items"), "nowhere");
    assert_string_equal(find("GET", "/m/"), "nowhere");
    assert_string_equal(find("GET", "/m//a"), "nowhere");
    assert_string_equal(find("GET", "/Items"), "nowhere");
    assert_string_equal(find("GET", "/items/7/8"), "nowhere");
    assert_string_equal(find("GET", "*"), "nowhere");
}

static void decoding_comes_after_the_split(void **state)
{
    (void)state;
    assert_string_equal(find("GET", "/items/a%2Fb"),
                        "GET /items/{name:str} {\"name\":\"a/b\"}");
    assert_string_equal(find("GET", "/%69tems"), "GET /items {}");
    assert_string_equal(find("GET", "/items/%37"),
                        "GET /items/{id:int} {\"id\":7}");
    assert_string_equal(find("GET", "/items/a+b"),
                        "GET /items/{name:str} {\"name\":\"a+b\"}");
    assert_string_equal(find("GET", "/m/y%2Fx"),
                        "GET /m/{rest:path} {\"rest\":\"y/x\"}");
}

static void hostile_paths(void **state)
{
    static const char *const paths[] = {
        "/items/%00",    "/items/%",         "/items/%1",     "/items/%g1",
        "/items/%ff",    "/items/%ed%a0%80", "/items/..",     "/items/.",
        "/items/%2e%2e", "/items/a%2f..",    "/items/..%2fa", "/m/a/../b",
        "/items/%2e",    "/m/a%2F%2E%2E%2Fb"};

    (void)state;
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
        if (strncmp(find("GET", paths[i]), "bad: ", 5) != 0)
            fail_msg("%s: %s", paths[i], find("GET", paths[i]));
    assert_string_equal(find("GET", "/items/..."),
                        "GET /items/{name:str} {\"name\":\"...\"}");
}

static void the_number_of_segments(void **state)
{
    char path[3 + 2 * MCP_ROUTE_MAX_SEGMENTS + 8] = "/m";

    (void)state;
    for (int i = 1; i < MCP_ROUTE_MAX_SEGMENTS; i++)
        memcpy(path + 2 * i, "/a", 3);
    assert_non_null(strstr(find("GET", path), "{\"rest\":\"a/a/"));
    memcpy(path + strlen(path), "/a", 3);
    assert_string_equal(find("GET", path), "nowhere");
}

/* ---- values ---- */

static const char *value(const char *schema, const char *text)
{
    static char answer[256];
    const struct mcp_json *tree;
    struct mcp_json v;
    struct mcp_buf b;

    assert_int_equal(
        mcp_json_parse(arena, schema, strlen(schema), NULL, &tree, NULL),
        MCP_OK);
    assert_int_equal(mcp_route_value(tree, text, strlen(text), arena, &v),
                     MCP_OK);
    mcp_buf_init(&b, sizeof(answer) - 1);
    mcp_json_write(&b, &v);
    memcpy(answer, b.data, b.len);
    answer[b.len] = '\0';
    mcp_buf_free(&b);
    return answer;
}

static void text_becomes_what_the_schema_wants(void **state)
{
    (void)state;
    assert_string_equal(value("{\"type\":\"integer\"}", "12"), "12");
    assert_string_equal(value("{\"type\":\"integer\"}", "x"), "\"x\"");
    assert_string_equal(value("{\"type\":\"integer\"}", ""), "\"\"");
    assert_string_equal(value("{\"type\":\"integer\"}", " 1"), "\" 1\"");
    assert_string_equal(value("{\"type\":\"number\"}", "1e5"), "1e5");
    assert_string_equal(value("{\"type\":\"number\"}", "Infinity"),
                        "\"Infinity\"");
    assert_string_equal(value("{\"type\":\"boolean\"}", "true"), "true");
    assert_string_equal(value("{\"type\":\"boolean\"}", "0"), "false");
    assert_string_equal(value("{\"type\":\"boolean\"}", "TRUE"), "\"TRUE\"");
    assert_string_equal(value("{\"type\":\"string\"}", "12"), "\"12\"");
    assert_string_equal(value("{}", "12"), "\"12\"");
    assert_string_equal(value("{\"type\":\"object\"}", "{\"a\":1}"),
                        "{\"a\":1}");
    assert_string_equal(value("{\"type\":\"object\"}", "{a"), "\"{a\"");
    assert_string_equal(value("{\"type\":[\"integer\",\"null\"]}", "5"), "5");
    assert_string_equal(
        value("{\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"boolean\"}]}",
              "true"),
        "true");
    assert_string_equal(
        value("{\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"string\"}]}",
              "5"),
        "\"5\"");
}

static void forms_of_path_arguments(void **state)
{
    static const struct {
        enum mcp_path_kind kind;
        const char *text;
        bool fits;
    } cases[] = {
        {MCP_PATH_INT, "0", true},
        {MCP_PATH_INT, "-0", true},
        {MCP_PATH_INT, "00", false},
        {MCP_PATH_INT, "1.0", false},
        {MCP_PATH_INT, "", false},
        {MCP_PATH_INT, "-", false},
        {MCP_PATH_INT, "1x", false},
        {MCP_PATH_NUMBER, "0.5", true},
        {MCP_PATH_NUMBER, ".5", false},
        {MCP_PATH_NUMBER, "1E+2", true},
        {MCP_PATH_NUMBER, "1e", false},
        {MCP_PATH_NUMBER, "NaN", false},
        {MCP_PATH_UUID, "123e4567-e89b-12d3-a456-426614174000", true},
        {MCP_PATH_UUID, "123E4567-E89B-12D3-A456-42661417400F", true},
        {MCP_PATH_UUID, "123e4567-e89b-12d3-a456-42661417400", false},
        {MCP_PATH_UUID, "123e4567-e89b-12d3-a456-42661417400g", false},
        {MCP_PATH_UUID, "123e4567xe89b-12d3-a456-426614174000", false},
        {MCP_PATH_STR, "a", true},
        {MCP_PATH_STR, "", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        if (mcp_route_fits(cases[i].kind, cases[i].text,
                           strlen(cases[i].text)) != cases[i].fits)
            fail_msg("%d %s", cases[i].kind, cases[i].text);
}

static void strings_of_an_item(void **state)
{
    static const char text[] =
        "{\"a\":\"1\",\"l\":\"2\",\"m\":\"[3,4]\",\"x\":\"5\",\"n\":6}";
    const struct mcp_json *sent, *args;
    struct mcp_buf b;

    (void)state;
    add_route(builder, "GET /args",
              "{\"properties\":{\"a\":{\"type\":\"integer\"},"
              "\"l\":{\"type\":\"array\",\"items\":{\"type\":\"integer\"}},"
              "\"m\":{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}}}");
    assert_int_equal(
        mcp_json_parse(arena, text, strlen(text), NULL, &sent, NULL), MCP_OK);
    assert_int_equal(
        mcp_route_values(route_named(builder, "GET /args"), sent, arena, &args),
        MCP_OK);
    mcp_buf_init(&b, 256);
    mcp_json_write(&b, args);
    mcp_buf_putc(&b, '\0');
    assert_string_equal(b.data, "{\"a\":1,\"l\":[2],\"m\":[3,4],\"x\":\"5\","
                                "\"n\":6}");
    mcp_buf_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(literals_and_arguments),
        cmocka_unit_test(the_nearest_one),
        cmocka_unit_test(a_value_that_does_not_fit),
        cmocka_unit_test(other_methods),
        cmocka_unit_test(nowhere),
        cmocka_unit_test(decoding_comes_after_the_split),
        cmocka_unit_test(hostile_paths),
        cmocka_unit_test(the_number_of_segments),
        cmocka_unit_test(text_becomes_what_the_schema_wants),
        cmocka_unit_test(forms_of_path_arguments),
        cmocka_unit_test(strings_of_an_item),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
