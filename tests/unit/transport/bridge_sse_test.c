/* Mirrors src/transport/bridge_sse.c. */
#include "transport/bridge_sse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MAX_BYTES = 64 };

/* Each event's data, with '|' behind it. */
static void collect(void *user, const char *data, size_t len)
{
    mcp_buf_add(user, data, len);
    mcp_buf_putc(user, '|');
}

/* Parses `text` in pieces of `step` bytes, each in memory of its own size. */
static enum mcp_err parse(struct mcp_sse *s, struct mcp_buf *out,
                          const char *text, size_t len, size_t step)
{
    enum mcp_err rc = MCP_OK;

    mcp_buf_init(out, 1 << 16);
    mcp_sse_init(s, MAX_BYTES, collect, out);
    for (size_t i = 0; rc == MCP_OK && i < len; i += step) {
        size_t n = len - i < step ? len - i : step;
        char *piece = malloc(n);

        assert_non_null(piece);
        memcpy(piece, text + i, n);
        rc = mcp_sse_feed(s, piece, n);
        free(piece);
    }
    return rc;
}

/* Whatever the pieces, `text` gives `events`. */
static void expect_bytes(const char *text, size_t len, const char *events)
{
    for (size_t step = 1; step <= len; step++) {
        struct mcp_sse s;
        struct mcp_buf out;

        assert_int_equal(parse(&s, &out, text, len, step), MCP_OK);
        if (out.len != strlen(events) ||
            (out.len > 0 && memcmp(out.data, events, out.len) != 0))
            fail_msg("step %zu: \"%s\" gave \"%.*s\"", step, text, (int)out.len,
                     out.data);
        mcp_sse_free(&s);
        mcp_buf_free(&out);
    }
}

static void expect(const char *text, const char *events)
{
    expect_bytes(text, strlen(text), events);
}

static void an_event_ends_with_a_blank_line(void **state)
{
    (void)state;
    expect("data: a\n\ndata:b\n\n", "a|b|");
    expect("data: a\n", "");
    expect("data: a\n\ndata: cut off\n", "a|");
}

static void lines_end_in_three_ways(void **state)
{
    (void)state;
    expect("data: a\r\n\r\ndata: b\r\rdata: c\n\n", "a|b|c|");
    expect("data: a\r\ndata: b\r\n\r\n", "a\nb|");
    expect("data: a\r\n\ndata: b\n\r\n", "a|b|");
}

static void data_of_several_lines_is_joined(void **state)
{
    (void)state;
    expect("data: a\ndata:\ndata:  b\n\n", "a\n\n b|");
}

static void events_without_data_or_of_other_types_are_passed_over(void **state)
{
    (void)state;
    expect("data:\n\nid: 1\n\nevent: message\n\n", "");
    expect("event: ping\ndata: x\n\ndata: y\n\n", "y|");
    expect("event: message\ndata: x\n\nevent:\ndata: y\n\n", "x|y|");
}

static void what_is_no_field_is_passed_over(void **state)
{
    (void)state;
    expect(": note\ndata: a\nfoo: b\ndatas: c\ndat: d\nData: e\n\n", "a|");
    expect("data\ndata: a\n\n", "\na|");
    expect(":\n\n:\n\n", "");
}

static void a_byte_order_mark_may_come_first(void **state)
{
    (void)state;
    expect("\xef\xbb\xbf"
           "data: a\n\n\xef\xbb\xbf"
           "data: b\n\n",
           "a|");
    expect("\xef\xbb\xbf\n\ndata: a\n\n", "a|");
}

static void ids_stay_until_the_next(void **state)
{
    static const char text[] = "id: 1\ndata: a\n\ndata: b\n\nid: half\n";
    static const char nul[] = "id: 1\n\nid: a\0b\n\n";
    struct mcp_sse s;
    struct mcp_buf out;

    (void)state;
    assert_int_equal(parse(&s, &out, text, sizeof(text) - 1, 3), MCP_OK);
    assert_string_equal(s.id, "1"); /* the event of "half" is not there yet */
    assert_int_equal(mcp_sse_feed(&s, "\n", 1), MCP_OK);
    assert_string_equal(s.id, "half");
    assert_int_equal(mcp_sse_feed(&s, "id\n\n", 4), MCP_OK);
    assert_string_equal(s.id, "");
    mcp_sse_free(&s);
    mcp_buf_free(&out);
    assert_int_equal(parse(&s, &out, nul, sizeof(nul) - 1, 3), MCP_OK);
    assert_string_equal(s.id, "1");
    mcp_sse_free(&s);
    mcp_buf_free(&out);
}

static void ids_that_are_too_long_are_passed_over(void **state)
{
    char text[MCP_SSE_ID_BYTES + 8];
    struct mcp_sse s;
    struct mcp_buf out;

    (void)state;
    for (size_t n = MCP_SSE_ID_BYTES - 1; n <= MCP_SSE_ID_BYTES; n++) {
        mcp_buf_init(&out, 1 << 16);
        mcp_sse_init(&s, MCP_SSE_ID_BYTES * 2, collect, &out);
        memcpy(text, "id: ", 4);
        memset(text + 4, 'x', n);
        memcpy(text + 4 + n, "\n\n", 2);
        assert_int_equal(mcp_sse_feed(&s, text, n + 6), MCP_OK);
        assert_int_equal(strlen(s.id), n < MCP_SSE_ID_BYTES ? n : 0);
        mcp_sse_free(&s);
        mcp_buf_free(&out);
    }
}

static void retry_is_digits(void **state)
{
    static const struct {
        const char *text;
        int64_t ms;
    } cases[] = {
        {"retry: 1500\n", 1500},
        {"retry:0\n", 0},
        {"retry: 999999999\n", 999999999},
        {"retry: 1000000000\n", MCP_SSE_NO_RETRY},
        {"retry: -1\n", MCP_SSE_NO_RETRY},
        {"retry: 1s\n", MCP_SSE_NO_RETRY},
        {"retry:\n", MCP_SSE_NO_RETRY},
        {"retry: 5\nretry: x\n", 5},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct mcp_sse s;
        struct mcp_buf out;

        assert_int_equal(
            parse(&s, &out, cases[i].text, strlen(cases[i].text), 2), MCP_OK);
        assert_int_equal(s.retry_ms, cases[i].ms);
        mcp_sse_free(&s);
        mcp_buf_free(&out);
    }
}

/* `n` bytes of data, in one line or in two. */
static enum mcp_err feed_data(size_t n, bool two)
{
    char text[256];
    size_t len = 6;
    struct mcp_sse s;
    struct mcp_buf out;
    enum mcp_err rc;

    memcpy(text, "data: ", 6);
    memset(text + len, 'x', n);
    len += n;
    if (two) /* the LF between them counts */
        memcpy(text + 10, "\ndata: ", 7);
    if (two)
        memset(text + 17, 'x', n - 5), len = 17 + n - 5;
    memcpy(text + len, "\n\n", 2);
    rc = parse(&s, &out, text, len + 2, 5);
    if (rc == MCP_OK)
        assert_int_equal(out.len, n + 1);
    mcp_sse_free(&s);
    mcp_buf_free(&out);
    return rc;
}

static void data_has_a_limit(void **state)
{
    (void)state;
    assert_int_equal(feed_data(MAX_BYTES, false), MCP_OK);
    assert_int_equal(feed_data(MAX_BYTES + 1, false), MCP_ELIMIT);
    assert_int_equal(feed_data(MAX_BYTES, true), MCP_OK);
    assert_int_equal(feed_data(MAX_BYTES + 1, true), MCP_ELIMIT);
}

static void a_line_that_never_ends_has_one_too(void **state)
{
    struct mcp_sse s;
    struct mcp_buf out;
    enum mcp_err rc = MCP_OK;
    size_t n = 0;

    (void)state;
    mcp_buf_init(&out, 1 << 16);
    mcp_sse_init(&s, MAX_BYTES, collect, &out);
    for (; rc == MCP_OK && n < 1000; n++)
        rc = mcp_sse_feed(&s, "x", 1);
    assert_int_equal(rc, MCP_ELIMIT);
    assert_true(n > MAX_BYTES && n < 4 * MAX_BYTES);
    mcp_sse_free(&s);
    mcp_buf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_event_ends_with_a_blank_line),
        cmocka_unit_test(lines_end_in_three_ways),
        cmocka_unit_test(data_of_several_lines_is_joined),
        cmocka_unit_test(events_without_data_or_of_other_types_are_passed_over),
        cmocka_unit_test(what_is_no_field_is_passed_over),
        cmocka_unit_test(a_byte_order_mark_may_come_first),
        cmocka_unit_test(ids_stay_until_the_next),
        cmocka_unit_test(ids_that_are_too_long_are_passed_over),
        cmocka_unit_test(retry_is_digits),
        cmocka_unit_test(data_has_a_limit),
        cmocka_unit_test(a_line_that_never_ends_has_one_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
