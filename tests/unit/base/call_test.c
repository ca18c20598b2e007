/*
 * call_test.c - names of revisions, look-up of headers
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "base/call.h"

static void revisions_have_their_names_and_order(void **state)
{
    static const char *const names[] = {"2025-03-26", "2025-06-18",
                                        "2025-11-25", "2026-07-28"};
    int r;

    (void)state;
    for (r = MCP_REVISION_FIRST; r <= (int)MCP_REVISION_LAST; r++) {
        assert_string_equal(mcp_revision_name((enum mcp_revision)r), names[r]);
        assert_int_equal(mcp_revision_parse(names[r], 10), r);
    }
    assert_int_equal(r, 4);
}

static void what_is_no_revision_is_refused(void **state)
{
    (void)state;
    assert_int_equal(mcp_revision_parse("2025-03-26x", 11), -1);
    assert_int_equal(mcp_revision_parse("2025-03-26", 9), -1);
    assert_int_equal(mcp_revision_parse("2024-11-05", 10), -1);
    assert_int_equal(mcp_revision_parse("", 0), -1);
}

static void only_the_newest_revision_is_modern(void **state)
{
    struct mcp_call call = {.revision = MCP_2025_11_25};

    (void)state;
    assert_false(mcp_call_is_modern(&call));
    call.revision = MCP_2026_07_28;
    assert_true(mcp_call_is_modern(&call));
}

static void headers_are_found_in_any_case_and_the_first_counts(void **state)
{
    static const struct mcp_header headers[] = {
        {"Accept", "a"}, {"ACCEPT", "b"}, {"Mcp-Name", "c"}};
    struct mcp_call call = {.headers = headers, .header_count = 3};

    (void)state;
    assert_string_equal(mcp_call_header(&call, "accept"), "a");
    assert_string_equal(mcp_call_header(&call, "MCP-NAME"), "c");
    assert_null(mcp_call_header(&call, "mcp"));
    assert_int_equal(mcp_call_header_count(&call, "Accept"), 2);
    assert_int_equal(mcp_call_header_count(&call, "mcp-name"), 1);
    assert_int_equal(mcp_call_header_count(&call, "host"), 0);
}

static void four_reply_headers_are_kept_in_order(void **state)
{
    static const char *const names[] = {"A", "B", "C", "D"};
    struct mcp_call call = {0};
    size_t i;

    (void)state;
    for (i = 0; i < 4; i++)
        mcp_call_reply_header(&call, names[i], "v");
    assert_int_equal(call.reply_header_count, 4);
    for (i = 0; i < 4; i++)
        assert_string_equal(call.reply_headers[i].name, names[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(revisions_have_their_names_and_order),
        cmocka_unit_test(what_is_no_revision_is_refused),
        cmocka_unit_test(only_the_newest_revision_is_modern),
        cmocka_unit_test(headers_are_found_in_any_case_and_the_first_counts),
        cmocka_unit_test(four_reply_headers_are_kept_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
