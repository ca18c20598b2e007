/* Mirrors src/cli/bridge.c. */
#include "cli/bridge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void expect_words(const char *text, const char *const *words)
{
    struct mcp_arena *a = mcp_arena_new(1 << 16);
    char **argv = NULL;
    size_t i;

    assert_int_equal(mcp_bridge_split(a, text, &argv), MCP_OK);
    for (i = 0; words[i] != NULL; i++) {
        assert_non_null(argv[i]);
        assert_string_equal(argv[i], words[i]);
    }
    assert_null(argv[i]);
    mcp_arena_free(a);
}

static void words_are_split_as_a_shell_does(void **state)
{
#define WORDS(...) (const char *const[]){__VA_ARGS__, NULL}
    (void)state;
    expect_words("a", WORDS("a"));
    expect_words("  a\tb\n c ", WORDS("a", "b", "c"));
    expect_words("'a b' \"c d\"e", WORDS("a b", "c de"));
    expect_words("'' \"\" x", WORDS("", "", "x"));
    expect_words("a\\ b \\'c \\\\", WORDS("a b", "'c", "\\"));
    expect_words("\"a\\\"b\\\\c\\d\" 'e\\f'", WORDS("a\"b\\c\\d", "e\\f"));
    expect_words("$HOME `x` a;b", WORDS("$HOME", "`x`", "a;b"));
    expect_words("a b c d e f g h",
                 WORDS("a", "b", "c", "d", "e", "f", "g", "h"));
#undef WORDS
}

static void what_is_no_command_is_refused(void **state)
{
    static const char *const wrong[] = {"", "  ", "'a", "a \"b", "a\\", "\"\\"};
    struct mcp_arena *a = mcp_arena_new(1 << 16);
    char **argv;

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_int_equal(mcp_bridge_split(a, wrong[i], &argv), MCP_EINVAL);
    mcp_arena_free(a);
}

static void the_url_of_an_app_can_be_connected_to(void **state)
{
    static const struct {
        const char *host, *url;
    } cases[] = {
        {"127.0.0.1", "http://127.0.0.1:8123/mcp"},
        {"0.0.0.0", "http://127.0.0.1:8123/mcp"},
        {"::", "http://[::1]:8123/mcp"},
        {"fe80::1", "http://[fe80::1]:8123/mcp"},
        {"box.example", "http://box.example:8123/mcp"},
    };
    struct mcp_arena *a = mcp_arena_new(1 << 16);
    char host[32], path[] = "/mcp", message[256];
    struct mcp_config config = {.port = 8123, .base_path = path, .host = host};
    const char *url = NULL;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        memcpy(host, cases[i].host, strlen(cases[i].host) + 1);
        assert_int_equal(
            mcp_bridge_url_of(&config, a, &url, message, sizeof(message)),
            MCP_OK);
        assert_string_equal(url, cases[i].url);
    }
    config.port = 0;
    assert_int_equal(
        mcp_bridge_url_of(&config, a, &url, message, sizeof(message)),
        MCP_EINVAL);
    assert_non_null(strstr(message, "port 0"));
    mcp_arena_free(a);
}

static void the_defaults_are_those_of_the_documents(void **state)
{
    struct mcp_cli cli = {.bridge.url = "http://x/"};
    struct mcp_arena *a = mcp_arena_new(1 << 16);
    struct mcp_bridge_options o;
    char message[256];

    (void)state;
    assert_int_equal(
        mcp_bridge_options_make(&cli, a, &o, message, sizeof(message)), MCP_OK);
    assert_true(o.timeout_s == 30 && o.sse_read_timeout_s == 300);
    assert_int_equal(o.max_message_bytes, 16777216);
    assert_string_equal(o.header_name, "Authorization");
    assert_string_equal(o.token_prefix, "Bearer ");
    assert_int_equal(o.header_count, 0);
    assert_null(o.bearer_env);
    assert_null(o.bearer_command);
    assert_null(o.ca_file);
    mcp_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_split_as_a_shell_does),
        cmocka_unit_test(what_is_no_command_is_refused),
        cmocka_unit_test(the_url_of_an_app_can_be_connected_to),
        cmocka_unit_test(the_defaults_are_those_of_the_documents),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
