/*
 * json_number_test.c - doubles of number texts, exact order, multiples
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_number.h"

enum { LONG_BYTES = 20000 };

static struct mcp_json number(const char *text)
{
    const char *p = text, *end = text + strlen(text);
    struct mcp_json v;

    assert_true(mcp_json_number_parse(&p, end, &v));
    assert_ptr_equal(p, end);
    assert_ptr_equal(v.u.text, text);
    assert_int_equal(v.count, strlen(text));
    assert_int_equal(v.type, MCP_JSON_NUMBER);
    return v;
}

static int order(const char *a, const char *b)
{
    struct mcp_json va = number(a), vb = number(b);
    int result = mcp_json_number_compare(&va, &vb);

    assert_int_equal(mcp_json_number_compare(&vb, &va), -result);
    assert_int_equal(mcp_json_equal(&va, &vb), result == 0);
    return result;
}

static bool is_multiple(const char *v, const char *divisor)
{
    struct mcp_json a = number(v), b = number(divisor);

    return mcp_json_number_is_multiple_of(&a, &b);
}

static bool is_whole(const char *text)
{
    struct mcp_json v = number(text);

    return mcp_json_number_is_integer(&v);
}

static bool fits_double(const char *text)
{
    struct mcp_json v = number(text);

    return mcp_json_number_exact_double(&v);
}

/* A fixed sequence of pseudo-random numbers, the same in each run. */
static uint64_t next_random(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s;
}

static void same_as_strtod(const char *text)
{
    struct mcp_json v = number(text);
    double expected = strtod(text, NULL);

    if (memcmp(&v.number, &expected, sizeof(expected)) != 0)
        fail_msg("%s: %a, strtod has %a", text, v.number, expected);
}

static void doubles_are_the_nearest(void **state)
{
    static const char *const texts[] = {
        "0",
        "-0",
        "0.0",
        "-0.0e5",
        "1",
        "-1",
        "0.1",
        "123456789.125",
        "1e22",
        "1e23",
        "9007199254740993",
        "9007199254740993.0",
        "9007199254740993.00000000000000000000000000000000000000001",
        "9007199254740992e1",
        "9007199254740994e22",
        "9223372036854775807",
        "9223372036854775808",
        "18446744073709551615",
        "18446744073709551616",
        "9999999999999999999",
        "99999999999999999999",
        "1e-22",
        "1e-23",
        "123e-25",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "1e-400",
        "-1e-400",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "-1e400",
        "1e99999999999999999999",
        "0e99999999999999999999",
        "1e-99999999999999999999",
        "0.00000001e8",
        "100000000000000000000000000000000000000000000000000e-50",
        "0.000000000000000000000000000000000000000000000000001e51",
        "5708990770823839207320493820740630171355185151999e-3",
    };
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        same_as_strtod(texts[i]);
}

static void random_texts_have_the_nearest_double(void **state)
{
    uint64_t seed = 88172645463325252u;
    char text[128];
    int i, digits, at;

    (void)state;
    for (i = 0; i < 100000; i++) {
        digits = 1 + (int)(next_random(&seed) % 24);
        text[0] = (char)('1' + next_random(&seed) % 9);
        for (at = 1; at < digits; at++)
            text[at] = (char)('0' + next_random(&seed) % 10);
        (void)snprintf(text + at, 64, ".%llue%d",
                       (unsigned long long)(next_random(&seed) % 100000),
                       (int)(next_random(&seed) % 700) - 350);
        same_as_strtod(text);
        same_as_strtod((text[at] = '\0', text));
    }
}

/* Half-way between two doubles with its 767 digits, then with one more digit
 * far behind what is kept. */
static void far_digits_break_a_tie(void **state)
{
    char *text = malloc(LONG_BYTES + 1);
    struct mcp_json v;

    (void)state;
    assert_non_null(text);
    /* all digits of three times the least double */
    assert_true(snprintf(text, LONG_BYTES, "%.1074f", DBL_TRUE_MIN * 3) > 1000);
    same_as_strtod(text);
    assert_true(number(text).number == DBL_TRUE_MIN * 3);
    /* 2^53 + 1 is a tie and rounds to even, that is down */
    memset(text, '0', LONG_BYTES);
    memcpy(text, "9007199254740993.", 17);
    text[LONG_BYTES] = '\0';
    v = number(text);
    assert_true(v.number == 9007199254740992.0);
    text[LONG_BYTES - 1] = '1';
    v = number(text);
    assert_true(v.number == 9007199254740994.0);
    free(text);
}

/* One and a half times the least double: 751 digits, every one needed to see
 * that this is a tie, which goes to the even neighbour above. */
static void a_tie_of_751_digits_goes_to_even(void **state)
{
    char text[1200];
    int n = snprintf(text, sizeof(text), "%.1075Lf", ldexpl(3, -1075));

    (void)state;
    assert_int_equal(text[n - 1], '5');
    assert_true(number(text).number == 2 * DBL_TRUE_MIN);
    text[n - 1] = '4';
    assert_true(number(text).number == DBL_TRUE_MIN);
}

static void a_million_digits_take_bounded_work(void **state)
{
    size_t n = 1000000;
    char *text = malloc(n + 32);
    struct mcp_json v, one;

    (void)state;
    assert_non_null(text);
    memset(text, '0', n);
    memcpy(text + n, "1e1000001", 10);
    memcpy(text, "0.", 2);
    v = number(text);
    one = number("1e2");
    assert_true(v.number == 100); /* 10^-(n-1) * 10^1000001 */
    assert_int_equal(mcp_json_number_compare(&v, &one), 0);
    assert_true(mcp_json_number_is_integer(&v));
    memset(text, '9', n);
    text[n] = '\0';
    v = number(text);
    assert_true(v.number == HUGE_VAL);
    one = number("9");
    assert_true(mcp_json_number_is_multiple_of(&v, &one));
    one = number("1234567891");
    assert_false(mcp_json_number_is_multiple_of(&v, &one));
    free(text);
}

static void reading_keeps_errno(void **state)
{
    (void)state;
    errno = 7;
    (void)number("1.00000000000000000000000000000000001e-320");
    assert_int_equal(errno, 7);
}

static void integer_flag_is_about_the_text(void **state)
{
    (void)state;
    assert_int_equal(number("-12").flags, MCP_JSON_F_INTEGER);
    assert_int_equal(number("123456789012345678901234567890").flags,
                     MCP_JSON_F_INTEGER);
    assert_int_equal(number("1.0").flags, 0);
    assert_int_equal(number("1e2").flags, 0);
    assert_int_equal(number("1E0").flags, 0);
}

static void equal_values_compare_equal(void **state)
{
    (void)state;
    assert_int_equal(order("1", "1.0"), 0);
    assert_int_equal(order("1", "10e-1"), 0);
    assert_int_equal(order("100", "1E+2"), 0);
    assert_int_equal(order("0", "-0.000e99999999999999999999"), 0);
    assert_int_equal(order("1e400", "10e399"), 0);
    assert_int_equal(order("0.5", "5e-1"), 0);
    assert_int_equal(order("12.50", "1.25e1"), 0);
    assert_int_equal(order("1e000000000000000000000000000001", "10"), 0);
    assert_int_equal(order("1e123456789012345678901234567890",
                           "10e123456789012345678901234567889"),
                     0);
    assert_int_equal(order("1e-100000000000000000000000000000",
                           "0.1e-99999999999999999999999999999"),
                     0);
    assert_int_equal(order("1000e-3", "0.001e3"), 0);
}

static void different_values_are_ordered(void **state)
{
    /* each below the next */
    static const char *const texts[] = {
        "-1e100000000000000000000",
        "-1e400",
        "-10e398",
        "-9007199254740993",
        "-9007199254740992",
        "-1.5",
        "-1",
        "-0.5",
        "-1e-99999999999999999999",
        "0",
        "1e-99999999999999999999",
        "1e-9999999999999999999",
        "1e-400",
        "1e-399",
        "0.1",
        "0.10000000000000000000000000000000000001",
        "0.2",
        "1",
        "1.00000000000000000000000000000000000000000000000001",
        "9",
        "10",
        "99.99",
        "100",
        "9007199254740992",
        "9007199254740993",
        "9007199254740993.5",
        "9007199254740994",
        "1e400",
        "1.1e400",
        "1e123456789012345678901234567889",
        "11e123456789012345678901234567888",
        "1e123456789012345678901234567890"};
    size_t n = sizeof(texts) / sizeof(texts[0]), i, k;

    (void)state;
    for (i = 0; i < n; i++)
        for (k = i + 1; k < n; k++)
            if (order(texts[i], texts[k]) >= 0)
                fail_msg("%s must be below %s", texts[i], texts[k]);
}

/* Writes mantissa * 10^scale in a random one of its spellings. */
static void spell(char *text, size_t size, int64_t mantissa, int scale,
                  uint64_t *seed)
{
    char digits[32];
    int zeros = (int)(next_random(seed) % 4), point, n;

    n = snprintf(digits, sizeof(digits), "%llu",
                 (unsigned long long)(mantissa < 0 ? -mantissa : mantissa));
    while (mantissa != 0 && zeros-- > 0) {
        digits[n++] = '0';
        scale--;
    }
    digits[n] = '\0';
    point = (int)(next_random(seed) % (unsigned)n) + 1;
    if (point == n)
        (void)snprintf(text, size, "%s%se%d", mantissa < 0 ? "-" : "", digits,
                       scale);
    else
        (void)snprintf(text, size, "%s%.*s.%sE%d", mantissa < 0 ? "-" : "",
                       point, digits, digits + point, scale + n - point);
}

static int64_t power_of_ten(int n)
{
    int64_t p = 1;

    while (n-- > 0)
        p *= 10;
    return p;
}

static void random_numbers_agree_with_whole_arithmetic(void **state)
{
    uint64_t seed = 42424242424242u;
    char a[128], b[128];
    int i;

    (void)state;
    for (i = 0; i < 200000; i++) {
        int64_t range = power_of_ten(1 + (int)(next_random(&seed) % 6));
        int64_t ma =
            (int64_t)(next_random(&seed) % (uint64_t)range) - range / 3;
        int64_t mb =
            (int64_t)(next_random(&seed) % (uint64_t)range) - range / 3;
        int sa = (int)(next_random(&seed) % 7),
            sb = (int)(next_random(&seed) % 7);
        int64_t va = ma * power_of_ten(sa), vb = mb * power_of_ten(sb);

        spell(a, sizeof(a), ma, sa - 3, &seed);
        spell(b, sizeof(b), mb, sb - 3, &seed);
        if (order(a, b) != (va > vb) - (va < vb))
            fail_msg("order of %s and %s", a, b);
        if (is_multiple(a, b) != (vb == 0 ? va == 0 : va % vb == 0))
            fail_msg("is %s a multiple of %s", a, b);
        if (is_whole(a) != (va % 1000 == 0))
            fail_msg("is %s whole", a);
    }
}

static void whole_numbers_are_whole_however_written(void **state)
{
    static const char *const whole[] = {"0",
                                        "-0",
                                        "0.0",
                                        "0e-5",
                                        "1",
                                        "1.0",
                                        "1e3",
                                        "1.5e1",
                                        "-2.50e1",
                                        "1e400",
                                        "1e99999999999999999999",
                                        "100e-2",
                                        "123456789012345678901234567890.000"};
    static const char *const broken[] = {
        "0.5",
        "1.5",
        "1e-1",
        "15e-1",
        "100e-3",
        "1e-400",
        "1e-99999999999999999999",
        "-1.25e1",
        "9007199254740993.5",
        "100000000000000000000.00000000000000000001"};
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
        assert_true(is_whole(whole[i]));
    for (i = 0; i < sizeof(broken) / sizeof(broken[0]); i++)
        assert_false(is_whole(broken[i]));
}

static void multiples_are_decimal(void **state)
{
    (void)state;
    assert_true(is_multiple("0.3", "0.1"));
    assert_true(is_multiple("19.99", "0.01"));
    assert_true(is_multiple("4.02", "0.01"));
    assert_true(is_multiple("0.0075", "0.0001"));
    assert_false(is_multiple("0.00751", "0.0001"));
    assert_false(is_multiple("1e308", "0.123456789"));
    assert_false(is_multiple("1e308", "0.7"));
    assert_true(is_multiple("7e308", "0.7"));
    assert_true(is_multiple("12391239123", "1e-8"));
    assert_true(is_multiple("9007199254740993", "3"));
    assert_false(is_multiple("9007199254740992", "3"));
    assert_true(is_multiple("-10", "5"));
    assert_true(is_multiple("10", "-5"));
    assert_true(is_multiple("0", "3"));
    assert_true(is_multiple("0.0", "0"));
    assert_false(is_multiple("1", "0"));
    assert_false(is_multiple("2", "4"));
    assert_false(is_multiple("1e2", "1e3"));
    assert_true(is_multiple("1e99999999999999999999", "2"));
    assert_false(is_multiple("1e99999999999999999999", "3"));
    assert_false(is_multiple("1e-99999999999999999999", "1"));
    assert_true(
        is_multiple("1e99999999999999999999", "1e-99999999999999999999"));
}

static void divisors_are_exact_up_to_37_digits(void **state)
{
    /* 37 digits, 38 digits, and twice of them */
    const char *exact = "1234567890123456789012345678901234567";
    const char *twice_exact = "2469135780246913578024691357802469134";
    const char *wide = "12345678901234567890123456789012345678";
    const char *twice_wide = "24691357802469135780246913578024691356";

    (void)state;
    assert_true(is_multiple(twice_exact, exact));
    assert_true(is_multiple("2469135780246913578024691357802469134e50", exact));
    assert_false(is_multiple("2469135780246913578024691357802469135", exact));
    assert_true(is_multiple("9e123", "9999999999999999999999999999999999999") ==
                false);
    /* 2^122 divides 10^122, not 10^121 */
    assert_true(is_multiple("1e122", "5316911983139663491615228241121378304"));
    assert_false(is_multiple("1e121", "5316911983139663491615228241121378304"));
    assert_true(is_multiple(wide, wide));
    assert_true(is_multiple("-12345678901234567890123456789012345678e0", wide));
    assert_true(is_multiple("0", wide));
    assert_false(is_multiple(twice_wide, wide)); /* given up, as documented */
}

static void doubles_that_lie_are_known(void **state)
{
    char text[400];

    (void)state;
    assert_true(fits_double("0"));
    assert_true(fits_double("-9007199254740992"));
    assert_true(fits_double("9007199254740991"));
    assert_false(fits_double("9007199254740993"));
    assert_false(fits_double("-9007199254740993.0"));
    assert_true(fits_double("9007199254740994"));
    assert_true(fits_double("9223372036854775808"));
    assert_false(fits_double("9223372036854775807"));
    assert_true(fits_double("1e22"));
    assert_false(fits_double("1e23"));
    assert_true(fits_double("0.1"));
    assert_true(fits_double("9007199254740993.5"));
    assert_true(fits_double("1e-400"));
    assert_false(fits_double("1e400"));
    assert_false(fits_double("-1e99999999999999999999"));
    /* the largest double, and one more */
    (void)snprintf(text, sizeof(text), "%.0f", DBL_MAX);
    assert_true(fits_double(text));
    text[strlen(text) - 1]++;
    assert_false(fits_double(text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubles_are_the_nearest),
        cmocka_unit_test(random_texts_have_the_nearest_double),
        cmocka_unit_test(far_digits_break_a_tie),
        cmocka_unit_test(a_tie_of_751_digits_goes_to_even),
        cmocka_unit_test(a_million_digits_take_bounded_work),
        cmocka_unit_test(reading_keeps_errno),
        cmocka_unit_test(integer_flag_is_about_the_text),
        cmocka_unit_test(equal_values_compare_equal),
        cmocka_unit_test(different_values_are_ordered),
        cmocka_unit_test(random_numbers_agree_with_whole_arithmetic),
        cmocka_unit_test(whole_numbers_are_whole_however_written),
        cmocka_unit_test(multiples_are_decimal),
        cmocka_unit_test(divisors_are_exact_up_to_37_digits),
        cmocka_unit_test(doubles_that_lie_are_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
