/*
 * json_test.c - the parser: trees, refusals, limits
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

#include "base/json.h"

enum { ARENA_BYTES = 64 << 20 };

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

static const struct mcp_json *parsed(void **state, const char *text)
{
    const struct mcp_json *v = NULL;

    assert_int_equal(mcp_json_parse(*state, text, strlen(text), NULL, &v, NULL),
                     MCP_OK);
    assert_non_null(v);
    return v;
}

/* Parses a copy that ends where the heap block ends, so that the sanitizer
 * sees a read behind the text. */
static enum mcp_err refused(void **state, const char *text, size_t len,
                            const struct mcp_json_options *options,
                            struct mcp_json_error *error)
{
    const struct mcp_json *v = NULL;
    char *copy = malloc(len > 0 ? len : 1);
    enum mcp_err err;

    assert_non_null(copy);
    memcpy(copy, text, len);
    err = mcp_json_parse(*state, copy, len, options, &v, error);
    assert_int_not_equal(err, MCP_OK);
    assert_null(v);
    free(copy);
    return err;
}

static void scalars_have_type_and_value(void **state)
{
    const struct mcp_json *v = parsed(state, " [null,true,false,-12,\"ab\"]\n");

    assert_true(mcp_json_is(v, MCP_JSON_ARRAY));
    assert_int_equal(v->count, 5);
    assert_true(mcp_json_is(&v->u.items[0], MCP_JSON_NULL));
    assert_true(mcp_json_is(&v->u.items[1], MCP_JSON_TRUE));
    assert_true(mcp_json_is(&v->u.items[2], MCP_JSON_FALSE));
    assert_true(mcp_json_is(&v->u.items[3], MCP_JSON_NUMBER));
    assert_true(v->u.items[3].number == -12);
    assert_int_equal(v->u.items[3].flags, MCP_JSON_F_INTEGER);
    assert_true(mcp_json_equals_string(&v->u.items[4], "ab"));
    assert_false(mcp_json_equals_string(&v->u.items[4], "abc"));
    assert_false(mcp_json_equals_string(&v->u.items[3], "-12"));
    assert_false(mcp_json_is(NULL, MCP_JSON_NULL));
    assert_false(mcp_json_equals_string(NULL, ""));
}

static void members_keep_their_order(void **state)
{
    const char *text = "{\"b\":1,\"a\":{\"y\":[],\"x\":{}},\"c\":[3,[4]]}";
    const struct mcp_json *v = parsed(state, text), *inner;

    assert_int_equal(v->count, 3);
    assert_true(mcp_json_equals_string(&v->u.members[0].key, "b"));
    assert_true(mcp_json_equals_string(&v->u.members[1].key, "a"));
    assert_true(mcp_json_equals_string(&v->u.members[2].key, "c"));
    inner = mcp_json_find(v, "a");
    assert_ptr_equal(inner, &v->u.members[1].value);
    assert_int_equal(inner->count, 2);
    assert_int_equal(mcp_json_find(inner, "y")->count, 0);
    assert_true(mcp_json_is(mcp_json_find(inner, "x"), MCP_JSON_OBJECT));
    inner = mcp_json_find(v, "c");
    assert_true(inner->u.items[1].u.items[0].number == 4);
    assert_true(v->u.members[1].key.number == 7); /* offset of its quote */
}

static void find_is_quiet_about_everything_else(void **state)
{
    const struct mcp_json *v = parsed(state, "{\"a\\u0000b\":1,\"\":2}");

    assert_null(mcp_json_find(NULL, "a"));
    assert_null(mcp_json_find(parsed(state, "[\"a\"]"), "a"));
    assert_null(mcp_json_find(v, "a"));
    assert_true(mcp_json_find_n(v, "a\0b", 3)->number == 1);
    assert_true(mcp_json_find(v, "")->number == 2);
}

static void type_names_are_those_of_json_schema(void **state)
{
    static const char *const names[] = {
        "null", "boolean", "boolean", "number", "string", "array", "object"};
    const struct mcp_json *v = parsed(state, "[null,true,false,1,\"\",[],{}]");
    uint32_t i;

    for (i = 0; i < v->count; i++)
        assert_string_equal(mcp_json_type_name(&v->u.items[i]), names[i]);
}

static void plain_strings_borrow_from_the_text(void **state)
{
    const char *text = "{\"key\":\"caf\303\251 / \177\"}";
    const struct mcp_json *v = parsed(state, text);
    const struct mcp_json_member *m = v->u.members;

    assert_ptr_equal(m->key.u.text, text + 2);
    assert_ptr_equal(m->value.u.text, text + 8);
    assert_int_equal(m->value.count, 9);
    assert_int_equal(m->key.flags, MCP_JSON_F_PLAIN);
    assert_int_equal(m->value.flags, MCP_JSON_F_PLAIN);
}

static void escapes_are_decoded(void **state)
{
    static const char expected[] = "\"\\/\b\f\n\r\tA\0\303\251\342\202\254"
                                   "\360\237\230\200\357\277\277z";
    const struct mcp_json *v =
        parsed(state, "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u0000\\u00e9"
                      "\\u20AC\\ud83d\\uDE00\\uffffz\"");

    assert_int_equal(v->count, sizeof(expected) - 1);
    assert_memory_equal(v->u.text, expected, sizeof(expected) - 1);
    assert_int_equal(v->flags & MCP_JSON_F_PLAIN, 0);
    /* needs no escape when written, but the source had one */
    assert_int_equal(parsed(state, "\"\\u0041\"")->flags, 0);
}

/* The code point that the UTF-8 text of `v` is, and nothing more. */
static uint32_t only_code_point(const struct mcp_json *v)
{
    static const unsigned char lead_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t c, i;

    assert_in_range(v->count, 1, 4);
    assert_true(mcp_utf8_valid(v->u.text, v->count, NULL));
    c = (unsigned char)v->u.text[0] & lead_bits[v->count];
    for (i = 1; i < v->count; i++)
        c = c << 6 | ((unsigned char)v->u.text[i] & 0x3f);
    return c;
}

static void every_code_point_can_be_escaped(void **state)
{
    const struct mcp_json *v;
    char text[16];
    uint32_t c;
    int n;

    for (c = 0; c <= 0x10ffff; c += c < 0x10100 || c > 0x10feff ? 1 : 251) {
        if (c >= 0xd800 && c <= 0xdfff)
            continue;
        if (c < 0x10000)
            n = snprintf(text, sizeof(text), "\"\\u%04x\"", c);
        else
            n = snprintf(text, sizeof(text), "\"\\u%04X\\u%04X\"",
                         0xd800 + ((c - 0x10000) >> 10),
                         0xdc00 + ((c - 0x10000) & 0x3ff));
        mcp_arena_reset(*state);
        assert_int_equal(
            mcp_json_parse(*state, text, (size_t)n, NULL, &v, NULL), MCP_OK);
        assert_int_equal(only_code_point(v), c);
    }
}

/* One special byte at every place of strings around the scanning width. */
static void every_byte_of_a_string_is_looked_at(void **state)
{
    static const char *const special[] = {"\\n", "\1", "\303\251", "\200",
                                          "\""};
    char text[128];
    size_t len, at, k, n;

    for (len = 0; len < 40; len++) {
        for (at = 0; at <= len; at++) {
            for (k = 0; k < 5; k++) {
                const struct mcp_json *v = NULL;
                char *copy;

                memset(text, 'x', sizeof(text));
                text[0] = '"';
                n = strlen(special[k]);
                memcpy(text + 1 + at, special[k], n);
                text[1 + len + n] = '"';
                copy = malloc(len + n + 2);
                assert_non_null(copy);
                memcpy(copy, text, len + n + 2);
                mcp_arena_reset(*state);
                assert_int_equal(
                    mcp_json_parse(*state, copy, len + n + 2, NULL, &v, NULL),
                    k == 0 || k == 2 ? MCP_OK : MCP_EINVAL);
                if (k == 0)
                    assert_int_equal(v->u.text[at], '\n');
                if (k == 2)
                    assert_memory_equal(v->u.text, copy + 1, len + 2);
                free(copy);
            }
        }
    }
}

static const struct {
    const char *text;
    size_t offset;
    const char *reason;
} refusals[] = {
    {"", 0, "unexpected end"},
    {" \t\r\n", 4, "unexpected end"},
    {"[1,]", 3, "a value expected"},
    {"[1 2]", 3, "',' or ']' expected"},
    {"[\"a\" \"b\"]", 5, "',' or ']' expected"},
    {"{\"a\":1 \"b\":2}", 7, "',' or '}' expected"},
    {"[1}", 2, "',' or ']' expected"},
    {"[", 1, "unexpected end"},
    {"]", 0, "a value expected"},
    {"[,1]", 1, "a value expected"},
    {"{,}", 1, "a key in quotes expected"},
    {"{\"a\":1,}", 7, "a key in quotes expected"},
    {"{a:1}", 1, "a key in quotes expected"},
    {"{\"a\" 1}", 5, "':' expected"},
    {"{\"a\":1]", 6, "',' or '}' expected"},
    {"{\"a\":", 5, "unexpected end"},
    {"{\"a\"", 4, "unexpected end"},
    {"tru", 0, "a value expected"},
    {"[nul]", 1, "a value expected"},
    {"NaN", 0, "a value expected"},
    {"1 1", 2, "nothing may follow the value"},
    {"truee", 4, "nothing may follow the value"},
    {"1//", 1, "nothing may follow the value"},
    {"01", 1, "nothing may follow the value"},
    {"-", 1, "unexpected end"},
    {"-a", 1, "invalid number"},
    {"+1", 0, "a value expected"},
    {"1.", 2, "unexpected end"},
    {"1.e1", 2, "invalid number"},
    {"1e", 2, "unexpected end"},
    {"1e+", 3, "unexpected end"},
    {"1e+x", 3, "invalid number"},
    {"0x1", 1, "nothing may follow the value"},
    {"\"abc", 4, "unterminated string"},
    {"\"abc\\", 5, "unterminated string"},
    {"\"abc\\\"", 6, "unterminated string"},
    {"\"a\nb\"", 2, "control character in a string"},
    {"\"a\\x\"", 2, "bad escape"},
    {"\"a\\u12g4\"", 2, "bad \\u escape"},
    {"\"a\\u123\"", 2, "bad \\u escape"},
    {"\"\\ud800\"", 1, "unpaired surrogate"},
    {"\"\\ud800\\n\"", 1, "unpaired surrogate"},
    {"\"\\ud800\\ud800\"", 1, "unpaired surrogate"},
    {"\"\\udc00\\ud800\"", 1, "unpaired surrogate"},
    {"\"\\udc00\\udc00\"", 1, "unpaired surrogate"},
    {"\"\\udfff\"", 1, "unpaired surrogate"},
    {"\"\\ud800\\udbff\"", 1, "unpaired surrogate"},
    {"\"\\ud800\\ue000\"", 1, "unpaired surrogate"},
    {"\"x\355\240\200\"", 2, "invalid UTF-8"},
    {"\"x\300\200\"", 2, "invalid UTF-8"},
    {"\"x\\\377\"", 3, "invalid UTF-8"},
    {"\357\273\277{}", 0, "a value expected"},
};

static void a_refusal_tells_where_and_why(void **state)
{
    struct mcp_json_error error;
    size_t i;

    for (i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        memset(&error, 0xff, sizeof(error));
        assert_int_equal(refused(state, refusals[i].text,
                                 strlen(refusals[i].text), NULL, &error),
                         MCP_EINVAL);
        assert_string_equal(error.reason, refusals[i].reason);
        assert_int_equal(error.offset, refusals[i].offset);
        assert_false(error.duplicate_key);
    }
}

static void control_characters_are_refused(void **state)
{
    char text[32];
    size_t len, at;
    int c;

    for (c = 0; c < 0x20; c++) {
        for (len = 3; len <= sizeof(text); len += sizeof(text) - 3) {
            for (at = 1; at < len - 1; at++) {
                memset(text, 'x', len);
                text[0] = text[len - 1] = '"';
                text[at] = (char)c;
                assert_int_equal(refused(state, text, len, NULL, NULL),
                                 MCP_EINVAL);
            }
        }
    }
}

static void hex_digits_are_those_and_no_others(void **state)
{
    char text[] = "\"\\u004?\"";
    const struct mcp_json *v;
    int c;

    for (c = 1; c < 128; c++) {
        if (c == '"')
            continue;
        text[6] = (char)c;
        v = NULL;
        assert_int_equal(
            mcp_json_parse(*state, text, 8, NULL, &v, NULL),
            strchr("0123456789abcdefABCDEF", c) != NULL ? MCP_OK : MCP_EINVAL);
        if (v != NULL)
            assert_int_equal(v->u.text[0],
                             0x40 + strtol((char[]){(char)c, 0}, NULL, 16));
    }
}

static void a_nul_byte_is_no_end(void **state)
{
    struct mcp_json_error error;

    assert_int_equal(refused(state, "1\0", 2, NULL, &error), MCP_EINVAL);
    assert_int_equal(error.offset, 1);
    assert_int_equal(refused(state, "[\0]", 3, NULL, NULL), MCP_EINVAL);
    assert_int_equal(refused(state, "\"\0\"", 3, NULL, NULL), MCP_EINVAL);
}

static void no_text_is_refused_as_an_empty_one_is(void **state)
{
    const struct mcp_json *v = NULL;
    struct mcp_json_error error = {.offset = 7};

    assert_int_equal(mcp_json_parse(*state, NULL, 0, NULL, &v, &error),
                     MCP_EINVAL);
    assert_null(v);
    assert_int_equal(error.offset, 0);
    assert_string_equal(error.reason, "unexpected end");
    assert_false(error.duplicate_key);
    assert_int_equal(mcp_json_parse(*state, "", 0, NULL, &v, &error),
                     MCP_EINVAL);
    assert_string_equal(error.reason, "unexpected end");
}

static void every_part_of_a_text_is_refused(void **state)
{
    static const char text[] =
        "{\"a\":[1,-2.5e+3,true,null],\"b\\u00e9\\ud83d\\ude00\":"
        "{\"c\":\"caf\303\251 \360\237\230\200\"},\"d\":false}";
    size_t len = sizeof(text) - 1, i;

    (void)parsed(state, text);
    for (i = 0; i < len; i++)
        assert_int_equal(refused(state, text, i, NULL, NULL), MCP_EINVAL);
    for (i = 1; i < len; i++)
        assert_int_equal(refused(state, text + i, len - i, NULL, NULL),
                         MCP_EINVAL);
}

/* ---- depth ---- */

/* `depth` arrays and objects by turns, one in the other. */
static char *nested(uint32_t depth)
{
    char *text = malloc(depth * 6 + 1), *p = text;
    uint32_t i;

    assert_non_null(text);
    for (i = 0; i < depth; i++) {
        memcpy(p, i % 2 == 0 ? "[" : "{\"\":", i % 2 == 0 ? 1 : 4);
        p += i % 2 == 0 ? 1 : 4;
    }
    /* the innermost is empty: an object may not end behind its colon */
    if (depth % 2 == 0 && depth > 0)
        p -= 3;
    for (i = depth; i > 0; i--)
        *p++ = (i - 1) % 2 == 0 ? ']' : '}';
    *p = '\0';
    return text;
}

static enum mcp_err parse_nested(void **state, uint32_t depth, uint32_t limit)
{
    const struct mcp_json_options options = {.max_depth = limit};
    const struct mcp_json *v = NULL;
    char *text = nested(depth);
    enum mcp_err err =
        mcp_json_parse(*state, text, strlen(text), &options, &v, NULL);

    free(text);
    return err;
}

static void depth_is_limited(void **state)
{
    static const uint32_t limits[] = {1, 2, 3, 63, 64, 65, 500};
    size_t i;

    for (i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        assert_int_equal(parse_nested(state, limits[i], limits[i]), MCP_OK);
        assert_int_equal(parse_nested(state, limits[i] + 1, limits[i]),
                         MCP_ELIMIT);
    }
    assert_int_equal(parse_nested(state, 64, 0), MCP_OK);
    assert_int_equal(parse_nested(state, 65, 0), MCP_ELIMIT);
}

static void no_option_lifts_the_last_depth_limit(void **state)
{
    assert_int_equal(parse_nested(state, MCP_JSON_MAX_DEPTH, UINT32_MAX),
                     MCP_OK);
    assert_int_equal(parse_nested(state, MCP_JSON_MAX_DEPTH + 1, UINT32_MAX),
                     MCP_ELIMIT);
    assert_int_equal(
        parse_nested(state, MCP_JSON_MAX_DEPTH + 1, MCP_JSON_MAX_DEPTH + 1),
        MCP_ELIMIT);
}

static void depth_counts_nesting_not_containers(void **state)
{
    const struct mcp_json_options options = {.max_depth = 2};
    const char *text = "[[],[],{},{\"a\":1},[2]]";
    const struct mcp_json *v = NULL;

    assert_int_equal(
        mcp_json_parse(*state, text, strlen(text), &options, &v, NULL), MCP_OK);
    assert_int_equal(v->count, 5);
}

static void a_flood_of_brackets_is_stopped_at_the_limit(void **state)
{
    struct mcp_json_error error;
    size_t n = 100000;
    char *text = malloc(n);

    assert_non_null(text);
    memset(text, '[', n);
    assert_int_equal(refused(state, text, n, NULL, &error), MCP_ELIMIT);
    assert_int_equal(error.offset, 64);
    assert_string_equal(error.reason, "nested too deep");
    free(text);
}

/* ---- other limits ---- */

static void texts_beyond_32_bits_are_refused(void **state)
{
    struct mcp_json_error error;
    const struct mcp_json *v = NULL;

    /* both stop before the second byte */
    assert_int_equal(mcp_json_parse(*state, "x", UINT32_MAX, NULL, &v, &error),
                     MCP_EINVAL);
    assert_int_equal(
        mcp_json_parse(*state, "x", (size_t)UINT32_MAX + 1, NULL, &v, &error),
        MCP_ELIMIT);
    assert_null(v);
    assert_int_equal(error.offset, 0);
}

static void a_full_arena_is_told(void **state)
{
    static const char text[] = "{\"a\\n\":[1,2,3],\"b\":{\"c\":\"\\t\"}}";
    size_t limit;
    bool fits = false;

    (void)state;
    for (limit = 0; limit < 512; limit++) {
        struct mcp_arena *a = mcp_arena_new(limit);
        const struct mcp_json *v = NULL;
        enum mcp_err err =
            mcp_json_parse(a, text, sizeof(text) - 1, NULL, &v, NULL);

        assert_true(err == MCP_OK || (!fits && err == MCP_ENOMEM));
        assert_true((v != NULL) == (err == MCP_OK));
        fits = err == MCP_OK;
        mcp_arena_free(a);
    }
    assert_true(fits);
}

static void arrays_of_any_size_stay_contiguous(void **state)
{
    static const uint32_t sizes[] = {1,   126, 127, 128,  129,
                                     255, 256, 257, 5000, 100000};
    char *text = malloc(700000);
    size_t i;

    assert_non_null(text);
    for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        const struct mcp_json *v = NULL;
        char *p = text;
        uint32_t k;

        *p++ = '[';
        for (k = 0; k < sizes[i]; k++)
            p += snprintf(p, 16, "%s%u", k > 0 ? "," : "", k);
        *p++ = ']';
        mcp_arena_reset(*state);
        assert_int_equal(
            mcp_json_parse(*state, text, (size_t)(p - text), NULL, &v, NULL),
            MCP_OK);
        assert_int_equal(v->count, sizes[i]);
        for (k = 0; k < sizes[i]; k++)
            assert_true(v->u.items[k].number == k);
    }
    free(text);
}

/* What waits on the stack never outgrows what the arena could take. */
static void a_wide_array_stops_when_the_arena_could_not_hold_it(void **state)
{
    size_t n = 1 << 20, i;
    char *text = malloc(n);
    struct mcp_arena *a = mcp_arena_new(100000);
    const struct mcp_json *v = NULL;
    struct mcp_json_error error;

    (void)state;
    assert_non_null(text);
    for (i = 0; i < n; i++)
        text[i] = i % 2 == 0 ? '[' : '0';
    for (i = 2; i < n; i += 2)
        text[i] = ',';
    text[n - 1] = ']';
    assert_int_equal(mcp_json_parse(a, text, n, NULL, &v, &error), MCP_ENOMEM);
    assert_true(error.offset < n / 2);
    assert_string_equal(error.reason, "out of memory");
    mcp_arena_free(a);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(scalars_have_type_and_value, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(members_keep_their_order, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(find_is_quiet_about_everything_else,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(type_names_are_those_of_json_schema,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(plain_strings_borrow_from_the_text,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(escapes_are_decoded, setup, teardown),
        cmocka_unit_test_setup_teardown(every_code_point_can_be_escaped, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(every_byte_of_a_string_is_looked_at,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(a_refusal_tells_where_and_why, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(control_characters_are_refused, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(hex_digits_are_those_and_no_others,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(a_nul_byte_is_no_end, setup, teardown),
        cmocka_unit_test_setup_teardown(no_text_is_refused_as_an_empty_one_is,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(every_part_of_a_text_is_refused, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(depth_is_limited, setup, teardown),
        cmocka_unit_test_setup_teardown(no_option_lifts_the_last_depth_limit,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(depth_counts_nesting_not_containers,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(
            a_flood_of_brackets_is_stopped_at_the_limit, setup, teardown),
        cmocka_unit_test_setup_teardown(texts_beyond_32_bits_are_refused, setup,
                                        teardown),
        cmocka_unit_test(a_full_arena_is_told),
        cmocka_unit_test_setup_teardown(arrays_of_any_size_stay_contiguous,
                                        setup, teardown),
        cmocka_unit_test(a_wide_array_stops_when_the_arena_could_not_hold_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
