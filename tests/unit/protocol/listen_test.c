/* Mirrors src/protocol/listen.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/log.h"
#include "features/subscriptions.h"
#include "protocol_common.h"

static struct fixture *f;

#define LISTEN(id, filter)                                                     \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"subscriptions/listen\","  \
    "\"params\":{" META ",\"notifications\":" filter "}}"
#define ACK(id, filter)                                                        \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/"           \
    "acknowledged\",\"params\":{\"_meta\":{"                                   \
    "\"io.modelcontextprotocol/subscriptionId\":" id                           \
    "},\"notifications\":" filter "}}\n"
#define TOLD(id)                                                               \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\","    \
    "\"params\":{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":" id    \
    "}}}\n"
#define RESULT(id)                                                             \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{\"resultType\":"           \
    "\"complete\",\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":" id   \
    ",\"io.modelcontextprotocol/serverInfo\":{\"name\":\"test\","              \
    "\"version\":\"1.0\",\"title\":\"The test\"}}}}"
#define TOOLS       "{\"toolsListChanged\":true}"
#define LISTEN_HTTP MODERN("subscriptions/listen")
#define INITIALIZE(version)                                                    \
    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"     \
    "\"protocolVersion\":\"" version "\",\"capabilities\":{},"                 \
    "\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}"
#define INITIALIZED                                                            \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"

static int set_up(void **state)
{
    (void)state;
    mcp_log_setup(MCP_LOG_OFF, false);
    f = fixture_new(true);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fixture_free(f);
    return 0;
}

static struct flying *open_http(const char *body)
{
    struct flying *fl = launch(f, MCP_TRANSPORT_HTTP, LISTEN_HTTP, body);

    assert_false(peek(fl)->done);
    return fl;
}

static void end_streams(void)
{
    mcp_endpoint_end_streams(fixture_endpoint(f));
}

static void it_ends_with_a_result(void **state)
{
    struct flying *fl = open_http(LISTEN("\"a\"", TOOLS));

    (void)state;
    assert_string_equal(peek(fl)->emitted, ACK("\"a\"", TOOLS));
    mcp_publish_lists(fixture_subscriptions(f), MCP_LISTS);
    assert_string_equal(peek(fl)->emitted, ACK("\"a\"", TOOLS) TOLD("\"a\""));
    end_streams();
    expect(land(f, fl), 200, RESULT("\"a\""));
    expect_part(post(f, LISTEN_HTTP, LISTEN("1", TOOLS)), 503, "busy");
}

static void a_client_that_leaves_ends_it(void **state)
{
    struct flying *fl = open_http(LISTEN("1", TOOLS));

    (void)state;
    hang_up(f, fl);
    expect(land(f, fl), 202, "");
    assert_int_equal(mcp_subscriptions_count(fixture_subscriptions(f)), 0);
}

static void one_that_left_after_the_end_changes_nothing(void **state)
{
    struct flying *fl = open_http(LISTEN("1", TOOLS));

    (void)state;
    end_streams();
    hang_up(f, fl); /* its transport has not seen done() */
    expect(land(f, fl), 200, RESULT("1"));
}

static void stdio_cancels_before_the_result(void **state)
{
    struct flying *one = launch(f, MCP_TRANSPORT_STDIO, "", LISTEN("1", TOOLS));
    struct flying *two = launch(f, MCP_TRANSPORT_STDIO, "", LISTEN("2", "{}"));

    (void)state;
    expect(line(f, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\""
                   ",\"params\":{\"requestId\":1}}"),
           202, "");
    expect(land(f, one), 202, "");
    end_streams();
    assert_string_equal(peek(two)->emitted,
                        ACK("2", "{}") "{\"jsonrpc\":\"2.0\",\"method\":"
                                       "\"notifications/cancelled\","
                                       "\"params\":{\"requestId\":2}}\n");
    expect(land(f, two), 200, RESULT("2"));
}

static void streams_on_stdio_leave_room_for_calls(void **state)
{
    static struct flying *fl[40];
    int n;

    (void)state;
    fixture_set(f, "queue", "4"); /* 4 + 32 */
    fixture_publish(f, true);
    for (n = 0; n < 40; n++) {
        fl[n] = launch(f, MCP_TRANSPORT_STDIO, "", LISTEN("1", TOOLS));
        if (peek(fl[n])->done)
            break;
    }
    assert_int_equal(n, 36);
    expect_part(land(f, fl[n]), 503, "busy");
    end_streams();
    while (n-- > 0)
        expect(land(f, fl[n]), 200, RESULT("1"));
}

static void a_session_has_a_stream(void **state)
{
    const char *s = open_session(f, "2025-11-25");
    struct flying *old = launch_get(f, s), *fl = launch_get(f, s);

    (void)state;
    expect(land(f, old), 202, "");
    assert_false(peek(fl)->done);
    mcp_publish_lists(fixture_subscriptions(f), MCP_OFFER_TOOLS);
    assert_string_equal(/* an event without data has opened it */
                        peek(fl)->emitted,
                        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
                        "tools/list_changed\"}\n");
    expect(request(f, "DELETE", s), 204, "");
    expect(land(f, fl), 202, "");
    fl = launch_get(f, open_session(f, "2025-03-26"));
    hang_up(f, fl);
    expect(land(f, fl), 202, "");
}

static void the_pipe_is_one(void **state)
{
    struct flying *first, *second;

    (void)state;
    expect(line(f, INITIALIZED), 202, ""); /* too early: a mere notification */
    expect_part(line(f, INITIALIZE("2025-11-25")), 200, "result");
    first = launch(f, MCP_TRANSPORT_STDIO, "", INITIALIZED);
    assert_false(peek(first)->done);
    mcp_publish_lists(fixture_subscriptions(f), MCP_OFFER_TOOLS);
    assert_non_null(strstr(peek(first)->emitted, "tools/list_changed"));
    expect_part(line(f, INITIALIZE("2025-11-25")), 200, "result");
    expect(land(f, first), 202, "");
    second = launch(f, MCP_TRANSPORT_STDIO, "", INITIALIZED);
    assert_false(peek(second)->done);
    end_streams();
    expect(land(f, second), 202, "");
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(it_ends_with_a_result),
        T(a_client_that_leaves_ends_it),
        T(one_that_left_after_the_end_changes_nothing),
        T(stdio_cancels_before_the_result),
        T(streams_on_stdio_leave_room_for_calls),
        T(a_session_has_a_stream),
        T(the_pipe_is_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
