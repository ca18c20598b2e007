/* Mirrors src/features/paging.c. */
#include "features/paging.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { PAGES = 3 };

static struct mcp_arena *arena;

static int open_arena(void **state)
{
    (void)state;
    arena = mcp_arena_new(1 << 20);
    return arena == NULL;
}

static int close_arena(void **state)
{
    (void)state;
    mcp_arena_free(arena);
    return 0;
}

/* The page that these params lead to; -1: none, told as a fault. */
static int page_of(const char *params, uint64_t mark)
{
    struct mcp_call call = {.arena = arena};
    struct mcp_request rq = {.call = &call};
    size_t page = 99;

    assert_int_equal(
        mcp_json_parse(arena, params, strlen(params), NULL, &call.params, NULL),
        MCP_OK);
    if (mcp_paging_find(&rq, mark, PAGES, &page)) {
        assert_int_equal(rq.fault.err, MCP_OK);
        assert_true(page < PAGES);
        return (int)page;
    }
    assert_int_equal(rq.fault.err, MCP_EINVAL);
    assert_non_null(rq.fault.message);
    return -1;
}

static const char *params_of(const char *cursor)
{
    return mcp_arena_printf(arena, "{\"cursor\":\"%s\"}", cursor);
}

static uint64_t mark_of(const char *a, const char *b, size_t size)
{
    return mcp_paging_seal(
        mcp_paging_mark(mcp_paging_mark(MCP_PAGING_MARK, a), b), size);
}

static void cursors_lead_where_they_were_made_for(void **state)
{
    uint64_t mark = mark_of("a", "b", 2);

    (void)state;
    for (size_t page = 1; page < PAGES; page++)
        assert_int_equal(
            page_of(params_of(mcp_paging_cursor(arena, mark, page)), mark),
            (int)page);
    assert_int_equal(
        page_of(params_of(mcp_paging_cursor(arena, mark, PAGES)), mark), -1);
    assert_int_equal(
        page_of(params_of(mcp_paging_cursor(arena, mark, 0)), mark), -1);
}

static void no_cursor_is_the_first_page(void **state)
{
    (void)state;
    assert_int_equal(page_of("{}", 1), 0);
    assert_int_equal(page_of("{\"cursor\":null}", 1), 0);
    assert_int_equal(page_of("{\"cursor\":\"\"}", 1), 0);
}

static void cursors_of_other_lists_are_unknown(void **state)
{
    uint64_t mark = mark_of("a", "b", 2);
    const char *cursor = params_of(mcp_paging_cursor(arena, mark, 1));

    (void)state;
    assert_int_equal(page_of(cursor, mark), 1);
    assert_int_equal(page_of(cursor, mark_of("a", "b", 3)), -1);
    assert_int_equal(page_of(cursor, mark_of("b", "a", 2)), -1);
    assert_int_equal(page_of(cursor, mark_of("ab", "", 2)), -1);
    assert_int_equal(page_of(cursor, mark_of("a", "bc", 2)), -1);
}

static void junk_is_unknown(void **state)
{
    static const char *const junk[] = {
        "x",
        "0000000000000001",
        "0000000000000001.",
        "0000000000000001.01",
        "0000000000000001. 1",
        "0000000000000001.+1",
        "0000000000000001.-1",
        "0000000000000001.1x",
        "0000000000000001.18446744073709551617",
        "0000000000000001.1\\u0000",
        "0000000000000001.1111111111111111111111111111111111111111111111111",
    };

    (void)state;
    assert_int_equal(page_of(params_of("0000000000000001.1"), 1), 1);
    for (size_t i = 0; i < sizeof(junk) / sizeof(junk[0]); i++)
        assert_int_equal(page_of(params_of(junk[i]), 1), -1);
    assert_int_equal(page_of("{\"cursor\":1}", 1), -1);
    assert_int_equal(page_of("{\"cursor\":{}}", 1), -1);
}

static void items_fill_pages(void **state)
{
    (void)state;
    assert_int_equal(mcp_paging_count(0, 3), 1);
    assert_int_equal(mcp_paging_count(1, 3), 1);
    assert_int_equal(mcp_paging_count(3, 3), 1);
    assert_int_equal(mcp_paging_count(4, 3), 2);
    assert_int_equal(mcp_paging_count(7, 1), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cursors_lead_where_they_were_made_for),
        cmocka_unit_test(no_cursor_is_the_first_page),
        cmocka_unit_test(cursors_of_other_lists_are_unknown),
        cmocka_unit_test(junk_is_unknown),
        cmocka_unit_test(items_fill_pages),
    };

    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
