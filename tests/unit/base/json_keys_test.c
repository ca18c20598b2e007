/*
 * json_keys_test.c - duplicate keys, in small objects and in hostile ones
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
#include "base/json_keys.h"

enum { ARENA_BYTES = 256 << 20 };

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

static enum mcp_err parse(void **state, const char *text,
                          struct mcp_json_error *error)
{
    const struct mcp_json *v = NULL;
    enum mcp_err err;

    memset(error, 0xff, sizeof(*error));
    err = mcp_json_parse(*state, text, strlen(text), NULL, &v, error);
    assert_true((v != NULL) == (err == MCP_OK));
    return err;
}

static void refuses_key_at(void **state, const char *text, size_t offset)
{
    struct mcp_json_error error;

    assert_int_equal(parse(state, text, &error), MCP_EINVAL);
    assert_true(error.duplicate_key);
    assert_string_equal(error.reason, "duplicate key");
    assert_int_equal(error.offset, offset);
}

static void a_key_that_comes_twice_is_refused(void **state)
{
    refuses_key_at(state, "{\"a\":1,\"a\":1}", 7);
    refuses_key_at(state, "{\"\":1,\"\":2}", 6);
    refuses_key_at(state, "[{\"x\":1},{\"a\":1,\"b\":2,\"a\":3}]", 22);
}

static void keys_are_compared_decoded(void **state)
{
    struct mcp_json_error error;

    refuses_key_at(state, "{\"a\":1,\"\\u0061\":2}", 7);
    refuses_key_at(state, "{\"\\u0061\":1,\"\\u0061\":2}", 12);
    refuses_key_at(state, "{\"\\ud83d\\ude00\":1,\"\360\237\230\200\":2}", 18);
    assert_int_equal(parse(state, "{\"a\":1,\"a\\u0000\":2,\"A\":3}", &error),
                     MCP_OK);
}

static void the_same_key_in_other_objects_is_fine(void **state)
{
    struct mcp_json_error error;

    assert_int_equal(
        parse(state, "{\"a\":{\"a\":[{\"a\":1},{\"a\":1}]}}", &error), MCP_OK);
}

static void a_syntax_error_wins(void **state)
{
    struct mcp_json_error error;

    assert_int_equal(parse(state, "{\"a\":1,\"a\":2} x", &error), MCP_EINVAL);
    assert_false(error.duplicate_key);
    assert_int_equal(error.offset, 14);
    assert_int_equal(parse(state, "[{\"a\":1,\"a\":2},", &error), MCP_EINVAL);
    assert_false(error.duplicate_key);
    assert_string_equal(error.reason, "unexpected end");
    /* the very offset of the duplicate does not matter either */
    assert_int_equal(parse(state, "{\"a\":1,\"a\":2", &error), MCP_EINVAL);
    assert_false(error.duplicate_key);
}

static void the_depth_limit_wins(void **state)
{
    char text[128] = "[{\"a\":1,\"a\":2},";
    struct mcp_json_error error;

    memset(text + strlen(text), '[', 64);
    assert_int_equal(parse(state, text, &error), MCP_ELIMIT);
    assert_false(error.duplicate_key);
}

static void the_first_duplicate_is_told(void **state)
{
    refuses_key_at(state, "{\"x\":{\"b\":1,\"b\":2},\"x\":3}", 12);
}

static void when_allowed_the_last_one_counts(void **state)
{
    const struct mcp_json_options options = {.allow_duplicate_keys = true};
    const char *text = "{\"a\":1,\"b\":2,\"a\":3}";
    const struct mcp_json *v = NULL;

    assert_int_equal(
        mcp_json_parse(*state, text, strlen(text), &options, &v, NULL), MCP_OK);
    assert_int_equal(v->count, 3);
    assert_true(mcp_json_find(v, "a")->number == 3);
    assert_true(mcp_json_find_n(v, "b", 1)->number == 2);
}

/* {"k0":0, ..., "k<n-1>":0}, and once more "k<twice>" if that is below n */
static char *object_of(unsigned n, unsigned twice)
{
    char *text = malloc((size_t)n * 16 + 32), *p = text;
    unsigned i;

    assert_non_null(text);
    *p++ = '{';
    for (i = 0; i < n; i++)
        p += snprintf(p, 16, "%s\"k%u\":0", i > 0 ? "," : "", i);
    if (twice < n)
        p += snprintf(p, 16, ",\"k%u\":1", twice);
    memcpy(p, "}", 2);
    return text;
}

static void objects_of_all_sizes_are_checked(void **state)
{
    struct mcp_json_error error;
    unsigned n, twice;
    char *text;

    for (n = 1; n < 70; n++) {
        text = object_of(n, n);
        assert_int_equal(parse(state, text, &error), MCP_OK);
        free(text);
        for (twice = 0; twice < n; twice++) {
            text = object_of(n, twice);
            assert_int_equal(parse(state, text, &error), MCP_EINVAL);
            assert_true(error.duplicate_key);
            assert_int_equal(error.offset,
                             (size_t)(strrchr(text, 'k') - text) - 1);
            free(text);
        }
        mcp_arena_reset(*state);
    }
}

/* Pairwise comparison would take minutes. */
static void many_keys_take_linear_time(void **state)
{
    struct mcp_json_error error;
    char *text = object_of(400000, UINT32_MAX);
    clock_t start = clock();

    assert_int_equal(parse(state, text, &error), MCP_OK);
    assert_true((clock() - start) / CLOCKS_PER_SEC < 10);
    free(text);
}

static void the_index_finds_what_was_entered(void **state)
{
    const char *text = "{\"a\":1,\"longer than a word\":2,\"a\":3,\"c\":4}";
    const struct mcp_json_options options = {.allow_duplicate_keys = true};
    const struct mcp_json *v = NULL;
    struct mcp_json_index ix;

    assert_int_equal(
        mcp_json_parse(*state, text, strlen(text), &options, &v, NULL), MCP_OK);
    assert_int_equal(mcp_json_index_init(&ix, v->u.members, v->count), MCP_OK);
    assert_null(mcp_json_index_find(&ix, &v->u.members[0].key));
    assert_true(mcp_json_index_add(&ix, 0));
    assert_true(mcp_json_index_add(&ix, 1));
    assert_ptr_equal(mcp_json_index_find(&ix, &v->u.members[2].key),
                     &v->u.members[0]);
    assert_false(mcp_json_index_add(&ix, 2));
    assert_ptr_equal(mcp_json_index_find(&ix, &v->u.members[0].key),
                     &v->u.members[2]);
    assert_ptr_equal(mcp_json_index_find(&ix, &v->u.members[1].key),
                     &v->u.members[1]);
    assert_null(mcp_json_index_find(&ix, &v->u.members[3].key));
    mcp_json_index_free(&ix);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_that_comes_twice_is_refused),
        cmocka_unit_test(keys_are_compared_decoded),
        cmocka_unit_test(the_same_key_in_other_objects_is_fine),
        cmocka_unit_test(a_syntax_error_wins),
        cmocka_unit_test(the_depth_limit_wins),
        cmocka_unit_test(the_first_duplicate_is_told),
        cmocka_unit_test(when_allowed_the_last_one_counts),
        cmocka_unit_test(objects_of_all_sizes_are_checked),
        cmocka_unit_test(many_keys_take_linear_time),
        cmocka_unit_test(the_index_finds_what_was_entered),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
