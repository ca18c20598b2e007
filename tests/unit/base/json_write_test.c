/*
 * json_write_test.c - text that we write: escapes, numbers, round trips
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

enum { ARENA_BYTES = 64 << 20, BUF_BYTES = 16 << 20 };

static int setup(void **state)
{
    *state = mcp_arena_new(ARENA_BYTES);
    return *state == NULL;
}

static int teardown(void **state)
{
    mcp_arena_free(*state);
    return 0;
}

static uint64_t next_random(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s;
}

static const struct mcp_json *parse(void **state, const char *text, size_t len)
{
    const struct mcp_json *v = NULL;

    assert_int_equal(mcp_json_parse(*state, text, len, NULL, &v, NULL), MCP_OK);
    return v;
}

static void holds(const struct mcp_buf *b, const char *expected)
{
    assert_false(b->failed);
    assert_int_equal(b->len, strlen(expected));
    assert_memory_equal(b->data, expected, b->len);
}

/* What a tree of `text` is written as. */
static void written_as(void **state, const char *text, const char *expected)
{
    struct mcp_buf b;

    mcp_buf_init(&b, BUF_BYTES);
    mcp_json_write(&b, parse(state, text, strlen(text)));
    holds(&b, expected);
    mcp_buf_free(&b);
}

static void trees_are_written_compact_and_in_order(void **state)
{
    written_as(state, " { \"b\" : [ 1 , 2 , [ ] , { } ] , \"a\" : null } ",
               "{\"b\":[1,2,[],{}],\"a\":null}");
    written_as(state, " [ true , false , \"\" ] ", "[true,false,\"\"]");
}

static void numbers_of_trees_keep_their_text(void **state)
{
    written_as(state, "[1.0, 1E+2, -0, 12345678901234567890123, 1e400]",
               "[1.0,1E+2,-0,12345678901234567890123,1e400]");
}

static void escapes_are_the_shortest(void **state)
{
    written_as(state,
               "\"\\u0022\\u005c\\/\\u0008\\u000c\\u000a\\u000d\\u0009\"",
               "\"\\\"\\\\/\\b\\f\\n\\r\\t\"");
    written_as(state, "\"\\u0000\\u0001\\u001f\\u007f\\u00e9\"",
               "\"\\u0000\\u0001\\u001f\177\303\251\"");
    written_as(state, "{\"a\\nb\":1}", "{\"a\\nb\":1}");
}

/* Each ASCII character alone and at each place of a longer text. */
static void every_character_reads_back(void **state)
{
    struct mcp_buf b;
    char text[40];
    size_t at;
    int c;

    mcp_buf_init(&b, BUF_BYTES);
    for (c = 0; c < 128; c++) {
        for (at = 0; at < sizeof(text); at++) {
            const struct mcp_json *v;

            memset(text, 'x', sizeof(text));
            text[at] = (char)c;
            mcp_buf_clear(&b);
            mcp_json_write_string(&b, text, sizeof(text));
            mcp_arena_reset(*state);
            v = parse(state, b.data, b.len);
            assert_int_equal(v->count, sizeof(text));
            assert_memory_equal(v->u.text, text, sizeof(text));
        }
    }
    mcp_buf_free(&b);
}

static void text_can_be_built_in_parts(void **state)
{
    struct mcp_buf b;

    (void)state;
    mcp_buf_init(&b, BUF_BYTES);
    mcp_buf_putc(&b, '"');
    mcp_json_write_escaped(&b, "a\"", 2);
    mcp_json_write_escaped(&b, "", 0);
    mcp_json_write_escaped(&b, "\nb", 2);
    mcp_buf_putc(&b, '"');
    mcp_json_write_cstring(&b, "\t");
    mcp_json_write_string(&b, NULL, 0);
    holds(&b, "\"a\\\"\\nb\"\"\\t\"\"\"");
    mcp_buf_free(&b);
}

static void a_full_buffer_is_seen_at_the_end(void **state)
{
    const char *text = "{\"a\\n\":[1,\"b\"]}";
    const struct mcp_json *v = parse(state, text, strlen(text));
    struct mcp_buf b;
    size_t max;

    for (max = 0; max <= strlen(text); max++) {
        mcp_buf_init(&b, max);
        mcp_json_write(&b, v);
        assert_int_equal(b.failed, max < strlen(text));
        assert_true(b.len <= max);
        mcp_buf_free(&b);
    }
}

static void number_written_as(double value, const char *expected)
{
    struct mcp_buf b;

    mcp_buf_init(&b, BUF_BYTES);
    mcp_json_write_number(&b, value);
    holds(&b, expected);
    mcp_buf_free(&b);
}

static void numbers_have_the_fewest_digits(void **state)
{
    (void)state;
    number_written_as(0, "0");
    number_written_as(-0.0, "0");
    number_written_as(1, "1");
    number_written_as(-42, "-42");
    number_written_as(1e15, "1000000000000000");
    number_written_as(9007199254740991.0, "9007199254740991");
    number_written_as(-9007199254740991.0, "-9007199254740991");
    number_written_as(9007199254740992.0, "9007199254740992");
    number_written_as(1e21, "1e+21");
    number_written_as(0.1, "0.1");
    number_written_as(-1.5, "-1.5");
    number_written_as(1.0 / 3, "0.3333333333333333");
    number_written_as(0.1 + 0.2, "0.30000000000000004");
    number_written_as(5e-324, "5e-324");
    number_written_as(1.7976931348623157e308, "1.7976931348623157e+308");
    number_written_as(1e-7, "1e-07");
    number_written_as(123456.789e3, "123456789");
}

static void what_is_no_number_is_null(void **state)
{
    (void)state;
    number_written_as(NAN, "null");
    number_written_as(INFINITY, "null");
    number_written_as(-INFINITY, "null");
}

static void all_doubles_read_back(void **state)
{
    uint64_t seed = 1234567891011u, bits;
    struct mcp_buf b;
    double value;
    int i;

    mcp_buf_init(&b, BUF_BYTES);
    for (i = 0; i < 100000; i++) {
        bits = next_random(&seed);
        if (i % 4 == 0) /* few digits, as people write them */
            value = (double)(int32_t)bits / 1000;
        else
            memcpy(&value, &bits, sizeof(value));
        if (!isfinite(value))
            continue;
        mcp_buf_clear(&b);
        mcp_json_write_number(&b, value);
        mcp_arena_reset(*state);
        assert_true(parse(state, b.data, b.len)->number == value);
    }
    mcp_buf_free(&b);
}

static void a_locale_changes_nothing(void **state)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8",
                                        "fr_FR.UTF-8", "de_DE", "ru_RU.UTF-8"};
    const struct mcp_json *v;
    size_t i;

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (setlocale(LC_ALL, names[i]) != NULL &&
            strcmp(localeconv()->decimal_point, ".") != 0)
            break;
    if (i == sizeof(names) / sizeof(names[0])) {
        print_message("skipped: no locale with a decimal comma is installed\n");
        skip();
    }
    v = parse(state, "[1.5,1.25000000000000000000000001]", 34);
    assert_true(v->u.items[0].number == 1.5);
    assert_true(v->u.items[1].number == 1.25);
    number_written_as(1.5, "1.5");
    number_written_as(1.5e300, "1.5e+300");
    (void)setlocale(LC_ALL, "C");
}

/* ---- random trees ---- */

static void random_value(struct mcp_buf *b, uint64_t *seed, int depth);

static void random_space(struct mcp_buf *b, uint64_t *seed)
{
    while (next_random(seed) % 4 == 0)
        mcp_buf_putc(b, " \t\r\n"[next_random(seed) % 4]);
}

static void random_text(struct mcp_buf *b, uint64_t *seed)
{
    static const char *const parts[] = {"plain",
                                        "a longer piece of plain text",
                                        "\\n",
                                        "\\\"",
                                        "\\\\",
                                        "\\/",
                                        "\\u0000",
                                        "\\u001f",
                                        "\\u20ac",
                                        "\\ud83d\\ude00",
                                        "\303\251",
                                        "\342\202\254",
                                        "\360\237\230\200",
                                        "\177",
                                        "7"};
    unsigned n = (unsigned)(next_random(seed) % 6);

    mcp_buf_putc(b, '"');
    while (n-- > 0)
        mcp_buf_puts(
            b, parts[next_random(seed) % (sizeof(parts) / sizeof(parts[0]))]);
    mcp_buf_putc(b, '"');
}

static void random_list(struct mcp_buf *b, uint64_t *seed, int depth,
                        bool object)
{
    unsigned n = (unsigned)(next_random(seed) % 24), i;

    mcp_buf_putc(b, object ? '{' : '[');
    for (i = 0; i < n; i++) {
        if (i > 0)
            mcp_buf_putc(b, ',');
        random_space(b, seed);
        if (object)
            mcp_buf_printf(b, "\"k\\u00%02x%u\" :", i, i % 2);
        random_value(b, seed, depth + 1);
    }
    random_space(b, seed);
    mcp_buf_putc(b, object ? '}' : ']');
}

static void random_value(struct mcp_buf *b, uint64_t *seed, int depth)
{
    static const char *const scalars[] = {
        "null",  "true",  "false",
        "0",     "-0",    "1.50",
        "-3e-2", "1e400", "123456789012345678901",
        "0.1",   "\"\""};

    random_space(b, seed);
    switch (next_random(seed) % (depth < 4 ? 4 : 2)) {
    case 0:
        mcp_buf_puts(b, scalars[next_random(seed) %
                                (sizeof(scalars) / sizeof(scalars[0]))]);
        break;
    case 1:
        random_text(b, seed);
        break;
    case 2:
        random_list(b, seed, depth, false);
        break;
    default:
        random_list(b, seed, depth, true);
        break;
    }
    random_space(b, seed);
}

static void written_trees_parse_equal(void **state)
{
    uint64_t seed = 987654321987u;
    struct mcp_buf text, once, twice;
    const struct mcp_json *v, *again;
    int i;

    mcp_buf_init(&text, BUF_BYTES);
    mcp_buf_init(&once, BUF_BYTES);
    mcp_buf_init(&twice, BUF_BYTES);
    for (i = 0; i < 400; i++) {
        mcp_arena_reset(*state);
        mcp_buf_clear(&text);
        mcp_buf_clear(&once);
        mcp_buf_clear(&twice);
        random_value(&text, &seed, 0);
        v = parse(state, text.data, text.len);
        mcp_json_write(&once, v);
        again = parse(state, once.data, once.len);
        assert_true(mcp_json_equal(v, again));
        mcp_json_write(&twice, again);
        assert_int_equal(once.len, twice.len);
        assert_memory_equal(once.data, twice.data, once.len);
    }
    mcp_buf_free(&text);
    mcp_buf_free(&once);
    mcp_buf_free(&twice);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_are_written_compact_and_in_order),
        cmocka_unit_test(numbers_of_trees_keep_their_text),
        cmocka_unit_test(escapes_are_the_shortest),
        cmocka_unit_test(every_character_reads_back),
        cmocka_unit_test(text_can_be_built_in_parts),
        cmocka_unit_test(a_full_buffer_is_seen_at_the_end),
        cmocka_unit_test(numbers_have_the_fewest_digits),
        cmocka_unit_test(what_is_no_number_is_null),
        cmocka_unit_test(all_doubles_read_back),
        cmocka_unit_test(a_locale_changes_nothing),
        cmocka_unit_test(written_trees_parse_equal),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
