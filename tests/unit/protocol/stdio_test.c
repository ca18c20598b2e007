/* Mirrors src/protocol/route.c for the stdio pipe. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "protocol_common.h"

#define REQ(id, method, params)                                                \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method                  \
    "\",\"params\":{" params "}}"
#define INIT(version)                                                          \
    REQ("0", "initialize", "\"protocolVersion\":\"" version "\"")
#define CANCEL(id)                                                             \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{" \
    "\"requestId\":" id "}}"

static struct fixture *f;

static int set_up(void **state)
{
    (void)state;
    f = fixture_new(true);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fixture_free(f);
    return 0;
}

static void expect_silence(const struct answer *a)
{
    assert_true(a->done);
    assert_string_equal(a->body, "");
}

static void expect_line(const struct answer *a, const char *body)
{
    assert_true(a->done);
    assert_string_equal(a->body, body);
    assert_string_equal(a->headers, "");
}

static void expect_in_line(const struct answer *a, const char *part)
{
    assert_true(a->done);
    if (strstr(a->body, part) == NULL)
        fail_msg("no %s in %s", part, a->body);
}

static void only_initialize_and_ping_come_before_initialize(void **state)
{
    static const char *const early[] = {"tools/list", "tools/call", "no/such",
                                        "logging/setLevel", "server/discover"};

    (void)state;
    for (size_t i = 0; i < sizeof(early) / sizeof(*early); i++) {
        char body[128];

        snprintf(body, sizeof(body), REQ("7", "%s", ""), early[i]);
        expect_line(line(f, body),
                    "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32600,"
                    "\"message\":\"Invalid Request: initialize comes first\"}"
                    "}");
    }
    expect_line(line(f, REQ("1", "ping", "")),
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
    expect_in_line(line(f, INIT("2025-06-18")),
                   "\"protocolVersion\":\"2025-06-18\"");
    expect_in_line(line(f, REQ("1", "tools/list", "")), "\"tools\":[");
    expect_in_line(line(f, REQ("1", "no/such", "")), "-32601");
}

static void both_eras_share_the_pipe(void **state)
{
    (void)state;
    expect_in_line(line(f, REQ("1", "server/discover", META)),
                   "\"supportedVersions\":");
    expect_in_line(line(f, REQ("1", "tools/call", "\"name\":\"count\"," META)),
                   "\"structuredContent\":3,");
    expect_in_line(line(f, REQ("1", "tools/list", "")), "-32600");
    expect_in_line(line(f, INIT("2025-06-18")), "\"result\":");
    expect_in_line(line(f, REQ("1", "tools/call", "\"name\":\"count\"")),
                   "\"structuredContent\":{\"result\":3}");
    expect_in_line(line(f, REQ("1", "tools/call", "\"name\":\"count\"," META)),
                   "\"structuredContent\":3,");
    expect_in_line(line(f, REQ("1", "ping", META)), "-32601");
}

static void modern_checks_need_no_headers(void **state)
{
    (void)state;
    expect_in_line(
        line(f, REQ("1", "tools/list",
                    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":"
                    "\"2026-07-28\"}")),
        "-32602");
    expect_in_line(
        line(f, REQ("1", "tools/list",
                    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":"
                    "\"2026-12-01\",\"io.modelcontextprotocol/"
                    "clientCapabilities\":{}}")),
        "-32022");
}

static void what_needs_no_answer_gets_none(void **state)
{
    static const char *const quiet[] = {
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/nonsense\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{\"name\":"
        "\"echo\"}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,"
        "\"message\":\"x\"}}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":{" META "}}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(quiet) / sizeof(*quiet); i++)
        expect_silence(line(f, quiet[i]));
    assert_int_equal(fixture_runs(f), 0);
}

static void malformed_lines_are_answered(void **state)
{
    (void)state;
    expect_in_line(line(f, "{\"jsonrpc\":\"2.0\",\"id\":1,"),
                   "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,");
    expect_in_line(line(f, "{"),
                   "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,");
    expect_in_line(line(f, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
                           "\"ping\"}]"),
                   "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,");
    expect_in_line(line(f, "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"ping\","
                           "\"method\":\"ping\"}"),
                   "{\"jsonrpc\":\"2.0\",\"id\":4,\"error\":{\"code\":-32600,");
}

static void a_full_queue_is_told_as_busy(void **state)
{
    (void)state;
    fixture_mode(f, FAKE_BUSY);
    expect_line(
        line(f, REQ("1", "tools/call", "\"name\":\"echo\"," META)),
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32603,\"message\":"
        "\"busy\"}}");
}

static void the_level_belongs_to_the_pipe(void **state)
{
    const char *emitted;

    (void)state;
    expect_in_line(line(f, INIT("2025-11-25")), "\"result\":");
    expect_in_line(line(f, REQ("1", "logging/setLevel", "\"level\":\"error\"")),
                   "\"result\":{}");
    emitted = line(f, REQ("1", "tools/call", "\"name\":\"chatty\""))->emitted;
    assert_null(strstr(emitted, "\"info\""));
    assert_non_null(strstr(emitted, "\"error\""));
    emitted =
        line(f, REQ("1", "tools/call", "\"name\":\"chatty\"," META))->emitted;
    assert_string_equal(emitted, "");
    /* a second handshake begins anew */
    expect_in_line(line(f, INIT("2025-06-18")), "\"2025-06-18\"");
    emitted = line(f, REQ("1", "tools/call", "\"name\":\"chatty\""))->emitted;
    assert_non_null(strstr(emitted, "\"info\""));
}

static void cancelled_calls_are_not_answered_in_either_era(void **state)
{
    struct flying *modern, *legacy, *other;

    (void)state;
    expect_in_line(line(f, INIT("2025-11-25")), "\"result\":");
    fixture_mode(f, FAKE_LATER);
    modern = launch(f, MCP_TRANSPORT_STDIO, "",
                    REQ("\"99\"", "tools/call", "\"name\":\"echo\"," META));
    legacy = launch(f, MCP_TRANSPORT_STDIO, "",
                    REQ("99", "tools/call", "\"name\":\"echo\""));
    other = launch(f, MCP_TRANSPORT_STDIO, "",
                   REQ("100", "tools/call", "\"name\":\"echo\""));
    expect_silence(line(f, CANCEL("99")));
    assert_int_equal(fixture_cancels(f), 1);
    expect_silence(line(f, CANCEL("\"99\"")));
    assert_int_equal(fixture_cancels(f), 2);
    fixture_run_waiting(f);
    expect_silence(land(f, modern));
    expect_silence(land(f, legacy));
    expect_in_line(land(f, other), "\"id\":100,\"result\":");
}

static void the_end_of_input_cancels_every_call(void **state)
{
    struct flying *modern, *legacy;

    (void)state;
    expect_in_line(line(f, INIT("2025-11-25")), "\"result\":");
    fixture_mode(f, FAKE_LATER);
    modern = launch(f, MCP_TRANSPORT_STDIO, "",
                    REQ("1", "tools/call", "\"name\":\"echo\"," META));
    legacy = launch(f, MCP_TRANSPORT_STDIO, "",
                    REQ("2", "tools/call", "\"name\":\"echo\""));
    hang_up(f, modern);
    hang_up(f, legacy);
    assert_int_equal(fixture_cancels(f), 2);
    fixture_run_waiting(f);
    expect_silence(land(f, modern));
    expect_silence(land(f, legacy));
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(only_initialize_and_ping_come_before_initialize),
        T(both_eras_share_the_pipe),
        T(modern_checks_need_no_headers),
        T(what_needs_no_answer_gets_none),
        T(malformed_lines_are_answered),
        T(a_full_queue_is_told_as_busy),
        T(the_level_belongs_to_the_pipe),
        T(cancelled_calls_are_not_answered_in_either_era),
        T(the_end_of_input_cancels_every_call),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
