/*
 * json_equal_test.c - equality of trees
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json.h"

enum { ARENA_BYTES = 256 << 20, KEYS = 50000 };

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

static const struct mcp_json *parse(void **state, const char *text)
{
    const struct mcp_json *v = NULL;

    assert_int_equal(mcp_json_parse(*state, text, strlen(text), NULL, &v, NULL),
                     MCP_OK);
    return v;
}

static bool equal(void **state, const char *a, const char *b)
{
    const struct mcp_json *va = parse(state, a), *vb = parse(state, b);
    bool result = mcp_json_equal(va, vb);

    assert_int_equal(mcp_json_equal(vb, va), result);
    return result;
}

static void types_are_never_mixed(void **state)
{
    static const char *const texts[] = {"null",  "true", "false", "0",
                                        "\"0\"", "[]",   "{}"};
    size_t i, k;

    for (i = 0; i < 7; i++)
        for (k = 0; k < 7; k++)
            assert_int_equal(equal(state, texts[i], texts[k]), i == k);
}

static void numbers_go_by_value(void **state)
{
    assert_true(equal(state, "[1]", "[1.0]"));
    assert_true(equal(state, "[1]", "[10e-1]"));
    assert_true(equal(state, "{\"a\":0}", "{\"a\":-0.0}"));
    assert_false(equal(state, "9007199254740993", "9007199254740992"));
    assert_true(equal(state, "1e400", "10e399"));
    assert_false(equal(state, "1e400", "1e401"));
}

static void strings_go_by_decoded_bytes(void **state)
{
    assert_true(equal(state, "\"A/\"", "\"\\u0041\\/\""));
    assert_false(equal(state, "\"a\"", "\"a\\u0000\""));
    /* no normalization: e with acute as one and as two code points */
    assert_false(equal(state, "\"\\u00e9\"", "\"e\\u0301\""));
}

static void arrays_go_by_order(void **state)
{
    assert_true(equal(state, "[1,[2,3]]", "[1,[2,3]]"));
    assert_false(equal(state, "[1,2]", "[2,1]"));
    assert_false(equal(state, "[1,2]", "[1,2,3]"));
}

static void objects_go_by_key(void **state)
{
    assert_true(equal(state, "{\"a\":1,\"b\":{\"c\":2,\"d\":3}}",
                      "{\"b\":{\"d\":3.0,\"c\":2},\"a\":1}"));
    assert_true(equal(state, "{\"\\u0061\":1}", "{\"a\":1}"));
    assert_false(equal(state, "{\"a\":1,\"b\":2}", "{\"b\":1,\"a\":2}"));
    assert_false(equal(state, "{\"a\":1,\"b\":2}", "{\"a\":1,\"c\":2}"));
    assert_false(equal(state, "{\"a\":1}", "{\"a\":1,\"b\":2}"));
}

/* Keys k0 ... k<n-1> from the last to the first; `odd` has another value. */
static char *backwards(unsigned n, unsigned odd)
{
    char *text = malloc((size_t)n * 16 + 3), *p = text;
    unsigned i;

    assert_non_null(text);
    *p++ = '{';
    for (i = n; i-- > 0;)
        p += snprintf(p, 16, "\"k%u\":%d%s", i, i == odd, i > 0 ? "," : "");
    memcpy(p, "}", 2);
    return text;
}

static char *forwards(unsigned n)
{
    char *text = malloc((size_t)n * 16 + 3), *p = text;
    unsigned i;

    assert_non_null(text);
    *p++ = '{';
    for (i = 0; i < n; i++)
        p += snprintf(p, 16, "%s\"k%u\":0", i > 0 ? "," : "", i);
    memcpy(p, "}", 2);
    return text;
}

static void large_objects_in_another_order(void **state)
{
    static const unsigned sizes[] = {2, 15, 16, 17, 18, 100, KEYS};
    clock_t start = clock();
    size_t i;

    for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        unsigned n = sizes[i];
        char *a = forwards(n), *same = backwards(n, n),
             *other = backwards(n, n / 2);

        assert_true(equal(state, a, same));
        assert_false(equal(state, a, other));
        other[2] = 'q'; /* another key */
        assert_false(equal(state, a, other));
        mcp_arena_reset(*state);
        free(a);
        free(same);
        free(other);
    }
    /* pairwise it would be billions of comparisons */
    assert_true((clock() - start) / CLOCKS_PER_SEC < 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_are_never_mixed),
        cmocka_unit_test(numbers_go_by_value),
        cmocka_unit_test(strings_go_by_decoded_bytes),
        cmocka_unit_test(arrays_go_by_order),
        cmocka_unit_test(objects_go_by_key),
        cmocka_unit_test(large_objects_in_another_order),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
