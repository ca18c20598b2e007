/*
 * regex_test.c - patterns mean what ECMA-262 says, whatever PCRE2 thinks
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/regex.h"

static enum mcp_err match(const char *pattern, const char *text, size_t len,
                          uint32_t limit, bool *matched)
{
    struct mcp_regex_scratch scratch = {.arena = mcp_arena_new(1 << 25)};
    struct mcp_regex *re = NULL;
    char message[200] = "";
    enum mcp_err err;

    if (mcp_regex_compile(pattern, strlen(pattern), &re, message,
                          sizeof(message)) != MCP_OK)
        fail_msg("%s: %s", pattern, message);
    err = mcp_regex_match(re, text, len, limit, &scratch, matched, NULL);
    mcp_regex_free(re);
    mcp_arena_free(scratch.arena);
    return err;
}

/* The verdict on a short text, with limits that no sample reaches. */
static void expect(const char *pattern, const char *text, bool expected)
{
    bool matched = !expected;

    assert_int_equal(match(pattern, text, strlen(text), 1000000, &matched),
                     MCP_OK);
    if (matched != expected)
        fail_msg("%s on \"%s\" should be %d", pattern, text, expected);
}

struct sample {
    const char *pattern, *text;
    bool matches;
};

static void check(const struct sample *list, size_t count)
{
    size_t i;

    for (i = 0; i < count; i++)
        expect(list[i].pattern, list[i].text, list[i].matches);
}

#define CHECK(list) check(list, sizeof(list) / sizeof((list)[0]))

static void anchors_and_dots(void **state)
{
    static const struct sample list[] = {
        {"a", "cat", true},
        {"^a", "cat", false},
        {"^a$", "a\n", false},
        {"^a$", "b\na", false},
        {"^.$", "\n", false},
        {"^.$", "\r", false},
        {"^.$", "\xe2\x80\xa8", false},
        {"^.$", "\xf0\x9f\x98\x80", true},
        {"^[^]$", "\n", true},
        {"[]", "a", false},
        {"^$", "", true},
        {"", "", true},
        {"a{2}", "aa", true},
        {"^a{2,3}$", "aaaa", false},
        {"^a{2,}?$", "aaaa", true},
    };

    (void)state;
    CHECK(list);
}

static void classes_are_ecma_s(void **state)
{
    static const struct sample list[] = {
        {"^\\d$", "7", true},
        {"^\\d$", "\xe0\xa5\xa7", false},
        {"^\\D$", "\xe0\xa5\xa7", true},
        {"^\\w$", "\xc3\xa9", false},
        {"^\\W$", "\xc3\xa9", true},
        {"^[\\W]$", "\xc3\xa9", true},
        {"^\\s$", "\xc2\xa0", true},
        {"^\\s$", "\xef\xbb\xbf", true},
        {"^\\s$", "\xe2\x80\xa8", true},
        {"^\\s$", "\x0b", true},
        {"^\\s$", "\xe1\xa0\x8e", false},
        {"^\\S$", "\xc2\xa0", false},
        {"^[\\S]$", "\xe1\xa0\x8e", true},
        {"^[^\\s]$", "x", true},
        {"[^\\p{Nd}\\D]", "\xce\xa9", false},
        {"[^\\p{Nd}\\W]", "\xce\xa9", false},
        {"^[\\D]$", "\xce\xa9", true},
        {"^[a-c\\-]$", "-", true},
        {"^[\\b]$", "\b", true},
        {"\\bword\\b", "a word", true},
        {"^[\\]\\\\]$", "\\", true},
    };

    (void)state;
    CHECK(list);
}

static void properties_have_ecma_names(void **state)
{
    static const struct sample list[] = {
        {"^\\p{Letter}$", "\xc3\xa9", true},
        {"^\\p{L}$", "1", false},
        {"^\\p{General_Category=Decimal_Number}$", "\xe0\xa5\xa7", true},
        {"^\\p{gc=Nd}$", "\xe0\xa5\xa7", true},
        {"^\\P{Lu}$", "a", true},
        {"^[\\p{Script=Greek}\\d]$", "\xce\xb1", true},
        {"^\\p{sc=Cyrl}$", "\xce\xb1", false},
        {"^\\p{Alphabetic}$", "\xce\xb1", true},
        {"^\\p{ASCII}$", "\xce\xb1", false},
        {"^\\p{Emoji_Presentation}$", "\xf0\x9f\x98\x80", true},
        {"^\\p{Cased_Letter}$", "a", true},
        {"^\\p{digit}$", "5", true},
    };

    (void)state;
    CHECK(list);
}

static void escapes(void **state)
{
    static const struct sample list[] = {
        {"^\\cC$", "\x03", true},
        {"^\\cc$", "\x03", true},
        {"^\\t\\n\\v\\f\\r$", "\t\n\v\f\r", true},
        {"^\\x41\\u0042\\u{43}$", "ABC", true},
        {"^\\ud83d\\ude00$", "\xf0\x9f\x98\x80", true},
        {"^[\\ud83d\\ude00]$", "\xf0\x9f\x98\x80", true},
        {"^\\u{1F600}$", "\xf0\x9f\x98\x80", true},
        {"\\ud83d", "\xf0\x9f\x98\x80", false},
        {"[\\ud800-\\udfff]", "a", false},
        {"^\\/\\.\\$$", "/.$", true},
        {"^#x y$", "#x y", true},
        {"^a-b$", "a-b", true},
    };

    (void)state;
    CHECK(list);
}

static void groups_and_references(void **state)
{
    static const struct sample list[] = {
        {"^(a|b)\\1$", "aa", true},      {"^(a|b)\\1$", "ab", false},
        {"^(?<x>a)\\k<x>$", "aa", true}, {"^\\k<x>(?<x>a)$", "a", true},
        {"^(?:(a)|b)\\1$", "b", true},   {"^(?=a)a$", "a", true},
        {"^(?!a).$", "a", false},        {"(?<=\\$)\\d", "$5", true},
        {"(?<!\\$)\\d", "$5", false},    {"^(?:a(?<n>b)(c))\\2$", "abcc", true},
    };

    (void)state;
    CHECK(list);
}

static void what_ecma_refuses_is_refused(void **state)
{
    static const char *const list[] = {
        "(",
        ")",
        "a)",
        "(?",
        "(?a)",
        "*a",
        "a**",
        "a++",
        "a{2}{3}",
        "^*",
        "(?=a)*",
        "\\b+",
        "a{2,1}",
        "{",
        "a{",
        "a{,3}",
        "}",
        "]",
        "[a",
        "[b-a]",
        "[\\d-a]",
        "\\",
        "\\a",
        "\\Z",
        "\\A",
        "\\_",
        "\\-",
        "\\07",
        "\\1",
        "(a)\\2",
        "\\x4",
        "\\u12",
        "\\u{}",
        "\\u{110000}",
        "\\c1",
        "\\p",
        "\\p{}",
        "\\p{No}x{",
        "\\p{latin}",
        "\\p{Script=x1}",
        "\\p{letter}",
        "(?<a>x)(?<a>y)",
        "\\k<a>",
        "\\k",
        "(?<1>a)",
        "(*UTF)",
        "(?i)a",
        "(?#x)",
        "(?>a)",
        "a{70000}",
        "[[:alpha:]-z-\\d]",
    };
    struct mcp_regex *re;
    char message[200];
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
        message[0] = '\0';
        re = NULL;
        if (mcp_regex_compile(list[i], strlen(list[i]), &re, message,
                              sizeof(message)) != MCP_EINVAL ||
            re != NULL || message[0] == '\0')
            fail_msg("%s should be refused with a reason", list[i]);
    }
}

static void length_and_nesting_are_bounded(void **state)
{
    static char pattern[16386];
    struct mcp_regex *re = NULL;
    char message[200];

    (void)state;
    memset(pattern, 'a', sizeof(pattern));
    assert_int_equal(
        mcp_regex_compile(pattern, 16384, &re, message, sizeof(message)),
        MCP_OK);
    mcp_regex_free(re);
    assert_int_equal(
        mcp_regex_compile(pattern, 16385, &re, message, sizeof(message)),
        MCP_EINVAL);
    memset(pattern, '(', 200);
    memset(pattern + 200, ')', 200);
    assert_int_equal(
        mcp_regex_compile(pattern, 400, &re, message, sizeof(message)), MCP_OK);
    mcp_regex_free(re);
    memset(pattern, '(', 201);
    memset(pattern + 201, ')', 201);
    assert_int_equal(
        mcp_regex_compile(pattern, 402, &re, message, sizeof(message)),
        MCP_EINVAL);
}

static void long_texts_take_the_guarded_form(void **state)
{
    static const struct sample list[] = {
        {"^[a ]+b$", NULL, true},   {"^[a ]+c$", NULL, false},
        {"(a)\\1 *b$", NULL, true}, {"a(?=b)", NULL, true},
        {"(?:a|b)+$", NULL, true},  {"c|d", NULL, false},
    };
    char text[2001];
    bool matched;
    size_t i;

    (void)state;
    memset(text, 'a', 1999);
    text[1999] = 'b';
    for (i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
        matched = !list[i].matches;
        assert_int_equal(match(list[i].pattern, text, 2000, 10000000, &matched),
                         MCP_OK);
        if (matched != list[i].matches)
            fail_msg("%s", list[i].pattern);
    }
}

static void work_is_bounded_also_where_pcre2_does_not(void **state)
{
    enum { LENGTH = 1000000 };
    char *text = malloc(LENGTH);
    bool matched;
    clock_t start = clock();

    (void)state;
    assert_non_null(text);
    memset(text, '1', LENGTH);
    text[LENGTH - 1] = 'x';
    assert_int_equal(match("[0-9a]\\d*$", text, LENGTH, 1000000, &matched),
                     MCP_ELIMIT);
    assert_int_equal(match("^(1+)+$", text, LENGTH, 1000000, &matched),
                     MCP_ELIMIT);
    assert_int_equal(match("^(?:1|1)(?:1|1)(?:1|1)(?:1|1)(?:1|1)(?:1|1)"
                           "(?:1|1)(?:1|1)(?:1|1)(?:1|1)(?:1|1)(?:1|1)"
                           "(?:1|1)(?:1|1)(?:1|1)(?:1|1)(?:1|1)(?:1|1)"
                           "(?:1|1)(?:1|1)(?:1|1)(?:1|1)(?:1|1)(?:1|1)y",
                           text, LENGTH, 100000, &matched),
                     MCP_ELIMIT);
    assert_int_equal(match("^1*x$", text, LENGTH, 1000000, &matched), MCP_OK);
    assert_true(matched);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 5.0);
    free(text);
}

static void nul_is_a_character(void **state)
{
    bool matched = false;

    (void)state;
    assert_int_equal(match("^a\\0b$", "a\0b", 3, 1000, &matched), MCP_OK);
    assert_true(matched);
}

static void a_full_arena_is_reported(void **state)
{
    struct mcp_regex_scratch scratch = {.arena = mcp_arena_new(64)};
    struct mcp_regex *re = NULL;
    char message[200];
    bool matched;

    (void)state;
    assert_int_equal(mcp_regex_compile("a", 1, &re, message, sizeof(message)),
                     MCP_OK);
    assert_int_equal(
        mcp_regex_match(re, "a", 1, 1000, &scratch, &matched, NULL),
        MCP_ENOMEM);
    mcp_regex_free(re);
    mcp_arena_free(scratch.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(anchors_and_dots),
        cmocka_unit_test(classes_are_ecma_s),
        cmocka_unit_test(properties_have_ecma_names),
        cmocka_unit_test(escapes),
        cmocka_unit_test(groups_and_references),
        cmocka_unit_test(what_ecma_refuses_is_refused),
        cmocka_unit_test(length_and_nesting_are_bounded),
        cmocka_unit_test(long_texts_take_the_guarded_form),
        cmocka_unit_test(work_is_bounded_also_where_pcre2_does_not),
        cmocka_unit_test(nul_is_a_character),
        cmocka_unit_test(a_full_arena_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
