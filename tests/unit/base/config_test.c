/*
 * config_test.c - values, bounds, precedence, and messages of every option
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/config_table.h"

static char message[512];

static struct mcp_config *fresh(void)
{
    struct mcp_config *c = mcp_config_new();

    assert_non_null(c);
    message[0] = '\0';
    return c;
}

static enum mcp_err set(struct mcp_config *c, const char *name,
                        const char *text, enum mcp_config_source source)
{
    return mcp_config_set(c, name, text, source, message, sizeof(message));
}

static void take(struct mcp_config *c, const char *name, const char *text)
{
    if (set(c, name, text, MCP_FROM_FLAG) != MCP_OK)
        fail_msg("%s = %s: %s", name, text, message);
}

static void refuse(struct mcp_config *c, const char *name, const char *text)
{
    message[0] = '\0';
    if (set(c, name, text, MCP_FROM_FLAG) != MCP_EINVAL)
        fail_msg("%s = \"%s\" was taken", name, text);
    assert_non_null(strstr(message, "must be"));
}

static void defaults_are_those_of_the_header(void **state)
{
    struct mcp_config *c = fresh();

    (void)state;
    assert_string_equal(c->host, "127.0.0.1");
    assert_int_equal(c->port, 8000);
    assert_string_equal(c->base_path, "/mcp");
    assert_null(c->public_url);
    assert_null(c->name);
    assert_int_equal(c->allowed_hosts.count, 0);
    assert_false(c->stdio);
    assert_true(c->call_timeout == 30 && c->load_timeout == 10);
    assert_int_equal(c->memory_limit, 64 << 20);
    assert_int_equal(c->max_workers, 0);
    assert_int_equal(c->queue, 1024);
    assert_int_equal(c->max_body, 4 << 20);
    assert_int_equal(c->max_json_depth, 64);
    assert_int_equal(c->max_blob_bytes, 25 << 20);
    assert_int_equal(c->max_connections, 12000);
    assert_true(c->keepalive == 15 && c->sse_after == 5);
    assert_true(c->sse_poll_after == 0);
    assert_int_equal(c->list_page_size, 100);
    assert_int_equal(c->cache_ttl_ms, 0);
    assert_int_equal(c->cache_scope, MCP_CACHE_PRIVATE);
    assert_int_equal(c->sessions, MCP_SESSIONS_OPTIONAL);
    assert_true(c->session_idle == 1800);
    assert_int_equal(c->max_sessions, 10000);
    assert_false(c->extra_arguments);
    assert_true(c->expose_errors);
    assert_false(c->log_json);
    assert_int_equal(mcp_config_source_of(c, "port"), MCP_FROM_DEFAULT);
    mcp_config_free(c);
}

static void flag_beats_variable_beats_app_in_any_order(void **state)
{
    static const struct {
        enum mcp_config_source source;
        const char *text;
    } values[] = {
        {MCP_FROM_APP, "1"}, {MCP_FROM_ENV, "2"}, {MCP_FROM_FLAG, "3"}};
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                     {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    size_t i, j;

    (void)state;
    for (i = 0; i < 6; i++) {
        struct mcp_config *c = fresh();
        int best = -1;

        for (j = 0; j < 3; j++) {
            int v = orders[i][j];

            assert_int_equal(set(c, "port", values[v].text, values[v].source),
                             MCP_OK);
            best = v > best ? v : best;
            assert_int_equal(c->port, best + 1);
            assert_int_equal(mcp_config_source_of(c, "port"),
                             values[best].source);
        }
        mcp_config_free(c);
    }
}

static void a_later_value_of_the_same_source_wins(void **state)
{
    struct mcp_config *c = fresh();

    (void)state;
    take(c, "host", "::1");
    take(c, "host", "localhost");
    assert_string_equal(c->host, "localhost");
    mcp_config_free(c);
}

/* Reads the field of a COUNT, BYTES or SECONDS option. */
static double number_of(const struct mcp_config *c, const struct mcp_option *o)
{
    const char *field = (const char *)c + o->offset;
    int64_t n;
    double d;

    if (o->type == MCP_OPTION_SECONDS) {
        memcpy(&d, field, sizeof(d));
        return d;
    }
    memcpy(&n, field, sizeof(n));
    return (double)n;
}

static bool is_number(const struct mcp_option *o)
{
    return o->type == MCP_OPTION_COUNT || o->type == MCP_OPTION_BYTES ||
           o->type == MCP_OPTION_SECONDS;
}

static void every_number_is_taken_at_its_bounds_and_refused_beyond(void **state)
{
    size_t count, i, seen = 0;
    const struct mcp_option *o = mcp_config_options(&count);
    char text[64];

    (void)state;
    for (i = 0; i < count; i++, o++) {
        struct mcp_config *c = fresh();

        if (is_number(o)) {
            seen++;
            (void)snprintf(text, sizeof(text), "%.17g", o->min);
            take(c, o->name, text);
            assert_true(number_of(c, o) == o->min);
            (void)snprintf(text, sizeof(text), "%.0f", o->max);
            take(c, o->name, text);
            assert_true(number_of(c, o) == o->max);
            (void)snprintf(text, sizeof(text), "%.0f", o->max + 1);
            refuse(c, o->name, text);
            (void)snprintf(text, sizeof(text), "%.17g",
                           o->type == MCP_OPTION_SECONDS ? o->min / 2 - 0.0001
                                                         : o->min - 1);
            refuse(c, o->name, text);
            assert_true(number_of(c, o) == o->max);
        }
        mcp_config_free(c);
    }
    assert_true(seen > 10);
}

static void what_is_no_number_is_refused(void **state)
{
    static const char *const bad[] = {
        "", " 1", "1 ", "0x10", "abc", "+1", "1.5", "99999999999999999999"};
    static const char *const bad_seconds[] = {
        "", "inf", "nan", "1,5", "-1", ".5", "1.", "1e", "1e999", "0x1", "1 s"};
    struct mcp_config *c = fresh();
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        refuse(c, "queue", bad[i]);
    for (i = 0; i < sizeof(bad_seconds) / sizeof(bad_seconds[0]); i++)
        refuse(c, "call_timeout", bad_seconds[i]);
    assert_int_equal(c->queue, 1024);
    assert_true(c->call_timeout == 30);
    mcp_config_free(c);
}

static void seconds_may_have_fractions_and_exponents(void **state)
{
    struct mcp_config *c = fresh();

    (void)state;
    take(c, "call_timeout", "0.25");
    assert_true(c->call_timeout == 0.25);
    take(c, "call_timeout", "1e-02");
    assert_true(c->call_timeout == 0.01);
    take(c, "call_timeout", "1.5e+3");
    assert_true(c->call_timeout == 1500);
    mcp_config_free(c);
}

static void sizes_know_binary_units(void **state)
{
    static const struct {
        const char *text;
        int64_t bytes;
    } sizes[] = {{"2048", 2048},    {"2KiB", 2048},      {"2 KiB", 2048},
                 {"3k", 3072},      {"3 mib", 3 << 20},  {"1M", 1 << 20},
                 {"1GiB", 1 << 30}, {"1048576", 1 << 20}};
    static const char *const bad[] = {
        "1 ",    "1  KiB", "1 KB",    "1TiB",
        "1KiBs", "KiB",    "1.5 MiB", "9223372036854775807 GiB"};
    struct mcp_config *c = fresh();
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        take(c, "max_body", sizes[i].text);
        assert_int_equal(c->max_body, sizes[i].bytes);
    }
    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        refuse(c, "max_body", bad[i]);
    mcp_config_free(c);
}

static void booleans_and_words_in_any_case(void **state)
{
    static const char *const yes[] = {"true", "1", "yes", "on", "TRUE"};
    static const char *const no[] = {"false", "0", "no", "off", "No"};
    struct mcp_config *c = fresh();
    size_t i;

    (void)state;
    for (i = 0; i < 5; i++) {
        take(c, "assert_format", yes[i]);
        assert_true(c->assert_format);
        take(c, "assert_format", no[i]);
        assert_false(c->assert_format);
    }
    refuse(c, "assert_format", "maybe");
    take(c, "cache_scope", "Public");
    assert_int_equal(c->cache_scope, MCP_CACHE_PUBLIC);
    refuse(c, "cache_scope", "shared");
    assert_non_null(
        strstr(message, "must be private or public, not \"shared\""));
    take(c, "extra_arguments", "allow");
    assert_true(c->extra_arguments);
    take(c, "log_format", "json");
    assert_true(c->log_json);
    refuse(c, "log_level", "loud");
    assert_non_null(strstr(message, "debug, info, warning, error or off"));
    mcp_config_free(c);
}

static void
lists_grow_within_a_source_and_begin_anew_with_a_stronger(void **state)
{
    struct mcp_config *c = fresh();

    (void)state;
    assert_int_equal(set(c, "allowed_hosts", "a.example", MCP_FROM_APP),
                     MCP_OK);
    assert_int_equal(set(c, "allowed_hosts", "b.example", MCP_FROM_APP),
                     MCP_OK);
    assert_int_equal(c->allowed_hosts.count, 2);
    take(c, "allowed_hosts", " c.example , d.example,,");
    assert_int_equal(c->allowed_hosts.count, 2);
    assert_string_equal(c->allowed_hosts.items[0], "c.example");
    assert_string_equal(c->allowed_hosts.items[1], "d.example");
    take(c, "allowed_hosts", "e.example");
    assert_int_equal(c->allowed_hosts.count, 3);
    assert_int_equal(set(c, "allowed_hosts", "f.example", MCP_FROM_APP),
                     MCP_OK);
    assert_int_equal(c->allowed_hosts.count, 3);
    refuse(c, "allowed_hosts", "g.example,h i");
    assert_int_equal(c->allowed_hosts.count, 3);
    mcp_config_free(c);
}

static void texts_are_checked_by_their_kind(void **state)
{
    static const char *const bad_paths[] = {"",      "/",    "mcp", "/mcp/",
                                            "/a//b", "/a?b", "/a b"};
    static const char *const bad_urls[] = {
        "",          "example.com", "http://",    "ftp://a",
        "http:///x", "http://a b",  "https://a?b"};
    static const char *const bad_origins[] = {"example.com", "https://",
                                              "https://a/", "://a"};
    struct mcp_config *c = fresh();
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(bad_paths) / sizeof(bad_paths[0]); i++)
        refuse(c, "base_path", bad_paths[i]);
    for (i = 0; i < sizeof(bad_urls) / sizeof(bad_urls[0]); i++)
        refuse(c, "public_url", bad_urls[i]);
    for (i = 0; i < sizeof(bad_origins) / sizeof(bad_origins[0]); i++)
        refuse(c, "allowed_origins", bad_origins[i]);
    refuse(c, "host", "");
    refuse(c, "host", "a b");
    take(c, "base_path", "/v1/mcp");
    take(c, "public_url", "https://example.com:8443/mcp");
    take(c, "allowed_origins", "https://example.com:8443");
    take(c, "host", "::1");
    mcp_config_free(c);
}

static void
the_app_alone_says_who_it_is_and_the_process_alone_says_stdio(void **state)
{
    struct mcp_config *c = fresh();

    (void)state;
    assert_int_equal(set(c, "name", "coffee", MCP_FROM_FLAG), MCP_EINVAL);
    assert_non_null(strstr(message, "--name can only be set in the app"));
    assert_int_equal(set(c, "name", "coffee", MCP_FROM_ENV), MCP_EINVAL);
    assert_int_equal(set(c, "name", "coffee", MCP_FROM_APP), MCP_OK);
    assert_string_equal(c->name, "coffee");
    assert_int_equal(set(c, "name", "", MCP_FROM_APP), MCP_EINVAL);
    assert_int_equal(set(c, "name", "\xff", MCP_FROM_APP), MCP_EINVAL);
    assert_string_equal(c->name, "coffee");
    assert_int_equal(set(c, "stdio", "true", MCP_FROM_APP), MCP_EINVAL);
    assert_non_null(strstr(message, "stdio can only be set on the command"));
    assert_int_equal(set(c, "icons", "{}", MCP_FROM_APP), MCP_EINVAL);
    assert_int_equal(set(c, "icons", "[{\"src\":\"x:y\"}]", MCP_FROM_APP),
                     MCP_OK);
    mcp_config_free(c);
}

static void unknown_names_get_the_nearest_spelt_as_the_source_does(void **state)
{
    struct mcp_config *c = fresh();

    (void)state;
    assert_int_equal(set(c, "call-timeuot", "1", MCP_FROM_FLAG), MCP_ENOENT);
    assert_string_equal(message, "unknown option --call-timeuot; did you mean "
                                 "--call-timeout?");
    assert_int_equal(set(c, "prot", "1", MCP_FROM_ENV), MCP_ENOENT);
    assert_string_equal(
        message, "unknown variable MCPLUAD_PROT; did you mean MCPLUAD_PORT?");
    assert_int_equal(set(c, "max_bodi", "1", MCP_FROM_APP), MCP_ENOENT);
    assert_string_equal(message,
                        "unknown option max_bodi; did you mean max_body?");
    assert_int_equal(set(c, "zzzzzzzzzz", "1", MCP_FROM_APP), MCP_ENOENT);
    assert_string_equal(message, "unknown option zzzzzzzzzz");
    mcp_config_free(c);
}

static void a_weaker_value_is_checked_although_it_changes_nothing(void **state)
{
    struct mcp_config *c = fresh();

    (void)state;
    take(c, "port", "1");
    assert_int_equal(set(c, "port", "65536", MCP_FROM_APP), MCP_EINVAL);
    assert_string_equal(message, "port must be a whole number from 0 to "
                                 "65535, not \"65536\"");
    mcp_config_free(c);
}

static void a_copy_is_deep_and_keeps_the_sources(void **state)
{
    struct mcp_config *c = fresh(), *copy;

    (void)state;
    take(c, "host", "::1");
    take(c, "allowed_hosts", "a.example,b.example");
    copy = mcp_config_copy(c);
    assert_non_null(copy);
    take(c, "host", "localhost");
    take(c, "allowed_hosts", "c.example");
    mcp_config_free(c);
    assert_string_equal(copy->host, "::1");
    assert_int_equal(copy->allowed_hosts.count, 2);
    assert_string_equal(copy->allowed_hosts.items[1], "b.example");
    assert_int_equal(set(copy, "host", "127.0.0.1", MCP_FROM_APP), MCP_OK);
    assert_string_equal(copy->host, "::1");
    mcp_config_free(copy);
}

static void the_environment_is_read_whole(void **state)
{
    struct mcp_config *c = fresh();

    (void)state;
    assert_int_equal(setenv("MCPLUAD_PORT", "99", 1), 0);
    assert_int_equal(setenv("MCPLUAD_HOST", "", 1), 0);
    assert_int_equal(setenv("MCPLUAD_BIN", "/x/mcpluad", 1), 0);
    assert_int_equal(mcp_config_read_env(c, message, sizeof(message)), MCP_OK);
    assert_int_equal(c->port, 99);
    assert_string_equal(c->host, "127.0.0.1");
    assert_int_equal(mcp_config_source_of(c, "port"), MCP_FROM_ENV);
    assert_int_equal(setenv("MCPLUAD_QUEU", "9", 1), 0);
    assert_int_equal(mcp_config_read_env(c, message, sizeof(message)),
                     MCP_ENOENT);
    assert_non_null(strstr(message, "did you mean MCPLUAD_QUEUE?"));
    assert_int_equal(unsetenv("MCPLUAD_QUEU"), 0);
    assert_int_equal(setenv("MCPLUAD_QUEUE", "0", 1), 0);
    assert_int_equal(mcp_config_read_env(c, message, sizeof(message)),
                     MCP_EINVAL);
    assert_non_null(strstr(message, "MCPLUAD_QUEUE must be"));
    assert_int_equal(unsetenv("MCPLUAD_QUEUE"), 0);
    assert_int_equal(unsetenv("MCPLUAD_PORT"), 0);
    mcp_config_free(c);
}

static void names_and_groups_of_the_table_are_in_order(void **state)
{
    size_t count, i, j;
    const struct mcp_option *o = mcp_config_options(&count);

    (void)state;
    for (i = 0; i < count; i++) {
        assert_true(strlen(o[i].name) + strlen("MCPLUAD_") <
                    MCP_OPTION_MAX_NAME);
        for (j = 0; j < i; j++)
            assert_string_not_equal(o[i].name, o[j].name);
        /* A group is not left and entered again. */
        for (j = 0; i > 0 && j < i; j++)
            if (strcmp(o[i].group, o[i - 1].group) != 0)
                assert_string_not_equal(o[j].group, o[i].group);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_those_of_the_header),
        cmocka_unit_test(flag_beats_variable_beats_app_in_any_order),
        cmocka_unit_test(a_later_value_of_the_same_source_wins),
        cmocka_unit_test(
            every_number_is_taken_at_its_bounds_and_refused_beyond),
        cmocka_unit_test(what_is_no_number_is_refused),
        cmocka_unit_test(seconds_may_have_fractions_and_exponents),
        cmocka_unit_test(sizes_know_binary_units),
        cmocka_unit_test(booleans_and_words_in_any_case),
        cmocka_unit_test(
            lists_grow_within_a_source_and_begin_anew_with_a_stronger),
        cmocka_unit_test(texts_are_checked_by_their_kind),
        cmocka_unit_test(
            the_app_alone_says_who_it_is_and_the_process_alone_says_stdio),
        cmocka_unit_test(
            unknown_names_get_the_nearest_spelt_as_the_source_does),
        cmocka_unit_test(a_weaker_value_is_checked_although_it_changes_nothing),
        cmocka_unit_test(a_copy_is_deep_and_keeps_the_sources),
        cmocka_unit_test(the_environment_is_read_whole),
        cmocka_unit_test(names_and_groups_of_the_table_are_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
