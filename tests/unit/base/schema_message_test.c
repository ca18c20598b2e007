/*
 * schema_message_test.c - what is said about a fault: path, keyword, sentence
 */
#include "schema_common.h"

/* The one line about a value that has one fault:
 * "path [keyword] schema_path: message". */
static const char *fault(const char *schema, const char *value)
{
    static char line[2000];
    const struct mcp_schema_options options = {.assert_format = true};
    struct mcp_schema *s = compile_text(schema, &options);
    struct mcp_arena *a = mcp_arena_new(1 << 22);
    struct mcp_schema_errors e = {NULL, 0, false};

    assert_int_equal(validate_text(s, value, a, &e), MCP_EINVAL);
    assert_int_equal(e.count, 1);
    assert_false(e.truncated);
    (void)snprintf(line, sizeof(line), "%s [%s] %s: %s",
                   e.items[0].instance_path, e.items[0].keyword,
                   e.items[0].schema_path, e.items[0].message);
    mcp_schema_free(s);
    mcp_arena_free(a);
    return line;
}

#define SAYS(schema, value, expected)                                          \
    assert_string_equal(fault(schema, value), expected)

static void types_say_what_came_and_what_would_fit(void **state)
{
    (void)state;
    SAYS("{\"type\":\"string\"}", "{}",
         " [type] /type: must be a string, got object");
    SAYS("{\"type\":\"string\"}", "19170436599127052967",
         " [type] /type: must be a string, got number 19170436599127052967; "
         "put it in quotes");
    SAYS("{\"type\":[\"integer\",\"null\"]}", "\"7\"",
         " [type] /type: must be an integer or null, got string \"7\"; remove "
         "the quotes");
    SAYS("{\"type\":\"integer\"}", "\"7.5\"",
         " [type] /type: must be an integer, got string \"7.5\"");
    SAYS("{\"type\":\"boolean\"}", "\"true\"",
         " [type] /type: must be a boolean, got string \"true\"; remove the "
         "quotes");
    SAYS("{\"type\":[\"string\",\"number\",\"array\"]}", "null",
         " [type] /type: must be a string, a number or an array, got null");
    SAYS("{\"properties\":{\"a\":false}}", "{\"a\":1}",
         "/a [false] /properties/a: is not allowed here");
}

static void members_are_named(void **state)
{
    (void)state;
    SAYS("{\"required\":[\"a\"]}", "{}",
         "/a [required] /required: is required");
    SAYS("{\"properties\":{\"location\":{},\"units\":{}},"
         "\"additionalProperties\":false}",
         "{\"loaction\":1}",
         "/loaction [additionalProperties] /additionalProperties: unknown "
         "property; did you mean \"location\"? allowed: location, units");
    SAYS("{\"properties\":{\"a b\":{}},\"patternProperties\":{\"^x\":true},"
         "\"additionalProperties\":false}",
         "{\"other\":1}",
         "/other [additionalProperties] /additionalProperties: unknown "
         "property; allowed: \"a b\" and names that match a pattern");
    SAYS("{\"additionalProperties\":false}", "{\"a\":1}",
         "/a [additionalProperties] /additionalProperties: unknown property; "
         "allowed: none");
    SAYS("{\"dependentRequired\":{\"a\":[\"b\"]}}", "{\"a\":1}",
         "/b [dependentRequired] /dependentRequired: is required when \"a\" is "
         "present");
    SAYS("{\"propertyNames\":{\"maxLength\":2}}", "{\"abc\":1}",
         "/abc [propertyNames] /propertyNames: the name \"abc\" must have at "
         "most 2 characters, got 3");
    SAYS("{\"unevaluatedProperties\":false}", "{\"a\":1}",
         "/a [unevaluatedProperties] /unevaluatedProperties: unknown property: "
         "no part of the schema describes it");
}

static void values_are_shown(void **state)
{
    (void)state;
    SAYS("{\"enum\":[\"celsius\",\"fahrenheit\"]}", "\"celcius\"",
         " [enum] /enum: must be one of \"celsius\", \"fahrenheit\", got "
         "\"celcius\"; did you mean \"celsius\"?");
    SAYS("{\"enum\":[1,null]}", "[1,{\"a\":2}]",
         " [enum] /enum: must be one of 1, null, got [1,{...}]");
    SAYS("{\"const\":{\"a\":[]}}", "{}",
         " [const] /const: must be {\"a\":[]}, got {}");
    SAYS("{\"minimum\":1.50}", "1.4999",
         " [minimum] /minimum: must be at least 1.50, got 1.4999");
    SAYS("{\"exclusiveMaximum\":3}", "3",
         " [exclusiveMaximum] /exclusiveMaximum: must be less than 3, got 3");
    SAYS("{\"multipleOf\":2}", "3",
         " [multipleOf] /multipleOf: must be a multiple of 2, got 3");
    SAYS("{\"minLength\":1}", "\"\"",
         " [minLength] /minLength: must have at least 1 character, got 0");
    SAYS("{\"maxItems\":2}", "[1,2,3]",
         " [maxItems] /maxItems: must have at most 2 items, got 3");
    SAYS("{\"minProperties\":2}", "{}",
         " [minProperties] /minProperties: must have at least 2 properties, "
         "got 0");
    SAYS("{\"pattern\":\"^a+$\"}", "\"b\"",
         " [pattern] /pattern: must match the pattern ^a+$, got \"b\"");
    SAYS("{\"format\":\"date\"}", "\"31.1.\"",
         " [format] /format: must be a date such as 2025-01-31, got \"31.1.\"");
    SAYS("{\"uniqueItems\":true}", "[1,2,1]",
         " [uniqueItems] /uniqueItems: must have no two equal items; items 0 "
         "and 2 are equal");
    SAYS("{\"contains\":{\"const\":1}}", "[2]",
         " [contains] /contains: must have at least 1 item of the kind that "
         "\"contains\" describes, got 0");
}

#define SHAPES                                                                 \
    "{\"oneOf\":[{\"properties\":{\"kind\":{\"const\":\"circle\"},\"r\":{"     \
    "\"type\":\"number\"}},\"required\":[\"kind\",\"r\"]},{\"properties\":{"   \
    "\"kind\":{\"const\":\"square\"},\"side\":{\"type\":\"number\"}},"         \
    "\"required\":[\"kind\",\"side\"]}]}"

static void alternatives_tell_the_nearest(void **state)
{
    (void)state;
    SAYS("{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}", "5",
         " [anyOf] /anyOf: must be a string or null, got number 5");
    SAYS(SHAPES, "{\"kind\":\"circle\",\"r\":\"x\"}",
         "/r [type] /oneOf/0/properties/r/type: must be a number, got string "
         "\"x\"");
    SAYS(SHAPES, "{\"kind\":\"circel\",\"r\":1,\"side\":1}",
         " [oneOf] /oneOf: must match one of the 2 alternatives; /kind must be "
         "\"circle\", got \"circel\", or /kind must be \"square\", got "
         "\"circel\"");
    SAYS("{\"oneOf\":[{\"minimum\":1},true]}", "2",
         " [oneOf] /oneOf: must match exactly one alternative, matches number "
         "1 and number 2");
    SAYS("{\"not\":{\"const\":1}}", "1",
         " [not] /not: must not match what \"not\" describes, got 1");
    SAYS("{\"if\":true,\"then\":{\"const\":1}}", "2",
         " [const] /then/const: must be 1, got 2");
}

static void paths_are_json_pointers(void **state)
{
    (void)state;
    SAYS("{\"properties\":{\"a/b\":{\"items\":{\"$ref\":\"#/$defs/x~1y\"}}},"
         "\"$defs\":{\"x/y\":{\"type\":\"null\"}}}",
         "{\"a/b\":[null,1]}",
         "/a~1b/1 [type] /$defs/x~1y/type: must be null, got number 1");
    SAYS("{\"$ref\":\"http://json-schema.org/draft-07/schema#\"}",
         "{\"title\":1}",
         "/title [type] http://json-schema.org/draft-07/schema#/properties/"
         "title/type: must be a string, got number 1; put it in quotes");
    SAYS("{\"additionalProperties\":{\"type\":\"null\"}}", "{\"~\\u0000\":1}",
         "/~0\xef\xbf\xbd [type] /additionalProperties/type: must be null, got "
         "number 1");
}

static void faults_come_in_the_order_of_the_value(void **state)
{
    static const char *const paths[] = {"/b", "/c", "/a", "/d/1", "/z"};
    struct mcp_arena *a = mcp_arena_new(1 << 20);
    struct mcp_schema_errors e;
    struct mcp_schema *s = compile_text(
        "{\"required\":[\"z\"],\"properties\":{\"a\":{\"type\":\"null\"},"
        "\"b\":{\"minimum\":5},\"d\":{\"items\":{\"type\":\"null\"}}},"
        "\"additionalProperties\":false}",
        NULL);
    size_t i;

    (void)state;
    assert_int_equal(
        validate_text(s, "{\"b\":1,\"c\":1,\"a\":1,\"d\":[null,1]}", a, &e),
        MCP_EINVAL);
    assert_int_equal(e.count, 5);
    for (i = 0; i < 5; i++)
        assert_string_equal(e.items[i].instance_path, paths[i]);
    mcp_schema_free(s);
    mcp_arena_free(a);
}

static void faults_are_counted_up_to_the_limit(void **state)
{
    const struct mcp_schema_options options = {.max_errors = 3};
    struct mcp_schema *s =
        compile_text("{\"items\":{\"type\":\"null\"}}", &options);
    struct mcp_arena *a = mcp_arena_new(1 << 20);
    struct mcp_schema_errors e;

    (void)state;
    assert_int_equal(validate_text(s, "[1,2,3]", a, &e), MCP_EINVAL);
    assert_int_equal(e.count, 3);
    assert_false(e.truncated);
    assert_int_equal(validate_text(s, "[1,2,3,4]", a, &e), MCP_EINVAL);
    assert_int_equal(e.count, 3);
    assert_true(e.truncated);
    mcp_schema_free(s);
    mcp_arena_free(a);
}

/* A long multi-byte text in every place that a message can quote. */
static void texts_stay_short_and_whole(void **state)
{
    static char schema[10000], value[10000];
    struct mcp_arena *a = mcp_arena_new(1 << 22);
    struct mcp_schema_errors e;
    struct mcp_schema *s;
    char word[3001];
    size_t i;

    (void)state;
    for (i = 0; i < 3000; i += 3)
        memcpy(word + i, "\xe2\x82\xac", 4);
    (void)snprintf(schema, sizeof(schema),
                   "{\"enum\":[\"x%s\"],\"properties\":{\"%s\":{\"const\":1}},"
                   "\"required\":[\"y%s\"]}",
                   word, word, word);
    (void)snprintf(value, sizeof(value), "{\"%s\":\"%s\",\"%sz\":1}", word,
                   word, word);
    s = compile_text(schema, NULL);
    assert_int_equal(validate_text(s, value, a, &e), MCP_EINVAL);
    assert_int_equal(e.count, 3);
    for (i = 0; i < e.count; i++) {
        const char *texts[] = {e.items[i].message, e.items[i].instance_path,
                               e.items[i].schema_path};
        size_t j;

        for (j = 0; j < 3; j++) {
            assert_true(strlen(texts[j]) < 512);
            assert_true(mcp_utf8_valid(texts[j], strlen(texts[j]), NULL));
        }
    }
    mcp_schema_free(s);
    mcp_arena_free(a);
}

static void refusals_name_the_place(void **state)
{
    static const struct {
        const char *schema, *message;
    } list[] = {
        {"5", "a schema is an object, true or false"},
        {"{\"properties\":{\"a\":{\"type\":\"int\"}}}",
         "/properties/a/type: unknown type \"int\"; use object, string, "
         "integer, number, array, boolean or null"},
        {"{\"properties\":{\"a\":5}}",
         "/properties/a: must be a schema (an object, true or false)"},
        {"{\"anyOf\":[true,5]}",
         "/anyOf/1: must be a schema (an object, true or false)"},
        {"{\"allOf\":[]}", "/allOf: must be an array with at least one schema"},
        {"{\"$defs\":{\"unused\":{\"minimum\":\"1\"}}}",
         "/$defs/unused/minimum: must be a number"},
        {"{\"$defs\":[{}]}", "/$defs: must be an object of schemas"},
        {"{\"definitions\":{\"a\":\"x\"}}",
         "/definitions/a: must be a schema (an object, true or false)"},
        {"{\"then\":5}", "/then: must be a schema (an object, true or false)"},
        {"{\"not\":{\"$id\":1}}", "/not/$id: must be a string"},
        {"{\"$anchor\":true}", "/$anchor: must be a string"},
        {"{\"multipleOf\":0}", "/multipleOf: must be above 0"},
        {"{\"minItems\":-1}", "/minItems: must be a whole number, 0 or more"},
        {"{\"required\":true}",
         "/required: must be an array of property names"},
        {"{\"pattern\":\"a)\"}",
         "/pattern: the pattern \"a)\" is not valid: unmatched ) (at byte 1)"},
        {"{\"items\":[{}]}",
         "/items: must be a schema; a list of schemas is \"prefixItems\" since "
         "2020-12"},
        {"{\"$ref\":\"#/nowhere\"}",
         "/$ref: \"#/nowhere\" leads to no schema; only this document, what is "
         "embedded in it and the meta-schemas can be referred to, nothing is "
         "fetched"},
        {"{\"$schema\":\"http://json-schema.org/draft-04/schema#\"}",
         "/$schema: unknown dialect; use "
         "\"https://json-schema.org/draft/2020-12/schema\" or "
         "\"http://json-schema.org/draft-07/schema#\""},
        {"{\"$defs\":{\"a\":{\"$id\":\"x\"},\"b\":{\"$id\":\"x\"}}}",
         "/$defs/b/$id: this URI is already taken"},
        {"{\"$defs\":{\"a\":{\"anyOf\":[true,{\"$ref\":\"#/$defs/a\"}]}}}",
         "/$defs/a: the schema applies itself to the same value without end"},
    };
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(list) / sizeof(list[0]); i++)
        assert_string_equal(refusal(list[i].schema, NULL, MCP_EINVAL),
                            list[i].message);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_say_what_came_and_what_would_fit),
        cmocka_unit_test(members_are_named),
        cmocka_unit_test(values_are_shown),
        cmocka_unit_test(alternatives_tell_the_nearest),
        cmocka_unit_test(paths_are_json_pointers),
        cmocka_unit_test(faults_come_in_the_order_of_the_value),
        cmocka_unit_test(faults_are_counted_up_to_the_limit),
        cmocka_unit_test(texts_stay_short_and_whole),
        cmocka_unit_test(refusals_name_the_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
