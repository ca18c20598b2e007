/* Mirrors src/features/box.c. */
#include "features/box.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define BOX(s)                                                                 \
    "{\"type\":\"object\",\"properties\":{\"result\":" s                       \
    "},\"required\":[\"result\"]}"

static struct mcp_arena *arena;

static int set_up(void **state)
{
    (void)state;
    arena = mcp_arena_new(1 << 20);
    return arena == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    mcp_arena_free(arena);
    return 0;
}

static const struct mcp_json *parse(const char *text)
{
    const struct mcp_json *v;

    assert_int_equal(mcp_json_parse(arena, text, strlen(text), NULL, &v, NULL),
                     MCP_OK);
    return v;
}

static void boxed(const char *schema, const char *expected)
{
    struct mcp_buf b;

    mcp_buf_init(&b, 1 << 20);
    mcp_box_write_schema(&b, parse(schema));
    mcp_buf_putc(&b, '\0');
    assert_false(b.failed);
    assert_string_equal(b.data, expected);
    (void)parse(expected);
    mcp_buf_free(&b);
}

static void only_an_object_at_the_root_needs_none(void **state)
{
    static const char *const bare[] = {"{}",
                                       "true",
                                       "{\"type\":\"array\"}",
                                       "{\"type\":[\"object\"]}",
                                       "{\"type\":[\"object\",\"null\"]}",
                                       "{\"$ref\":\"#/$defs/a\"}"};

    (void)state;
    assert_false(mcp_box_is_needed(parse("{\"type\":\"object\"}")));
    for (size_t i = 0; i < sizeof(bare) / sizeof(*bare); i++)
        assert_true(mcp_box_is_needed(parse(bare[i])));
}

static void the_schema_moves_one_floor_down(void **state)
{
    (void)state;
    boxed("{\"type\":\"integer\",\"minimum\":1}",
          BOX("{\"type\":\"integer\",\"minimum\":1}"));
    boxed("{}", BOX("{}"));
    boxed("true", BOX("true"));
    boxed("{\"enum\":[1.50,\"a\\u0001\"]}",
          BOX("{\"enum\":[1.50,\"a\\u0001\"]}"));
}

static void dialect_and_definitions_stay_at_the_root(void **state)
{
    (void)state;
    boxed("{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\","
          "\"type\":\"array\",\"items\":{\"$ref\":"
          "\"#/$defs/a\"},\"$defs\":{\"a\":{\"$ref\":\"#/definitions/b\"}},"
          "\"definitions\":{\"b\":{\"type\":\"string\"}}}",
          "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\","
          "\"type\":\"object\",\"properties\":{"
          "\"result\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/a\"}}},"
          "\"required\":[\"result\"],\"$defs\":{\"a\":{\"$ref\":"
          "\"#/definitions/b\"}},\"definitions\":{\"b\":{\"type\":\"string\"}}"
          "}");
}

static void local_references_are_rewritten(void **state)
{
    (void)state;
    boxed("{\"anyOf\":[{\"$ref\":\"#\"},{\"$ref\":\"#/anyOf/0\"},{\"$ref\":"
          "\"\"},{\"$ref\":\"#name\"},{\"$ref\":\"other.json#/a\"},{\"$ref\":"
          "\"#/$defsx\"},{\"$dynamicRef\":\"#/x\"},{\"$ref\":\"#/$defs\"}]}",
          BOX("{\"anyOf\":[{\"$ref\":\"#/properties/result\"},{\"$ref\":"
              "\"#/properties/result/anyOf/0\"},{\"$ref\":"
              "\"#/properties/result\"},{\"$ref\":\"#name\"},{\"$ref\":"
              "\"other.json#/a\"},{\"$ref\":\"#/properties/result/$defsx\"},{"
              "\"$dynamicRef\":\"#/properties/result/x\"},{\"$ref\":"
              "\"#/$defs\"}]}"));
}

static void a_schema_with_an_id_goes_in_as_it_is(void **state)
{
    (void)state;
#define OWN                                                                    \
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$id\":"   \
    "\"https://e.com/s\",\"not\":{\"$ref\":\"#/$defs/a\"},\"$defs\":{\"a\":"   \
    "true}}"
    boxed(OWN, "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\","
               "\"type\":\"object\",\"properties\":{\"result\":" OWN
               "},\"required\":[\"result\"]}");
}

static void what_is_no_reference_is_left_alone(void **state)
{
    (void)state;
    boxed("{\"const\":{\"$ref\":\"#\"},\"default\":{\"$ref\":\"#\"},\"enum\":[{"
          "\"$ref\":\"#\"}],\"examples\":[{\"$ref\":\"#\"}]}",
          BOX("{\"const\":{\"$ref\":\"#\"},\"default\":{\"$ref\":\"#\"},"
              "\"enum\":[{\"$ref\":\"#\"}],\"examples\":[{\"$ref\":\"#\"}]}"));
    boxed("{\"properties\":{\"const\":{\"$ref\":\"#\"},\"$ref\":{\"type\":"
          "\"string\"},\"$defs\":{\"$ref\":\"#/a\"}}}",
          BOX("{\"properties\":{\"const\":{\"$ref\":\"#/properties/result\"},"
              "\"$ref\":{\"type\":\"string\"},\"$defs\":{\"$ref\":"
              "\"#/properties/result/a\"}}}"));
    boxed(
        "{\"items\":{\"$id\":\"https://e.com/own\",\"not\":{\"$ref\":\"#\"}}}",
        BOX("{\"items\":{\"$id\":\"https://e.com/own\",\"not\":{\"$ref\":"
            "\"#\"}}}"));
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(only_an_object_at_the_root_needs_none),
        T(the_schema_moves_one_floor_down),
        T(dialect_and_definitions_stay_at_the_root),
        T(local_references_are_rewritten),
        T(a_schema_with_an_id_goes_in_as_it_is),
        T(what_is_no_reference_is_left_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
