/* Mirrors src/protocol/legacy.c, handshake.c, and route.c for 2025 revisions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "protocol_common.h"

#define REQ(method, params)                                                    \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" method                       \
    "\",\"params\":{" params "}}"
#define INIT(version) REQ("initialize", "\"protocolVersion\":\"" version "\"")
#define CALL(name, args)                                                       \
    REQ("tools/call", "\"name\":\"" name "\",\"arguments\":" args)
#define NOTE(method) "{\"jsonrpc\":\"2.0\",\"method\":\"" method "\"}"
#define RESULT(members)                                                        \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{" members "}}"
#define EMPTY_RESULT RESULT("")

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

static const char *with(const char *a, const char *b)
{
    static char headers[512];

    snprintf(headers, sizeof(headers), "%s%s", a, b);
    return headers;
}

static void initialize_answers_the_asked_revision(void **state)
{
    static const struct {
        const char *asked, *answered;
    } rows[] = {
        {"2025-03-26", "2025-03-26"},         {"2025-06-18", "2025-06-18"},
        {"2025-11-25", "2025-11-25"},         {"2026-07-28", "2025-11-25"},
        {"2024-11-05", "2025-11-25"},         {"", "2025-11-25"},
        {"totally-unsupported", "2025-11-25"}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        char body[256], expected[512];
        const struct answer *a;

        snprintf(body, sizeof(body), INIT("%s"), rows[i].asked);
        snprintf(expected, sizeof(expected),
                 RESULT("\"protocolVersion\":\"%s\",\"capabilities\":{"
                        "\"logging\":{},\"tools\":{\"listChanged\":true}},"
                        "\"serverInfo\":{\"name\":"
                        "\"test\",\"version\":\"1.0\"%s}"),
                 rows[i].answered,
                 strcmp(rows[i].answered, "2025-03-26") == 0
                     ? ""
                     : ",\"title\":\"The test\"");
        a = post(f, "", body);
        expect(a, 200, expected);
        snprintf(expected, sizeof(expected), "\nMCP-Protocol-Version: %s\n",
                 rows[i].answered);
        expect_part(a, 200, expected);
    }
}

static void initialize_takes_any_2025_header(void **state)
{
    (void)state;
    expect_part(
        post(f, "MCP-Protocol-Version: 2025-03-26\n", INIT("2025-11-25")), 200,
        "\"protocolVersion\":\"2025-11-25\"");
}

static void initialize_wants_a_version_and_objects(void **state)
{
    (void)state;
    expect_part(post(f, "", REQ("initialize", "")), 200, "\"code\":-32602,");
    expect_part(post(f, "", REQ("initialize", "\"protocolVersion\":1")), 200,
                "\"code\":-32602,");
    expect_part(post(f, "",
                     REQ("initialize", "\"protocolVersion\":\"2025-06-"
                                       "18\",\"clientInfo\":[]")),
                200, "\"code\":-32602,");
    expect_part(post(f, "",
                     REQ("initialize", "\"protocolVersion\":\"2025-06-"
                                       "18\",\"capabilities\":1")),
                200, "\"code\":-32602,");
    expect_part(post(f, "",
                     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\","
                     "\"params\":[]}"),
                200, "params must be an object");
}

static void instructions_and_identity_are_told(void **state)
{
    (void)state;
    fixture_set(f, "instructions", "Be \"kind\"");
    fixture_set(f, "website_url", "https://example.com");
    fixture_set(f, "icons", "[{\"src\":\"https://example.com/i.png\"}]");
    fixture_publish(f, true);
    expect_part(post(f, "", INIT("2025-11-25")), 200,
                "\"serverInfo\":{\"name\":\"test\",\"version\":\"1.0\","
                "\"title\":\"The test\",\"websiteUrl\":\"https://example.com\","
                "\"icons\":[{\"src\":\"https://example.com/i.png\"}]},"
                "\"instructions\":\"Be \\\"kind\\\"\"}");
    expect_part(post(f, "", INIT("2025-06-18")), 200,
                "\"serverInfo\":{\"name\":\"test\",\"version\":\"1.0\","
                "\"title\":\"The test\"},\"instructions\"");
    expect_part(post(f, "", INIT("2025-03-26")), 200,
                "\"serverInfo\":{\"name\":\"test\",\"version\":\"1.0\"},"
                "\"instructions\"");
}

static void session_ids_are_128_bits_and_differ(void **state)
{
    const char *a = open_session(f, "2025-11-25");
    const char *b = open_session(f, "2025-11-25");

    (void)state;
    assert_int_equal(strlen(a), strlen("Mcp-Session-Id: ") + 32 + 1);
    assert_int_equal(strspn(a + strlen("Mcp-Session-Id: "), "0123456789abcdef"),
                     32);
    assert_string_not_equal(a, b);
}

static void requests_before_initialized_are_served(void **state)
{
    const char *s = open_session(f, "2025-11-25");

    (void)state;
    expect_part(post(f, s, REQ("tools/list", "")), 200, "\"tools\":[");
    expect(post(f, s, NOTE("notifications/initialized")), 202, "");
    expect(post(f, s, NOTE("notifications/nonsense")), 202, "");
    expect(post(f, s, REQ("ping", "")), 200, EMPTY_RESULT);
    expect(post(f, s, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"),
           200, EMPTY_RESULT);
    expect(post(f, s, "{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}"), 202, "");
}

static void an_unknown_session_is_404(void **state)
{
    static const char *const ids[] = {"deadbeef", "",
                                      "00000000000000000000000000000000",
                                      "000000000000000000000000000000000"};

    (void)state;
    for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
        char headers[128];

        snprintf(headers, sizeof(headers), "Mcp-Session-Id: %s\n", ids[i]);
        expect_part(
            post(f, headers, REQ("tools/list", "")), 404,
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32600,");
        expect_part(post(f, headers, NOTE("notifications/initialized")), 404,
                    "-32600");
        expect_part(post(f, headers, "[]"), 404, "-32600");
        expect_part(post(f, headers, INIT("2025-11-25")), 404, "-32600");
        expect_part(request(f, "GET", headers), 404, "-32600");
        expect_part(request(f, "DELETE", headers), 404, "-32600");
    }
}

static void delete_ends_a_session(void **state)
{
    const char *s = open_session(f, "2025-11-25");
    const char *other = open_session(f, "2025-11-25");

    (void)state;
    expect(request(f, "DELETE", s), 204, "");
    expect_part(post(f, s, REQ("tools/list", "")), 404, "-32600");
    expect_part(request(f, "DELETE", s), 404, "-32600");
    expect(post(f, other, REQ("ping", "")), 200, EMPTY_RESULT);
}

static void get_and_delete_without_a_session_are_405(void **state)
{
    const char *s = open_session(f, "2025-11-25");

    (void)state;
    expect_part(request(f, "GET", ""), 405, "Allow: POST, OPTIONS\n");
    expect_part(request(f, "GET", ""), 405,
                "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,");
    expect_part(request(f, "DELETE", ""), 405, "Allow: POST, OPTIONS\n");
    expect(post(f, s, REQ("ping", "")), 200, EMPTY_RESULT);
}

static void an_unknown_version_header_is_400(void **state)
{
    const char *s = open_session(f, "2025-06-18");

    (void)state;
    expect_part(
        post(f, with(s, "MCP-Protocol-Version: 1999-01-01\n"), REQ("ping", "")),
        400, "\"id\":1,\"error\":{\"code\":-32600,");
    /* a modern header without the modern checks would deceive a proxy */
    expect_part(
        post(f, with(s, "MCP-Protocol-Version: 2026-07-28\n"), REQ("ping", "")),
        400, "-32600");
    expect(
        post(f, with(s, "MCP-Protocol-Version: 2025-11-25\n"), REQ("ping", "")),
        200, EMPTY_RESULT);
    expect_part(post(f, "MCP-Protocol-Version: 1999-01-01\n", REQ("ping", "")),
                400, "\"code\":-32602,");
}

static void a_doubled_session_header_is_400(void **state)
{
    const char *s = open_session(f, "2025-06-18");
    char twice[256];

    (void)state;
    snprintf(twice, sizeof(twice), "%s%s", s, s);
    expect_part(post(f, twice, REQ("ping", "")), 400, "-32600");
}

static void without_a_session_the_header_decides(void **state)
{
    const struct answer *a;

    (void)state;
    a = post(f, "", CALL("weather", "{\"city\":\"B\"}"));
    expect(a, 200,
           RESULT("\"content\":[{\"type\":\"text\",\"text\":\"22\"}],\"_meta\":"
                  "{\"x/y\":1}"));
    assert_string_equal(a->headers, "");
    expect_part(post(f, "MCP-Protocol-Version: 2025-06-18\n",
                     CALL("weather", "{\"city\":\"B\"}")),
                200, "\"structuredContent\":{\"temperature\":22}");
    expect(post(f, "", NOTE("notifications/initialized")), 202, "");
    expect(post(f, "", "{\"jsonrpc\":\"2.0\",\"id\":9,\"error\":{}}"), 202, "");
    expect(post(f, "", REQ("logging/setLevel", "\"level\":\"info\"")), 200,
           EMPTY_RESULT);
}

static void sessions_may_be_required(void **state)
{
    const char *s;

    (void)state;
    fixture_set(f, "sessions", "required");
    fixture_publish(f, true);
    expect_part(post(f, "", REQ("tools/list", "")), 400,
                "\"id\":1,\"error\":{\"code\":-32600,");
    expect_part(post(f, "", NOTE("notifications/x")), 400, "-32600");
    s = open_session(f, "2025-11-25");
    expect(post(f, s, REQ("ping", "")), 200, EMPTY_RESULT);
    expect_part(post(f, MODERN("tools/list"), REQ("tools/list", META)), 200,
                "\"result\":");
}

static void errors_travel_with_200(void **state)
{
    const char *s = open_session(f, "2025-11-25");

    (void)state;
    expect(post(f, s, REQ("no/such", "")), 200,
           "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,"
           "\"message\":\"Method not found: \\\"no/such\\\"\"}}");
    expect_part(post(f, s, REQ("server/discover", "")), 200, "-32601");
    expect_part(post(f, s, REQ("resources/list", "")), 200, "-32601");
    expect_part(post(f, s, CALL("nobody", "{}")), 200, "-32602");
    expect_part(post(f, s, CALL("demands", "{}")), 200, "-32021");
    expect_part(post(f, s,
                     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\","
                     "\"params\":[1]}"),
                200, "-32602");
    expect_part(post(f, s,
                     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\","
                     "\"params\":null}"),
                200, "\"tools\":[");
}

static void each_revision_sees_its_own_fields(void **state)
{
    static const struct {
        const char *version, *weather, *count;
    } rows[] = {
        {"2025-03-26",
         "{\"name\":\"weather\",\"description\":\"Tells\",\"inputSchema\":{"
         "\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\","
         "\"x-mcp-header\":\"City\"},\"days\":{\"type\":\"integer\","
         "\"minimum\":1,\"default\":3}},\"required\":[\"city\"],"
         "\"additionalProperties\":false},\"annotations\":{\"readOnlyHint\":"
         "true}}",
         "{\"name\":\"count\",\"inputSchema\":{\"type\":\"object\"}}"},
        {"2025-06-18",
         "\"additionalProperties\":false},\"outputSchema\":{\"type\":"
         "\"object\",\"properties\":{\"temperature\":{\"type\":\"number\"}},"
         "\"required\":[\"temperature\"]},\"annotations\":{\"readOnlyHint\":"
         "true},\"_meta\":{\"a/b\":1}}",
         "{\"name\":\"count\",\"inputSchema\":{\"type\":\"object\"},"
         "\"outputSchema\":{\"type\":\"object\",\"properties\":{\"result\":{"
         "\"type\":\"integer\"}},\"required\":[\"result\"]}}"},
        {"2025-11-25",
         "\"annotations\":{\"readOnlyHint\":true},\"icons\":[{\"src\":"
         "\"https://example.com/i.png\"}],\"_meta\":{\"a/b\":1}}",
         "\"outputSchema\":{\"type\":\"object\",\"properties\":{\"result\":"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const char *s = open_session(f, rows[i].version);
        const struct answer *a = post(f, s, REQ("tools/list", ""));

        expect_part(a, 200, rows[i].weather);
        expect_part(a, 200, rows[i].count);
        assert_null(strstr(a->body, "resultType"));
        assert_null(strstr(a->body, "ttlMs"));
        assert_null(strstr(a->body, "serverInfo"));
        if (i == 0)
            assert_null(strstr(a->body, "\"title\""));
        else
            expect_part(a, 200, "{\"name\":\"weather\",\"title\":\"Weather\",");
    }
    expect_part(post(f, MODERN("tools/list"), REQ("tools/list", META)), 200,
                "\"outputSchema\":{\"type\":\"integer\"}");
}

static void a_value_that_is_no_object_is_boxed(void **state)
{
    (void)state;
    expect(post(f, open_session(f, "2025-06-18"), CALL("count", "{}")), 200,
           RESULT("\"content\":[{\"type\":\"text\",\"text\":\"3\"}],"
                  "\"structuredContent\":{\"result\":3}"));
    expect(post(f, open_session(f, "2025-11-25"), CALL("loose", "{}")), 200,
           RESULT("\"content\":[],\"structuredContent\":{\"result\":[4]}"));
    expect(post(f, open_session(f, "2025-03-26"), CALL("count", "{}")), 200,
           RESULT("\"content\":[{\"type\":\"text\",\"text\":\"3\"}]"));
}

static void logs_follow_the_level_of_the_session(void **state)
{
    const char *a = open_session(f, "2025-11-25");
    const char *b = open_session(f, "2025-11-25");
    const char *emitted;

    (void)state;
    emitted = post(f, a, CALL("chatty", "{}"))->emitted;
    assert_null(strstr(emitted, "\"debug\""));
    assert_non_null(strstr(emitted, "\"info\""));
    assert_null(strstr(emitted, "progress"));
    expect(post(f, a, REQ("logging/setLevel", "\"level\":\"error\"")), 200,
           EMPTY_RESULT);
    emitted = post(f, a, CALL("chatty", "{}"))->emitted;
    assert_null(strstr(emitted, "\"info\""));
    assert_non_null(strstr(emitted, "\"error\""));
    emitted = post(f, b, CALL("chatty", "{}"))->emitted;
    assert_non_null(strstr(emitted, "\"info\""));
    expect(post(f, b, REQ("logging/setLevel", "\"level\":\"debug\"")), 200,
           EMPTY_RESULT);
    assert_non_null(
        strstr(post(f, b, CALL("chatty", "{}"))->emitted, "\"debug\""));
    /* no session, no log; no leak into a modern call */
    assert_string_equal(post(f, "", CALL("chatty", "{}"))->emitted, "");
    expect_part(post(f, a, REQ("logging/setLevel", "\"level\":\"loud\"")), 200,
                "-32602");
    expect_part(post(f, a, REQ("logging/setLevel", "")), 200, "-32602");
}

static void progress_needs_a_token_and_keeps_its_type(void **state)
{
    const char *s = open_session(f, "2025-11-25");

    (void)state;
    expect(post(f, s, REQ("logging/setLevel", "\"level\":\"emergency\"")), 200,
           EMPTY_RESULT);
    assert_string_equal(
        post(f, s,
             REQ("tools/call", "\"name\":\"chatty\",\"_meta\":{"
                               "\"progressToken\":\"t1\"}"))
            ->emitted,
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":"
        "{\"progressToken\":\"t1\",\"progress\":1,\"total\":2,\"message\":"
        "\"one\"}}\n"
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":"
        "{\"progressToken\":\"t1\",\"progress\":1.5}}\n");
    assert_string_equal(post(f, s,
                             REQ("tools/call", "\"name\":\"chatty\",\"_meta\":{"
                                               "\"progressToken\":[]}"))
                            ->emitted,
                        "");
}

static void idle_sessions_end_and_running_calls_keep_them(void **state)
{
    const char *idle, *busy;
    struct flying *fl;

    (void)state;
    fixture_idle(f, 1);
    fixture_publish(f, true);
    idle = open_session(f, "2025-11-25");
    busy = open_session(f, "2025-11-25");
    fixture_mode(f, FAKE_LATER);
    fl = launch(f, MCP_TRANSPORT_HTTP, busy, CALL("echo", "{}"));
    usleep(1200 * 1000);
    mcp_endpoint_sweep(fixture_endpoint(f));
    expect_part(post(f, idle, REQ("ping", "")), 404, "-32600");
    expect(post(f, busy, REQ("ping", "")), 200, EMPTY_RESULT);
    fixture_run_waiting(f);
    expect_part(land(f, fl), 200, "\"content\"");
    expect(post(f, busy, REQ("ping", "")), 200, EMPTY_RESULT);
    usleep(1200 * 1000);
    expect_part(post(f, busy, REQ("ping", "")), 404, "-32600");
}

static void the_least_recently_used_session_makes_room(void **state)
{
    const char *s[4];

    (void)state;
    fixture_set(f, "max_sessions", "3");
    fixture_publish(f, true);
    for (int i = 0; i < 3; i++)
        s[i] = open_session(f, "2025-11-25");
    for (int i = 0; i < 3; i++) /* N: all live; 0 is now the oldest */
        expect(post(f, s[i], REQ("ping", "")), 200, EMPTY_RESULT);
    expect(post(f, s[0], REQ("ping", "")), 200, EMPTY_RESULT);
    s[3] = open_session(f, "2025-11-25"); /* N + 1 */
    expect_part(post(f, s[1], REQ("ping", "")), 404, "-32600");
    expect(post(f, s[0], REQ("ping", "")), 200, EMPTY_RESULT);
    expect(post(f, s[2], REQ("ping", "")), 200, EMPTY_RESULT);
    expect(post(f, s[3], REQ("ping", "")), 200, EMPTY_RESULT);
}

static void no_session_with_a_running_call_is_evicted(void **state)
{
    struct flying *fl;
    const char *s;

    (void)state;
    fixture_set(f, "max_sessions", "1");
    fixture_publish(f, true);
    s = open_session(f, "2025-11-25");
    fixture_mode(f, FAKE_LATER);
    fl = launch(f, MCP_TRANSPORT_HTTP, s, CALL("echo", "{}"));
    expect_part(post(f, "", INIT("2025-11-25")), 503, "busy");
    fixture_run_waiting(f);
    expect_part(land(f, fl), 200, "\"content\"");
    expect_part(post(f, "", INIT("2025-11-25")), 200, "\"result\":");
    expect_part(post(f, s, REQ("ping", "")), 404, "-32600");
}

static void a_cancelled_call_is_not_answered(void **state)
{
    const char *s = open_session(f, "2025-11-25");
    const char *other = open_session(f, "2025-11-25");
    struct flying *fl;

    (void)state;
#define CANCEL(id)                                                             \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{" \
    "\"requestId\":" id "}}"
    fixture_mode(f, FAKE_LATER);
    fl = launch(f, MCP_TRANSPORT_HTTP, s, CALL("echo", "{}"));
    expect(post(f, other, CANCEL("1")), 202, "");
    expect(post(f, "", CANCEL("1")), 202, "");
    expect(post(f, s, CANCEL("2")), 202, "");
    expect(post(f, s, CANCEL("\"1\"")), 202, "");
    expect(post(f, s, CANCEL("{}")), 202, "");
    assert_int_equal(fixture_cancels(f), 0);
    expect(post(f, s, CANCEL("1")), 202, "");
    expect(post(f, s, CANCEL("1")), 202, "");
    assert_int_equal(fixture_cancels(f), 1);
    fixture_run_waiting(f);
    expect(land(f, fl), 202, "");
    expect(post(f, s, CANCEL("1")), 202, "");
    assert_int_equal(fixture_cancels(f), 1);
}

static void a_result_that_comes_after_all_is_not_sent(void **state)
{
    const char *s = open_session(f, "2025-11-25");
    struct flying *fl;

    (void)state;
    fixture_mode(f, FAKE_LATER);
    fixture_stubborn(f);
    fl = launch(f, MCP_TRANSPORT_HTTP, s, CALL("raises", "{}"));
    expect(post(f, s, CANCEL("1")), 202, "");
    fixture_run_waiting(f);
    expect(land(f, fl), 202, "");
}

static void leaving_does_not_cancel_a_legacy_call(void **state)
{
    struct flying *fl;

    (void)state;
    fixture_mode(f, FAKE_LATER);
    fl = launch(f, MCP_TRANSPORT_HTTP, open_session(f, "2025-11-25"),
                CALL("echo", "{}"));
    hang_up(f, fl);
    assert_int_equal(fixture_cancels(f), 0);
    fixture_run_waiting(f);
    expect_part(land(f, fl), 200, "\"content\"");
}

static void a_deleted_session_lets_its_calls_end(void **state)
{
    const char *s = open_session(f, "2025-11-25");
    struct flying *fl;

    (void)state;
    fixture_mode(f, FAKE_LATER);
    fl = launch(f, MCP_TRANSPORT_HTTP, s, CALL("echo", "{}"));
    expect(request(f, "DELETE", s), 204, "");
    expect_part(post(f, s, REQ("ping", "")), 404, "-32600");
    fixture_run_waiting(f);
    expect_part(land(f, fl), 200, "\"content\"");
}

static void what_the_client_says_of_itself_is_bounded(void **state)
{
    static char body[70000];
    static char name[17000];

    (void)state;
    memset(name, 'n', sizeof(name) - 1);
    snprintf(body, sizeof(body),
             REQ("initialize",
                 "\"protocolVersion\":\"2025-11-25\",\"clientInfo\":{\"name\":"
                 "\"c\",\"version\":\"1\",\"icons\":[{\"src\":\"%s\"}]}"),
             name);
    expect_part(post(f, "", body), 200, "\"result\":");
    snprintf(body, sizeof(body),
             REQ("initialize", "\"protocolVersion\":\"2025-11-25\","
                               "\"clientInfo\":{\"name\":\"%s\"}"),
             name);
    expect_part(post(f, "", body), 200, "-32602");
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(initialize_answers_the_asked_revision),
        T(initialize_takes_any_2025_header),
        T(initialize_wants_a_version_and_objects),
        T(instructions_and_identity_are_told),
        T(session_ids_are_128_bits_and_differ),
        T(requests_before_initialized_are_served),
        T(an_unknown_session_is_404),
        T(delete_ends_a_session),
        T(get_and_delete_without_a_session_are_405),
        T(an_unknown_version_header_is_400),
        T(a_doubled_session_header_is_400),
        T(without_a_session_the_header_decides),
        T(sessions_may_be_required),
        T(errors_travel_with_200),
        T(each_revision_sees_its_own_fields),
        T(a_value_that_is_no_object_is_boxed),
        T(logs_follow_the_level_of_the_session),
        T(progress_needs_a_token_and_keeps_its_type),
        T(idle_sessions_end_and_running_calls_keep_them),
        T(the_least_recently_used_session_makes_room),
        T(no_session_with_a_running_call_is_evicted),
        T(a_cancelled_call_is_not_answered),
        T(a_result_that_comes_after_all_is_not_sent),
        T(leaving_does_not_cancel_a_legacy_call),
        T(a_deleted_session_lets_its_calls_end),
        T(what_the_client_says_of_itself_is_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
