/* Mirrors src/features/arguments.c. */
#include "features/arguments.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "features_common.h"

static struct mcp_arena *arena;
static struct mcp_builder *builder;
static struct mcp_buf problem;

static const struct mcp_tool order = {
    .name = "order",
    .input_schema =
        "{\"type\":\"object\",\"properties\":{\"size\":{\"type\":\"string\","
        "\"enum\":[\"s\",\"l\"]},\"shots\":{\"type\":\"integer\",\"minimum\":1,"
        "\"default\":2},\"note\":{\"type\":\"string\"},\"free\":{}},"
        "\"required\":[\"size\"],\"additionalProperties\":false}"};

static int set_up(void **state)
{
    (void)state;
    arena = mcp_arena_new(1 << 20);
    builder = prepared(&order, 1, NULL);
    mcp_buf_init(&problem, 1 << 16);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    mcp_buf_free(&problem);
    mcp_builder_free(builder);
    mcp_arena_free(arena);
    return 0;
}

/* The arguments that a handler gets for these, or the problem behind a '-'. */
static const char *check(const char *text)
{
    static char answer[8192];
    const struct mcp_json *sent = NULL, *args;
    struct mcp_buf b;
    enum mcp_err err;

    mcp_buf_clear(&problem);
    if (text != NULL)
        assert_int_equal(
            mcp_json_parse(arena, text, strlen(text), NULL, &sent, NULL),
            MCP_OK);
    err = mcp_arguments_check(&mcp_builder_view(builder)->tools[0], sent, arena,
                              &args, &problem);
    mcp_buf_init(&b, sizeof(answer) - 1);
    if (err == MCP_OK) {
        assert_int_equal(problem.len, 0);
        mcp_json_write(&b, args);
    } else {
        assert_int_equal(err, MCP_EINVAL);
        mcp_buf_putc(&b, '-');
        mcp_buf_add(&b, problem.data, problem.len);
    }
    assert_false(b.failed);
    memcpy(answer, b.data, b.len);
    answer[b.len] = '\0';
    mcp_buf_free(&b);
    return answer;
}

static void defaults_are_filled_in_and_nulls_dropped(void **state)
{
    (void)state;
    assert_string_equal(check("{\"size\":\"s\"}"),
                        "{\"size\":\"s\",\"shots\":2}");
    assert_string_equal(check("{\"size\":\"l\",\"shots\":null,\"note\":null}"),
                        "{\"size\":\"l\",\"shots\":2}");
    assert_string_equal(check("{\"size\":\"l\",\"free\":null,\"shots\":1}"),
                        "{\"size\":\"l\",\"free\":null,\"shots\":1}");
}

static void every_broken_rule_is_named_with_its_path(void **state)
{
    const char *text = check("{\"size\":\"m\",\"shots\":0,\"note\":1}");

    (void)state;
    assert_true(
        strncmp(text, "-Invalid arguments for tool \"order\":\n- ", 38) == 0);
    assert_non_null(strstr(text, "\n- /size: "));
    assert_non_null(strstr(text, "\n- /shots: "));
    assert_non_null(strstr(text, "\n- /note: "));
    text = check(NULL);
    assert_non_null(strstr(text, "size"));
    text = check("{\"size\":null}");
    assert_non_null(strstr(text, "size"));
    text = check("{\"size\":\"s\",\"sise\":1}");
    assert_non_null(strstr(text, "sise"));
}

static void numbers_beyond_a_double_never_get_through(void **state)
{
    (void)state;
    assert_string_equal(
        check("{\"size\":\"s\",\"free\":[9007199254740993,{\"a~b\":1e999}]}"),
        "-Invalid arguments for tool \"order\":\n- /free/0: 9007199254740993 "
        "cannot be held exactly as a number; send it as a string\n- "
        "/free/1/a~0b: 1e999 cannot be held exactly as a number; send it as a "
        "string");
    assert_string_equal(
        check("{\"size\":\"s\",\"shots\":1,\"free\":[9007199254740994,1e22,"
              "0.1,-0]}"),
        "{\"size\":\"s\",\"shots\":1,\"free\":[9007199254740994,1e22,0.1,-0]}");
}

static void the_list_of_problems_is_bounded(void **state)
{
    char text[4096] = "{\"free\":[1e999";
    const char *answer;
    int n = 0;

    (void)state;
    for (int i = 0; i < 100; i++)
        strcat(text, ",1e999");
    strcat(text, "]}");
    for (answer = check(text); (answer = strstr(answer, "\n- ")) != NULL;
         answer++)
        n++;
    assert_int_equal(n, 32);
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(defaults_are_filled_in_and_nulls_dropped),
        T(every_broken_rule_is_named_with_its_path),
        T(numbers_beyond_a_double_never_get_through),
        T(the_list_of_problems_is_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
