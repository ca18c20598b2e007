/* heap_test.c - the memory of a state */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "app/heap.h"

enum { BLOCKS = 600, STEPS = 60000, LIMIT = 4 << 20 };

struct block {
    unsigned char *p;
    size_t n;
    unsigned char fill;
};

static uint32_t state = 12345;

static uint32_t rnd(void)
{
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

static size_t random_size(void)
{
    switch (rnd() % 4) {
    case 0:
        return 1 + rnd() % 64;
    case 1:
        return 1 + rnd() % 300;
    case 2:
        return 1 + rnd() % 5000;
    default:
        return 250 + rnd() % 30;
    }
}

static void check(const struct block *b)
{
    size_t i;

    for (i = 0; i < b->n; i++)
        assert_int_equal(b->p[i], b->fill);
}

static void change(struct mcp_heap *h, struct block *b, size_t n)
{
    size_t keep = b->n < n ? b->n : n, i;
    unsigned char *p = mcp_heap_realloc(h, b->p, b->n, n);

    if (n > 0 && p == NULL)
        return; /* refused: the old block must be as it was */
    for (i = 0; i < keep; i++)
        assert_int_equal(p[i], b->fill);
    assert_int_equal((uintptr_t)p % 8, 0);
    b->p = p;
    b->n = n;
    b->fill = (unsigned char)rnd();
    if (n > 0)
        memset(p, b->fill, n);
}

static void play(struct mcp_heap *h, struct block *blocks)
{
    int step;

    for (step = 0; step < STEPS; step++) {
        struct block *b = &blocks[rnd() % BLOCKS];

        check(b);
        change(h, b, rnd() % 3 == 0 ? 0 : random_size());
    }
}

static size_t total(const struct block *blocks)
{
    size_t sum = 0, i;

    for (i = 0; i < BLOCKS; i++)
        sum += blocks[i].n;
    return sum;
}

static void blocks_keep_their_bytes(void **unused)
{
    static struct block blocks[BLOCKS];
    struct mcp_heap *h = mcp_heap_new(LIMIT);
    size_t i;

    (void)unused;
    memset(blocks, 0, sizeof(blocks));
    play(h, blocks);
    assert_int_equal(mcp_heap_used_bytes(h), total(blocks));
    for (i = 0; i < BLOCKS; i++) {
        check(&blocks[i]);
        change(h, &blocks[i], 0);
    }
    assert_int_equal(mcp_heap_used_bytes(h), 0);
    mcp_heap_free(h);
}

static void a_reset_brings_every_block_back(void **unused)
{
    static struct block blocks[BLOCKS], later[BLOCKS];
    struct mcp_heap *h = mcp_heap_new(LIMIT);
    size_t used, i;
    int round;

    (void)unused;
    memset(blocks, 0, sizeof(blocks));
    play(h, blocks);
    used = mcp_heap_used_bytes(h);
    assert_int_equal(mcp_heap_snapshot(h), MCP_OK);
    for (round = 0; round < 5; round++) {
        memcpy(later, blocks, sizeof(later));
        play(h, later);
        mcp_heap_reset(h, true);
        assert_int_equal(mcp_heap_used_bytes(h), used);
        for (i = 0; i < BLOCKS; i++)
            check(&blocks[i]);
    }
    mcp_heap_free(h);
}

static void the_limit_refuses_and_is_told(void **unused)
{
    struct mcp_heap *h = mcp_heap_new(1000);
    void *p = mcp_heap_realloc(h, NULL, 0, 999);

    (void)unused;
    assert_non_null(p);
    assert_false(mcp_heap_was_refused(h));
    assert_non_null(mcp_heap_realloc(h, NULL, 0, 1));
    assert_null(mcp_heap_realloc(h, NULL, 0, 1));
    assert_true(mcp_heap_was_refused(h));
    assert_null(mcp_heap_realloc(h, p, 999, 0));
    assert_non_null(mcp_heap_realloc(h, NULL, 0, 900));
    mcp_heap_free(h);
}

static void freed_neighbours_make_room_for_a_large_block(void **unused)
{
    struct mcp_heap *h = mcp_heap_new(LIMIT);
    void *p[30];
    void *big;
    size_t i;

    (void)unused;
    for (i = 0; i < 30; i++)
        p[i] = mcp_heap_realloc(h, NULL, 0, 100000);
    for (i = 0; i < 29; i++) /* the last one keeps the top where it is */
        (void)mcp_heap_realloc(h, p[(i * 7) % 29], 100000, 0);
    big = mcp_heap_realloc(h, NULL, 0, 2800000);
    assert_ptr_equal(big, p[0]);
    mcp_heap_free(h);
}

static void the_last_block_grows_in_place(void **unused)
{
    struct mcp_heap *h = mcp_heap_new(LIMIT);
    void *p = mcp_heap_realloc(h, NULL, 0, 1000);
    size_t n;

    (void)unused;
    for (n = 1000; n < LIMIT / 4; n *= 2)
        assert_ptr_equal(mcp_heap_realloc(h, p, n, n * 2), p);
    mcp_heap_free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_keep_their_bytes),
        cmocka_unit_test(a_reset_brings_every_block_back),
        cmocka_unit_test(the_limit_refuses_and_is_told),
        cmocka_unit_test(freed_neighbours_make_room_for_a_large_block),
        cmocka_unit_test(the_last_block_grows_in_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
