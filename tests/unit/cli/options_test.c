/*
 * options_test.c - what the command line takes, and what it says otherwise
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"

static struct mcp_config *config;
static struct mcp_cli cli;
static char message[512];

/* Parses the arguments, which end with NULL, into a fresh config. */
static enum mcp_err parse(const char *first, ...)
{
    static char *argv[16] = {(char *)"mcpluad"}; /* cli points into it */
    const char *argument;
    int argc = 1;
    va_list ap;

    mcp_config_free(config);
    config = mcp_config_new();
    assert_non_null(config);
    message[0] = '\0';
    memset(&cli, 0, sizeof(cli));
    va_start(ap, first);
    for (argument = first; argument != NULL; argument = va_arg(ap, char *))
        argv[argc++] = (char *)argument;
    va_end(ap);
    return mcp_cli_parse(argc, argv, config, &cli, message, sizeof(message));
}

static int forget(void **state)
{
    (void)state;
    mcp_config_free(config);
    config = NULL;
    return 0;
}

static void an_app_alone_is_served_with_the_defaults(void **state)
{
    (void)state;
    assert_int_equal(parse("app.lua", NULL), MCP_OK);
    assert_int_equal(cli.action, MCP_CLI_SERVE);
    assert_string_equal(cli.app, "app.lua");
    assert_int_equal(config->port, 8000);
    assert_false(config->stdio);
}

static void values_come_behind_equals_or_as_the_next_argument(void **state)
{
    (void)state;
    assert_int_equal(
        parse("--port=9000", "--host", "::1", "a.lua", "--queue", "7", NULL),
        MCP_OK);
    assert_int_equal(config->port, 9000);
    assert_string_equal(config->host, "::1");
    assert_int_equal(config->queue, 7);
    assert_string_equal(cli.app, "a.lua");
    assert_int_equal(mcp_config_source_of(config, "port"), MCP_FROM_FLAG);
}

static void a_boolean_does_not_swallow_the_app(void **state)
{
    (void)state;
    assert_int_equal(parse("--stdio", "app.lua", NULL), MCP_OK);
    assert_true(config->stdio);
    assert_string_equal(cli.app, "app.lua");
    assert_int_equal(parse("--expose-errors=false", "app.lua", NULL), MCP_OK);
    assert_false(config->expose_errors);
}

static void two_dashes_end_the_options(void **state)
{
    (void)state;
    assert_int_equal(parse("--port=1", "--", "--port=2", NULL), MCP_OK);
    assert_string_equal(cli.app, "--port=2");
    assert_int_equal(config->port, 1);
    assert_int_equal(parse("--", "-h", NULL), MCP_OK);
    assert_string_equal(cli.app, "-h");
}

static void a_repeated_list_grows_and_a_repeated_value_wins(void **state)
{
    (void)state;
    assert_int_equal(parse("--allowed-hosts=a", "--allowed-hosts", "b,c",
                           "--port=1", "--port=2", "x.lua", NULL),
                     MCP_OK);
    assert_int_equal(config->allowed_hosts.count, 3);
    assert_int_equal(config->port, 2);
}

static void help_and_version_need_no_app_and_stop_reading(void **state)
{
    (void)state;
    assert_int_equal(parse("--help", "--nonsense", NULL), MCP_OK);
    assert_int_equal(cli.action, MCP_CLI_HELP);
    assert_int_equal(parse("-h", NULL), MCP_OK);
    assert_int_equal(cli.action, MCP_CLI_HELP);
    assert_int_equal(parse("app.lua", "--version", NULL), MCP_OK);
    assert_int_equal(cli.action, MCP_CLI_VERSION);
    assert_int_equal(parse("-V", NULL), MCP_OK);
    assert_int_equal(cli.action, MCP_CLI_VERSION);
    assert_int_equal(parse("--help-markdown", NULL), MCP_OK);
    assert_int_equal(cli.action, MCP_CLI_HELP_MARKDOWN);
}

static void wrong_usage_says_what_would_be_right(void **state)
{
    (void)state;
    assert_int_equal(parse("--prot", "1", "app.lua", NULL), MCP_EINVAL);
    assert_string_equal(message, "unknown option --prot; did you mean --port?");
    assert_int_equal(parse("--hepl", NULL), MCP_EINVAL);
    assert_string_equal(message, "unknown option --hepl; did you mean --help?");
    assert_int_equal(parse("--frobnicate", "x", NULL), MCP_EINVAL);
    assert_string_equal(message, "unknown option --frobnicate; mcpluad --help "
                                 "lists the options");
    assert_int_equal(parse("-p", "x", NULL), MCP_EINVAL);
    assert_string_equal(message,
                        "unknown option -p; mcpluad --help lists the options");
    assert_int_equal(parse("app.lua", "--port", NULL), MCP_EINVAL);
    assert_string_equal(message, "--port needs a value: a whole number from 0 "
                                 "to 65535");
    assert_int_equal(parse("--port", "--stdio", "app.lua", NULL), MCP_EINVAL);
    assert_non_null(strstr(message, "--port needs a value"));
    assert_int_equal(parse("--port=x", "app.lua", NULL), MCP_EINVAL);
    assert_string_equal(message, "--port must be a whole number from 0 to "
                                 "65535, not \"x\"");
    assert_int_equal(parse("--port=", "app.lua", NULL), MCP_EINVAL);
    assert_int_equal(parse("--name=x", "app.lua", NULL), MCP_EINVAL);
    assert_non_null(strstr(message, "mcp.server{}"));
}

static void one_app_is_needed_and_no_second(void **state)
{
    (void)state;
    assert_int_equal(parse(NULL), MCP_EINVAL);
    assert_non_null(strstr(message, "usage: mcpluad [options] app.lua"));
    assert_int_equal(parse("", NULL), MCP_EINVAL);
    assert_int_equal(parse("--port=1", NULL), MCP_EINVAL);
    assert_int_equal(parse("a.lua", "b.lua", NULL), MCP_EINVAL);
    assert_non_null(strstr(message, "a.lua or b.lua"));
}

static void the_environment_is_read_and_weaker_than_a_flag(void **state)
{
    (void)state;
    assert_int_equal(setenv("MCPLUAD_PORT", "99", 1), 0);
    assert_int_equal(setenv("MCPLUAD_QUEUE", "9", 1), 0);
    assert_int_equal(parse("--port=1", "app.lua", NULL), MCP_OK);
    assert_int_equal(config->port, 1);
    assert_int_equal(config->queue, 9);
    assert_int_equal(setenv("MCPLUAD_QUEUE", "x", 1), 0);
    assert_int_equal(parse("app.lua", NULL), MCP_EINVAL);
    assert_non_null(strstr(message, "MCPLUAD_QUEUE must be"));
    assert_int_equal(parse("--help", NULL), MCP_OK);
    assert_int_equal(unsetenv("MCPLUAD_QUEUE"), 0);
    assert_int_equal(unsetenv("MCPLUAD_PORT"), 0);
}

static void a_very_long_option_is_refused_in_one_short_line(void **state)
{
    char argument[5000];

    (void)state;
    memset(argument, '-', 2);
    memset(argument + 2, 'x', sizeof(argument) - 3);
    argument[sizeof(argument) - 1] = '\0';
    assert_int_equal(parse(argument, NULL), MCP_EINVAL);
    assert_true(strlen(message) < 200);
    assert_non_null(strstr(message, "unknown option --xxx"));
}

static void check_is_a_verb_and_a_script_needs_a_path(void **state)
{
    (void)state;
    assert_int_equal(parse("check", "a.lua", NULL), MCP_OK);
    assert_int_equal(cli.action, MCP_CLI_CHECK);
    assert_string_equal(cli.app, "a.lua");
    assert_false(cli.json || cli.strict);
    assert_int_equal(parse("--port=1", "check", "--strict", "--format", "json",
                           "--queue=7", "a.lua", NULL),
                     MCP_OK);
    assert_true(cli.json && cli.strict);
    assert_int_equal(config->queue, 7);
    assert_int_equal(parse("check", "a.lua", "--format=text", NULL), MCP_OK);
    assert_false(cli.json);
    assert_int_equal(parse("check", "check", NULL), MCP_OK);
    assert_string_equal(cli.app, "check");
    assert_int_equal(parse("a.lua", "check", NULL), MCP_EINVAL);
    assert_int_equal(parse("./check", NULL), MCP_OK);
    assert_int_equal(cli.action, MCP_CLI_SERVE);
    assert_int_equal(parse("--", "check", NULL), MCP_OK);
    assert_int_equal(cli.action, MCP_CLI_SERVE);
    assert_string_equal(cli.app, "check");
}

static void check_refuses_what_it_does_not_know(void **state)
{
    (void)state;
    assert_int_equal(parse("check", NULL), MCP_EINVAL);
    assert_string_equal(message,
                        "which app? usage: mcpluad check [options] app.lua");
    assert_int_equal(parse("check", "--format", NULL), MCP_EINVAL);
    assert_string_equal(message, "--format must be text or json");
    assert_int_equal(parse("check", "--formats=json", "a", NULL), MCP_EINVAL);
    assert_string_equal(message,
                        "unknown option --formats; did you mean --format?");
    assert_int_equal(parse("check", "--strict=1", "a", NULL), MCP_EINVAL);
    assert_int_equal(parse("--strict", "a.lua", NULL), MCP_EINVAL);
    assert_string_equal(message, "unknown option --strict; mcpluad --help "
                                 "lists the options");
    assert_int_equal(parse("check", "--help", NULL), MCP_OK);
    assert_int_equal(cli.action, MCP_CLI_HELP);
}

static void list_and_call_are_verbs_too(void **state)
{
    (void)state;
    assert_int_equal(parse("list", "--format=json", "a.lua", NULL), MCP_OK);
    assert_int_equal(cli.action, MCP_CLI_LIST);
    assert_true(cli.json);
    assert_int_equal(parse("list", "list", NULL), MCP_OK);
    assert_string_equal(cli.app, "list");
    assert_int_equal(parse("list", "a.lua", "b.lua", NULL), MCP_EINVAL);
    assert_int_equal(parse("list", "--strict", "a.lua", NULL), MCP_EINVAL);
    assert_int_equal(parse("call", "a.lua", "call", NULL), MCP_OK);
    assert_int_equal(cli.action, MCP_CLI_CALL);
    assert_string_equal(cli.tool, "call");
    assert_int_equal(cli.pair_count, 0);
    assert_null(cli.arguments);
}

static void a_call_has_a_tool_and_pairs(void **state)
{
    (void)state;
    assert_int_equal(parse("--queue=7", "call", "a.lua", "--format", "json",
                           "add", "a=1", "--json", "{}", "b==", "--",
                           "-c=", NULL),
                     MCP_OK);
    assert_true(cli.json);
    assert_int_equal(config->queue, 7);
    assert_string_equal(cli.tool, "add");
    assert_string_equal(cli.arguments, "{}");
    assert_int_equal(cli.pair_count, 3);
    assert_string_equal(cli.pairs[0], "a=1");
    assert_string_equal(cli.pairs[1], "b==");
    assert_string_equal(cli.pairs[2], "-c=");
    assert_int_equal(parse("call", "a.lua", NULL), MCP_EINVAL);
    assert_non_null(strstr(message, "which tool? mcpluad list a.lua"));
    assert_int_equal(parse("call", NULL), MCP_EINVAL);
    assert_string_equal(message, "which app? usage: mcpluad call [options] "
                                 "app.lua TOOL [key=value ...]");
    assert_int_equal(parse("call", "a.lua", "add", "b", NULL), MCP_EINVAL);
    assert_int_equal(parse("call", "a.lua", "add", "=b", NULL), MCP_EINVAL);
    assert_int_equal(parse("--json={}", "a.lua", NULL), MCP_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_app_alone_is_served_with_the_defaults),
        cmocka_unit_test(values_come_behind_equals_or_as_the_next_argument),
        cmocka_unit_test(a_boolean_does_not_swallow_the_app),
        cmocka_unit_test(two_dashes_end_the_options),
        cmocka_unit_test(a_repeated_list_grows_and_a_repeated_value_wins),
        cmocka_unit_test(help_and_version_need_no_app_and_stop_reading),
        cmocka_unit_test(wrong_usage_says_what_would_be_right),
        cmocka_unit_test(one_app_is_needed_and_no_second),
        cmocka_unit_test(the_environment_is_read_and_weaker_than_a_flag),
        cmocka_unit_test(check_is_a_verb_and_a_script_needs_a_path),
        cmocka_unit_test(check_refuses_what_it_does_not_know),
        cmocka_unit_test(list_and_call_are_verbs_too),
        cmocka_unit_test(a_call_has_a_tool_and_pairs),
        cmocka_unit_test(a_very_long_option_is_refused_in_one_short_line),
    };

    return cmocka_run_group_tests(tests, NULL, forget);
}
