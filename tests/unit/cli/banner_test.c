/*
 * banner_test.c - the lines after the start
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "cli/banner.h"

static char text[1024];

static const char *written(const struct mcp_banner *b)
{
    struct mcp_buf out;

    mcp_buf_init(&out, sizeof(text) - 1);
    mcp_banner_write(&out, b);
    assert_false(out.failed);
    memcpy(text, out.data, out.len);
    text[out.len] = '\0';
    mcp_buf_free(&out);
    return text;
}

static void the_banner_tells_who_where_what_and_how_fast(void **state)
{
    struct mcp_banner b = {.name = "coffee",
                           .version = "1.2.0",
                           .where = "http://127.0.0.1:8000/mcp",
                           .tool_count = 3,
                           .isolation = "request (image copy, 94 KiB)",
                           .ready_ns = 4120000};

    (void)state;
    assert_string_equal(
        written(&b), "mcpluad " MCP_VERSION "  coffee 1.2.0\n"
                     "http://127.0.0.1:8000/mcp   3 tools   isolation: request "
                     "(image copy, 94 KiB)   ready in 4.1 ms\n");
}

static void with_dev_the_banner_says_that_it_reloads(void **state)
{
    struct mcp_banner b = {
        .where = "stdio", .isolation = "request", .dev = true};

    (void)state;
    assert_non_null(
        strstr(written(&b), "ready in 0.0 ms   reloading on save\n"));
}

static void what_is_not_known_is_left_out(void **state)
{
    struct mcp_banner b = {
        .where = "stdio", .tool_count = 1, .isolation = "request"};

    (void)state;
    assert_string_equal(written(&b),
                        "mcpluad " MCP_VERSION "\n"
                        "stdio   1 tool   isolation: request   ready in 0.0 "
                        "ms\n");
}

static void resources_and_prompts_are_counted_when_there_are_any(void **state)
{
    struct mcp_banner b = {.where = "stdio",
                           .tool_count = 2,
                           .resource_count = 1,
                           .prompt_count = 3,
                           .skill_count = 1,
                           .isolation = "request"};

    (void)state;
    assert_non_null(strstr(
        written(&b),
        "\nstdio   2 tools, 1 resource, 3 prompts, 1 skill   isolation: "));
    b.skill_count = 2;
    assert_non_null(strstr(written(&b), ", 2 skills   isolation: "));
    b.route_count = 1;
    assert_non_null(strstr(written(&b), ", 2 skills, 1 route   isolation: "));
    b.route_count = 2;
    assert_non_null(strstr(written(&b), ", 2 routes   isolation: "));
}

static void a_reduced_connection_limit_is_a_warning(void **state)
{
    struct mcp_banner b = {.where = "stdio",
                           .isolation = "request",
                           .connection_limit = 900,
                           .max_connections = 12000};

    (void)state;
    assert_non_null(
        strstr(written(&b), "\nwarning: 900 connections instead of 12000: "));
}

static void names_cannot_move_the_cursor(void **state)
{
    struct mcp_banner b = {
        .name = "a\x1b[2J\n\tb", .where = "stdio", .isolation = "request"};

    (void)state;
    assert_non_null(strstr(written(&b), "  a [2J b\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_banner_tells_who_where_what_and_how_fast),
        cmocka_unit_test(with_dev_the_banner_says_that_it_reloads),
        cmocka_unit_test(what_is_not_known_is_left_out),
        cmocka_unit_test(resources_and_prompts_are_counted_when_there_are_any),
        cmocka_unit_test(a_reduced_connection_limit_is_a_warning),
        cmocka_unit_test(names_cannot_move_the_cursor),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
