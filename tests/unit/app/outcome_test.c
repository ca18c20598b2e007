/*
 * outcome_test.c - failures and errors, also when there is no room for them
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <string.h>

#include "app/outcome.h"

static void span_is(const struct mcp_outcome *o, struct mcp_span span,
                    const char *expected)
{
    assert_int_equal(span.len, strlen(expected));
    if (span.len > 0)
        assert_memory_equal(o->text.data + span.at, expected, span.len);
}

static void a_failure_is_a_text_block(void **state)
{
    struct mcp_outcome o;

    (void)state;
    mcp_outcome_init(&o, 4096);
    o.code = 5;
    o.timed_out = true;
    mcp_outcome_set_failure(&o, "no \"x\"\n", 7);
    assert_int_equal(o.kind, MCP_OUTCOME_RESULT);
    assert_true(o.is_error);
    assert_int_equal(o.code, 0);
    assert_false(o.timed_out);
    span_is(&o, o.content,
            "[{\"type\":\"text\",\"text\":\"no \\\"x\\\"\\n\"}]");
    span_is(&o, o.message, "no \"x\"\n");
    span_is(&o, o.structured, "");
    mcp_outcome_set_failure(&o, "", 0);
    span_is(&o, o.content, "[{\"type\":\"text\",\"text\":\"\"}]");
    mcp_outcome_free(&o);
}

static void wrong_bytes_become_replacement_characters(void **state)
{
    struct mcp_outcome o;

    (void)state;
    mcp_outcome_init(&o, 4096);
    mcp_outcome_set_failure(&o,
                            "\xff"
                            "a\0\xc3",
                            4);
    span_is(&o, o.content,
            "[{\"type\":\"text\",\"text\":\"\xef\xbf\xbd"
            "a\\u0000\xef\xbf\xbd\"}]");
    mcp_outcome_set_error(&o, -32000, "b\x80", "{}");
    span_is(&o, o.message, "b\xef\xbf\xbd");
    mcp_outcome_free(&o);
}

static void what_is_shown_may_be_less_than_what_is_logged(void **state)
{
    struct mcp_outcome o;

    (void)state;
    mcp_outcome_init(&o, 4096);
    mcp_outcome_set_failure_as(&o, "Internal error", "secret", 6);
    span_is(&o, o.content, "[{\"type\":\"text\",\"text\":\"Internal error\"}]");
    span_is(&o, o.message, "secret");
    assert_true(o.is_error);
    mcp_outcome_free(&o);
}

static void a_failure_may_have_a_second_text(void **state)
{
    struct mcp_outcome o;
    char large[6000];

    (void)state;
    mcp_outcome_init(&o, 4096);
    mcp_outcome_set_failure(&o, "no", 2);
    mcp_outcome_add_failure(&o, "\"a\"\xff", 4);
    span_is(&o, o.content,
            "[{\"type\":\"text\",\"text\":\"no\"},"
            "{\"type\":\"text\",\"text\":\"\\\"a\\\"\xef\xbf\xbd\"}]");
    span_is(&o, o.message, "no");
    memset(large, 'x', sizeof(large));
    mcp_outcome_set_failure(&o, "no", 2);
    mcp_outcome_add_failure(&o, large, sizeof(large));
    assert_false(o.text.failed);
    span_is(&o, o.content, "[{\"type\":\"text\",\"text\":\"no\"}]");
    mcp_outcome_free(&o);
}

static void an_error_has_code_message_and_data(void **state)
{
    struct mcp_outcome o;

    (void)state;
    mcp_outcome_init(&o, 4096);
    mcp_outcome_set_failure(&o, "before", 6);
    mcp_outcome_set_error(&o, -32602, "Unknown tool", "{\"name\":\"x\"}");
    assert_int_equal(o.kind, MCP_OUTCOME_ERROR);
    assert_int_equal(o.code, -32602);
    assert_false(o.is_error);
    span_is(&o, o.content, "");
    span_is(&o, o.message, "Unknown tool");
    span_is(&o, o.data, "{\"name\":\"x\"}");
    mcp_outcome_set_error(&o, -32603, "Internal error", NULL);
    span_is(&o, o.data, "");
    mcp_outcome_free(&o);
}

/* 27 bytes around the text in the content, and the text once more */
static void a_text_beyond_the_room_is_replaced(void **state)
{
    static const char less[] = "the error message is too long to be sent";
    char text[61];
    struct mcp_outcome o;

    (void)state;
    memset(text, 'x', sizeof(text));
    mcp_outcome_init(&o, 27 + 2 * 60);
    mcp_outcome_set_failure(&o, text, 60);
    assert_int_equal(o.message.len, 60);
    assert_int_equal(o.content.len, 27 + 60);
    mcp_outcome_set_failure(&o, text, 61);
    span_is(&o, o.message, less);
    assert_true(o.is_error);
    assert_false(o.text.failed);
    mcp_outcome_set_failure_as(&o, "Internal error", text, 61);
    assert_int_equal(o.message.len, 61);
    mcp_outcome_free(&o);
    mcp_outcome_init(&o, 20);
    mcp_outcome_set_failure(&o, text, 2);
    assert_int_equal(o.kind, MCP_OUTCOME_RESULT);
    assert_true(o.is_error);
    assert_int_equal(o.content.len, 0);
    assert_int_equal(o.message.len, 0);
    text[60] = 0;
    mcp_outcome_set_error(&o, -32603, text, NULL);
    assert_int_equal(o.kind, MCP_OUTCOME_ERROR);
    assert_int_equal(o.message.len, 0);
    mcp_outcome_free(&o);
}

static void a_refusal_has_status_and_content(void **state)
{
    struct mcp_outcome o;

    (void)state;
    mcp_outcome_init(&o, 4096);
    mcp_outcome_set_refusal(&o, "Resource read failed", 404, true, "a\"\xff",
                            3);
    assert_int_equal(o.kind, MCP_OUTCOME_ERROR);
    assert_int_equal(o.code, -32603);
    assert_false(o.is_error);
    span_is(&o, o.message, "Resource read failed");
    span_is(&o, o.data,
            "{\"statusCode\":404,\"content\":\"a\\\"\xef\xbf\xbd\"}");
    span_is(&o, o.reason, "a\"\xef\xbf\xbd");
    mcp_outcome_set_refusal(&o, "x", 500, false, "secret", 6);
    span_is(&o, o.data, "{\"statusCode\":500}");
    span_is(&o, o.reason, "secret");
    mcp_outcome_free(&o);
}

static void a_completer_that_failed_has_no_values(void **state)
{
    struct mcp_outcome o;

    (void)state;
    mcp_outcome_init(&o, 4096);
    mcp_outcome_set_no_values(&o, "why", 3);
    assert_int_equal(o.kind, MCP_OUTCOME_RESULT);
    span_is(&o, o.content, "[]");
    span_is(&o, o.reason, "why");
    mcp_outcome_free(&o);
}

/* Around the text: 7 bytes of message, 31 of data; the text comes twice. */
static void a_reason_beyond_the_room_is_replaced(void **state)
{
    static const char less[] = "the error message is too long to be sent";
    char text[62];
    struct mcp_outcome o;

    (void)state;
    memset(text, 'x', sizeof(text));
    mcp_outcome_init(&o, 7 + 31 + 2 * 61);
    mcp_outcome_set_refusal(&o, "message", 500, true, text, 61);
    assert_int_equal(o.reason.len, 61);
    assert_int_equal(o.data.len, 31 + 61);
    mcp_outcome_set_refusal(&o, "message", 500, true, text, 62);
    span_is(&o, o.reason, less);
    span_is(&o, o.message, "message");
    assert_false(o.text.failed);
    mcp_outcome_free(&o);
    mcp_outcome_init(&o, 20);
    mcp_outcome_set_refusal(&o, "message", 500, true, text, 2);
    span_is(&o, o.message, "message");
    assert_int_equal(o.data.len, 0);
    mcp_outcome_free(&o);
    mcp_outcome_init(&o, 2 + 61);
    mcp_outcome_set_no_values(&o, text, 61);
    assert_int_equal(o.reason.len, 61);
    mcp_outcome_set_no_values(&o, text, 62);
    span_is(&o, o.content, "[]");
    span_is(&o, o.reason, less);
    mcp_outcome_free(&o);
    mcp_outcome_init(&o, 1);
    mcp_outcome_set_no_values(&o, text, 1);
    assert_int_equal(o.kind, MCP_OUTCOME_RESULT);
    assert_int_equal(o.content.len, 0);
    mcp_outcome_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_is_a_text_block),
        cmocka_unit_test(wrong_bytes_become_replacement_characters),
        cmocka_unit_test(what_is_shown_may_be_less_than_what_is_logged),
        cmocka_unit_test(a_failure_may_have_a_second_text),
        cmocka_unit_test(an_error_has_code_message_and_data),
        cmocka_unit_test(a_text_beyond_the_room_is_replaced),
        cmocka_unit_test(a_refusal_has_status_and_content),
        cmocka_unit_test(a_completer_that_failed_has_no_values),
        cmocka_unit_test(a_reason_beyond_the_room_is_replaced),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
