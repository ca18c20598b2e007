/* Mirrors src/cli/install_edit.c and json_text.c: texts of exact size, so that
 * a byte read behind one is seen by the sanitizer. */
#include "cli/install_edit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "cli/json_text.h"

static void fill(struct mcp_buf *b, const char *text)
{
    mcp_buf_init(b, 1 << 20);
    mcp_buf_puts(b, text);
    /* no room behind the text */
    if (b->len > 0) {
        b->data = realloc(b->data, b->len);
        b->cap = b->len;
    }
}

/* What becomes of `before` when a/b/c is set to 1. */
static void edits(const char *before, const char *after)
{
    static const char *const path[] = {"a", "b", "c"};
    char indent[MCP_EDIT_INDENT_BYTES];
    struct mcp_json_options options = {.max_depth = 16};
    struct mcp_arena *arena = mcp_arena_new(1 << 16);
    const struct mcp_json *tree;
    struct mcp_buf b;
    size_t bad = 0;

    fill(&b, before);
    mcp_edit_find_indent(&b, indent);
    assert_int_equal(mcp_edit_set(&b, indent, path, 3, "1", &bad), MCP_OK);
    assert_int_equal(
        mcp_json_parse(arena, b.data, b.len, &options, &tree, NULL), MCP_OK);
    mcp_buf_putc(&b, '\0');
    assert_string_equal(b.data, after);
    mcp_buf_free(&b);
    mcp_arena_free(arena);
}

static void what_is_missing_is_made(void **state)
{
    (void)state;
    edits("{}", "{\n  \"a\": {\n    \"b\": {\n      \"c\": 1\n    }\n  }\n}");
    edits("{\"x\":1}", "{\"x\":1,\n  \"a\": {\n    \"b\": {\n      \"c\": 1\n"
                       "    }\n  }\n}");
    edits("{\n\t\"x\": 1\n}\n", "{\n\t\"x\": 1,\n\t\"a\": {\n\t\t\"b\": {\n"
                                "\t\t\t\"c\": 1\n\t\t}\n\t}\n}\n");
    edits("{\n \"a\": {\n }\n}",
          "{\n \"a\": {\n  \"b\": {\n   \"c\": 1\n  }\n }\n}");
}

static void what_is_there_is_replaced(void **state)
{
    (void)state;
    edits("{\"a\":{\"b\":{\"c\":[{\"}\":\"\\\"]\"}]}}}",
          "{\"a\":{\"b\":{\"c\":1}}}");
    edits("{\"a\" : {\"b\":\n{\"c\" :2.50e1 , \"d\":3}}}",
          "{\"a\" : {\"b\":\n{\"c\" :1 , \"d\":3}}}");
    edits("{\"c\":0,\"b\":{\"a\":{}},\"a\":{\"c\":true,\"b\":{\"cc\":null,"
          "\"c\":\"\"}}}",
          "{\"c\":0,\"b\":{\"a\":{}},\"a\":{\"c\":true,\"b\":{\"cc\":null,"
          "\"c\":1}}}");
}

static void what_is_no_object_is_told(void **state)
{
    static const char *const path[] = {"a", "b", "c"};
    static const struct {
        const char *text;
        size_t bad;
    } cases[] = {
        {"[]", 0}, {"1", 0}, {"{\"a\":[]}", 1}, {"{\"a\":{\"b\":1}}", 2}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct mcp_buf b;
        size_t bad = 9;

        fill(&b, cases[i].text);
        assert_int_equal(mcp_edit_set(&b, "  ", path, 3, "1", &bad),
                         MCP_EINVAL);
        assert_int_equal(bad, cases[i].bad);
        assert_int_equal(b.len, strlen(cases[i].text));
        mcp_buf_free(&b);
    }
}

static void the_indent_is_that_of_the_first_member(void **state)
{
    static const struct {
        const char *text, *indent;
    } cases[] = {{"{\n   \"a\": 1}", "   "},
                 {"{\n\t\"a\": 1}", "\t"},
                 {"{\n               \"a\": 1}", "               "},
                 {"{\n                \"a\": 1}", "  "}, /* 16 */
                 {"{\"a\": 1}", "  "},
                 {"{\n    }", "  "},
                 {"{\n    ", "  "},
                 {"\n", "  "},
                 {"", "  "}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char indent[MCP_EDIT_INDENT_BYTES];
        struct mcp_buf b;

        fill(&b, cases[i].text);
        mcp_edit_find_indent(&b, indent);
        assert_string_equal(indent, cases[i].indent);
        mcp_buf_free(&b);
    }
}

static void differs(const char *old, const char *new, const char *expected)
{
    struct mcp_buf a, b, out;

    fill(&a, old);
    fill(&b, new);
    mcp_buf_init(&out, 1 << 20);
    mcp_edit_write_diff(&out, "f", &a, &b);
    mcp_buf_putc(&out, '\0');
    assert_string_equal(out.data, expected);
    mcp_buf_free(&a);
    mcp_buf_free(&b);
    mcp_buf_free(&out);
}

static void a_difference_has_three_lines_around_it(void **state)
{
    (void)state;
    differs("a\nb\n", "a\nb\n", "");
    differs("", "a\n", "--- /dev/null\n+++ f\n@@ -0,0 +1,1 @@\n+a\n");
    differs("1\n2\n3\n4\nx\n5\n6\n7\n8\n", "1\n2\n3\n4\ny\nz\n5\n6\n7\n8\n",
            "--- f\n+++ f\n@@ -2,7 +2,8 @@\n 2\n 3\n 4\n-x\n+y\n+z\n 5\n 6\n"
            " 7\n");
    differs("a", "b",
            "--- f\n+++ f\n@@ -1,1 +1,1 @@\n-a\n"
            "\\ No newline at end of file\n+b\n"
            "\\ No newline at end of file\n");
    differs("a", "a\n",
            "--- f\n+++ f\n@@ -1,1 +1,1 @@\n-a\n"
            "\\ No newline at end of file\n+a\n");
    differs("a\nb", "x\nb",
            "--- f\n+++ f\n@@ -1,2 +1,2 @@\n-a\n+x\n b\n"
            "\\ No newline at end of file\n");
    differs("a\na\n", "a\na\na\n",
            "--- f\n+++ f\n@@ -1,2 +1,3 @@\n a\n a\n+a\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_missing_is_made),
        cmocka_unit_test(what_is_there_is_replaced),
        cmocka_unit_test(what_is_no_object_is_told),
        cmocka_unit_test(the_indent_is_that_of_the_first_member),
        cmocka_unit_test(a_difference_has_three_lines_around_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
