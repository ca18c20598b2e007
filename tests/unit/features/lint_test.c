/* Mirrors src/features/lint*.c: each rule breaks, and just does not. */
#include "features/lint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define D        "\"description\":\"x\","

static struct mcp_builder *builder;
static struct mcp_arena *arena;
static struct mcp_findings found;

static int set_up(void **state)
{
    struct mcp_config *c = mcp_config_new();
    char message[256];

    (void)state;
    arena = mcp_arena_new((size_t)64 << 20);
    if (arena == NULL || c == NULL ||
        mcp_config_set(c, "name", "test", MCP_FROM_APP, message,
                       sizeof(message)) != MCP_OK)
        return 1;
    builder = mcp_builder_new(c);
    return builder == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    mcp_builder_free(builder);
    mcp_arena_free(arena);
    builder = NULL;
    return 0;
}

static void add(const struct mcp_tool *tool)
{
    char message[512];

    if (mcp_builder_add_tool(builder, tool, message, sizeof(message)) != MCP_OK)
        fail_msg("%s", message);
}

static void judge(void)
{
    assert_int_equal(mcp_lint(mcp_builder_view(builder), arena, &found),
                     MCP_OK);
}

/* "rule@pointer rule@pointer" of what was found; the note that tools are
 * closed is of no interest here. */
static const char *findings(void)
{
    static char text[16384];
    size_t n = 0;

    text[0] = '\0';
    judge();
    for (size_t i = 0; i < found.count; i++) {
        const struct mcp_finding *f = &found.items[i];

        if (strcmp(f->rule->id, "closed") != 0)
            n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s@%s",
                                  n > 0 ? " " : "", f->rule->id, f->pointer);
        assert_true(n < sizeof(text));
    }
    return text;
}

static void restart(void)
{
    (void)tear_down(NULL);
    assert_int_equal(set_up(NULL), 0);
}

/* What a tool with this input schema is told, pointers from the schema on. */
static void told(const char *schema, const char *expected)
{
    struct mcp_tool tool = {
        .name = "tool", .description = "x", .input_schema = schema};
    char want[1024];
    size_t n = 0;

    restart();
    add(&tool);
    for (; *expected != '\0'; expected++) {
        assert_true(n + 16 < sizeof(want));
        want[n++] = *expected;
        if (*expected == '@')
            n += (size_t)snprintf(want + n, sizeof(want) - n, "/inputSchema");
    }
    want[n] = '\0';
    assert_string_equal(findings(), want);
}

/* The same for the one property "a", beside a description. */
static void property(const char *keywords, const char *expected)
{
    char schema[4096];

    (void)snprintf(schema, sizeof(schema),
                   "{\"properties\":{\"a\":{" D "%s}},\"required\":[\"a\"]}",
                   keywords);
    told(schema, expected);
}

#define A "@/properties/a"

/* ---- names and texts ---- */

static void name(const char *text, const char *expected)
{
    struct mcp_tool tool = {.name = text,
                            .description = "x",
                            .input_schema = "{\"properties\":{}}"};

    restart();
    add(&tool);
    assert_string_equal(findings(), expected);
}

static void annotations_with_a_slip(void **state)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"{\"readOnlyHint\":true,\"title\":\"T\",\"destructiveHint\":true,"
         "\"idempotentHint\":true,\"openWorldHint\":true,\"x-own\":1}",
         ""},
        {"{\"readonly\":true}", "annotation-unknown@/annotations/readonly"},
        {"{\"read_only\":true}", "annotation-unknown@/annotations/read_only"},
        {"{\"readOnlyHnit\":true}",
         "annotation-unknown@/annotations/readOnlyHnit"},
        {"{\"destructive\":true}",
         "annotation-unknown@/annotations/destructive"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct mcp_tool tool = {.name = "tool",
                                .description = "x",
                                .annotations = cases[i].text,
                                .input_schema = "{\"properties\":{}}"};

        restart();
        add(&tool);
        assert_string_equal(findings(), cases[i].expected);
    }
}

static void names_that_hosts_refuse(void **state)
{
    char text[66];

    (void)state;
    memset(text, 'a', 65);
    text[64] = '\0';
    name(text, "");
    text[64] = 'a';
    text[65] = '\0';
    name(text, "name-long@/name");
    name("a.b", "name-dot@/name");
    name("get-it_now2", "");
}

static void names_that_are_hard_to_tell_apart(void **state)
{
    static const char *const twins[][2] = {{"get_it", "get-it"},
                                           {"getit", "GETIT"},
                                           {"get.it", "getit"},
                                           {"a", "_a"}};
    struct mcp_tool tool = {.description = "x",
                            .input_schema = "{\"properties\":{}}"};

    (void)state;
    for (size_t i = 0; i < COUNT(twins); i++) {
        restart();
        tool.name = twins[i][0];
        add(&tool);
        tool.name = twins[i][1];
        add(&tool);
        assert_non_null(strstr(findings(), "name-similar@/name"));
    }
    restart();
    tool.name = "get_it";
    add(&tool);
    tool.name = "get_its";
    add(&tool);
    assert_string_equal(findings(), "");
}

static void two_styles_of_names_are_noted_once(void **state)
{
    static const char *const names[] = {"plain", "get_it", "getThem", "putThem",
                                        "put_it"};
    struct mcp_tool tool = {.description = "x",
                            .input_schema = "{\"properties\":{}}"};

    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        tool.name = names[i];
        add(&tool);
    }
    assert_string_equal(findings(), "name-style@/name");
    assert_string_equal(found.items[0].tool->name, "getThem");
    assert_string_equal(found.items[0].message,
                        "\"getThem\" beside \"get_it\"");
}

static void titles_are_not_used_twice(void **state)
{
    struct mcp_tool tool = {.name = "a",
                            .title = "T",
                            .description = "x",
                            .input_schema = "{\"properties\":{}}"};

    (void)state;
    add(&tool);
    tool.name = "b";
    add(&tool);
    tool.name = "c";
    tool.title = "t";
    add(&tool);
    tool.name = "d";
    tool.title = NULL;
    add(&tool);
    tool.name = "e";
    add(&tool);
    assert_string_equal(findings(), "title-duplicate@/title");
    assert_string_equal(found.items[0].tool->name, "b");
}

static void described(const char *text, const char *expected)
{
    struct mcp_tool tool = {.name = "a",
                            .description = text,
                            .input_schema = "{\"properties\":{}}"};

    restart();
    add(&tool);
    assert_string_equal(findings(), expected);
}

/* Characters count, not bytes. */
static void descriptions_have_a_length(void **state)
{
    char text[2 * 1025 + 1];

    (void)state;
    described(NULL, "description-missing@");
    described("", "description-missing@");
    for (int i = 0; i < 1025; i++)
        memcpy(text + 2 * i, "\xc3\xa9", 2);
    text[2 * 1024] = '\0';
    described(text, "");
    text[2 * 1024] = '\xc3';
    text[2 * 1025] = '\0';
    described(text, "description-long@/description");
}

static void descriptions_of_properties_have_one_too(void **state)
{
    char schema[1200];

    (void)state;
    for (int n = 1024; n <= 1025; n++) {
        (void)snprintf(schema, sizeof(schema),
                       "{\"properties\":{\"a\":{\"type\":\"string\","
                       "\"description\":\"%0*d\"}}}",
                       n, 0);
        told(schema, n == 1024 ? "" : "description-long" A "/description");
    }
}

static void more_tools_than_some_clients_take(void **state)
{
    struct mcp_tool tool = {.description = "x",
                            .input_schema = "{\"properties\":{}}"};
    char text[16];

    (void)state;
    assert_string_equal(findings(), "tools-none@");
    tool.name = text;
    for (int i = 1; i <= 129; i++) {
        (void)snprintf(text, sizeof(text), "t%d", i);
        add(&tool);
        if (i >= 128)
            assert_string_equal(findings(), i == 128 ? "" : "tools-many@");
    }
}

/* A server of prompts alone has something to offer. */
static void an_app_that_is_not_empty_needs_no_tool(void **state)
{
    struct mcp_prompt prompt = {
        .name = "p", .description = "x", .handler = {.slot = 1}};
    char message[512];

    (void)state;
    assert_string_equal(findings(), "tools-none@");
    assert_int_equal(
        mcp_builder_add_prompt(builder, &prompt, message, sizeof(message)),
        MCP_OK);
    assert_string_equal(findings(), "");
}

static void a_server_has_a_name(void **state)
{
    struct mcp_tool tool = {
        .name = "a", .description = "x", .input_schema = "{\"properties\":{}}"};

    (void)state;
    add(&tool);
    free(mcp_builder_config(builder)->name);
    mcp_builder_config(builder)->name = NULL;
    assert_string_equal(findings(), "server-name@");
}

/* ---- arguments ---- */

static void arguments_have_descriptions_and_names(void **state)
{
    (void)state;
    told("{\"properties\":{\"a\":{\"type\":\"string\"}}}",
         "argument-description" A);
    told("{\"properties\":{\"a\":{\"type\":\"string\",\"description\":\" \"}}}",
         "argument-description" A);
    told("{\"properties\":{\"a\":{\"type\":\"object\"," D "\"properties\":{"
         "\"b\":{\"type\":\"string\"}}}}}",
         "argument-description@/properties/a/properties/b");
    told("{\"properties\":{\"a b\":{" D "\"type\":\"string\"},\"a/~\":{" D
         "\"type\":\"string\"},\"1a\":{" D "\"type\":\"string\"},\"a_1\":{" D
         "\"type\":\"string\"}}}",
         "argument-name@/properties/a b argument-name@/properties/a~1~0 "
         "argument-name@/properties/1a");
}

static void argument_names_have_a_length(void **state)
{
    char schema[256], key[66], expected[128];

    (void)state;
    for (size_t n = 64; n <= 65; n++) {
        memset(key, 'k', n);
        key[n] = '\0';
        (void)snprintf(schema, sizeof(schema),
                       "{\"properties\":{\"%s\":{" D "\"type\":\"string\"}}}",
                       key);
        (void)snprintf(expected, sizeof(expected),
                       "argument-name@/properties/%s", key);
        told(schema, n == 64 ? "" : expected);
    }
}

static void required_names_something(void **state)
{
    (void)state;
    told("{\"properties\":{},\"required\":[\"b\"]}",
         "required-undeclared@/required/0");
    told("{\"properties\":{},\"required\":[\"b\"],\"additionalProperties\":"
         "false}",
         "required-unknown@/required/0");
    told("{\"properties\":{},\"required\":[\"b\"],\"additionalProperties\":"
         "false,\"patternProperties\":{\"^b\":{\"type\":\"string\"}}}",
         "");
    told("{\"properties\":{},\"required\":[\"b\"],\"allOf\":[{\"properties\":{"
         "\"b\":{\"type\":\"string\"}}}]}",
         "root-composition@/allOf");
    told("{\"properties\":{},\"allOf\":[{\"required\":[\"b\"]}]}",
         "root-composition@/allOf");
}

/* ---- constructs ---- */

static void properties_are_there(void **state)
{
    (void)state;
    told("{\"type\":\"object\"}", "properties-missing@");
    told("{}", "properties-missing@");
    told("{\"properties\":{}}", "");
}

static void schemas_say_one_type(void **state)
{
    (void)state;
    property("\"minLength\":1", "type-missing" A);
    property("\"enum\":[\"a\"]", "type-missing" A);
    property("\"type\":[\"object\",\"null\"]", "type-array" A "/type");
    property("\"type\":\"array\",\"items\":{}", "type-missing" A "/items");
    property("\"type\":\"array\",\"items\":{\"type\":[\"object\",\"null\"]}",
             "type-array" A "/items/type");
    property("\"type\":\"array\",\"items\":{\"type\":\"string\"}", "");
    property("\"type\":\"string\",\"not\":{\"const\":\"\"}",
             "composition" A "/not");
}

static void booleans_are_no_schemas(void **state)
{
    (void)state;
    told("{\"properties\":{\"a\":true,\"b\":false}}",
         "boolean-schema@/properties/a boolean-schema@/properties/b");
    property("\"type\":\"array\",\"items\":true", "boolean-schema" A "/items");
    property("\"type\":\"object\",\"additionalProperties\":true,"
             "\"unevaluatedProperties\":false",
             "");
}

static void enums_are_strings(void **state)
{
    (void)state;
    property("\"type\":\"string\",\"enum\":[\"a\",\"b\"]", "");
    property("\"type\":\"boolean\",\"enum\":[true,false]",
             "enum-not-string" A "/enum");
    property("\"type\":\"integer\",\"enum\":[1]", "enum-not-string" A "/enum");
    property("\"type\":\"string\",\"enum\":[\"a\",null]",
             "enum-not-string" A "/enum");
}

static void unions_hurt_by_their_place(void **state)
{
#define U "[{\"type\":\"string\"},{\"type\":\"number\"}]"
    (void)state;
    property("\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]",
             "union-null" A "/anyOf");
    property("\"oneOf\":" U, "composition" A "/oneOf");
    property("\"type\":\"array\",\"items\":{\"anyOf\":" U "}",
             "items-union" A "/items/anyOf");
    told("{\"properties\":{},\"anyOf\":[{\"required\":[]}]}",
         "root-composition@/anyOf");
    told("{\"properties\":{},\"oneOf\":[{\"anyOf\":[{}]}]}",
         "root-composition@/oneOf");
    told("{\"properties\":{},\"if\":{},\"then\":{}}", "root-composition@/if");
}

static void references_are_told_once(void **state)
{
    (void)state;
    told("{\"properties\":{\"a\":{\"$ref\":\"#/$defs/n\"},\"b\":{\"$ref\":"
         "\"#/$defs/n\"}},\"$defs\":{\"n\":{\"type\":\"string\"}}}",
         "ref@/$defs");
    told("{\"properties\":{\"a\":{\"$ref\":\"#\"}}}", "ref" A "/$ref");
}

static void other_constructs(void **state)
{
    (void)state;
    told("{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\","
         "\"properties\":{}}",
         "dialect@/$schema");
    property("\"properties\":{}", "non-object" A);
    property("\"type\":\"string\",\"required\":[]", "non-object" A);
    property("\"type\":\"object\",\"properties\":{}", "");
    property("\"type\":\"object\",\"additionalProperties\":{\"type\":"
             "\"string\"}",
             "map" A "/additionalProperties");
    property("\"type\":\"string\",\"format\":\"date\"", "");
    property("\"type\":\"integer\",\"format\":\"int64\"", "");
    property("\"type\":\"string\",\"format\":\"phone\"",
             "format-unknown" A "/format");
    property("\"type\":\"string\",\"minLenght\":1",
             "keyword-unknown" A "/minLenght");
    property("\"type\":\"string\",\"x-type\":1,\"somethingElse\":2,\"id\":3",
             "");
}

static void patterns_that_simple_engines_refuse(void **state)
{
    static const char *const hard[] = {
        "(?=a)",    "a(?!b)",          "(?<=a)b",   "(?<!a)b",
        "(a)\\\\1", "(?<n>a)\\\\k<n>", "\\\\p{L}+", "\\\\\\\\\\\\P{L}"};
    static const char *const easy[] = {"^[a-z]+$", "(?:a|b)",     "\\\\d\\\\.",
                                       "(?<n>a)",  "\\\\(\\\\?=", "\\\\\\\\1"};
    char keywords[256];

    (void)state;
    for (size_t i = 0; i < COUNT(hard) + COUNT(easy); i++) {
        bool bad = i < COUNT(hard);

        (void)snprintf(keywords, sizeof(keywords),
                       "\"type\":\"string\",\"pattern\":\"%s\"",
                       bad ? hard[i] : easy[i - COUNT(hard)]);
        property(keywords, bad ? "pattern" A "/pattern" : "");
    }
    property("\"type\":\"object\",\"patternProperties\":{\"(?=x)\":{\"type\":"
             "\"string\"}}",
             "pattern" A "/patternProperties/(?=x)");
}

/* The root is level 1, so `levels` - 1 properties stand in each other. */
static char *nested(int levels)
{
    struct mcp_buf b;
    size_t len;

    mcp_buf_init(&b, 1 << 20);
    for (int i = 1; i < levels; i++)
        mcp_buf_puts(&b, "{\"type\":\"object\",\"properties\":{\"a\":");
    mcp_buf_puts(&b, "{\"type\":\"object\",\"properties\":{}");
    for (int i = 1; i < levels; i++)
        mcp_buf_puts(&b, "," D "\"title\":\"t\"}}");
    mcp_buf_puts(&b, "}");
    mcp_buf_putc(&b, '\0');
    return mcp_buf_take(&b, &len);
}

static void depth_and_size_have_a_measure(void **state)
{
    char *schema, big[17000];

    (void)state;
    for (int levels = 10; levels <= 12; levels++) {
        struct mcp_tool tool = {.name = "t", .description = "x"};
        size_t times = 0;

        restart();
        schema = nested(levels);
        tool.input_schema = schema;
        add(&tool);
        judge();
        for (size_t i = 0; i < found.count; i++)
            times += strcmp(found.items[i].rule->id, "schema-deep") == 0;
        assert_int_equal(times, levels > 10);
        free(schema);
    }
    for (int n = 16384; n <= 16385; n++) {
        /* the type that is put in front takes 16 bytes */
        int rest = n - (int)strlen("{\"type\":\"object\",\"properties\":{},"
                                   "\"$comment\":\"\"}");

        (void)snprintf(big, sizeof(big),
                       "{\"properties\":{},\"$comment\":\"%0*d\"}", rest, 0);
        told(big, n == 16384 ? "" : "schema-large@");
    }
}

/* ---- values ---- */

static void defaults_obey_their_schemas(void **state)
{
    (void)state;
    property("\"type\":\"string\",\"default\":\"x\"", "");
    property("\"type\":\"string\",\"default\":1",
             "default-invalid" A "/default");
    assert_non_null(strstr(found.items[0].message, "must be a string"));
    property("\"type\":\"string\",\"default\":null", "");
    property("\"type\":\"integer\",\"minimum\":5,\"default\":5", "");
    property("\"type\":\"integer\",\"minimum\":5,\"default\":4",
             "default-invalid" A "/default");
    property("\"type\":\"array\",\"items\":{\"type\":\"string\"},\"default\":["
             "\"a\",1,2]",
             "default-invalid" A "/default");
    assert_non_null(strstr(found.items[0].message, "the default: /1 "));
    property("\"type\":\"string\",\"examples\":[\"a\",2,\"c\",null]",
             "example-invalid" A "/examples/1 example-invalid" A "/examples/3");
    property("\"type\":\"array\",\"items\":{\"type\":\"integer\",\"default\":"
             "\"1\"}",
             "default-invalid" A "/items/default");
}

static void defaults_follow_references(void **state)
{
#define REF(id, value)                                                         \
    "{" id                                                                     \
    "\"properties\":{\"a\":{\"$ref\":\"#/$defs/n~1%25\",\"default\":" value    \
    "}},\"$defs\":{\"n/%\":{\"type\":\"string\"}}}"
    (void)state;
    told(REF("", "\"x\""), "ref@/$defs");
    told(REF("", "1"), "ref@/$defs default-invalid" A "/default");
    told(REF("\"$id\":\"https://e.com/s\",", "1"),
         "ref@/$defs default-invalid" A "/default");
    told(REF("\"$id\":\"s\",", "1"), "ref@/$defs default-invalid" A "/default");
    told("{\"properties\":{\"\\u00e9 %/~\":{\"type\":\"string\","
         "\"description\":\"x\",\"default\":1}}}",
         "argument-name@/properties/\xc3\xa9 %~1~0 "
         "default-invalid@/properties/\xc3\xa9 %~1~0/default");
}

/* draft-07 knows no prefixItems: the dialect of the root counts. */
static void defaults_are_judged_by_the_dialect(void **state)
{
    (void)state;
    told("{\"$schema\":\"http://json-schema.org/draft-07/schema#\","
         "\"properties\":{\"a\":{" D "\"type\":\"array\",\"items\":[{\"type\":"
         "\"string\"}],\"default\":[1]}}}",
         "dialect@/$schema default-invalid" A "/default");
    told("{\"$schema\":\"http://json-schema.org/draft-07/schema#\","
         "\"properties\":{\"a\":{" D "\"type\":\"array\",\"prefixItems\":[{"
         "\"type\":\"string\"}],\"default\":[1]}}}",
         "dialect@/$schema");
}

static void formats_are_judged_where_they_bind(void **state)
{
    struct mcp_tool tool = {
        .name = "a",
        .description = "x",
        .input_schema = "{\"properties\":{\"a\":{" D "\"type\":\"string\","
                        "\"format\":\"date\",\"default\":\"today\"}}}"};

    (void)state;
    add(&tool);
    assert_string_equal(findings(), "");
    restart();
    tool.assert_format = true;
    add(&tool);
    assert_string_equal(findings(),
                        "default-invalid@/inputSchema/properties/a/default");
}

/* ---- results and the whole ---- */

static void output_schemas_are_judged_as_outputs(void **state)
{
    struct mcp_tool tool = {
        .name = "a",
        .description = "x",
        .input_schema = "{\"properties\":{}}",
        .output_schema = "{\"type\":\"object\",\"properties\":{\"a b\":{"
                         "\"type\":[\"string\",\"null\"]}},\"allOf\":[{}]}"};

    (void)state;
    add(&tool);
    assert_string_equal(findings(),
                        "composition@/outputSchema/allOf "
                        "type-array@/outputSchema/properties/a b/type");
    restart();
    tool.output_schema = "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}";
    add(&tool);
    assert_string_equal(findings(), "output-boxed@/outputSchema");
    restart();
    tool.output_schema = "true";
    add(&tool);
    assert_string_equal(findings(), "output-boxed@/outputSchema");
}

static void closed_tools_are_noted_once_and_counts_are_right(void **state)
{
    struct mcp_tool tool = {.name = "a",
                            .description = "x",
                            .input_schema = "{\"properties\":{\"a\":true},"
                                            "\"additionalProperties\":false}"};

    (void)state;
    add(&tool);
    tool.name = "b";
    tool.description = NULL;
    add(&tool);
    judge();
    assert_int_equal(found.count, 4);
    assert_string_equal(found.items[0].rule->id, "closed");
    assert_null(found.items[0].tool);
    assert_string_equal(found.items[1].tool->name, "a");
    assert_string_equal(found.items[3].tool->name, "b");
    assert_int_equal(found.by_severity[MCP_LINT_ERROR], 2);
    assert_int_equal(found.by_severity[MCP_LINT_WARNING], 1);
    assert_int_equal(found.by_severity[MCP_LINT_NOTE], 1);
}

static void a_full_arena_is_said(void **state)
{
    struct mcp_arena *small;
    struct mcp_tool tool = {.name = "a", .input_schema = "{}"};
    size_t max;
    enum mcp_err err = MCP_ENOMEM;

    (void)state;
    add(&tool);
    for (max = 64; err == MCP_ENOMEM && max < 1 << 20; max += 64) {
        small = mcp_arena_new(max);
        assert_non_null(small);
        err = mcp_lint(mcp_builder_view(builder), small, &found);
        mcp_arena_free(small);
    }
    assert_int_equal(err, MCP_OK);
    assert_true(max > 256);
}

/* Deep schemas that the loader takes do not exhaust the stack. */
static void the_deepest_schema_is_walked(void **state)
{
    char *schema = nested(60);
    struct mcp_tool tool = {
        .name = "a", .description = "x", .input_schema = schema};

    (void)state;
    add(&tool);
    judge();
    assert_true(found.count > 0);
    free(schema);
}

/* ---- the table ---- */

static void rules_have_ids_of_their_own_and_texts(void **state)
{
    size_t count;
    const struct mcp_lint_rule *rules = mcp_lint_rules(&count);

    (void)state;
    assert_true(count > 30);
    for (size_t i = 0; i < count; i++) {
        assert_non_null(rules[i].id);
        assert_true(strlen(rules[i].fix) > 0 && strlen(rules[i].hurts) > 0);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(rules[i].id, rules[k].id);
    }
}

/* Each rule has its line in docs/check.md, in the order of the table. */
static void rules_are_documented(void **state)
{
    size_t count;
    const struct mcp_lint_rule *rules = mcp_lint_rules(&count);
    FILE *file = fopen(MCP_SOURCE_DIR "/docs/check.md", "rb");
    static char text[65536];
    const char *at = text;
    char row[512];

    (void)state;
    assert_non_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    (void)fclose(file);
    for (size_t i = 0; i < count; i++) {
        (void)snprintf(row, sizeof(row), "\n| `%s` | %s |", rules[i].id,
                       mcp_lint_severity_name(rules[i].severity));
        at = strstr(at, row);
        if (at == NULL)
            fail_msg("docs/check.md lacks, or has elsewhere: %s", row + 1);
    }
    assert_null(strstr(at + 1, "\n| `"));
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(annotations_with_a_slip),
        T(names_that_hosts_refuse),
        T(names_that_are_hard_to_tell_apart),
        T(two_styles_of_names_are_noted_once),
        T(titles_are_not_used_twice),
        T(descriptions_have_a_length),
        T(descriptions_of_properties_have_one_too),
        T(more_tools_than_some_clients_take),
        T(an_app_that_is_not_empty_needs_no_tool),
        T(a_server_has_a_name),
        T(arguments_have_descriptions_and_names),
        T(argument_names_have_a_length),
        T(required_names_something),
        T(properties_are_there),
        T(schemas_say_one_type),
        T(booleans_are_no_schemas),
        T(enums_are_strings),
        T(unions_hurt_by_their_place),
        T(references_are_told_once),
        T(other_constructs),
        T(patterns_that_simple_engines_refuse),
        T(depth_and_size_have_a_measure),
        T(defaults_obey_their_schemas),
        T(defaults_follow_references),
        T(defaults_are_judged_by_the_dialect),
        T(formats_are_judged_where_they_bind),
        T(output_schemas_are_judged_as_outputs),
        T(closed_tools_are_noted_once_and_counts_are_right),
        T(a_full_arena_is_said),
        T(the_deepest_schema_is_walked),
        cmocka_unit_test(rules_have_ids_of_their_own_and_texts),
        cmocka_unit_test(rules_are_documented),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
