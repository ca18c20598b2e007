/*
 * json_number.c - fuzzer: laws of number comparison, doubles as by strtod()
 *
 * The input holds two or three numbers apart by spaces.
 *
 * Run: fuzz_json_number -max_total_time=10 tests/fuzz/corpus/json
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json_number.h"

enum { NUMBERS = 3, TEXT_BYTES = 2048 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds, const char *what)
{
    if (holds)
        return;
    (void)fprintf(stderr, "json_number: %s\n", what);
    abort();
}

static void same_double(const struct mcp_json *v)
{
    char text[TEXT_BYTES + 1];
    double expected;

    memcpy(text, v->u.text, v->count);
    text[v->count] = '\0';
    expected = strtod(text, NULL);
    check(v->number == expected, "double differs from strtod");
    check(signbit(v->number) == signbit(expected), "sign differs");
}

static void laws_of_one(const struct mcp_json *v)
{
    same_double(v);
    check(mcp_json_number_compare(v, v) == 0, "v = v");
    check(mcp_json_number_is_multiple_of(v, v), "v is a multiple of itself");
    if (!mcp_json_number_exact_double(v))
        check(mcp_json_number_is_integer(v) || !isfinite(v->number),
              "a fraction within range has a double");
}

/* Rounding is monotonic, so doubles never contradict the exact order. */
static void laws_of_two(const struct mcp_json *a, const struct mcp_json *b)
{
    int order = mcp_json_number_compare(a, b);

    check(order == -mcp_json_number_compare(b, a), "antisymmetry");
    check(order <= 0 || a->number >= b->number, "double order above");
    check(order >= 0 || a->number <= b->number, "double order below");
    if (order == 0) {
        check(mcp_json_number_is_integer(a) == mcp_json_number_is_integer(b),
              "equal numbers, one whole");
        check(mcp_json_number_is_multiple_of(a, b), "multiple of its equal");
    }
    if (mcp_json_number_is_integer(b) && mcp_json_number_is_multiple_of(a, b))
        check(mcp_json_number_is_integer(a), "multiple of a whole number");
}

static void laws_of_three(const struct mcp_json *v)
{
    int ab = mcp_json_number_compare(&v[0], &v[1]);
    int bc = mcp_json_number_compare(&v[1], &v[2]);
    int ac = mcp_json_number_compare(&v[0], &v[2]);

    if (ab <= 0 && bc <= 0)
        check(ac == (ab < 0 || bc < 0 ? -1 : 0), "transitivity");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *p = (const char *)data, *end = p + size;
    struct mcp_json v[NUMBERS];
    int n = 0, i, k;

    if (size > TEXT_BYTES)
        return 0;
    while (p < end && n < NUMBERS) {
        if (*p == '-' || (*p >= '0' && *p <= '9')) {
            if (!mcp_json_number_parse(&p, end, &v[n]))
                break;
            laws_of_one(&v[n++]);
        } else {
            p++;
        }
    }
    for (i = 0; i < n; i++)
        for (k = 0; k < n; k++)
            laws_of_two(&v[i], &v[k]);
    if (n == NUMBERS)
        laws_of_three(v);
    return 0;
}
