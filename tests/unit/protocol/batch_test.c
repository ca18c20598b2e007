/* Mirrors src/protocol/batch.c. */
#include "protocol/batch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "protocol_common.h"

#define PING(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"ping\"}"
#define PONG(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{}}"
#define NOTE     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}"
#define CALL(id, name)                                                         \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":" \
    "{\"name\":\"" name "\"}}"
#define EMPTY(id)                                                              \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{\"content\":[{\"type\":"   \
    "\"text\",\"text\":\"{}\"}]}}"
#define BAD(message)                                                           \
    "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":\"" message   \
    "\"}}"
#define NO_OBJECT BAD("Invalid Request: a message is an object")

static struct fixture *f;
static const char *session;

static int set_up(void **state)
{
    (void)state;
    f = fixture_new(true);
    session = open_session(f, "2025-03-26");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fixture_free(f);
    return 0;
}

static void responses_keep_the_order_of_the_messages(void **state)
{
    (void)state;
    expect(post(f, session,
                "[" PING("1") "," CALL("\"b\"", "echo") "," NOTE
                                                        "," PING("3") "]"),
           200, "[" PONG("1") "," EMPTY("\"b\"") "," PONG("3") "]");
    expect(post(f, session, "[" PING("1") "]"), 200, "[" PONG("1") "]");
}

static void order_holds_when_calls_end_late(void **state)
{
    struct flying *fl;

    (void)state;
    fixture_mode(f, FAKE_LATER);
    fl = launch(f, MCP_TRANSPORT_HTTP, session,
                "[" CALL("1", "echo") "," PING("2") "," CALL("3", "echo") "]");
    assert_false(land(f, fl)->done);
    fixture_run_waiting(f);
    expect(land(f, fl), 200, "[" EMPTY("1") "," PONG("2") "," EMPTY("3") "]");
}

static void each_bad_part_has_its_own_error(void **state)
{
    (void)state;
    expect(post(f, session, "[1,[],null," PING("4") "]"), 200,
           "[" NO_OBJECT "," NO_OBJECT "," NO_OBJECT "," PONG("4") "]");
    expect_part(post(f, session, "[" CALL("5", "nobody") "]"), 200,
                "[{\"jsonrpc\":\"2.0\",\"id\":5,\"error\":{\"code\":-32602,");
}

static void initialize_is_no_part_of_a_batch(void **state)
{
    (void)state;
    expect_part(post(f, session,
                     "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\","
                     "\"params\":{\"protocolVersion\":\"2025-03-26\"}}]"),
                200,
                "[{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32600,");
}

static void parts_are_legacy_whatever_they_say(void **state)
{
    (void)state;
    expect_part(post(f, session,
                     "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
                     "\"server/discover\",\"params\":{" META "}}]"),
                200, "\"code\":-32601,");
}

static void nothing_to_answer_is_202(void **state)
{
    (void)state;
    expect(post(f, session,
                "[" NOTE ",{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}]"),
           202, "");
}

static void an_empty_batch_is_one_error(void **state)
{
    (void)state;
    expect(post(f, session, "[]"), 400,
           BAD("Invalid Request: the batch is empty"));
}

static void the_length_is_bounded(void **state)
{
    (void)state;
    for (int extra = 0; extra < 2; extra++) {
        char *body = malloc((MCP_BATCH_MAX + 2) * sizeof(NOTE) + 2), *at = body;

        *at++ = '[';
        for (int i = 0; i < MCP_BATCH_MAX + extra; i++)
            at += sprintf(at, "%s%s", i > 0 ? "," : "", NOTE);
        strcpy(at, "]");
        if (extra == 0)
            expect(post(f, session, body), 202, "");
        else
            expect_part(post(f, session, body), 400, "-32600");
        free(body);
    }
}

static void a_full_queue_is_told_in_each_part(void **state)
{
    const struct answer *a;

    (void)state;
    fixture_mode(f, FAKE_BUSY);
    a = post(f, session, "[" CALL("1", "echo") "," PING("2") "]");
    expect(a, 200,
           "[{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32603,"
           "\"message\":\"busy\"}}," PONG("2") "]");
    assert_string_equal(a->headers, "");
}

static void what_a_part_says_meanwhile_comes_through(void **state)
{
    const struct answer *a = post(f, session, "[" CALL("1", "chatty") "]");

    (void)state;
    expect_part(a, 200, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":");
    assert_non_null(strstr(a->emitted, "notifications/message"));
}

static void a_cancelled_part_is_left_out(void **state)
{
    struct flying *fl;

    (void)state;
    fixture_mode(f, FAKE_LATER);
    fl = launch(f, MCP_TRANSPORT_HTTP, session,
                "[" CALL("1", "echo") "," CALL("2", "echo") "]");
    expect(post(f, session,
                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
                "\"params\":{\"requestId\":1}}"),
           202, "");
    fixture_run_waiting(f);
    expect(land(f, fl), 200, "[" EMPTY("2") "]");
}

static void a_pipe_of_2025_03_26_takes_batches(void **state)
{
    struct flying *fl;

    (void)state;
    assert_non_null(strstr(line(f, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":"
                                   "\"initialize\",\"params\":{"
                                   "\"protocolVersion\":\"2025-03-26\"}}")
                               ->body,
                           "\"result\":"));
    assert_string_equal(line(f, "[" PING("1") "," PING("2") "]")->body,
                        "[" PONG("1") "," PONG("2") "]");
    fixture_mode(f, FAKE_LATER);
    fl = launch(f, MCP_TRANSPORT_STDIO, "",
                "[" CALL("1", "echo") "," CALL("2", "echo") "]");
    hang_up(f, fl);
    assert_int_equal(fixture_cancels(f), 2);
    fixture_run_waiting(f);
    assert_string_equal(land(f, fl)->body, "");
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(responses_keep_the_order_of_the_messages),
        T(order_holds_when_calls_end_late),
        T(each_bad_part_has_its_own_error),
        T(initialize_is_no_part_of_a_batch),
        T(parts_are_legacy_whatever_they_say),
        T(nothing_to_answer_is_202),
        T(an_empty_batch_is_one_error),
        T(the_length_is_bounded),
        T(a_full_queue_is_told_in_each_part),
        T(what_a_part_says_meanwhile_comes_through),
        T(a_cancelled_part_is_left_out),
        T(a_pipe_of_2025_03_26_takes_batches),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
