/* Mirrors src/transport/bridge_pipe.c. */
#include "transport/bridge_pipe.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

enum { MAX_BYTES = 8 };

/* Reads `text` in pieces of `step` bytes; the lines with '|' behind them, '!'
 * for one that is too long. */
static void expect_lines(const char *text, size_t step, const char *lines)
{
    struct mcp_bridge_in *in = calloc(1, sizeof(*in));
    struct mcp_buf out;
    size_t len = strlen(text), at = 0;
    int ends[2];

    assert_non_null(in);
    assert_int_equal(pipe(ends), 0);
    mcp_buf_init(&out, 1 << 16);
    mcp_bridge_in_init(in, ends[0], MAX_BYTES);
    while (!in->ended) {
        size_t n = len - at < step ? len - at : step;

        if (n > 0)
            assert_int_equal(write(ends[1], text + at, n), n);
        else
            (void)close(ends[1]);
        at += n;
        mcp_bridge_in_read(in);
        while (mcp_bridge_in_has(in)) {
            const char *line;
            size_t line_len;
            enum mcp_err rc = mcp_bridge_in_take(in, &line, &line_len);

            if (rc == MCP_OK) {
                mcp_buf_add(&out, line, line_len);
                mcp_buf_putc(&out, '|');
            } else if (rc == MCP_ELIMIT) {
                mcp_buf_putc(&out, '!');
            }
        }
    }
    mcp_buf_putc(&out, '\0');
    if (strcmp(out.data, lines) != 0)
        fail_msg("step %zu: \"%s\" gave \"%s\"", step, text, out.data);
    mcp_buf_free(&out);
    mcp_bridge_in_free(in);
    free(in);
    (void)close(ends[0]);
}

static void lines_come_whole_whatever_the_pieces(void **state)
{
    (void)state;
    for (size_t step = 1; step < 40; step++) {
        expect_lines("a\nbc\r\n\ndef", step, "a|bc||def|");
        expect_lines("12345678\n12345678\r\n", step, "12345678|12345678|");
        expect_lines("123456789\nx\n", step, "!x|");
        expect_lines("123456789\r\nx\n", step, "!x|");
        expect_lines("1234567890123456789012345\n\ny\n", step, "!|y|");
        expect_lines("123456789", step, "!");
    }
}

static void a_message_is_one_line(void **state)
{
    struct mcp_bridge_out o;
    char got[64] = "";
    int ends[2];

    (void)state;
    assert_int_equal(pipe(ends), 0);
    mcp_bridge_out_init(&o, ends[1]);
    mcp_bridge_out_line(&o, "{\r\n\"a\":\n1}", 10);
    assert_int_equal(mcp_bridge_out_waiting(&o), 11);
    mcp_bridge_out_flush(&o);
    assert_int_equal(mcp_bridge_out_waiting(&o), 0);
    assert_int_equal(read(ends[0], got, sizeof(got) - 1), 11);
    assert_string_equal(got, "{  \"a\": 1}\n");
    mcp_bridge_out_free(&o);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

static void a_full_pipe_blocks_nobody(void **state)
{
    enum { LINE = 50000, LINES = 8 };
    struct mcp_bridge_out o;
    char *line = malloc(LINE), *got = malloc(LINE);
    size_t total = 0;
    int ends[2];

    (void)state;
    assert_non_null(line);
    assert_non_null(got);
    memset(line, 'x', LINE);
    assert_int_equal(pipe(ends), 0);
    mcp_bridge_out_init(&o, ends[1]);
    for (int i = 0; i < LINES; i++) {
        mcp_bridge_out_line(&o, line, LINE);
        mcp_bridge_out_flush(&o);
    }
    assert_true(mcp_bridge_out_waiting(&o) > LINE);
    while (total < (size_t)LINES * (LINE + 1)) {
        ssize_t n = read(ends[0], got, LINE);

        assert_true(n > 0);
        total += (size_t)n;
        mcp_bridge_out_flush(&o);
    }
    assert_int_equal(mcp_bridge_out_waiting(&o), 0);
    assert_false(o.broken);
    (void)close(ends[0]);
    mcp_bridge_out_line(&o, line, LINE);
    mcp_bridge_out_flush(&o);
    assert_true(o.broken);
    assert_int_equal(o.error, 0); /* that the client has gone is no error */
    mcp_bridge_out_free(&o);
    (void)close(ends[1]);
    free(line);
    free(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_come_whole_whatever_the_pieces),
        cmocka_unit_test(a_message_is_one_line),
        cmocka_unit_test(a_full_pipe_blocks_nobody),
    };

    (void)signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
