/* yaml_test.c - front matter to JSON, and what is refused where */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/yaml.h"

static struct mcp_arena *arena;
static struct mcp_yaml_doubts doubts;
static struct mcp_yaml_error wrong;

static int set_up(void **state)
{
    (void)state;
    arena = mcp_arena_new(64 << 20);
    return arena != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    mcp_arena_free(arena);
    return 0;
}

/* Parses a copy without a byte behind it, for the sanitizer. */
static enum mcp_err parse_n(const char *text, size_t len,
                            const struct mcp_json **tree)
{
    char *copy = malloc(len > 0 ? len : 1);
    enum mcp_err err;

    assert_non_null(copy);
    memcpy(copy, text, len);
    memset(&wrong, 0, sizeof(wrong));
    memset(&doubts, 0, sizeof(doubts));
    mcp_arena_reset(arena);
    err = mcp_yaml_parse(arena, copy, len, tree, &doubts, &wrong);
    free(copy);
    return err;
}

static void expect_json(const char *text, const char *json)
{
    const struct mcp_json *tree;
    struct mcp_buf out;

    mcp_buf_init(&out, 1 << 20);
    if (parse_n(text, strlen(text), &tree) != MCP_OK)
        fail_msg("%s: line %d: %s", text, wrong.line, wrong.reason);
    mcp_json_write(&out, tree);
    mcp_buf_putc(&out, '\0');
    assert_string_equal(out.data, json);
    mcp_buf_free(&out);
}

static void expect_error_n(const char *text, size_t len, enum mcp_err err,
                           int line, const char *reason)
{
    const struct mcp_json *tree = NULL;

    assert_int_equal(parse_n(text, len, &tree), err);
    assert_null(tree);
    if (strstr(wrong.reason, reason) == NULL)
        fail_msg("\"%s\" is not in \"%s\"", reason, wrong.reason);
    assert_int_equal(wrong.line, line);
    assert_non_null(wrong.advice);
}

static void expect_error(const char *text, int line, const char *reason)
{
    expect_error_n(text, strlen(text), MCP_EINVAL, line, reason);
}

/* {"v":...} of a plain scalar. */
static void expect_scalar(const char *scalar, const char *json)
{
    char text[200], object[200];

    (void)snprintf(text, sizeof(text), "v: %s", scalar);
    (void)snprintf(object, sizeof(object), "{\"v\":%s}", json);
    expect_json(text, object);
}

static void plain_scalars_follow_the_core_schema(void **state)
{
    static const char *const cases[][2] = {
        {"", "null"},
        {"~", "null"},
        {"null", "null"},
        {"Null", "null"},
        {"NULL", "null"},
        {"nULL", "\"nULL\""},
        {"true", "true"},
        {"True", "true"},
        {"TRUE", "true"},
        {"tRue", "\"tRue\""},
        {"false", "false"},
        {"no", "\"no\""},
        {"yes", "\"yes\""},
        {"on", "\"on\""},
        {"off", "\"off\""},
        {"y", "\"y\""},
        {"1", "1"},
        {"+1", "1"},
        {"-1", "-1"},
        {"-0", "-0"},
        {"007", "7"},
        {"0", "0"},
        {"00", "0"},
        {"010", "10"},
        {"-010", "-10"},
        {"0o17", "15"},
        {"0o18", "\"0o18\""},
        {"0x1F", "31"},
        {"0xg", "\"0xg\""},
        {"0x", "\"0x\""},
        {"-0x1", "\"-0x1\""},
        {"0xffffffffffffffff", "18446744073709551615"},
        {"1.0", "1.0"},
        {"1.10", "1.10"},
        {"1.", "1.0"},
        {".5", "0.5"},
        {"-.5", "-0.5"},
        {"+.5e1", "0.5e1"},
        {"1.e3", "1.0e3"},
        {"1e3", "1e3"},
        {"1e", "\"1e\""},
        {"1e+", "\"1e+\""},
        {".", "\".\""},
        {"+", "\"+\""},
        {"-.", "\"-.\""},
        {"1.0.0", "\"1.0.0\""},
        {"2024-05-01", "\"2024-05-01\""},
        {"1_000", "\"1_000\""},
        {"12:30", "\"12:30\""},
        {"0b11", "\"0b11\""},
        {"9007199254740993", "9007199254740993"},
        {"123456789012345678901234567890", "123456789012345678901234567890"},
        {"\"1.0\"", "\"1.0\""},
        {"'no'", "\"no\""},
        {"\"true\"", "\"true\""},
        {"\"\"", "\"\""},
        {"'~'", "\"~\""},
        {"\"a\\u00e9\\n\\0\"", "\"a\303\251\\n\\u0000\""},
        {"caf\303\251", "\"caf\303\251\""},
        {"inf", "\"inf\""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        expect_scalar(cases[i][0], cases[i][1]);
}

static void numbers_without_json_are_refused(void **state)
{
    static const char *const cases[] = {".inf", "-.INF", "+.Inf", ".nan",
                                        ".NaN"};
    char text[40];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        (void)snprintf(text, sizeof(text), "a: 1\nv: %s", cases[i]);
        expect_error(text, 2, "a number that JSON does not have");
    }
    expect_error("v: 1e999", 1, "beyond the range of a double");
    expect_error("v: 0x10000000000000000", 1, "more than 64 bits");
    expect_error("v: 0o2000000000000000000000", 1, "more than 64 bits");
    expect_scalar("0o1777777777777777777777", "18446744073709551615");
}

static void collections_keep_their_order(void **state)
{
    (void)state;
    expect_json("z: [1, {a: b}, []]\na:\n  - x\n  - y: {}\nm:\n",
                "{\"z\":[1,{\"a\":\"b\"},[]],\"a\":[\"x\",{\"y\":{}}],"
                "\"m\":null}");
    expect_json("t: >\n  one\n  two\n\nu: |\n  a\n   b\n",
                "{\"t\":\"one two\\n\",\"u\":\"a\\n b\\n\"}");
    expect_json("t: a\r\nu: >-\r\n  b\r\n  c\r\n",
                "{\"t\":\"a\",\"u\":\"b c\"}");
    expect_json("# only\na: b # and\n...\n", "{\"a\":\"b\"}");
    expect_json("{}", "{}");
}

static void anchors_are_written_out(void **state)
{
    (void)state;
    expect_json("a: &x {k: [1]}\nb: *x\nc: *x\n",
                "{\"a\":{\"k\":[1]},\"b\":{\"k\":[1]},\"c\":{\"k\":[1]}}");
    expect_json("a: &x 1\nb: &x 2\nc: *x\n", "{\"a\":1,\"b\":2,\"c\":2}");
    expect_json("&k a: 1\nb: *k\n", "{\"a\":1,\"b\":\"a\"}");
    expect_error("a: 1\nb: *x\n", 2, "no such anchor: x");
    expect_error("a: &x [1, *x]\n", 1, "contains itself: x");
}

static void further_lines_are_indented(void **state)
{
    (void)state;
    expect_error("a: [x,\ny]\n", 2, "not indented");
    expect_error("a:\n  b: [x,\n  y]\n", 3, "not indented");
    expect_error("a: 1\nb: {x: 1,\ny: 2}\n", 3, "not indented");
    expect_error("a: \"x\ny\"\n", 2, "not indented");
    expect_error("a: 'x\n\n\ny'\n", 4, "not indented");
    expect_error("a:\n- 'x\ny'\n", 3, "not indented");
    expect_error("a:\n  - 'x\n  y'\n", 3, "not indented");
    expect_error("a: [x\ny]\n", 2, "not indented");
    expect_error("a: [[x,\n  y,\nz]]\n", 3, "not indented");
    expect_error("a:\n|\n x\n", 2, "not indented");
    expect_json("a: [x,\n y]\nb: {x: 1,\n y: 2\n}\n",
                "{\"a\":[\"x\",\"y\"],\"b\":{\"x\":1,\"y\":2}}");
    expect_json("a: \"\303\251\n y\"\nb: 'x\n\n y'\nc: x\n y\n",
                "{\"a\":\"\303\251 y\",\"b\":\"x\\ny\",\"c\":\"x y\"}");
    expect_json("a:\n- 'x\n y'\n- k: \"x\n   y\"\n",
                "{\"a\":[\"x y\",{\"k\":\"x y\"}]}");
    expect_json("a: &x\n  k: \"a\n   b\"\nb: &y\n  - [a,\n   b]\n",
                "{\"a\":{\"k\":\"a b\"},\"b\":[[\"a\",\"b\"]]}");
    expect_json("a: !!map\n  k:\n    - b\n  l:\n  - c\nd:\n",
                "{\"a\":{\"k\":[\"b\"],\"l\":[\"c\"]},\"d\":null}");
    expect_json("{\na: [\nb\n]\n}\n", "{\"a\":[\"b\"]}");
    expect_json("? a\n? b\n: c\n", "{\"a\":null,\"b\":\"c\"}");
}

static void marks_in_flow_are_refused(void **state)
{
    (void)state;
    expect_error("a: [x, -, y]\n", 1, "a dash");
    expect_error("a:\n [?x]\n", 2, "begins with ?");
    expect_error("a: {?x: 1}\n", 1, "begins with ?");
    expect_json("a: [-1, -x, \"-\", '?x', {? x : 1}]\n",
                "{\"a\":[-1,\"-x\",\"-\",\"?x\",{\"x\":1}]}");
}

static void tags_of_the_core_schema_are_checked(void **state)
{
    (void)state;
    expect_json("a: !!str 12\nb: !!int \"12\"\nc: !!float 1.0\nd: !!null ''\n"
                "e: !!bool true\nf: !!seq []\ng: !!map {}\nh: ! 1\n",
                "{\"a\":\"12\",\"b\":12,\"c\":1.0,\"d\":null,\"e\":true,"
                "\"f\":[],\"g\":{},\"h\":\"1\"}");
    expect_error("a: !!int x\n", 1, "a tag that does not suit the value");
    expect_error("a: !!float 1\n", 1, "a tag that does not suit the value");
    expect_error("a: !!int 1.5\n", 1, "a tag that does not suit the value");
    expect_error("\na: !!bool yes\n", 2, "a tag that does not suit");
    expect_error("a: !!binary aGk=\n", 1, "2002:binary");
    expect_error("a: !!set {x: }\n", 1, "2002:set");
    expect_error("a: !mine 1\n", 1, "!mine");
    expect_error("a: !mine {b: 1}\n", 1, "!mine");
    expect_error("a: !e!x 1\n", 1, "undefined tag handle");
}

static void keys_are_text_and_come_once(void **state)
{
    (void)state;
    expect_error("a: 1\n2: x\n", 2, "a key that is not text");
    expect_error("true: x\n", 1, "a key that is not text");
    expect_error("~: x\n", 1, "a key that is not text");
    expect_error("? [a]\n: x\n", 1, "a key that is not text");
    expect_error("a: 1\nb: 2\na: 3\n", 3, "a key that comes twice: a");
    expect_error("m:\n  k: 1\n  \"k\": 3\n", 3, "a key that comes twice: k");
    expect_error("a: &x {b: 1}\nc:\n  <<: *x\n", 3, "a merge key");
    expect_json("\"<<\": 1\n\"2\": x\n", "{\"<<\":1,\"2\":\"x\"}");
}

static void long_texts_are_cut_between_characters(void **state)
{
    char text[200] = "", expected[80] = "a key that comes twice: x";

    (void)state;
    for (int i = 0; i < 2; i++) {
        strcat(text, "\"x");
        for (int k = 0; k < 30; k++)
            strcat(text, "\303\251");
        strcat(text, "\": 1\n");
    }
    for (int k = 0; k < 19; k++)
        strcat(expected, "\303\251");
    expect_error(text, 2, expected);
    assert_string_equal(wrong.reason, expected);
}

static void one_mapping_is_a_document(void **state)
{
    (void)state;
    expect_error("", 1, "");
    expect_error("# nothing\n", 2, "");
    expect_error("- a\n", 1, "not a mapping");
    expect_error("text\n", 1, "not a mapping");
    expect_error("a: 1\n...\n---\nb: 2\n", 3, "more than one document");
    expect_error("a: 1\n--- x\n", 2, "more than one document");
}

static void libyaml_says_where(void **state)
{
    (void)state;
    expect_error("name: x\ndescription: a: b\n", 2,
                 "mapping values are not allowed");
    assert_non_null(strstr(wrong.advice, "quotes"));
    expect_error("a: 1\nb: \"open\n", 3, "unexpected end of stream");
    expect_error("a: 1\n\tb: 2\n", 2, "a tab character");
    expect_error("a:\n\t- 2\n", 2, "cannot start any token");
    expect_error("a: @x\n", 1, "cannot start any token");
    expect_error("a: 'x' y\n", 1, "did not find expected key");
    expect_error("a: [1, 2\n", 2, "did not find expected");
    expect_error("a: 1\nb\n", 3, "could not find expected ':'");
    expect_error("a: \"\\q\"\n", 1, "unknown escape character");
    expect_error("a: \"\\ud800\"\n", 1, "invalid Unicode");
}

static void bytes_that_are_no_text_are_refused(void **state)
{
    (void)state;
    expect_error_n("a: 1\nb: \0\n", 10, MCP_EINVAL, 2, "U+0000");
    expect_error("a: \x01\n", 1, "U+0001");
    expect_error("a: \x7f\n", 1, "U+007F");
    expect_error("a: 1\r\nb: \302\205\n", 2, "U+0085");
    expect_error("a: 1\nb: \342\200\250\n", 2, "U+2028");
    expect_error("a: 1\nb: 2\rc: 3\n", 2, "U+000D");
    expect_error("a: 1\r", 1, "U+000D");
    expect_error("a: \342\200\251\n", 1, "U+2029");
    expect_error("a: \357\273\277\n", 1, "U+FEFF");
    expect_error("a: 1\nb: \xff\n", 2, "not UTF-8");
    expect_error("a: 1\nb: \xc3", 2, "not UTF-8");
    expect_error("a: \355\240\200\n", 1, "not UTF-8");
    expect_json("a: \360\237\230\200\342\200\247\n",
                "{\"a\":\"\360\237\230\200\342\200\247\"}");
}

static void other_readers_are_told_of(void **state)
{
    static const char *const cases[][3] = {
        {"no", "text", "false"},
        {"On", "text", "true"},
        {"2024-5-1", "text", "a date"},
        {"2024-05-01T10:00:00Z", "text", "a date"},
        {"010", "the number 10", "an octal number"},
        {"0o10", "the number 8", "text"},
        {"1e3", "the number 1e3", "text"},
        {"0b11", "text", "a number"},
        {"12:30:45", "text", "a number"},
        {"1_000", "text", "a number"},
    };
    static const char *const none[] = {
        "1",     "1.0",   "1.0e3",   "true",        "\"no\"", "x",
        "1.2.3", "12:75", "2024-05", "2024-05-01x", "_1",     "0x1f"};
    const struct mcp_json *tree;
    char text[80];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        (void)snprintf(text, sizeof(text), "a: 1\nv: %s\n", cases[i][0]);
        assert_int_equal(parse_n(text, strlen(text), &tree), MCP_OK);
        if (doubts.count != 1)
            fail_msg("%s: no doubt", cases[i][0]);
        assert_int_equal(doubts.items[0].line, 2);
        assert_string_equal(doubts.items[0].text, cases[i][0]);
        assert_string_equal(doubts.items[0].here, cases[i][1]);
        assert_string_equal(doubts.items[0].yaml11, cases[i][2]);
    }
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        (void)snprintf(text, sizeof(text), "v: %s\n", none[i]);
        assert_int_equal(parse_n(text, strlen(text), &tree), MCP_OK);
        if (doubts.count != 0)
            fail_msg("%s: a doubt", none[i]);
    }
}

/* ---- limits, at N and N + 1 ---- */

static void doubts_are_at_most_64(void **state)
{
    const struct mcp_json *tree;
    char text[1000] = "a: [no";

    (void)state;
    for (size_t count = 2; count <= MCP_YAML_MAX_DOUBTS + 1; count++) {
        strcat(text, ",no");
        assert_int_equal(parse_n(text, strlen(text), &tree), MCP_EINVAL);
        strcat(text, "]");
        assert_int_equal(parse_n(text, strlen(text), &tree), MCP_OK);
        text[strlen(text) - 1] = '\0';
        assert_int_equal(doubts.count, count <= MCP_YAML_MAX_DOUBTS
                                           ? count
                                           : MCP_YAML_MAX_DOUBTS);
    }
}

static void repeat(struct mcp_buf *b, const char *text, size_t count)
{
    while (count-- > 0)
        mcp_buf_puts(b, text);
}

static void expect_limit(const struct mcp_buf *b, bool fits, const char *reason)
{
    const struct mcp_json *tree = NULL;

    assert_false(b->failed);
    assert_int_equal(parse_n(b->data, b->len, &tree),
                     fits ? MCP_OK : MCP_ELIMIT);
    if (!fits && strstr(wrong.reason, reason) == NULL)
        fail_msg("\"%s\" is not in \"%s\"", reason, wrong.reason);
}

static void text_is_at_most_64_kib(void **state)
{
    struct mcp_buf b;

    (void)state;
    mcp_buf_init(&b, 1 << 20);
    mcp_buf_puts(&b, "a: 1\n");
    repeat(&b, "#", MCP_YAML_MAX_TEXT - 5);
    expect_limit(&b, true, "");
    mcp_buf_putc(&b, '#');
    expect_limit(&b, false, "longer than 64 KiB");
    mcp_buf_free(&b);
}

static void depth_is_at_most_32(void **state)
{
    struct mcp_buf b;

    (void)state;
    mcp_buf_init(&b, 1 << 20);
    for (size_t extra = 0; extra < 2; extra++) {
        mcp_buf_clear(&b);
        mcp_buf_puts(&b, "a: ");
        repeat(&b, "[", MCP_YAML_MAX_DEPTH - 1 + extra);
        repeat(&b, "]", MCP_YAML_MAX_DEPTH - 1 + extra);
        expect_limit(&b, extra == 0, "nested deeper than 32");
    }
    /* hidden behind anchors: a is 1 deep, b 2, ... */
    for (size_t extra = 0; extra < 2; extra++) {
        mcp_buf_clear(&b);
        mcp_buf_puts(&b, "k0: &x0 []\n");
        for (size_t i = 1; i < MCP_YAML_MAX_DEPTH - 1 + extra; i++)
            mcp_buf_printf(&b, "k%zu: &x%zu [*x%zu]\n", i, i, i - 1);
        expect_limit(&b, extra == 0, "nested deeper than 32");
    }
    mcp_buf_free(&b);
}

static void values_are_at_most_10000(void **state)
{
    struct mcp_buf b;

    (void)state;
    mcp_buf_init(&b, 1 << 20);
    for (size_t extra = 0; extra < 2; extra++) {
        mcp_buf_clear(&b);
        mcp_buf_puts(&b, "a: ["); /* the mapping, the key, the list */
        repeat(&b, "1,", MCP_YAML_MAX_NODES - 3 + extra);
        mcp_buf_puts(&b, "]");
        expect_limit(&b, extra == 0, "more than 10000 values");
    }
    /* by aliases: a root, 2 keys, a list of 100 in 98 lists and one more */
    for (size_t extra = 0; extra < 2; extra++) {
        mcp_buf_clear(&b);
        mcp_buf_puts(&b, "a: &x [");
        repeat(&b, "1,", 99); /* 100 with the list */
        mcp_buf_puts(&b, "]\nb: [");
        repeat(&b, "*x,", 98); /* 3 + 1 + 99 * 100 = 9904 */
        repeat(&b, "1,", 96 + extra);
        mcp_buf_puts(&b, "]");
        expect_limit(&b, extra == 0, "more than 10000 values");
    }
    mcp_buf_free(&b);
}

static void bytes_are_at_most_64_kib_behind_aliases(void **state)
{
    struct mcp_buf b;

    (void)state;
    mcp_buf_init(&b, 1 << 20);
    for (size_t extra = 0; extra < 2; extra++) {
        mcp_buf_clear(&b);
        mcp_buf_puts(&b, "a: &x "); /* 2 keys of a byte */
        repeat(&b, "x", 1024);
        mcp_buf_puts(&b, "\nb: [");
        repeat(&b, "*x,", 62); /* 63 KiB */
        mcp_buf_putc(&b, '"');
        repeat(&b, "y", 1022 + extra);
        mcp_buf_puts(&b, "\"]");
        expect_limit(&b, extra == 0, "more than 64 KiB of text");
    }
    mcp_buf_free(&b);
}

static void anchors_are_at_most_256(void **state)
{
    struct mcp_buf b;

    (void)state;
    mcp_buf_init(&b, 1 << 20);
    for (size_t extra = 0; extra < 2; extra++) {
        mcp_buf_clear(&b);
        for (size_t i = 0; i < MCP_YAML_MAX_ANCHORS + extra; i++)
            mcp_buf_printf(&b, "k%zu: &a%zu\n", i, i);
        expect_limit(&b, extra == 0, "more than 256 anchors");
    }
    mcp_buf_free(&b);
}

static void a_billion_laughs_are_refused(void **state)
{
    struct mcp_buf b;

    (void)state;
    mcp_buf_init(&b, 1 << 20);
    mcp_buf_puts(&b, "a0: &a0 [lol,lol,lol,lol,lol,lol,lol,lol,lol]\n");
    for (int i = 1; i < 10; i++) {
        mcp_buf_printf(&b, "a%d: &a%d [", i, i);
        for (int n = 0; n < 9; n++)
            mcp_buf_printf(&b, "*a%d%s", i - 1, n < 8 ? "," : "]\n");
    }
    expect_limit(&b, false, "more than 10000 values");
    mcp_buf_free(&b);
}

static void keys_know_their_line(void **state)
{
    const struct mcp_json *tree;
    const char text[] = "a: 1\n\nb:\n  c: 2\n";

    (void)state;
    assert_int_equal(parse_n(text, strlen(text), &tree), MCP_OK);
    assert_int_equal((int)tree->u.members[0].key.number, 1);
    assert_int_equal((int)tree->u.members[1].key.number, 3);
}

static void a_full_arena_is_no_crash(void **state)
{
    const char text[] = "a: &x [1, 2, {k: v}]\nb: *x\nc: no\nd: 010\n";

    (void)state;
    for (size_t room = 16; room < 40000; room += 16) {
        struct mcp_arena *small = mcp_arena_new(room);
        const struct mcp_json *tree;
        enum mcp_err err;

        assert_non_null(small);
        err = mcp_yaml_parse(small, text, strlen(text), &tree, &doubts, NULL);
        mcp_arena_free(small);
        if (err == MCP_OK)
            return;
        assert_int_equal(err, MCP_ENOMEM);
    }
    fail_msg("needs more than 40 kB");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_scalars_follow_the_core_schema),
        cmocka_unit_test(numbers_without_json_are_refused),
        cmocka_unit_test(collections_keep_their_order),
        cmocka_unit_test(anchors_are_written_out),
        cmocka_unit_test(further_lines_are_indented),
        cmocka_unit_test(marks_in_flow_are_refused),
        cmocka_unit_test(tags_of_the_core_schema_are_checked),
        cmocka_unit_test(keys_are_text_and_come_once),
        cmocka_unit_test(long_texts_are_cut_between_characters),
        cmocka_unit_test(one_mapping_is_a_document),
        cmocka_unit_test(libyaml_says_where),
        cmocka_unit_test(bytes_that_are_no_text_are_refused),
        cmocka_unit_test(other_readers_are_told_of),
        cmocka_unit_test(doubts_are_at_most_64),
        cmocka_unit_test(text_is_at_most_64_kib),
        cmocka_unit_test(depth_is_at_most_32),
        cmocka_unit_test(values_are_at_most_10000),
        cmocka_unit_test(bytes_are_at_most_64_kib_behind_aliases),
        cmocka_unit_test(anchors_are_at_most_256),
        cmocka_unit_test(a_billion_laughs_are_refused),
        cmocka_unit_test(keys_know_their_line),
        cmocka_unit_test(a_full_arena_is_no_crash),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
