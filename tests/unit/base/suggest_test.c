/*
 * suggest_test.c - nearest names, and none where none is near
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <string.h>

#include "base/suggest.h"

static const char *const names[] = {
    "port", "host", "call_timeout", "load_timeout", "max_body", "add", "b"};

static const char *near(const char *name)
{
    return mcp_suggest(name, strlen(name), names,
                       sizeof(names) / sizeof(names[0]));
}

static void one_edit_of_each_kind_is_near(void **state)
{
    (void)state;
    assert_string_equal(near("prt"), "port");   /* missing */
    assert_string_equal(near("ports"), "port"); /* too much */
    assert_string_equal(near("pord"), "port");  /* wrong */
    assert_string_equal(near("prot"), "port");  /* swapped */
}

static void case_and_dashes_do_not_matter(void **state)
{
    (void)state;
    assert_string_equal(near("Call-Timeout"), "call_timeout");
    assert_string_equal(near("MAX_BODY"), "max_body");
}

static void the_nearest_wins_and_then_the_first(void **state)
{
    static const char *const twins[] = {"aaaab", "aaaac", "aaaad"};

    (void)state;
    assert_string_equal(near("load_timeuot"), "load_timeout");
    assert_string_equal(mcp_suggest("aaaaa", 5, twins, 3), "aaaab");
    assert_string_equal(mcp_suggest("aaaad", 5, twins, 3), "aaaad");
}

static void the_bound_of_edits_grows_with_the_length(void **state)
{
    static const char *const three[] = {"abc"}, *const seven[] = {"abcdefg"},
                             *const eight[] = {"abcdefgh"};

    (void)state;
    assert_non_null(mcp_suggest("abx", 3, three, 1));
    assert_null(mcp_suggest("axx", 3, three, 1));
    assert_non_null(mcp_suggest("abcdexx", 7, seven, 1));
    assert_null(mcp_suggest("abcdxxx", 7, seven, 1));
    assert_non_null(mcp_suggest("abcdexxx", 8, eight, 1));
    assert_null(mcp_suggest("abcdxxxx", 8, eight, 1));
}

static void nothing_in_common_is_not_near(void **state)
{
    (void)state;
    assert_null(near("a"));
    assert_null(near(""));
    assert_null(near("zzzzzzzz"));
    assert_null(mcp_suggest("port", 4, names, 0));
}

static void the_length_counts_not_the_nul(void **state)
{
    (void)state;
    assert_string_equal(mcp_suggest("portable", 4, names, 7), "port");
}

static void names_of_128_bytes_are_compared_and_of_129_not(void **state)
{
    char known[130], asked[130];
    const char *list[] = {known};

    (void)state;
    memset(known, 'k', sizeof(known));
    memset(asked, 'k', sizeof(asked));
    known[128] = '\0';
    asked[5] = 'x';
    assert_ptr_equal(mcp_suggest(asked, 128, list, 1), known);
    assert_null(mcp_suggest(asked, 129, list, 1));
    known[128] = 'k';
    known[129] = '\0';
    assert_null(mcp_suggest(asked, 128, list, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_edit_of_each_kind_is_near),
        cmocka_unit_test(case_and_dashes_do_not_matter),
        cmocka_unit_test(the_nearest_wins_and_then_the_first),
        cmocka_unit_test(the_bound_of_edits_grows_with_the_length),
        cmocka_unit_test(nothing_in_common_is_not_near),
        cmocka_unit_test(the_length_counts_not_the_nul),
        cmocka_unit_test(names_of_128_bytes_are_compared_and_of_129_not),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
