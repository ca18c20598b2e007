/* Mirrors src/app/registry.c and registry_tool.c. */
#include "app/registry.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char any_object[] = "{\"type\":\"object\"}";

static struct mcp_builder *builder(void)
{
    struct mcp_config *config = mcp_config_new();
    struct mcp_builder *b;

    assert_non_null(config);
    b = mcp_builder_new(config);
    assert_non_null(b);
    return b;
}

static struct mcp_tool named(const char *name)
{
    return (struct mcp_tool){
        .name = name, .input_schema = any_object, .file = "app.lua", .line = 3};
}

static char message[512];

static enum mcp_err add(struct mcp_builder *b, const struct mcp_tool *tool)
{
    message[0] = '\0';
    return mcp_builder_add_tool(b, tool, message, sizeof(message));
}

/* Adds `tool` to a builder of its own and expects this refusal. */
static void refuses(const struct mcp_tool *tool, const char *expected)
{
    struct mcp_builder *b = builder();

    assert_int_equal(add(b, tool), MCP_EINVAL);
    assert_string_equal(message, expected);
    assert_int_equal(mcp_builder_view(b)->tool_count, 0);
    mcp_builder_free(b);
}

/* The input schema that clients get for this one. */
static void input_becomes(const char *schema, const char *expected)
{
    struct mcp_builder *b = builder();
    struct mcp_tool tool = named("a");

    tool.input_schema = schema;
    assert_int_equal(add(b, &tool), MCP_OK);
    assert_string_equal(mcp_builder_view(b)->tools[0].input_schema, expected);
    mcp_builder_free(b);
}

static void a_name_has_1_to_128_bytes(void **state)
{
    struct mcp_builder *b = builder();
    char name[130];
    struct mcp_tool tool = named(name);

    (void)state;
    memset(name, 'x', sizeof(name));
    name[128] = '\0';
    assert_int_equal(add(b, &tool), MCP_OK);
    name[128] = 'x';
    name[129] = '\0';
    assert_int_equal(add(b, &tool), MCP_EINVAL);
    assert_string_equal(message,
                        "the tool's name has 129 bytes; 128 are allowed: "
                        "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...\"");
    mcp_builder_free(b);
    tool = named("");
    refuses(&tool, "the tool's name is empty");
}

static void a_name_has_only_letters_digits_and_three_signs(void **state)
{
    struct mcp_builder *b = builder();
    struct mcp_tool good = named("Get.a_b-C9"), bad = named("New Tool");

    (void)state;
    assert_int_equal(add(b, &good), MCP_OK);
    mcp_builder_free(b);
    refuses(&bad, "the tool's name \"New Tool\" has a character that is not "
                  "one of A-Z a-z 0-9 _ . - (byte 4)");
}

static void a_second_tool_of_a_name_is_refused_with_both_places(void **state)
{
    struct mcp_builder *b = builder();
    struct mcp_tool tool = named("echo");

    (void)state;
    assert_int_equal(add(b, &tool), MCP_OK);
    tool.line = 9;
    assert_int_equal(add(b, &tool), MCP_EEXIST);
    assert_string_equal(
        message, "tool \"echo\" is declared twice: app.lua:3 and app.lua:9");
    assert_int_equal(mcp_builder_view(b)->tool_count, 1);
    mcp_builder_free(b);
}

static void a_tool_is_copied_whole(void **state)
{
    struct mcp_builder *b = builder();
    struct mcp_bind binds[] = {{MCP_BIND_ARGUMENT, "a"}, {MCP_BIND_CTX, "ctx"}};
    char name[] = "copy";
    struct mcp_tool tool = named(name);
    const struct mcp_tool *kept;

    (void)state;
    tool.title = "T";
    tool.description = "D";
    tool.annotations = "{\"readOnlyHint\":true}";
    tool.icons = "[{\"src\":\"i\"}]";
    tool.meta = "{}";
    tool.output_schema = "{\"type\":\"string\"}";
    tool.handler.timeout_s = 1.5;
    tool.handler.binds = binds;
    tool.handler.bind_count = 2;
    tool.input_schema = "{\"properties\":{\"a\":{}}}";
    assert_int_equal(add(b, &tool), MCP_OK);
    memset(name, '#', 4);
    kept = &mcp_builder_view(b)->tools[0];
    assert_string_equal(kept->name, "copy");
    assert_string_equal(kept->title, "T");
    assert_string_equal(kept->description, "D");
    assert_string_equal(kept->annotations, "{\"readOnlyHint\":true}");
    assert_string_equal(kept->icons, "[{\"src\":\"i\"}]");
    assert_string_equal(kept->meta, "{}");
    assert_string_equal(kept->file, "app.lua");
    assert_int_equal(kept->line, 3);
    assert_true(kept->handler.timeout_s == 1.5);
    assert_int_equal(kept->handler.bind_count, 2);
    assert_string_equal(kept->handler.binds[0].name, "a");
    assert_int_equal(kept->handler.binds[1].kind, MCP_BIND_CTX);
    assert_non_null(kept->input);
    assert_non_null(kept->output);
    assert_true(mcp_json_equals_string(mcp_json_find(kept->output_tree, "type"),
                                       "string"));
    mcp_builder_free(b);
}

static void texts_that_are_wrong_are_refused(void **state)
{
    struct mcp_tool tool = named("a");

    (void)state;
    tool.description = "a\xff";
    refuses(&tool, "description is not valid UTF-8 (byte 2)");
    tool = named("a");
    tool.meta = "[1]";
    refuses(&tool, "meta must be a table with string keys");
    tool = named("a");
    tool.icons = "{}";
    refuses(&tool, "icons must be a list");
    tool = named("a");
    tool.handler.timeout_s = -1;
    refuses(&tool, "timeout must be 0 or more seconds");
}

static void an_input_schema_says_that_it_is_an_object(void **state)
{
    struct mcp_tool tool = named("a");

    (void)state;
    input_becomes("{}", "{\"type\":\"object\"}");
    input_becomes(" { \"minProperties\" : 1 } ",
                  "{\"type\":\"object\",\"minProperties\":1}");
    input_becomes("{\"minProperties\":1,\"type\":\"object\"}",
                  "{\"minProperties\":1,\"type\":\"object\"}");
    tool.input_schema = "{\"type\":\"string\"}";
    refuses(&tool, "the input schema's root type must be \"object\", not "
                   "\"string\"");
    tool.input_schema = "{\"type\":[\"object\",\"null\"]}";
    refuses(&tool, "the input schema's root type must be \"object\" alone");
    tool.input_schema = "true";
    refuses(&tool, "the input schema must be a JSON object, not boolean");
}

static void a_schema_keeps_all_but_its_white_space(void **state)
{
    (void)state;
    input_becomes("{\r\n\t\"type\": \"object\",\n  \"description\": "
                  "\"a \\\" \\\\\",\"x\":[1.50, \"\\u0041  b\"]\n}\n",
                  "{\"type\":\"object\",\"description\":\"a \\\" "
                  "\\\\\",\"x\":[1.50,\"\\u0041  b\"]}");
}

static void a_schema_that_is_no_json_is_refused_with_its_line(void **state)
{
    struct mcp_builder *b = builder();
    struct mcp_tool tool = named("a");

    (void)state;
    tool.input_schema = "{\n\"type\": }";
    assert_int_equal(add(b, &tool), MCP_EINVAL);
    assert_non_null(strstr(message, "input_schema is not JSON: "));
    assert_non_null(strstr(message, "(line 2, byte 11)"));
    mcp_builder_free(b);
}

static void
a_schema_that_does_not_compile_is_refused_with_its_path(void **state)
{
    struct mcp_builder *b = builder();
    struct mcp_tool tool = named("a");

    (void)state;
    tool.input_schema = "{\"properties\":{\"a\":{\"type\":\"int\"}}}";
    assert_int_equal(add(b, &tool), MCP_EINVAL);
    assert_non_null(strstr(message, "input_schema: "));
    assert_non_null(strstr(message, "/properties/a/type"));
    tool = named("a");
    tool.output_schema = "{\"minimum\":\"x\"}";
    assert_int_equal(add(b, &tool), MCP_EINVAL);
    assert_non_null(strstr(message, "output_schema: "));
    assert_int_equal(mcp_builder_view(b)->tool_count, 0);
    mcp_builder_free(b);
}

/* A tool with this input schema whose handler wants this argument. */
static struct mcp_tool wants(const char *schema, const struct mcp_bind *bind)
{
    struct mcp_tool tool = named("a");

    tool.input_schema = schema;
    tool.handler.binds = bind;
    tool.handler.bind_count = 1;
    return tool;
}

static void a_parameter_must_be_a_declared_argument(void **state)
{
    struct mcp_bind locaton = {MCP_BIND_ARGUMENT, "locaton"};
    struct mcp_bind args = {MCP_BIND_ARGS, "args"};
    struct mcp_tool tool;
    struct mcp_builder *b = builder();

    (void)state;
    tool = wants("{\"properties\":{\"location\":{}}}", &locaton);
    refuses(&tool, "the handler's parameter \"locaton\" is no argument of the "
                   "tool; did you mean \"location\"?");
    tool = wants("{\"properties\":{\"zone\":{}}}", &locaton);
    refuses(&tool, "the handler's parameter \"locaton\" is no argument of the "
                   "tool");
    tool = wants("{\"additionalProperties\":false}", &locaton);
    refuses(&tool, "the handler's parameter \"locaton\" is no argument of the "
                   "tool");
    tool = wants("{\"properties\":{\"zone\":{}}}", &args);
    assert_int_equal(add(b, &tool), MCP_OK);
    mcp_builder_free(b);
}

static void a_schema_that_lists_no_arguments_takes_any_parameter(void **state)
{
    static const char *const open[] = {
        "{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{}}}",
        "{\"properties\":{\"z\":{}},\"allOf\":[{\"properties\":{\"x\":{}}}]}",
        "{\"properties\":{}}",
        "{\"additionalProperties\":{\"type\":\"string\"}}",
        "{\"patternProperties\":{\"x\":{}}}"};
    struct mcp_bind x = {MCP_BIND_ARGUMENT, "x"};

    (void)state;
    for (size_t i = 0; i < sizeof(open) / sizeof(open[0]); i++) {
        struct mcp_tool tool = wants(open[i], &x);
        struct mcp_builder *b = builder();

        assert_int_equal(add(b, &tool), MCP_OK);
        mcp_builder_free(b);
    }
}

static void a_slip_in_the_root_of_a_schema_is_refused(void **state)
{
    static const char text[] =
        "the handler's parameter \"x\" is no argument of the tool: the input "
        "schema has ";
    static const struct {
        const char *schema, *end;
    } cases[] = {
        {"{}", "no \"properties\" that list it"},
        {"{\"type\":\"object\"}", "no \"properties\" that list it"},
        {"{\"x\":{\"type\":\"string\"}}", "no \"properties\" that list it"},
        {"{\"propertis\":{\"x\":{}}}",
         "\"propertis\"; did you mean \"properties\"?"},
        {"{\"Properties\":{\"x\":{}}}",
         "\"Properties\"; did you mean \"properties\"?"},
    };
    struct mcp_bind x = {MCP_BIND_ARGUMENT, "x"}, args = {MCP_BIND_ARGS, ""};
    char expected[256];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct mcp_tool tool = wants(cases[i].schema, &x);
        struct mcp_builder *b = builder();

        (void)snprintf(expected, sizeof(expected), "%s%s", text, cases[i].end);
        refuses(&tool, expected);
        tool = wants(cases[i].schema, &args); /* it takes whatever comes */
        assert_int_equal(add(b, &tool), MCP_OK);
        mcp_builder_free(b);
    }
}

static void an_argument_is_not_called_args_or_ctx(void **state)
{
    struct mcp_tool tool = named("a");

    (void)state;
    tool.input_schema = "{\"properties\":{\"ctx\":{}}}";
    refuses(&tool, "an argument may not be called \"ctx\": a handler's "
                   "parameter of that name is something else");
}

static void a_thousand_tools_are_found_by_name(void **state)
{
    struct mcp_builder *b = builder();
    struct mcp_registry *reg = mcp_registry_new();
    const struct mcp_generation *gen;
    char name[24];

    (void)state;
    for (int i = 0; i < 1000; i++) {
        struct mcp_tool tool = named(name);

        snprintf(name, sizeof(name), "tool_%d", i);
        assert_int_equal(add(b, &tool), MCP_OK);
    }
    assert_int_equal(mcp_registry_publish(reg, b), 1);
    gen = mcp_registry_acquire(reg);
    for (int i = 0; i < 1000; i++) {
        const struct mcp_tool *found;

        snprintf(name, sizeof(name), "tool_%d", i);
        found = mcp_generation_find_tool(gen, name, strlen(name));
        assert_ptr_equal(found, &gen->tools[i]);
        assert_int_equal(found->index, i);
    }
    assert_null(mcp_generation_find_tool(gen, "tool_1", 5));
    assert_null(mcp_generation_find_tool(gen, "tool_1\0", 7));
    assert_null(mcp_generation_find_tool(gen, "", 0));
    mcp_generation_release(gen);
    mcp_registry_free(reg);
}

static void nothing_is_current_before_the_first_publish(void **state)
{
    struct mcp_registry *reg = mcp_registry_new();

    (void)state;
    assert_null(mcp_registry_acquire(reg));
    mcp_registry_free(reg);
}

static int freed;

static void count_free(void *p)
{
    (void)p;
    freed++;
}

static void publish_leaves_a_held_generation_untouched(void **state)
{
    struct mcp_registry *reg = mcp_registry_new();
    struct mcp_builder *b = builder();
    const struct mcp_generation *old, *now;
    struct mcp_tool one = named("one"), two = named("two");

    (void)state;
    freed = 0;
    assert_int_equal(add(b, &one), MCP_OK);
    mcp_builder_view(b)->prepared_free = count_free;
    mcp_builder_view(b)->lua_free = count_free;
    assert_int_equal(mcp_registry_publish(reg, b), 1);
    old = mcp_registry_acquire(reg);
    mcp_generation_retain(old);

    b = builder();
    assert_int_equal(add(b, &two), MCP_OK);
    assert_int_equal(mcp_registry_publish(reg, b), 2);
    now = mcp_registry_acquire(reg);
    assert_int_equal(now->number, 2);
    assert_null(mcp_generation_find_tool(now, "one", 3));
    assert_non_null(mcp_generation_find_tool(old, "one", 3));

    mcp_generation_release(old);
    assert_int_equal(freed, 0);
    mcp_generation_release(old);
    assert_int_equal(freed, 2);
    mcp_generation_release(now);
    mcp_registry_free(reg);
}

enum { THREADS = 4, ROUNDS = 2000 };

static void *acquire_and_release(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        const struct mcp_generation *gen = mcp_registry_acquire(arg);

        if (mcp_generation_find_tool(gen, "echo", 4) == NULL)
            return arg;
        mcp_generation_release(gen);
    }
    return NULL;
}

static void generations_are_held_while_others_are_published(void **state)
{
    struct mcp_registry *reg = mcp_registry_new();
    struct mcp_tool tool = named("echo");
    pthread_t threads[THREADS];

    (void)state;
    for (int i = 0; i <= 200; i++) {
        struct mcp_builder *b = builder();

        assert_int_equal(add(b, &tool), MCP_OK);
        assert_int_equal(mcp_registry_publish(reg, b), i + 1);
        for (int t = 0; i == 0 && t < THREADS; t++)
            assert_int_equal(
                pthread_create(&threads[t], NULL, acquire_and_release, reg), 0);
    }
    for (int t = 0; t < THREADS; t++) {
        void *failed;

        pthread_join(threads[t], &failed);
        assert_null(failed);
    }
    mcp_registry_free(reg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_has_1_to_128_bytes),
        cmocka_unit_test(a_name_has_only_letters_digits_and_three_signs),
        cmocka_unit_test(a_second_tool_of_a_name_is_refused_with_both_places),
        cmocka_unit_test(a_tool_is_copied_whole),
        cmocka_unit_test(texts_that_are_wrong_are_refused),
        cmocka_unit_test(an_input_schema_says_that_it_is_an_object),
        cmocka_unit_test(a_schema_keeps_all_but_its_white_space),
        cmocka_unit_test(a_schema_that_is_no_json_is_refused_with_its_line),
        cmocka_unit_test(
            a_schema_that_does_not_compile_is_refused_with_its_path),
        cmocka_unit_test(a_parameter_must_be_a_declared_argument),
        cmocka_unit_test(a_schema_that_lists_no_arguments_takes_any_parameter),
        cmocka_unit_test(a_slip_in_the_root_of_a_schema_is_refused),
        cmocka_unit_test(an_argument_is_not_called_args_or_ctx),
        cmocka_unit_test(a_thousand_tools_are_found_by_name),
        cmocka_unit_test(nothing_is_current_before_the_first_publish),
        cmocka_unit_test(publish_leaves_a_held_generation_untouched),
        cmocka_unit_test(generations_are_held_while_others_are_published),
    };

    return cmocka_run_group_tests_name("app/registry", tests, NULL, NULL);
}
