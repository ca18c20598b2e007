/*
 * buf_test.c - the buffer's maximum, failure mark and hand-over
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

#include "base/buf.h"

static const size_t maxima[] = {0, 1, 7, 511, 512, 513, 1000, 5000};

static void holds(const struct mcp_buf *b, const char *expected)
{
    assert_false(b->failed);
    assert_int_equal(b->len, strlen(expected));
    assert_memory_equal(b->data, expected, b->len);
}

static void appends_follow_each_other(void **state)
{
    struct mcp_buf b;

    (void)state;
    mcp_buf_init(&b, 4096);
    mcp_buf_puts(&b, "ab");
    mcp_buf_putc(&b, 'c');
    mcp_buf_add(&b, "def", 2);
    mcp_buf_add(&b, NULL, 0);
    mcp_buf_printf(&b, "-%d-%s", 12, "x");
    mcp_buf_puts(&b, "");
    holds(&b, "abcde-12-x");
    mcp_buf_free(&b);
}

static void the_maximum_holds_to_the_byte(void **state)
{
    struct mcp_buf b;
    size_t i, k, max;

    (void)state;
    for (i = 0; i < sizeof(maxima) / sizeof(maxima[0]); i++) {
        max = maxima[i];
        mcp_buf_init(&b, max);
        for (k = 0; k < max; k++)
            mcp_buf_putc(&b, 'x');
        assert_false(b.failed);
        assert_int_equal(b.len, max);
        assert_true(b.cap <= max);
        mcp_buf_putc(&b, 'x');
        assert_true(b.failed);
        assert_int_equal(b.len, max);
        mcp_buf_free(&b);
    }
}

static void the_maximum_holds_in_one_piece(void **state)
{
    static const char text[5001];
    struct mcp_buf b;
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(maxima) / sizeof(maxima[0]); i++) {
        mcp_buf_init(&b, maxima[i]);
        mcp_buf_add(&b, text, maxima[i]);
        assert_false(b.failed);
        mcp_buf_free(&b);
        mcp_buf_add(&b, text, maxima[i] + 1);
        assert_true(b.failed);
        assert_int_equal(b.len, 0);
        mcp_buf_free(&b);
    }
}

/* A first small piece must not leave room beyond a maximum below 512. */
static void a_small_maximum_holds_after_a_first_piece(void **state)
{
    struct mcp_buf b;

    (void)state;
    mcp_buf_init(&b, 10);
    mcp_buf_add(&b, "12345", 5);
    mcp_buf_add(&b, "678901", 6);
    assert_true(b.failed);
    assert_int_equal(b.len, 5);
    mcp_buf_free(&b);
}

static void printing_uses_the_last_byte(void **state)
{
    struct mcp_buf b;

    (void)state;
    mcp_buf_init(&b, 5);
    mcp_buf_printf(&b, "%s", "12345");
    holds(&b, "12345");
    mcp_buf_clear(&b);
    mcp_buf_printf(&b, "%s", "123456");
    assert_true(b.failed);
    assert_int_equal(b.len, 0);
    mcp_buf_free(&b);
}

static void after_a_failure_nothing_is_appended(void **state)
{
    struct mcp_buf b;
    size_t len = 77;

    (void)state;
    mcp_buf_init(&b, 4);
    mcp_buf_puts(&b, "abc");
    mcp_buf_puts(&b, "de");
    mcp_buf_puts(&b, "f");
    mcp_buf_printf(&b, "g");
    assert_null(mcp_buf_reserve(&b, 1));
    assert_true(b.failed);
    assert_int_equal(b.len, 3);
    assert_null(mcp_buf_take(&b, &len));
    assert_int_equal(len, 77);
    mcp_buf_puts(&b, "new");
    holds(&b, "new");
    mcp_buf_free(&b);
}

static void clear_keeps_the_memory(void **state)
{
    struct mcp_buf b;
    char *data;

    (void)state;
    mcp_buf_init(&b, 4096);
    mcp_buf_puts(&b, "abc");
    data = b.data;
    mcp_buf_clear(&b);
    mcp_buf_puts(&b, "de");
    assert_ptr_equal(b.data, data);
    holds(&b, "de");
    mcp_buf_free(&b);
}

static void reserved_room_may_be_filled_by_hand(void **state)
{
    struct mcp_buf b;
    char *to;

    (void)state;
    mcp_buf_init(&b, 2000);
    to = mcp_buf_reserve(&b, 2000);
    assert_non_null(to);
    memset(to, 'y', 2000);
    b.len += 2000;
    assert_non_null(mcp_buf_reserve(&b, 0));
    assert_null(mcp_buf_reserve(&b, 1));
    mcp_buf_free(&b);
    assert_null(mcp_buf_reserve(&b, SIZE_MAX));
    mcp_buf_free(&b);
}

static void taken_bytes_belong_to_the_caller(void **state)
{
    struct mcp_buf b;
    size_t len = 0;
    char *data;

    (void)state;
    mcp_buf_init(&b, 100);
    assert_null(mcp_buf_take(&b, &len));
    mcp_buf_puts(&b, "abc");
    data = mcp_buf_take(&b, &len);
    assert_int_equal(len, 3);
    assert_memory_equal(data, "abc", 3);
    assert_int_equal(b.len, 0);
    assert_int_equal(b.max, 100);
    mcp_buf_puts(&b, "next");
    holds(&b, "next");
    free(data);
    mcp_buf_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(appends_follow_each_other),
        cmocka_unit_test(the_maximum_holds_to_the_byte),
        cmocka_unit_test(the_maximum_holds_in_one_piece),
        cmocka_unit_test(a_small_maximum_holds_after_a_first_piece),
        cmocka_unit_test(printing_uses_the_last_byte),
        cmocka_unit_test(after_a_failure_nothing_is_appended),
        cmocka_unit_test(clear_keeps_the_memory),
        cmocka_unit_test(reserved_room_may_be_filled_by_hand),
        cmocka_unit_test(taken_bytes_belong_to_the_caller),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
