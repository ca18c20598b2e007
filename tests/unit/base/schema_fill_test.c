/*
 * schema_fill_test.c - nulls that mean "absent", and defaults
 */
#include "schema_common.h"

/* Both steps on a value, as the text of the result. */
static const char *prepared(const char *schema, const char *value)
{
    static char text[2000];
    struct mcp_schema *s = compile_text(schema, NULL);
    struct mcp_arena *a = mcp_arena_new(1 << 22);
    const struct mcp_json *v = parse_text(a, value);
    struct mcp_buf out;

    assert_int_equal(mcp_schema_normalize(s, v, a, &v), MCP_OK);
    assert_int_equal(mcp_schema_fill_defaults(s, v, a, &v), MCP_OK);
    mcp_buf_init(&out, sizeof(text));
    mcp_json_write(&out, v);
    assert_false(out.failed);
    (void)snprintf(text, sizeof(text), "%.*s", (int)out.len, out.data);
    mcp_buf_free(&out);
    mcp_schema_free(s);
    mcp_arena_free(a);
    return text;
}

#define GIVES(schema, value, expected)                                         \
    assert_string_equal(prepared(schema, value), expected)

static void absent_members_get_their_default(void **state)
{
    (void)state;
    GIVES("{\"properties\":{\"a\":{\"default\":1},\"b\":{\"default\":[]},"
          "\"c\":{}}}",
          "{\"z\":0}", "{\"z\":0,\"a\":1,\"b\":[]}");
    GIVES("{\"properties\":{\"a\":{\"default\":1}}}", "{\"a\":2}", "{\"a\":2}");
    GIVES("{\"properties\":{\"a\":{\"default\":1}}}", "[1]", "[1]");
}

static void null_is_never_filled_in(void **state)
{
    (void)state;
    GIVES("{\"properties\":{\"a\":{\"default\":null}}}", "{}", "{}");
}

static void defaults_are_filled_at_every_depth(void **state)
{
    (void)state;
    GIVES("{\"properties\":{\"o\":{\"properties\":{\"a\":{\"default\":1}}}}}",
          "{\"o\":{}}", "{\"o\":{\"a\":1}}");
    GIVES("{\"properties\":{\"o\":{\"properties\":{\"a\":{\"default\":1}}}}}",
          "{}", "{}");
    GIVES("{\"properties\":{\"o\":{\"default\":{},\"properties\":{\"a\":{"
          "\"default\":1}}}}}",
          "{}", "{\"o\":{\"a\":1}}");
    GIVES("{\"items\":{\"properties\":{\"a\":{\"default\":1}}}}",
          "[{},5,{\"a\":2}]", "[{\"a\":1},5,{\"a\":2}]");
    GIVES("{\"prefixItems\":[true,{\"properties\":{\"a\":{\"default\":1}}}]}",
          "[{},{}]", "[{},{\"a\":1}]");
    GIVES("{\"additionalProperties\":{\"properties\":{\"a\":{\"default\":1}}}}",
          "{\"x\":{}}", "{\"x\":{\"a\":1}}");
    GIVES("{\"patternProperties\":{\"^x\":{\"properties\":{\"a\":{\"default\":"
          "1}}}}}",
          "{\"x\":{},\"y\":{}}", "{\"x\":{\"a\":1},\"y\":{}}");
}

static void references_and_all_of_are_followed(void **state)
{
    (void)state;
    GIVES("{\"$ref\":\"#/$defs/o\",\"$defs\":{\"o\":{\"properties\":{\"a\":{"
          "\"$ref\":\"#/$defs/v\"}}},\"v\":{\"default\":7}}}",
          "{}", "{\"a\":7}");
    GIVES("{\"allOf\":[{\"properties\":{\"a\":{}}},{\"properties\":{\"a\":{"
          "\"default\":1}}},{\"properties\":{\"a\":{\"default\":2}}}]}",
          "{}", "{\"a\":1}");
    GIVES("{\"anyOf\":[{\"properties\":{\"a\":{\"default\":1}}}]}", "{}", "{}");
}

static void many_parts_describe_one_value(void **state)
{
    char schema[2000] = "{\"allOf\":[", *p = schema + strlen(schema);
    char expected[500] = "{", *q = expected + 1;
    int i;

    (void)state;
    for (i = 0; i < 20; i++) {
        const char *comma = i > 0 ? "," : "";

        p += snprintf(p, 80, "%s{\"properties\":{\"p%d\":{\"default\":%d}}}",
                      comma, i, i);
        q += snprintf(q, 20, "%s\"p%d\":%d", comma, i, i);
    }
    (void)snprintf(p, 3, "]}");
    (void)snprintf(q, 2, "}");
    GIVES(schema, "{}", expected);
}

static void dynamic_references_are_followed_too(void **state)
{
    (void)state;
    GIVES("{\"$dynamicAnchor\":\"n\",\"properties\":{\"a\":{\"default\":1},"
          "\"k\":{\"$dynamicRef\":\"#n\"}}}",
          "{\"k\":{}}", "{\"k\":{\"a\":1},\"a\":1}");
}

static void a_default_that_holds_itself_ends(void **state)
{
    (void)state;
    GIVES("{\"properties\":{\"next\":{\"$ref\":\"#\",\"default\":{}}}}", "{}",
          "{\"next\":{\"next\":{}}}");
}

static void null_for_an_optional_member_is_absence(void **state)
{
    (void)state;
    GIVES("{\"properties\":{\"a\":{\"type\":\"string\"},\"b\":{}}}",
          "{\"a\":null,\"b\":null,\"c\":null}", "{\"b\":null,\"c\":null}");
    GIVES("{\"properties\":{\"a\":{\"type\":[\"string\",\"null\"]}}}",
          "{\"a\":null}", "{\"a\":null}");
    GIVES("{\"properties\":{\"a\":{\"enum\":[1,null]},\"b\":{\"enum\":[1]}}}",
          "{\"a\":null,\"b\":null}", "{\"a\":null}");
    GIVES("{\"properties\":{\"a\":{\"type\":\"string\"}},\"required\":["
          "\"a\"]}",
          "{\"a\":null}", "{\"a\":null}");
    GIVES("{\"properties\":{\"a\":{\"type\":\"string\",\"default\":\"x\"}}}",
          "{\"a\":null}", "{\"a\":\"x\"}");
    GIVES("{\"properties\":{\"o\":{\"properties\":{\"a\":{\"type\":\"string\"}}"
          "}}}",
          "{\"o\":{\"a\":null}}", "{\"o\":{}}");
    GIVES("{\"items\":{\"properties\":{\"a\":{\"type\":\"string\"}}}}",
          "[{\"b\":1,\"a\":null}]", "[{\"b\":1}]");
    GIVES("{\"items\":{\"type\":\"string\"}}", "[null]", "[null]");
}

static void nothing_to_do_gives_the_value_itself(void **state)
{
    struct mcp_schema *s = compile_text(
        "{\"properties\":{\"a\":{\"type\":\"string\",\"default\":\"x\"}}}",
        NULL);
    struct mcp_arena *a = mcp_arena_new(1 << 20);
    const struct mcp_json *v = parse_text(a, "{\"a\":\"y\"}"), *out = NULL;

    (void)state;
    assert_int_equal(mcp_schema_normalize(s, v, a, &out), MCP_OK);
    assert_ptr_equal(out, v);
    assert_int_equal(mcp_schema_fill_defaults(s, v, a, &out), MCP_OK);
    assert_ptr_equal(out, v);
    mcp_schema_free(s);
    mcp_arena_free(a);
}

static void the_caller_s_value_is_not_changed(void **state)
{
    struct mcp_schema *s = compile_text(
        "{\"properties\":{\"a\":{\"type\":\"string\"},\"b\":{\"default\":1}}}",
        NULL);
    struct mcp_arena *a = mcp_arena_new(1 << 20);
    const struct mcp_json *v = parse_text(a, "{\"a\":null}"), *out = NULL;

    (void)state;
    assert_int_equal(mcp_schema_normalize(s, v, a, &out), MCP_OK);
    assert_int_equal(out->count, 0);
    assert_int_equal(mcp_schema_fill_defaults(s, out, a, &out), MCP_OK);
    assert_int_equal(out->count, 1);
    assert_int_equal(v->count, 1);
    assert_true(mcp_json_is(mcp_json_find(v, "a"), MCP_JSON_NULL));
    mcp_schema_free(s);
    mcp_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(absent_members_get_their_default),
        cmocka_unit_test(null_is_never_filled_in),
        cmocka_unit_test(defaults_are_filled_at_every_depth),
        cmocka_unit_test(references_and_all_of_are_followed),
        cmocka_unit_test(many_parts_describe_one_value),
        cmocka_unit_test(dynamic_references_are_followed_too),
        cmocka_unit_test(a_default_that_holds_itself_ends),
        cmocka_unit_test(null_for_an_optional_member_is_absence),
        cmocka_unit_test(nothing_to_do_gives_the_value_itself),
        cmocka_unit_test(the_caller_s_value_is_not_changed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
