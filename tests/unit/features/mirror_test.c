/* Mirrors src/features/mirror.c. */
#include "features/mirror.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "features_common.h"

static void expect_refusal(const char *properties, const char *why)
{
    struct mcp_tool tool = {.name = "t"};
    char schema[1024];
    const char *message;

    snprintf(schema, sizeof(schema),
             "{\"type\":\"object\",\"properties\":{%s}}", properties);
    tool.input_schema = schema;
    message = refused(&tool);
    if (strncmp(message, "tool \"t\": x-mcp-header ", 23) != 0 ||
        strstr(message, why) == NULL)
        fail_msg("%s\n%s", schema, message);
}

static void annotations_that_no_client_can_use_are_refused(void **state)
{
    (void)state;
#define S "\"type\":\"string\",\"x-mcp-header\":"
    expect_refusal("\"a\":{" S "\"\"}", "header token");
    expect_refusal("\"a\":{" S "\"a b\"}", "header token");
    expect_refusal("\"a\":{" S "\"a\\n\"}", "header token");
    expect_refusal("\"a\":{" S "\"a\\u0000\"}", "header token");
    expect_refusal("\"a\":{" S "1}", "header token");
    expect_refusal("\"a\":{\"type\":\"number\",\"x-mcp-header\":\"A\"}",
                   "string, integer or boolean");
    expect_refusal("\"a\":{\"x-mcp-header\":\"A\"}",
                   "string, integer or boolean");
    expect_refusal("\"a\":{" S "\"A\"},\"b\":{" S "\"a\"}", "twice");
    expect_refusal("\"a\":{\"type\":\"array\",\"items\":{" S "\"A\"}}",
                   "over \"properties\" alone");
    expect_refusal("\"a\":{\"anyOf\":[{" S "\"A\"}]}",
                   "over \"properties\" alone");
    expect_refusal("\"a\":{\"$defs\":{\"x\":{" S "\"A\"}}}",
                   "over \"properties\" alone");
}

static void only_annotations_count(void **state)
{
    static const struct mcp_tool tool = {
        .name = "t",
        .input_schema =
            "{\"type\":\"object\",\"properties\":{\"x-mcp-header\":{\"type\":"
            "\"string\"},\"a\":{\"type\":\"object\",\"properties\":{\"b\":{"
            "\"type\":\"integer\",\"x-mcp-header\":\"Deep\"}},\"default\":{"
            "\"x-mcp-header\":\"no\"}},\"c\":{\"type\":\"boolean\","
            "\"x-mcp-header\":\"Flag\"}}}"};
    struct mcp_builder *b = prepared(&tool, 1, NULL);
    const struct mcp_prepared *p = mcp_builder_view(b)->prepared;
    const struct mcp_mirrors *m = &p->tools[0].mirrors;
    struct mcp_arena *a = mcp_arena_new(1 << 16);
    static const char text[] = "{\"a\":{\"b\":7},\"c\":null}";
    const struct mcp_json *args, *v;

    (void)state;
    assert_int_equal(mcp_json_parse(a, text, strlen(text), NULL, &args, NULL),
                     MCP_OK);
    assert_int_equal(m->count, 2);
    assert_string_equal(m->items[0].header, "Mcp-Param-Deep");
    assert_string_equal(m->items[1].header, "Mcp-Param-Flag");
    v = mcp_mirror_value(&m->items[0], args);
    assert_non_null(v);
    assert_true(v->number == 7);
    assert_int_equal(mcp_mirror_value(&m->items[1], args)->type, MCP_JSON_NULL);
    assert_null(mcp_mirror_value(&m->items[0], NULL));
    mcp_arena_free(a);
    mcp_builder_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(annotations_that_no_client_can_use_are_refused),
        cmocka_unit_test(only_annotations_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
