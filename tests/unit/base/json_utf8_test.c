/*
 * json_utf8_test.c - the UTF-8 check against a plain decoder
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

#include "base/json.h"

/* Checks a copy that ends where its heap block ends. */
static bool valid(const char *text, size_t len, size_t *bad)
{
    char *copy = malloc(len > 0 ? len : 1);
    bool result;

    assert_non_null(copy);
    memcpy(copy, text, len);
    result = mcp_utf8_valid(copy, len, bad);
    free(copy);
    return result;
}

/* Writes `c` in `n` bytes, be that right or not. */
static void encode(char *text, uint32_t c, int n)
{
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    int i;

    for (i = n - 1; i > 0; i--, c >>= 6)
        text[i] = (char)(0x80 | (c & 0x3f));
    text[0] = (char)(lead[n] | c);
}

static void every_code_point_in_its_shortest_form_only(void **state)
{
    static const uint32_t limits[] = {0, 0x80, 0x800, 0x10000, 0x110000};
    char text[4];
    uint32_t c, end;
    int n;

    (void)state;
    for (n = 1; n <= 4; n++) {
        end = n == 1 ? 0x80 : 1u << (n == 4 ? 21 : n * 5 + 1);
        for (c = 0; c < end; c++) {
            bool good = c >= limits[n - 1] && c < limits[n] &&
                        (c < 0xd800 || c > 0xdfff);

            encode(text, c, n);
            assert_int_equal(mcp_utf8_valid(text, (size_t)n, NULL), good);
        }
    }
}

static void every_pair_of_bytes(void **state)
{
    char text[2];
    int a, b;

    (void)state;
    for (a = 0; a < 256; a++) {
        for (b = 0; b < 256; b++) {
            bool good = (a < 0x80 && b < 0x80) ||
                        (a >= 0xc2 && a <= 0xdf && b >= 0x80 && b <= 0xbf);

            text[0] = (char)a;
            text[1] = (char)b;
            assert_int_equal(mcp_utf8_valid(text, 2, NULL), good);
        }
    }
}

/* Every value of each byte behind the lead byte of long sequences. */
static void bytes_behind_the_second_are_checked(void **state)
{
    static const char *const texts[] = {"\342\202\254", "\360\237\230\200"};
    char text[4];
    size_t i, at, len;
    int c;

    (void)state;
    for (i = 0; i < 2; i++) {
        len = strlen(texts[i]);
        for (at = 2; at < len; at++) {
            for (c = 0; c < 256; c++) {
                memcpy(text, texts[i], len);
                text[at] = (char)c;
                assert_int_equal(mcp_utf8_valid(text, len, NULL),
                                 c >= 0x80 && c <= 0xbf);
            }
        }
    }
}

static void cut_sequences_are_wrong_where_they_begin(void **state)
{
    const char *text = "abcdefghi\303\251\342\202\254\360\237\230\200";
    size_t len = strlen(text), i, bad;

    (void)state;
    for (i = 0; i <= len; i++) {
        bool whole = i <= 9 || i == 11 || i == 14 || i == 18;

        bad = 99;
        assert_int_equal(valid(text, i, &bad), whole);
        assert_int_equal(bad, whole ? 99 : i < 11 ? 9 : i < 14 ? 11 : 14);
    }
}

static void a_wrong_byte_is_found_at_every_place(void **state)
{
    char text[40];
    size_t len, at, bad;

    (void)state;
    for (len = 1; len <= sizeof(text); len++) {
        for (at = 0; at < len; at++) {
            memset(text, 'x', len);
            text[at] = (char)0xff;
            assert_false(valid(text, len, &bad));
            assert_int_equal(bad, at);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_point_in_its_shortest_form_only),
        cmocka_unit_test(every_pair_of_bytes),
        cmocka_unit_test(bytes_behind_the_second_are_checked),
        cmocka_unit_test(cut_sequences_are_wrong_where_they_begin),
        cmocka_unit_test(a_wrong_byte_is_found_at_every_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
