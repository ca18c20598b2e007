/*
 * check_test.c - schemas as short types, isolation in words, the verdict
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <string.h>

#include "cli/check.h"

static void type(const char *schema, const char *expected)
{
    struct mcp_arena *arena = mcp_arena_new(1 << 20);
    const struct mcp_json *tree;
    struct mcp_buf out;

    assert_non_null(arena);
    assert_int_equal(
        mcp_json_parse(arena, schema, strlen(schema), NULL, &tree, NULL),
        MCP_OK);
    mcp_buf_init(&out, 1 << 16);
    mcp_check_write_type(&out, tree);
    mcp_buf_putc(&out, '\0');
    assert_false(out.failed);
    assert_string_equal(out.data, expected);
    mcp_buf_free(&out);
    mcp_arena_free(arena);
}

static void types_read_as_in_comments(void **state)
{
    (void)state;
    type("{\"type\":\"string\"}", "string");
    type("{}", "any");
    type("true", "any");
    type("{\"type\":[\"string\",\"null\"]}", "string | null");
    type("{\"enum\":[\"a\",1,null]}", "\"a\" | 1 | null");
    type("{\"const\":{\"a\":1}}", "{\"a\":1}");
    type("{\"$ref\":\"#/$defs/Node\"}", "Node");
    type("{\"anyOf\":[{\"type\":\"string\"},{}]}", "string | any");
    type("{\"oneOf\":[{\"type\":\"null\"}]}", "null");
    type("{\"type\":\"array\"}", "any[]");
    type(
        "{\"type\":\"array\",\"items\":{\"type\":\"array\",\"items\":{\"type\":"
        "\"number\"}}}",
        "number[][]");
    type("{\"type\":\"array\",\"items\":{\"enum\":[1,2]}}", "(1 | 2)[]");
    type("{\"type\":\"array\",\"prefixItems\":[{\"type\":\"string\"},{}]}",
         "[string, any]");
    type("{\"type\":\"object\"}", "object");
    type("{\"type\":\"object\",\"properties\":{}}", "object");
    type("{\"type\":\"object\",\"additionalProperties\":{\"type\":\"number\"}}",
         "{ [string]: number }");
    type("{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{"
         "\"a\":{\"type\":\"string\"},\"b\":{}},\"required\":[\"a\"]}",
         "{ a: string, b?: any }");
}

static void long_and_deep_types_are_cut(void **state)
{
    (void)state;
    type("{\"enum\":[1,2,3,4,5,6,7,8]}", "1 | 2 | 3 | 4 | 5 | 6 | 7 | 8");
    type("{\"enum\":[1,2,3,4,5,6,7,8,9,10]}",
         "1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | ...");
    type(
        "{\"type\":\"array\",\"items\":{\"type\":\"array\",\"items\":{\"type\":"
        "\"array\",\"items\":{}}}}",
        "any[][][]");
    type(
        "{\"type\":\"array\",\"items\":{\"type\":\"array\",\"items\":{\"type\":"
        "\"array\",\"items\":{\"type\":\"array\",\"items\":{}}}}}",
        "...[][][][]");
}

static void isolation_is_explained(void **state)
{
    const char *remedy = "";

    (void)state;
    assert_non_null(
        strstr(mcp_check_explain("request (image copy, 94 KiB)", &remedy),
               "as it was"));
    assert_null(remedy);
    assert_non_null(strstr(
        mcp_check_explain("worker (states are kept between calls)", &remedy),
        "kept"));
    assert_null(remedy);
    assert_non_null(strstr(
        mcp_check_explain("request (fresh states: ffi is used)", &remedy),
        "0.1 ms"));
    assert_non_null(strstr(remedy, "without ffi, or keep"));
    (void)mcp_check_explain(
        "request (fresh states: 2 open files are held by the app)", &remedy);
    assert_non_null(strstr(remedy, "close them"));
    (void)mcp_check_explain(
        "request (fresh states: C module \"socket.core\" is loaded)", &remedy);
    assert_non_null(strstr(remedy, "that C module"));
    assert_non_null(strstr(mcp_check_explain("worker (states are kept between "
                                             "calls, compiled: no limits in "
                                             "loops)",
                                             &remedy),
                           "endless loop"));
    assert_null(remedy);
}

static bool passes(size_t errors, size_t warnings, size_t notes, bool strict)
{
    struct mcp_check check = {
        .findings = {.by_severity = {errors, warnings, notes}}};

    return mcp_check_passes(&check, strict);
}

static void errors_fail_and_warnings_when_strict(void **state)
{
    (void)state;
    assert_true(passes(0, 1, 1, false));
    assert_false(passes(1, 0, 0, false));
    assert_true(passes(0, 0, 1, true));
    assert_false(passes(0, 1, 0, true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_read_as_in_comments),
        cmocka_unit_test(long_and_deep_types_are_cut),
        cmocka_unit_test(isolation_is_explained),
        cmocka_unit_test(errors_fail_and_warnings_when_strict),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
