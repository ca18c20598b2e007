/*
 * arena_test.c - the arena's limit, alignment and reset
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <string.h>

#include "base/arena.h"

static void blocks_are_aligned_and_apart(void **state)
{
    struct mcp_arena *a = mcp_arena_new(64 << 20);
    unsigned char *blocks[300];
    size_t i, k;

    (void)state;
    for (i = 0; i < 300; i++) {
        blocks[i] = mcp_arena_alloc(a, i * 37);
        assert_non_null(blocks[i]);
        assert_int_equal((uintptr_t)blocks[i] % 16, 0);
        memset(blocks[i], (int)(i & 0xff), i * 37);
    }
    for (i = 0; i < 300; i++)
        for (k = 0; k < i * 37; k++)
            assert_int_equal(blocks[i][k], i & 0xff);
    mcp_arena_free(a);
}

static void a_block_larger_than_any_chunk_fits(void **state)
{
    struct mcp_arena *a = mcp_arena_new(64 << 20);
    char *small, *large;

    (void)state;
    small = mcp_arena_dup(a, "kept", 4);
    large = mcp_arena_alloc(a, 5 << 20);
    assert_non_null(large);
    memset(large, 1, 5 << 20);
    assert_string_equal(small, "kept");
    assert_non_null(mcp_arena_alloc(a, 100));
    mcp_arena_free(a);
}

static void the_limit_holds_to_the_byte(void **state)
{
    struct mcp_arena *a = mcp_arena_new(1000);

    (void)state;
    assert_null(mcp_arena_alloc(a, 1001));
    assert_int_equal(mcp_arena_used_bytes(a), 0);
    assert_int_equal(mcp_arena_left_bytes(a), 1000);
    assert_non_null(mcp_arena_alloc(a, 1000));
    assert_int_equal(mcp_arena_left_bytes(a), 0);
    assert_null(mcp_arena_alloc(a, 1));
    mcp_arena_free(a);
}

static void small_blocks_count_with_their_padding(void **state)
{
    struct mcp_arena *a = mcp_arena_new(64);
    int i;

    (void)state;
    for (i = 0; i < 4; i++)
        assert_non_null(mcp_arena_alloc(a, 1));
    assert_int_equal(mcp_arena_used_bytes(a), 64);
    assert_null(mcp_arena_alloc(a, 1));
    mcp_arena_free(a);
}

static void absurd_sizes_are_refused(void **state)
{
    struct mcp_arena *a = mcp_arena_new(SIZE_MAX);

    (void)state;
    assert_null(mcp_arena_alloc(a, SIZE_MAX));
    assert_null(mcp_arena_alloc(a, SIZE_MAX - 8));
    assert_null(mcp_arena_dup(a, "", SIZE_MAX));
    assert_non_null(mcp_arena_alloc(a, 8));
    mcp_arena_free(a);
}

static void reset_gives_the_whole_limit_back(void **state)
{
    struct mcp_arena *a = mcp_arena_new(100000);
    void *first = mcp_arena_alloc(a, 16);
    int i;

    (void)state;
    for (i = 0; i < 3; i++) {
        while (mcp_arena_alloc(a, 5000) != NULL)
            continue;
        assert_true(mcp_arena_used_bytes(a) > 94000);
        mcp_arena_reset(a);
        assert_int_equal(mcp_arena_used_bytes(a), 0);
        /* the first chunk was kept */
        assert_ptr_equal(mcp_arena_alloc(a, 16), first);
    }
    mcp_arena_free(a);
}

static void copies_end_in_a_nul(void **state)
{
    struct mcp_arena *a = mcp_arena_new(4096);
    char *text = mcp_arena_dup(a, "abcdef", 3);

    (void)state;
    assert_string_equal(text, "abc");
    assert_string_equal(mcp_arena_dup(a, NULL, 0), "");
    assert_string_equal(mcp_arena_printf(a, "%d-%s", 7, "x"), "7-x");
    assert_memory_equal(mcp_arena_dup(a, "a\0b", 3), "a\0b", 4);
    mcp_arena_free(a);
}

static void text_needs_room_for_its_nul(void **state)
{
    struct mcp_arena *a = mcp_arena_new(4);

    (void)state;
    assert_null(mcp_arena_dup(a, "abcd", 4));
    assert_null(mcp_arena_printf(a, "%s", "abcd"));
    assert_string_equal(mcp_arena_printf(a, "%s", "abc"), "abc");
    mcp_arena_free(a);
}

static void nothing_may_be_freed(void **state)
{
    (void)state;
    mcp_arena_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_aligned_and_apart),
        cmocka_unit_test(a_block_larger_than_any_chunk_fits),
        cmocka_unit_test(the_limit_holds_to_the_byte),
        cmocka_unit_test(small_blocks_count_with_their_padding),
        cmocka_unit_test(absurd_sizes_are_refused),
        cmocka_unit_test(reset_gives_the_whole_limit_back),
        cmocka_unit_test(copies_end_in_a_nul),
        cmocka_unit_test(text_needs_room_for_its_nul),
        cmocka_unit_test(nothing_may_be_freed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
