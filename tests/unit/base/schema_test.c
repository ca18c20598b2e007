/*
 * schema_test.c - each keyword has a value that fits and one that does not
 *
 * The official suites say it all in much more detail (schema_suite_test.c);
 * this is what a checkout without them still has.
 */
#include "schema_common.h"

static void types(void **state)
{
    static const struct verdict list[] = {
        {"true", "1", true},
        {"false", "1", false},
        {"{}", "null", true},
        {"{\"type\":\"string\"}", "\"a\"", true},
        {"{\"type\":\"string\"}", "1", false},
        {"{\"type\":\"number\"}", "1.5", true},
        {"{\"type\":\"number\"}", "\"1.5\"", false},
        {"{\"type\":\"integer\"}", "1", true},
        {"{\"type\":\"integer\"}", "1.0", true},
        {"{\"type\":\"integer\"}", "1e400", true},
        {"{\"type\":\"integer\"}", "1.5", false},
        {"{\"type\":\"integer\"}", "9007199254740993.5", false},
        {"{\"type\":\"boolean\"}", "false", true},
        {"{\"type\":\"boolean\"}", "0", false},
        {"{\"type\":\"null\"}", "null", true},
        {"{\"type\":\"null\"}", "0", false},
        {"{\"type\":\"array\"}", "[]", true},
        {"{\"type\":\"array\"}", "{}", false},
        {"{\"type\":\"object\"}", "{}", true},
        {"{\"type\":\"object\"}", "[]", false},
        {"{\"type\":[\"integer\",\"null\"]}", "null", true},
        {"{\"type\":[\"integer\",\"null\"]}", "2.5", false},
        {"{\"type\":[\"integer\",\"number\"]}", "2.5", true},
    };

    (void)state;
    CHECK(list, NULL);
}

static void enum_and_const(void **state)
{
    static const struct verdict list[] = {
        {"{\"enum\":[\"a\",\"b\"]}", "\"b\"", true},
        {"{\"enum\":[\"a\",\"b\"]}", "\"c\"", false},
        {"{\"enum\":[\"a\",\"b\"]}", "1", false},
        {"{\"enum\":[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\",\"h\"]}",
         "\"h\"", true},
        {"{\"enum\":[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\",\"h\"]}",
         "\"i\"", false},
        {"{\"enum\":[1,[2],{\"a\":3}]}", "{\"a\":3.0}", true},
        {"{\"enum\":[1,[2],{\"a\":3}]}", "[3]", false},
        {"{\"enum\":[]}", "1", false},
        {"{\"const\":0}", "-0.0", true},
        {"{\"const\":0}", "false", false},
        {"{\"const\":9007199254740993}", "9007199254740993", true},
        {"{\"const\":9007199254740993}", "9007199254740992", false},
        {"{\"const\":{\"a\":1,\"b\":2}}", "{\"b\":2,\"a\":1}", true},
        {"{\"const\":\"a\\u0000b\"}", "\"a\\u0000b\"", true},
        {"{\"const\":\"a\\u0000b\"}", "\"a\\u0000c\"", false},
    };

    (void)state;
    CHECK(list, NULL);
}

static void numbers(void **state)
{
    static const struct verdict list[] = {
        {"{\"minimum\":3}", "3", true},
        {"{\"minimum\":3}", "2.9999999999999999999999", false},
        {"{\"minimum\":9007199254740993}", "9007199254740992", false},
        {"{\"minimum\":1e400}", "1e401", true},
        {"{\"minimum\":1e401}", "1e400", false},
        {"{\"maximum\":3}", "3", true},
        {"{\"maximum\":3}", "3.0000000000000000000001", false},
        {"{\"maximum\":3}", "\"9\"", true},
        {"{\"exclusiveMinimum\":3}", "3.1", true},
        {"{\"exclusiveMinimum\":3}", "3", false},
        {"{\"exclusiveMaximum\":3}", "2.9", true},
        {"{\"exclusiveMaximum\":3}", "3.0", false},
        {"{\"multipleOf\":3}", "-9", true},
        {"{\"multipleOf\":3}", "10", false},
        {"{\"multipleOf\":0.01}", "19.99", true},
        {"{\"multipleOf\":0.01}", "19.999", false},
        {"{\"multipleOf\":1e-8}", "12391239123", true},
    };

    (void)state;
    CHECK(list, NULL);
}

static void strings(void **state)
{
    static const struct verdict list[] = {
        {"{\"minLength\":2}", "\"\xc3\xa9\xc3\xa9\"", true},
        {"{\"minLength\":2}", "\"\xc3\xa9\"", false},
        {"{\"maxLength\":2}", "\"\xf0\x9f\x98\x80\xf0\x9f\x98\x80\"", true},
        {"{\"maxLength\":2}", "\"abc\"", false},
        {"{\"maxLength\":2.0}", "\"ab\"", true},
        {"{\"pattern\":\"b+\"}", "\"abc\"", true},
        {"{\"pattern\":\"^b+$\"}", "\"abc\"", false},
        {"{\"pattern\":\"^a$\"}", "\"a\\n\"", false},
        {"{\"pattern\":\"x\"}", "1", true},
        {"{\"format\":\"date\"}", "\"never\"", true},
        {"{\"contentMediaType\":\"application/json\"}", "\"{\"", true},
    };

    (void)state;
    CHECK(list, NULL);
}

static void format_is_binding_on_request(void **state)
{
    static const struct verdict list[] = {
        {"{\"format\":\"date\"}", "\"2024-02-29\"", true},
        {"{\"format\":\"date\"}", "\"2023-02-29\"", false},
        {"{\"format\":\"date\"}", "20230229", true},
        {"{\"format\":\"no-such-format\"}", "\"x\"", true},
    };
    const struct mcp_schema_options options = {.assert_format = true};

    (void)state;
    CHECK(list, &options);
}

static void objects(void **state)
{
    static const struct verdict list[] = {
        {"{\"properties\":{\"a\":{\"type\":\"null\"}}}", "{\"a\":null}", true},
        {"{\"properties\":{\"a\":{\"type\":\"null\"}}}", "{\"a\":1}", false},
        {"{\"properties\":{\"a\":false}}", "{\"b\":1}", true},
        {"{\"properties\":{\"a\":false}}", "{\"a\":1}", false},
        {"{\"patternProperties\":{\"^x\":{\"type\":\"null\"}}}", "{\"y\":1}",
         true},
        {"{\"patternProperties\":{\"^x\":{\"type\":\"null\"}}}", "{\"x1\":1}",
         false},
        {"{\"properties\":{\"a\":true},\"additionalProperties\":false}",
         "{\"a\":1}", true},
        {"{\"properties\":{\"a\":true},\"additionalProperties\":false}",
         "{\"b\":1}", false},
        {"{\"patternProperties\":{\"b\":true},\"additionalProperties\":false}",
         "{\"abc\":1}", true},
        {"{\"additionalProperties\":{\"type\":\"string\"}}", "{\"b\":1}",
         false},
        {"{\"required\":[\"a\",\"b\"]}", "{\"b\":1,\"a\":2}", true},
        {"{\"required\":[\"a\",\"b\",\"a\"]}", "{\"a\":1}", false},
        {"{\"required\":[\"a\",\"b\",\"a\"]}", "{\"a\":1,\"b\":1}", true},
        {"{\"properties\":{\"a\":true},\"required\":[\"a\"]}", "{}", false},
        {"{\"required\":[\"a\"],\"additionalProperties\":false}", "{\"a\":1}",
         false},
        {"{\"propertyNames\":{\"maxLength\":2}}", "{\"ab\":1}", true},
        {"{\"propertyNames\":{\"maxLength\":2}}", "{\"abc\":1}", false},
        {"{\"minProperties\":1}", "{\"a\":1}", true},
        {"{\"minProperties\":1}", "{}", false},
        {"{\"maxProperties\":1}", "{\"a\":1}", true},
        {"{\"maxProperties\":1}", "{\"a\":1,\"b\":2}", false},
        {"{\"dependentRequired\":{\"a\":[\"b\"]}}", "{\"b\":1}", true},
        {"{\"dependentRequired\":{\"a\":[\"b\"]}}", "{\"a\":1}", false},
        {"{\"dependentSchemas\":{\"a\":{\"minProperties\":2}}}",
         "{\"a\":1,\"c\":2}", true},
        {"{\"dependentSchemas\":{\"a\":{\"minProperties\":2}}}", "{\"a\":1}",
         false},
        {"{\"dependencies\":{\"a\":[\"b\"],\"c\":false}}", "{\"a\":1,\"b\":2}",
         true},
        {"{\"dependencies\":{\"a\":[\"b\"],\"c\":false}}", "{\"c\":1}", false},
    };

    (void)state;
    CHECK(list, NULL);
}

static void arrays(void **state)
{
    static const struct verdict list[] = {
        {"{\"items\":{\"type\":\"null\"}}", "[null,null]", true},
        {"{\"items\":{\"type\":\"null\"}}", "[null,1]", false},
        {"{\"prefixItems\":[true,{\"type\":\"null\"}]}", "[1]", true},
        {"{\"prefixItems\":[true,{\"type\":\"null\"}]}", "[1,2]", false},
        {"{\"prefixItems\":[true],\"items\":false}", "[1]", true},
        {"{\"prefixItems\":[true],\"items\":false}", "[1,2]", false},
        {"{\"contains\":{\"const\":1}}", "[0,1]", true},
        {"{\"contains\":{\"const\":1}}", "[0]", false},
        {"{\"contains\":{\"const\":1},\"minContains\":0}", "[0]", true},
        {"{\"contains\":{\"const\":1},\"minContains\":2}", "[1,0]", false},
        {"{\"contains\":{\"const\":1},\"maxContains\":1}", "[1,1]", false},
        {"{\"minItems\":1}", "[1]", true},
        {"{\"minItems\":1}", "[]", false},
        {"{\"maxItems\":1}", "[1]", true},
        {"{\"maxItems\":1}", "[1,2]", false},
        {"{\"uniqueItems\":true}", "[1,\"1\",[1],{\"a\":1},true,null]", true},
        {"{\"uniqueItems\":true}", "[1,2,1.0]", false},
        {"{\"uniqueItems\":false}", "[1,1]", true},
        {"{\"uniqueItems\":true}", "[0,1,2,3,4,5,6,7,8,9,10,11,12]", true},
        {"{\"uniqueItems\":true}", "[0,1,2,3,4,5,6,7,8,9,10,11,0.0]", false},
        {"{\"uniqueItems\":true}",
         "[{\"a\":1,\"b\":2},1,2,3,4,5,6,7,8,{\"b\":2,\"a\":1}]", false},
    };

    (void)state;
    CHECK(list, NULL);
}

static void alternatives(void **state)
{
    static const struct verdict list[] = {
        {"{\"allOf\":[{\"minimum\":1},{\"maximum\":2}]}", "2", true},
        {"{\"allOf\":[{\"minimum\":1},{\"maximum\":2}]}", "3", false},
        {"{\"anyOf\":[{\"const\":1},{\"const\":2}]}", "2", true},
        {"{\"anyOf\":[{\"const\":1},{\"const\":2}]}", "3", false},
        {"{\"oneOf\":[{\"minimum\":5},{\"maximum\":9}]}", "3", true},
        {"{\"oneOf\":[{\"minimum\":5},{\"maximum\":9}]}", "7", false},
        {"{\"oneOf\":[{\"const\":5},{\"const\":9}]}", "7", false},
        {"{\"not\":{\"type\":\"null\"}}", "1", true},
        {"{\"not\":{\"type\":\"null\"}}", "null", false},
        {"{\"if\":{\"minimum\":5},\"then\":{\"multipleOf\":2}}", "8", true},
        {"{\"if\":{\"minimum\":5},\"then\":{\"multipleOf\":2}}", "7", false},
        {"{\"if\":{\"minimum\":5},\"else\":{\"const\":1}}", "2", false},
        {"{\"then\":false}", "1", true},
    };

    (void)state;
    CHECK(list, NULL);
}

static void unevaluated(void **state)
{
    static const struct verdict list[] = {
        {"{\"anyOf\":[{\"properties\":{\"a\":{\"const\":1}}},"
         "{\"properties\":{\"b\":true}}],\"unevaluatedProperties\":false}",
         "{\"a\":1,\"b\":2}", true},
        {"{\"anyOf\":[{\"properties\":{\"a\":{\"const\":1}}},"
         "{\"properties\":{\"b\":true}}],\"unevaluatedProperties\":false}",
         "{\"a\":2,\"b\":2}", false},
        {"{\"not\":{\"not\":{\"properties\":{\"a\":true}}},"
         "\"unevaluatedProperties\":false}",
         "{\"a\":2}", false},
        {"{\"$ref\":\"#/$defs/d\",\"unevaluatedProperties\":false,"
         "\"$defs\":{\"d\":{\"properties\":{\"a\":true}}}}",
         "{\"a\":2}", true},
        {"{\"prefixItems\":[true],\"contains\":{\"const\":7},"
         "\"unevaluatedItems\":false}",
         "[1,7]", true},
        {"{\"prefixItems\":[true],\"contains\":{\"const\":7},"
         "\"unevaluatedItems\":false}",
         "[7,1]", false},
        {"{\"unevaluatedProperties\":{\"type\":\"null\"}}", "{\"a\":null}",
         true},
    };

    (void)state;
    CHECK(list, NULL);
}

static void references(void **state)
{
    static const struct verdict list[] = {
        {"{\"$ref\":\"#/$defs/a~1b%25\",\"$defs\":{\"a/b%\":{\"const\":1}}}",
         "2", false},
        {"{\"$ref\":\"#x\",\"$defs\":{\"a\":{\"$anchor\":\"x\",\"const\":1}}}",
         "1", true},
        {"{\"$ref\":\"item\",\"$defs\":{\"a\":{\"$id\":\"item\",\"const\":1}}}",
         "2", false},
        {"{\"$id\":\"http://a/b/c\",\"$ref\":\"../d\",\"$defs\":{\"a\":"
         "{\"$id\":\"/d\",\"const\":1}}}",
         "2", false},
        {"{\"properties\":{\"next\":{\"$ref\":\"#\"}},"
         "\"additionalProperties\":false}",
         "{\"next\":{\"next\":{}}}", true},
        {"{\"properties\":{\"next\":{\"$ref\":\"#\"}},"
         "\"additionalProperties\":false}",
         "{\"next\":{\"last\":{}}}", false},
        {"{\"$ref\":\"https://json-schema.org/draft/2020-12/schema\"}",
         "{\"properties\":{\"a\":{\"minLength\":1}}}", true},
        {"{\"$ref\":\"https://json-schema.org/draft/2020-12/schema\"}",
         "{\"properties\":{\"a\":{\"minLength\":-1}}}", false},
        {"{\"$ref\":\"http://json-schema.org/draft-07/schema#\"}",
         "{\"items\":[{\"type\":\"int\"}]}", false},
    };

    (void)state;
    CHECK(list, NULL);
}

#define TREE                                                                   \
    "{\"$id\":\"http://t/strict\",\"$ref\":\"tree\",\"$dynamicAnchor\":"       \
    "\"node\",\"unevaluatedProperties\":false,\"$defs\":{\"t\":{\"$id\":"      \
    "\"tree\",\"$dynamicAnchor\":\"node\",\"properties\":{\"data\":true,"      \
    "\"children\":{\"items\":{\"$dynamicRef\":\"#node\"}}}}}}"

static void dynamic_references(void **state)
{
    static const struct verdict list[] = {
        {TREE, "{\"children\":[{\"data\":1}]}", true},
        {TREE, "{\"children\":[{\"daat\":1}]}", false},
    };

    (void)state;
    CHECK(list, NULL);
}

static void draft_07_reads_by_its_own_rules(void **state)
{
    static const struct verdict list[] = {
        {"{\"items\":[{\"const\":1}],\"additionalItems\":false}", "[1]", true},
        {"{\"items\":[{\"const\":1}],\"additionalItems\":false}", "[1,2]",
         false},
        {"{\"$ref\":\"#/definitions/a\",\"const\":3,\"definitions\":{\"a\":"
         "{\"minimum\":1}}}",
         "2", true},
        {"{\"prefixItems\":[false],\"unevaluatedItems\":false}", "[1]", true},
        {"{\"$ref\":\"#a\",\"definitions\":{\"x\":{\"$id\":\"#a\",\"const\":1}}"
         "}",
         "2", false},
    };
    const struct mcp_schema_options options = {.default_draft =
                                                   MCP_SCHEMA_DRAFT_07};

    (void)state;
    CHECK(list, &options);
}

static void schema_keyword_chooses_the_dialect(void **state)
{
    static const struct verdict list[] = {
        {"{\"$schema\":\"http://json-schema.org/draft-07/schema#\","
         "\"items\":[{\"const\":1}]}",
         "[2]", false},
        {"{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\","
         "\"prefixItems\":[{\"const\":1}]}",
         "[2]", false},
        {"{\"$schema\":\"https://json-schema.org/draft/2019-09/schema\","
         "\"$recursiveAnchor\":true,\"items\":[{\"const\":1}],"
         "\"properties\":{\"a\":{\"$recursiveRef\":\"#\"}}}",
         "{\"a\":[2]}", false},
    };

    (void)state;
    CHECK(list, NULL);
}

static void given_documents_are_found(void **state)
{
    struct mcp_arena *a = mcp_arena_new(1 << 20);
    const struct mcp_schema_resource resources[] = {
        {"http://x/unused", parse_text(a, "{\"$ref\":\"http://y/missing\"}")},
        {"http://x/used", parse_text(a, "{\"$defs\":{\"a\":{\"const\":1}}}")},
    };
    const struct mcp_schema_options options = {.resources = resources,
                                               .resource_count = 2};
    static const struct verdict list[] = {
        {"{\"$ref\":\"http://x/used#/$defs/a\"}", "1", true},
        {"{\"$ref\":\"http://x/used#/$defs/a\"}", "2", false},
    };

    (void)state;
    CHECK(list, &options);
    mcp_arena_free(a);
}

#define VOCABULARY "https://json-schema.org/draft/2020-12/vocab/"

static void a_meta_schema_chooses_vocabularies(void **state)
{
    struct mcp_arena *a = mcp_arena_new(1 << 20);
    const struct mcp_schema_resource resources[] = {
        {"http://m/loose",
         parse_text(a, "{\"$vocabulary\":{\"" VOCABULARY
                       "core\":true,\"" VOCABULARY "applicator\":true}}")},
        {"http://m/strict", parse_text(a, "{\"$vocabulary\":{\"" VOCABULARY
                                          "format-assertion\":true}}")},
        {"http://m/old", parse_text(a, "{\"$schema\":\"http://json-schema.org/"
                                       "draft-07/schema#\"}")},
        {"http://m/new", parse_text(a, "{\"$vocabulary\":{\"http://v/x\":true}"
                                       "}")},
        {"http://m/loop", parse_text(a, "{\"$schema\":\"http://m/loop\"}")},
    };
    const struct mcp_schema_options options = {.resources = resources,
                                               .resource_count = 5};
    static const struct verdict list[] = {
        {"{\"$schema\":\"http://m/loose\",\"minimum\":5,\"required\":[\"a\"]}",
         "{}", true},
        {"{\"$schema\":\"http://m/loose\",\"properties\":{\"a\":false}}",
         "{\"a\":1}", false},
        {"{\"$schema\":\"http://m/strict\",\"format\":\"date\"}", "\"x\"",
         false},
        {"{\"$schema\":\"http://m/old\",\"items\":[{\"const\":1}]}", "[2]",
         false},
    };

    (void)state;
    CHECK(list, &options);
    assert_string_equal(
        refusal("{\"$schema\":\"http://m/new\"}", &options, MCP_EINVAL),
        "/$schema: the meta-schema needs a vocabulary that is not supported");
    assert_non_null(
        strstr(refusal("{\"$schema\":\"http://m/loop\"}", &options, MCP_EINVAL),
               "unknown dialect"));
    mcp_arena_free(a);
}

static void pointers_that_lead_nowhere_are_refused(void **state)
{
    static const char *const references[] = {
        "#/prefixItems/1",
        "#/prefixItems/01",
        "#/prefixItems/-",
        "#/prefixItems/x",
        "#/prefixItems/4294967296",
        "#/prefixItems",
        "#/title",
        "#nowhere",
        "other.json",
        "#/$defs/a~2b",
        "#/prefixItems/0/0",
    };
    char schema[200];
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(references) / sizeof(references[0]); i++) {
        (void)snprintf(schema, sizeof(schema),
                       "{\"title\":\"x\",\"prefixItems\":[true],\"not\":{"
                       "\"$ref\":\"%s\"}}",
                       references[i]);
        assert_non_null(
            strstr(refusal(schema, NULL, MCP_EINVAL), "/not/$ref: "));
    }
}

static void uris_are_resolved_as_rfc_3986_says(void **state)
{
    static const char *const pairs[][2] = {
        {"g", "http://a/b/c/g"},      {"./g", "http://a/b/c/g"},
        {"g/", "http://a/b/c/g/"},    {"/g", "http://a/g"},
        {"//g", "http://g"},          {"?y", "http://a/b/c/d;p?y"},
        {"g?y", "http://a/b/c/g?y"},  {".", "http://a/b/c/"},
        {"..", "http://a/b/"},        {"../g", "http://a/b/g"},
        {"../../g", "http://a/g"},    {"../../../g", "http://a/g"},
        {"/./g", "http://a/g"},       {"g/./h", "http://a/b/c/g/h"},
        {"g/../h", "http://a/b/c/h"}, {"g;x=1/../y", "http://a/b/c/y"},
        {"urn:x:y", "urn:x:y"},
    };
    struct mcp_arena *a = mcp_arena_new(1 << 20);
    char schema[200];
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        const struct mcp_schema_resource resource = {
            pairs[i][1], parse_text(a, "{\"const\":1}")};
        const struct mcp_schema_options options = {.resources = &resource,
                                                   .resource_count = 1};
        struct verdict one = {schema, "2", false};

        (void)snprintf(schema, sizeof(schema),
                       "{\"$id\":\"http://a/b/c/d;p?q\",\"$ref\":\"%s\"}",
                       pairs[i][0]);
        check_verdicts(&one, 1, &options);
    }
    mcp_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types),
        cmocka_unit_test(enum_and_const),
        cmocka_unit_test(numbers),
        cmocka_unit_test(strings),
        cmocka_unit_test(format_is_binding_on_request),
        cmocka_unit_test(objects),
        cmocka_unit_test(arrays),
        cmocka_unit_test(alternatives),
        cmocka_unit_test(unevaluated),
        cmocka_unit_test(references),
        cmocka_unit_test(dynamic_references),
        cmocka_unit_test(draft_07_reads_by_its_own_rules),
        cmocka_unit_test(schema_keyword_chooses_the_dialect),
        cmocka_unit_test(given_documents_are_found),
        cmocka_unit_test(a_meta_schema_chooses_vocabularies),
        cmocka_unit_test(pointers_that_lead_nowhere_are_refused),
        cmocka_unit_test(uris_are_resolved_as_rfc_3986_says),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
