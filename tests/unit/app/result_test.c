/*
 * result_test.c - "What a tool may return", and every way to fail
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#include "app/result.h"
#include "lua_common.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define TEXT(s)  "[{\"type\":\"text\",\"text\":\"" s "\"}]"

enum { OUT_MAX = 1 << 16 };

struct fixture {
    struct test_lua lua;
    struct mcp_arena *arena;
    struct mcp_outcome o;
    struct mcp_result_options options;
    const char *fault;
};

static void open_fixture(struct fixture *f)
{
    test_lua_open(&f->lua);
    f->arena = NULL;
    mcp_outcome_init(&f->o, OUT_MAX);
    f->options = (struct mcp_result_options){.kind = MCP_KIND_TOOL,
                                             .name = "t",
                                             .revision = MCP_2026_07_28,
                                             .max_blob_bytes = 100,
                                             .expose_errors = true};
}

static void close_fixture(struct fixture *f)
{
    mcp_outcome_free(&f->o);
    mcp_arena_free(f->arena);
    test_lua_close(&f->lua);
}

static void schema(struct fixture *f, const char *text)
{
    f->options.output_tree = text != NULL ? test_json(&f->arena, text) : NULL;
}

static void returns(struct fixture *f, const char *code)
{
    int count = test_lua_run(&f->lua, code);

    f->fault = "untouched";
    mcp_result_write(f->lua.L, count, &f->options, &f->o, &f->fault);
    assert_int_equal(lua_gettop(f->lua.L), count);
    assert_int_equal(f->o.kind, MCP_OUTCOME_RESULT);
}

static void raises(struct fixture *f, const char *code)
{
    test_lua_raise(&f->lua, code);
    mcp_result_write_error(f->lua.L, -1, &f->options, &f->o);
    assert_int_equal(lua_gettop(f->lua.L), 1);
    assert_int_equal(f->o.kind, MCP_OUTCOME_RESULT);
    assert_true(f->o.is_error);
}

static void span_is(const struct fixture *f, struct mcp_span span,
                    const char *expected)
{
    char text[2048];

    assert_true(span.len < sizeof(text));
    if (span.len > 0)
        memcpy(text, f->o.text.data + span.at, span.len);
    text[span.len] = '\0';
    assert_string_equal(text, expected);
}

static void succeeds(struct fixture *f, const char *code, const char *content,
                     const char *structured)
{
    returns(f, code);
    if (f->o.is_error)
        fail_msg("%s: %.*s", code, (int)f->o.message.len,
                 f->o.text.data + f->o.message.at);
    span_is(f, f->o.content, content);
    span_is(f, f->o.structured, structured);
    assert_null(f->fault);
}

/* The text of a failure; `fault` NULL: not the app's. */
static void fails(struct fixture *f, const char *code, const char *text,
                  const char *fault)
{
    returns(f, code);
    if (!f->o.is_error)
        fail_msg("succeeded: %s", code);
    span_is(f, f->o.message, text);
    span_is(f, f->o.structured, "");
    if (fault == NULL)
        assert_null(f->fault);
    else
        assert_string_equal(f->fault, fault);
}

/* ---- data ---- */

static void plain_values_become_one_text_block(void **state)
{
    static const struct {
        const char *code, *content;
    } cases[] = {
        {"return 'hi \"you\"'", TEXT("hi \\\"you\\\"")},
        {"return ''", TEXT("")},
        {"return 'a/b\\0'", TEXT("a/b\\u0000")},
        {"return 42", TEXT("42")},
        {"return 1.5", TEXT("1.5")},
        {"return 9007199254740993LL", TEXT("9007199254740993")},
        {"return true", TEXT("true")},
        {"return false", TEXT("false")},
        {"return false, 'x'", TEXT("false")},
        {"return mcp.null", TEXT("null")},
        {"return {}", TEXT("{}")},
        {"return mcp.array{}", TEXT("[]")},
        {"return {1, 'a\"b\\\\'}", TEXT("[1,\\\"a\\\\\\\"b\\\\\\\\\\\"]")},
        {"return {a = {}}", TEXT("{\\\"a\\\":{}}")},
        {"return 'one', 'two'", TEXT("one")},
        {"return", "[]"},
        {"return nil", "[]"},
        {"return nil, nil", "[]"},
    };
    struct fixture f;
    size_t i;

    (void)state;
    open_fixture(&f);
    for (i = 0; i < COUNT(cases); i++)
        succeeds(&f, cases[i].code, cases[i].content, "");
    close_fixture(&f);
}

static void an_output_schema_adds_structured_content(void **state)
{
    static const struct {
        const char *schema, *code, *content, *structured;
    } cases[] = {
        {"{\"type\":\"object\"}", "return {a = 1}", TEXT("{\\\"a\\\":1}"),
         "{\"a\":1}"},
        {"{\"type\":\"array\"}", "return {}", TEXT("[]"), "[]"},
        {"{\"type\":\"object\"}", "return {}", TEXT("{}"), "{}"},
        {"{\"type\":\"number\"}", "return 2", TEXT("2"), "2"},
        {"{\"type\":\"boolean\"}", "return false", TEXT("false"), "false"},
        {"{\"type\":\"null\"}", "return mcp.null", TEXT("null"), "null"},
        {"{\"type\":\"string\"}", "return 'a\"'", TEXT("a\\\""), "\"a\\\"\""},
        {"{\"type\":[\"null\",\"string\"]}", "return 'a'", TEXT("a"), "\"a\""},
        {"{\"enum\":[\"a\"]}", "return 'a'", TEXT("a"), "\"a\""},
        /* looks like a block, a list of blocks, a result: is data */
        {"{\"type\":\"object\"}", "return {type = 'text', text = 'x'}",
         TEXT("{\\\"type\\\":\\\"text\\\",\\\"text\\\":\\\"x\\\"}"), NULL},
        {"{\"type\":\"array\"}", "return {{type = 'text', text = 'x'}}", NULL,
         NULL},
        {"{\"type\":\"object\"}",
         "return {content = {{type = 'text', text = 'x'}}}", NULL, NULL},
        {"{\"type\":\"object\"}", "return {content = {}}",
         TEXT("{\\\"content\\\":{}}"), "{\"content\":{}}"},
    };
    struct fixture f;
    size_t i;

    (void)state;
    open_fixture(&f);
    for (i = 0; i < COUNT(cases); i++) {
        schema(&f, cases[i].schema);
        returns(&f, cases[i].code);
        assert_false(f.o.is_error);
        assert_true(f.o.structured.len > 0);
        if (cases[i].structured != NULL) {
            span_is(&f, f.o.content, cases[i].content);
            span_is(&f, f.o.structured, cases[i].structured);
        }
        assert_false(f.o.structured_by_author);
        assert_null(f.fault);
    }
    close_fixture(&f);
}

static void success_without_structured_content_is_the_apps_fault(void **state)
{
    static const char fault[] = "no structured content under an output schema";
    static const struct {
        const char *code, *text;
    } cases[] = {
        {"return",
         "Tool \"t\" returned nothing, but its output schema asks for "
         "structured content"},
        {"return mcp.text('x')",
         "Tool \"t\" returned content blocks, but its output schema asks for "
         "structured content"},
        {"return {mcp.text('x')}",
         "Tool \"t\" returned content blocks, but its output schema asks for "
         "structured content"},
        {"return mcp.result{content = 'x'}",
         "Tool \"t\" returned a result without `structured`, but its output "
         "schema asks for structured content"},
        {"return {content = {mcp.text('x')}}",
         "Tool \"t\" returned a result without `structured`, but its output "
         "schema asks for structured content"},
        {"return {content = {{type='text', text='x'}}, isError = false}",
         "Tool \"t\" returned a result without `structured`, but its output "
         "schema asks for structured content"},
    };
    struct fixture f;
    size_t i;

    (void)state;
    open_fixture(&f);
    schema(&f, "{\"type\":\"object\"}");
    for (i = 0; i < COUNT(cases); i++)
        fails(&f, cases[i].code, cases[i].text, fault);
    fails(&f, "return 'x'",
          "Tool \"t\" returned a string, but its output schema wants "
          "something else",
          "a string under an output schema of another type");
    fails(&f, "return nil, 'no'", "no", NULL);
    close_fixture(&f);
}

static void what_cannot_be_sent_names_its_path(void **state)
{
    static const struct {
        const char *code, *text;
    } cases[] = {
        {"return {x = {1, print}}", "/x/1 is a function, which JSON cannot "
                                    "carry"},
        {"return {x = 0/0}", "/x is NaN, which JSON cannot carry"},
        {"return math.huge", "it is infinite, which JSON cannot carry"},
        {"return print", "it is a function, which JSON cannot carry"},
        {"return '\\255\\254'", "it is not valid UTF-8 (byte 1)"},
        {"return {[1] = 'a', [4000] = 'b'}",
         "it is a list with holes: item 2 is missing"},
        {"return mcp.result{structured = {a = print}}",
         "/structuredContent/a is a function, which JSON cannot carry"},
        {"return mcp.result{meta = {a = print}}",
         "/_meta/a is a function, which JSON cannot carry"},
    };
    char text[300];
    struct fixture f;
    size_t i;

    (void)state;
    open_fixture(&f);
    for (i = 0; i < COUNT(cases); i++) {
        (void)snprintf(text, sizeof(text),
                       "The result of tool \"t\" cannot be sent: %s",
                       cases[i].text);
        fails(&f, cases[i].code, text, "a value that JSON cannot carry");
    }
    close_fixture(&f);
}

static void a_result_as_large_as_the_room_is_sent_and_no_larger(void **state)
{
    struct fixture f;

    (void)state;
    open_fixture(&f);
    mcp_outcome_free(&f.o);
    mcp_outcome_init(&f.o, 1027);
    returns(&f, "return ('x'):rep(1000)");
    assert_false(f.o.is_error);
    assert_int_equal(f.o.content.len, 1027);
    fails(&f, "return ('x'):rep(1001)",
          "The result of tool \"t\" is too large to be sent",
          "the result is too large");
    /* the JSON itself and its quoted copy */
    fails(&f, "return {('x'):rep(600)}",
          "The result of tool \"t\" is too large to be sent",
          "the result is too large");
    fails(&f, "return {('x'):rep(2000)}",
          "The result of tool \"t\" is too large to be sent",
          "the result is too large");
    fails(&f, "return mcp.text(('x'):rep(2000))",
          "The result of tool \"t\" is too large to be sent",
          "the result is too large");
    close_fixture(&f);
}

/* ---- blocks ---- */

static void blocks_are_sent_as_they_are(void **state)
{
    static const struct {
        const char *code, *content;
    } cases[] = {
        {"return mcp.text('a\"b')", TEXT("a\\\"b")},
        {"return mcp.text(12)", TEXT("12")},
        {"return {mcp.text('a'), 'b\"'}",
         "[{\"type\":\"text\",\"text\":\"a\"},"
         "{\"type\":\"text\",\"text\":\"b\\\"\"}]"},
        {"return {'a', 'b', mcp.text('c')}",
         "[{\"type\":\"text\",\"text\":\"a\"},"
         "{\"type\":\"text\",\"text\":\"b\"},"
         "{\"type\":\"text\",\"text\":\"c\"}]"},
        {"return {mcp.text('a'), mcp.text('b')}",
         "[{\"type\":\"text\",\"text\":\"a\"},"
         "{\"type\":\"text\",\"text\":\"b\"}]"},
        {"return {type = 'text', text = 'raw'}", TEXT("raw")},
        {"return {{type = 'text', text = 'a'}}", TEXT("a")},
        {"return {content = {{type = 'text', text = 'a'}}}", TEXT("a")},
        {"return {content = {mcp.text('a')}}", TEXT("a")},
        {"return {content = {}}", "[]"},
        {"return mcp.result{content = 'a'}", TEXT("a")},
        {"return mcp.result{content = mcp.text('a')}", TEXT("a")},
        {"return mcp.result{content = {mcp.text('a')}}", TEXT("a")},
        {"return mcp.result{content = {'a'}}", TEXT("a")},
        {"return mcp.result{content = {}}", "[]"},
        {"return mcp.result{}", "[]"},
        {"local b = mcp.text('a') b.annotations = {priority = 1} return b",
         NULL},
    };
    struct fixture f;
    size_t i;

    (void)state;
    open_fixture(&f);
    for (i = 0; i < COUNT(cases); i++) {
        returns(&f, cases[i].code);
        assert_false(f.o.is_error);
        if (cases[i].content != NULL)
            span_is(&f, f.o.content, cases[i].content);
        span_is(&f, f.o.structured, "");
        assert_null(f.fault);
    }
    close_fixture(&f);
}

/* One block, read back as JSON: `key` must have the JSON text `expected`. */
static void member_is(struct fixture *f, const char *key, const char *expected)
{
    const struct mcp_json *v;
    struct mcp_buf b;
    char text[1024];

    assert_true(f->o.content.len < sizeof(text));
    memcpy(text, f->o.text.data + f->o.content.at, f->o.content.len);
    text[f->o.content.len] = '\0';
    v = test_json(&f->arena, text);
    assert_int_equal(v->count, 1);
    v = mcp_json_find(&v->u.items[0], key);
    if (expected == NULL) {
        assert_null(v);
        return;
    }
    assert_non_null(v);
    mcp_buf_init(&b, 1024);
    mcp_json_write(&b, v);
    mcp_buf_putc(&b, '\0');
    assert_string_equal(b.data, expected);
    mcp_buf_free(&b);
}

static void bytes_are_sent_as_base64(void **state)
{
    struct fixture f;

    (void)state;
    open_fixture(&f);
    returns(&f, "return mcp.image('\\255\\254\\0', 'image/png')");
    member_is(&f, "type", "\"image\"");
    member_is(&f, "data", "\"//4A\"");
    member_is(&f, "mimeType", "\"image/png\"");
    returns(&f, "return mcp.audio('abcd', 'audio/wav')");
    member_is(&f, "type", "\"audio\"");
    member_is(&f, "data", "\"YWJjZA==\"");
    returns(&f, "return mcp.audio('', 'audio/wav')");
    member_is(&f, "data", "\"\"");
    returns(&f, "return {type = 'image', data = 'YWJjZA==', mimeType = 'x/y'}");
    member_is(&f, "data", "\"YWJjZA==\"");
    returns(&f, "return mcp.embedded{uri = 'app://x', blob = 'ab',"
                " mime_type = 'x/y', annotations = {priority = 1}}");
    member_is(&f, "type", "\"resource\"");
    member_is(&f, "annotations", "{\"priority\":1}");
    returns(&f, "return mcp.embedded{uri = 'app://x', blob = 'ab'}");
    returns(&f, "local b = mcp.embedded{uri = 'u:x', blob = 'ab'}"
                " b.resource.uri = 'u' return b");
    assert_false(f.o.is_error);
    returns(&f, "return {type = 'resource', resource = {uri = 'u:x',"
                " blob = 'YWI='}}");
    assert_false(f.o.is_error);
    fails(&f, "return {type = 'image', data = '\\255', mimeType = 'x/y'}",
          "The result of tool \"t\" cannot be sent: /data is not base64; "
          "mcp.image, mcp.audio and mcp.embedded take the bytes themselves",
          "a malformed content block");
    fails(&f,
          "return {mcp.text('a'), {type = 'resource', resource = {uri = 'u:x',"
          " blob = 'a'}}}",
          "The result of tool \"t\" cannot be sent: /1/resource/blob is not "
          "base64; mcp.image, mcp.audio and mcp.embedded take the bytes "
          "themselves",
          "a malformed content block");
    close_fixture(&f);
}

static void a_blob_of_the_limit_is_sent_and_no_larger(void **state)
{
    static const char *const at_limit[] = {
        "return mcp.image(('x'):rep(100), 'i/p')",
        "return mcp.embedded{uri = 'u:', blob = ('x'):rep(100)}",
        /* 100 bytes as base64 of the author */
        "return {type = 'image', data = ('AAAA'):rep(33) .. 'AA==',"
        " mimeType = 'i/p'}",
    };
    struct fixture f;
    size_t i;

    (void)state;
    open_fixture(&f);
    for (i = 0; i < COUNT(at_limit); i++) {
        returns(&f, at_limit[i]);
        assert_false(f.o.is_error);
    }
    fails(&f, "return mcp.image(('x'):rep(101), 'i/p')",
          "The result of tool \"t\" cannot be sent: /data has 101 bytes, more "
          "than max_blob_bytes (100)",
          "a blob beyond max_blob_bytes");
    fails(&f,
          "return mcp.result{content = {mcp.embedded{uri = 'u:',"
          " blob = ('x'):rep(101)}}}",
          "The result of tool \"t\" cannot be sent: /content/0/resource/blob "
          "has 101 bytes, more than max_blob_bytes (100)",
          "a blob beyond max_blob_bytes");
    fails(&f,
          "return {type = 'image', data = ('AAAA'):rep(33) .. 'AAA=',"
          " mimeType = 'i/p'}",
          "The result of tool \"t\" cannot be sent: /data has 101 bytes, more "
          "than max_blob_bytes (100)",
          "a blob beyond max_blob_bytes");
    close_fixture(&f);
}

static void everything_else_is_data(void **state)
{
    static const struct {
        const char *code, *first;
    } cases[] = {
        {"return {type = 'text'}", "{"},
        {"return {type = 'text', text = 5}", "{"},
        {"return {type = 'text', text = 'a', 'b'}", NULL},
        {"return {type = 'movie', text = 'a'}", "{"},
        {"return {type = 'image', data = 'YQ=='}", "{"},
        {"return {type = 'audio', mimeType = 'a/b'}", "{"},
        {"return {type = 'resource_link', uri = 'u:x'}", "{"},
        {"return {type = 'resource', resource = {uri = 'u:x'}}", "{"},
        {"return {type = 'resource', resource = {text = 'x'}}", "{"},
        {"return {mcp.text('a'), 'b', n = 2}", NULL},
        {"return {'a', {type = 'text', text = 'b'}}", "["},
        {"return {'a', mcp.text('b'), 3}", "["},
        {"return {mcp.text('a'), {}}", "["},
        {"return {a = mcp.text('a')}", "{"},
        {"return {content = {'a', 'b'}}", "{"},
        {"return {content = 'a'}", "{"},
        {"return {content = {mcp.text('a')}, more = 1}", "{"},
        {"return {isError = true}", "{"},
        {"return {content = {mcp.image('\\255', 'i/p'), 'caption'}}", "{"},
    };
    static const char head[] = "[{\"type\":\"text\",\"text\":\"";
    struct fixture f;
    size_t i;

    (void)state;
    open_fixture(&f);
    for (i = 0; i < COUNT(cases); i++) {
        returns(&f, cases[i].code);
        assert_int_equal(f.o.is_error, cases[i].first == NULL);
        if (cases[i].first == NULL)
            continue;
        assert_memory_equal(f.o.text.data + f.o.content.at, head,
                            sizeof(head) - 1);
        if (f.o.text.data[f.o.content.at + sizeof(head) - 1] !=
            cases[i].first[0])
            fail_msg("%s", cases[i].code);
        assert_null(f.fault);
    }
    close_fixture(&f);
}

static void blocks_of_later_revisions_are_made_to_fit(void **state)
{
    static const char link[] =
        "return mcp.resource_link{uri = 'app://x', name = 'n', title = 'T',"
        " mime_type = 'a/b', size = 5, meta = {a = 1}, icons = {{src = 's'}}}";
    struct fixture f;

    (void)state;
    open_fixture(&f);
    returns(&f, link);
    member_is(&f, "type", "\"resource_link\"");
    member_is(&f, "uri", "\"app://x\"");
    member_is(&f, "name", "\"n\"");
    member_is(&f, "mimeType", "\"a/b\"");
    member_is(&f, "size", "5");
    member_is(&f, "_meta", "{\"a\":1}");
    member_is(&f, "icons", "[{\"src\":\"s\"}]");
    f.options.revision = MCP_2025_11_25;
    returns(&f, link);
    member_is(&f, "icons", "[{\"src\":\"s\"}]");
    f.options.revision = MCP_2025_06_18;
    returns(&f, link);
    member_is(&f, "icons", NULL);
    member_is(&f, "_meta", "{\"a\":1}");
    f.options.revision = MCP_2025_03_26;
    returns(&f, link);
    span_is(&f, f.o.content, TEXT("app://x"));
    returns(&f, "return {type = 'text', text = 'a', _meta = {}}");
    span_is(&f, f.o.content, TEXT("a"));
    returns(&f, "return {type = 'resource', resource = {uri = 'u:x',"
                " text = 'a', _meta = {}}}");
    assert_null(memmem(f.o.text.data, f.o.text.len, "_meta", 5));
    close_fixture(&f);
}

/* ---- results ---- */

static void a_result_is_sent_exactly(void **state)
{
    struct fixture f;

    (void)state;
    open_fixture(&f);
    returns(&f, "return mcp.result{content = 'c', structured = {a = {}},"
                " meta = {k = 'v'}}");
    assert_false(f.o.is_error);
    assert_true(f.o.structured_by_author);
    span_is(&f, f.o.content, TEXT("c"));
    span_is(&f, f.o.structured, "{\"a\":{}}");
    span_is(&f, f.o.meta, "{\"k\":\"v\"}");
    returns(&f, "return mcp.result{structured = {1}}");
    span_is(&f, f.o.content, TEXT("[1]"));
    span_is(&f, f.o.structured, "[1]");
    returns(&f, "return mcp.result{is_error = true, content = 'bad',"
                " structured = mcp.null}");
    assert_true(f.o.is_error);
    assert_true(f.o.structured_by_author);
    span_is(&f, f.o.structured, "null");
    assert_null(f.fault);
    returns(&f, "return {content = {{type = 'text', text = 'c'}},"
                " structuredContent = {a = 1}, isError = true, _meta = {}}");
    assert_true(f.o.is_error);
    assert_true(f.o.structured_by_author);
    span_is(&f, f.o.content, TEXT("c"));
    span_is(&f, f.o.structured, "{\"a\":1}");
    span_is(&f, f.o.meta, "{}");
    schema(&f, "{\"type\":\"object\",\"properties\":{\"l\":{\"type\":"
               "\"array\"}}}");
    succeeds(&f, "return mcp.result{structured = {l = {}}}",
             TEXT("{\\\"l\\\":[]}"), "{\"l\":[]}");
    succeeds(&f, "return {content = {}, structuredContent = {l = {}}}", "[]",
             "{\"l\":[]}");
    /* a failure needs nothing structured */
    returns(&f, "return mcp.result{is_error = true, content = 'bad'}");
    assert_true(f.o.is_error);
    assert_null(f.fault);
    close_fixture(&f);
}

static void malformed_results_are_the_apps_fault(void **state)
{
    static const struct {
        const char *code, *text;
    } cases[] = {
        {"return mcp.result{content = {5}}",
         "/content is no list of content blocks"},
        {"return mcp.result{content = {a = 'x'}}",
         "/content is no list of content blocks"},
        {"return {content = {}, isError = 1}",
         "/isError is a number, not a boolean"},
        {"return mcp.result{meta = {1}}", "/_meta is no object"},
    };
    char text[300];
    struct fixture f;
    size_t i;

    (void)state;
    open_fixture(&f);
    for (i = 0; i < COUNT(cases); i++) {
        (void)snprintf(text, sizeof(text),
                       "The result of tool \"t\" cannot be sent: %s",
                       cases[i].text);
        fails(&f, cases[i].code, text, "a malformed result");
    }
    fails(&f, "local b = mcp.text('a') b.text = nil return b",
          "The result of tool \"t\" cannot be sent: it is a content block with "
          "a member missing or of the wrong type",
          "a malformed content block");
    close_fixture(&f);
}

/* ---- failures ---- */

static void nil_and_a_message_is_a_failure_of_the_tool(void **state)
{
    struct fixture f;

    (void)state;
    open_fixture(&f);
    f.options.expose_errors = false;
    fails(&f, "return nil, 'out of beans'", "out of beans", NULL);
    fails(&f, "return nil, 'app.lua:1: kept'", "app.lua:1: kept", NULL);
    fails(&f, "return nil, 42", "42", NULL);
    fails(&f, "return nil, {message = 'm'}", "m", NULL);
    span_is(&f, f.o.content, TEXT("m"));
    close_fixture(&f);
}

static void raised_strings_lose_their_position(void **state)
{
    static const struct {
        const char *code, *text;
    } cases[] = {
        {"error('boom')", "boom"},
        {"error('boom', 0)", "boom"},
        {"error('a.lua:12: x', 0)", "x"},
        {"error('a.lua:12: b.lua:3: x', 0)", "b.lua:3: x"},
        {"error('[string \"x y\"]:1: z', 0)", "z"},
        {"error('a.lua:: x', 0)", "a.lua:: x"},
        {"error('a.lua:1x: x', 0)", "a.lua:1x: x"},
        {"error('a.lua:1:x', 0)", "a.lua:1:x"},
        {"error('a.lua:1', 0)", "a.lua:1"},
        {"error('a.lua:1:', 0)", "a.lua:1:"},
        {"error('a.lua:1: ', 0)", ""},
        {"error(':1: x', 0)", ":1: x"},
        {"error('a\\nb:1: x', 0)", "a\nb:1: x"},
        {"error('', 0)", ""},
        {"local x = nil + 1", "attempt to perform arithmetic on a nil value"},
    };
    struct fixture f;
    size_t i;

    (void)state;
    open_fixture(&f);
    for (i = 0; i < COUNT(cases); i++) {
        raises(&f, cases[i].code);
        span_is(&f, f.o.message, cases[i].text);
    }
    close_fixture(&f);
}

static void other_raised_values_are_told(void **state)
{
    static const struct {
        const char *code, *text;
    } cases[] = {
        {"error(nil)", "Tool \"t\" raised nil"},
        {"error()", "Tool \"t\" raised nil"},
        {"error(false)", "Tool \"t\" raised a boolean"},
        {"error(print)", "Tool \"t\" raised a function"},
        {"error(1LL)", "Tool \"t\" raised a cdata"},
        {"error(5)", "5"},
        {"error({})", "Tool \"t\" raised a table without a message"},
        {"error(setmetatable({}, {__tostring = error, __index = error}))",
         "Tool \"t\" raised a table without a message"},
    };
    struct fixture f;
    size_t i;

    (void)state;
    open_fixture(&f);
    for (i = 0; i < COUNT(cases); i++) {
        raises(&f, cases[i].code);
        span_is(&f, f.o.message, cases[i].text);
    }
    close_fixture(&f);
}

static void an_error_table_carries_structured_and_meta(void **state)
{
    struct fixture f;

    (void)state;
    open_fixture(&f);
    f.options.expose_errors = false;
    raises(&f, "error{message = 'sold out', structured = {left = 0},"
               " meta = {a = 1}}");
    span_is(&f, f.o.content, TEXT("sold out"));
    span_is(&f, f.o.structured, "{\"left\":0}");
    span_is(&f, f.o.meta, "{\"a\":1}");
    assert_true(f.o.structured_by_author);
    raises(&f, "error{message = 'm', structured = {f = print}, meta = {1}}");
    span_is(&f, f.o.content, TEXT("m"));
    span_is(&f, f.o.structured, "");
    span_is(&f, f.o.meta, "");
    assert_false(f.o.structured_by_author);
    close_fixture(&f);
}

static void hidden_errors_tell_only_the_log(void **state)
{
    struct fixture f;

    (void)state;
    open_fixture(&f);
    f.options.expose_errors = false;
    raises(&f, "error('password=1')");
    span_is(&f, f.o.content, TEXT("Internal error in tool t"));
    span_is(&f, f.o.message, "password=1");
    raises(&f, "error(nil)");
    span_is(&f, f.o.content, TEXT("Internal error in tool t"));
    returns(&f, "return {x = print}");
    span_is(&f, f.o.content, TEXT("Internal error in tool t"));
    assert_string_equal(f.fault, "a value that JSON cannot carry");
    close_fixture(&f);
}

static void protocol_errors_are_read(void **state)
{
    static const struct {
        const char *code, *problem;
    } wrong[] = {
        {"return 5", "code must be an integer"},
        {"return {message = 'x'}", "code must be an integer"},
        {"return {code = 1.5, message = 'x'}", "code must be an integer"},
        {"return {code = '1', message = 'x'}", "code must be an integer"},
        {"return {code = 2^31, message = 'x'}", "code must be an integer"},
        {"return {code = 0/0, message = 'x'}", "code must be an integer"},
        {"return {code = 1}", "message must be a string"},
        {"return {code = 1, message = 5}", "message must be a string"},
        {"return {code = 1, message = 'x', data = {a = print}}",
         "data/a is a function, which JSON cannot carry"},
    };
    char problem[200];
    struct fixture f;
    size_t i;

    (void)state;
    open_fixture(&f);
    test_lua_run(&f.lua, "return {code = -32602, message = 'm',"
                         " data = {a = 1}}");
    assert_true(mcp_result_write_protocol_error(f.lua.L, -1, &f.o, problem,
                                                sizeof(problem)));
    assert_int_equal(lua_gettop(f.lua.L), 1);
    assert_int_equal(f.o.kind, MCP_OUTCOME_ERROR);
    assert_int_equal(f.o.code, -32602);
    span_is(&f, f.o.message, "m");
    span_is(&f, f.o.data, "{\"a\":1}");
    test_lua_run(&f.lua, "return {code = 2^31 - 1, message = ''}");
    assert_true(mcp_result_write_protocol_error(f.lua.L, 1, &f.o, problem,
                                                sizeof(problem)));
    assert_int_equal(f.o.code, INT32_MAX);
    span_is(&f, f.o.data, "");
    for (i = 0; i < COUNT(wrong); i++) {
        test_lua_run(&f.lua, wrong[i].code);
        assert_false(mcp_result_write_protocol_error(f.lua.L, -1, &f.o, problem,
                                                     sizeof(problem)));
        assert_string_equal(problem, wrong[i].problem);
        assert_int_equal(lua_gettop(f.lua.L), 1);
    }
    close_fixture(&f);
}

/* ---- constructors ---- */

static void constructors_check_their_arguments(void **state)
{
    static const struct {
        const char *code, *text;
    } cases[] = {
        {"mcp.text()", "mcp.text: the text must be a string, got no value"},
        {"mcp.text({})", "mcp.text: the text must be a string, got table"},
        {"mcp.image('x')",
         "mcp.image: the mime_type must be a string, got no value"},
        {"mcp.image(nil, 'i/p')",
         "mcp.image: the bytes must be a string, got nil"},
        {"mcp.audio('x', '')",
         "mcp.audio: mime_type must look like \"image/png\", got \"\""},
        {"mcp.image('x', 'png')",
         "mcp.image: mime_type must look like \"image/png\", got \"png\""},
        {"mcp.embedded{uri = 'u:x', text = 't', mime_type = 'plain'}",
         "mcp.embedded: mime_type must look like \"image/png\", got \"plain\""},
        {"mcp.resource_link{uri = 'u:x', name = 'n', mime_type = 'plain'}",
         "mcp.resource_link: mime_type must look like \"image/png\", got "
         "\"plain\""},
        {"mcp.image('x', '/png')",
         "mcp.image: mime_type must look like \"image/png\", got \"/png\""},
        {"mcp.image('x', 'image/')",
         "mcp.image: mime_type must look like \"image/png\", got \"image/\""},
        {"mcp.resource_link('x')",
         "mcp.resource_link wants a table, got string"},
        {"mcp.resource_link{name = 'n'}",
         "mcp.resource_link: `uri` is missing"},
        {"mcp.resource_link{uri = 'u:'}",
         "mcp.resource_link: `name` is missing"},
        {"mcp.resource_link{uri = 'u:', name = 5}",
         "mcp.resource_link: `name` must be a string, got number"},
        {"mcp.resource_link{uri = 'u:', name = 'n', mimeType = 'x'}",
         "mcp.resource_link: unknown field \"mimeType\"; did you mean "
         "\"mime_type\"?"},
        {"mcp.resource_link{uri = 'u:', name = 'n', zzzzzz = 'x'}",
         "mcp.resource_link: unknown field \"zzzzzz\"; there is uri, name, "
         "title, description, mime_type, size, annotations, icons, meta"},
        {"mcp.resource_link{uri = 'u:', name = 'n', 'x'}",
         "mcp.resource_link: the table has a number as a key"},
        {"mcp.resource_link{uri = 'u:', name = 'n', size = -1}",
         "mcp.resource_link: `size` must be a count of bytes"},
        {"mcp.resource_link{uri = 'u:', name = 'n', size = 1.5}",
         "mcp.resource_link: `size` must be a count of bytes"},
        {"mcp.embedded{uri = 'u:'}", "mcp.embedded wants `text` or `blob`"},
        {"mcp.embedded{uri = 'u:', text = 'a', blob = 'b'}",
         "mcp.embedded wants `text` or `blob`, not both"},
        {"mcp.embedded{text = 'a'}", "mcp.embedded: `uri` is missing"},
        {"mcp.result{is_error = 1}",
         "mcp.result: `is_error` must be a boolean, got number"},
        {"mcp.result{content = 5}",
         "mcp.result: `content` must be a string, a content block or a list "
         "of them, got number"},
        {"mcp.result{isError = true}",
         "mcp.result: unknown field \"isError\"; did you mean \"is_error\"?"},
        {"mcp.array(5)", "mcp.array wants a table, got number"},
        {"mcp.object('x')", "mcp.object wants a table, got string"},
        {"mcp.array(setmetatable({}, {}))",
         "mcp.array: the table has a metatable already"},
    };
    struct fixture f;
    size_t i;

    (void)state;
    open_fixture(&f);
    for (i = 0; i < COUNT(cases); i++) {
        raises(&f, cases[i].code);
        span_is(&f, f.o.message, cases[i].text);
    }
    test_lua_run(&f.lua, "local t = {} assert(mcp.array(t) == t)"
                         "assert(mcp.object(mcp.array(t)) == t)"
                         "assert(mcp.null == mcp.null)");
    close_fixture(&f);
}

static void every_refused_allocation_leaves_no_leak(void **state)
{
    static const char code[] =
        "return {mcp.text('a' .. tostring({})), mcp.image('b', 'i/p'),"
        " mcp.embedded{uri = 'u:', blob = 'b', meta = {}},"
        " mcp.resource_link{uri = 'u:', name = 'n', size = 3}}";
    size_t n, refused = 1;

    (void)state;
    for (n = 1; refused > 0; n++) {
        struct fixture f;
        int status;

        open_fixture(&f);
        assert_int_equal(luaL_loadstring(f.lua.L, code), 0);
        f.lua.refuse_at = f.lua.allocations + n;
        status = lua_pcall(f.lua.L, 0, 1, 0);
        refused = f.lua.refused;
        f.lua.refuse_at = 0;
        assert_int_equal(status, refused > 0 ? LUA_ERRMEM : 0);
        if (status != 0)
            mcp_result_write_error(f.lua.L, -1, &f.options, &f.o);
        else
            mcp_result_write(f.lua.L, 1, &f.options, &f.o, NULL);
        assert_int_equal(f.o.is_error, status != 0);
        if (status != 0)
            span_is(&f, f.o.message, "not enough memory");
        close_fixture(&f);
    }
    assert_true(n > 10);
}

static void writing_takes_no_lua_memory(void **state)
{
    struct fixture f;
    size_t before;

    (void)state;
    open_fixture(&f);
    test_lua_run(&f.lua,
                 "return mcp.result{content = {mcp.image('a', 'i/p'),"
                 " mcp.resource_link{uri = 'u:', name = 'n', meta = {a = 1}},"
                 " {type = 'resource', resource = {uri = 'u:', text = 'x'}},"
                 " 'text'}, structured = {1}, meta = {a = {}}}");
    luaL_checkstack(f.lua.L, 200, "");
    before = f.lua.allocations;
    mcp_result_write(f.lua.L, 1, &f.options, &f.o, NULL);
    assert_false(f.o.is_error);
    assert_int_equal(f.lua.allocations, before);
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_values_become_one_text_block),
        cmocka_unit_test(an_output_schema_adds_structured_content),
        cmocka_unit_test(success_without_structured_content_is_the_apps_fault),
        cmocka_unit_test(what_cannot_be_sent_names_its_path),
        cmocka_unit_test(a_result_as_large_as_the_room_is_sent_and_no_larger),
        cmocka_unit_test(blocks_are_sent_as_they_are),
        cmocka_unit_test(bytes_are_sent_as_base64),
        cmocka_unit_test(a_blob_of_the_limit_is_sent_and_no_larger),
        cmocka_unit_test(everything_else_is_data),
        cmocka_unit_test(blocks_of_later_revisions_are_made_to_fit),
        cmocka_unit_test(a_result_is_sent_exactly),
        cmocka_unit_test(malformed_results_are_the_apps_fault),
        cmocka_unit_test(nil_and_a_message_is_a_failure_of_the_tool),
        cmocka_unit_test(raised_strings_lose_their_position),
        cmocka_unit_test(other_raised_values_are_told),
        cmocka_unit_test(an_error_table_carries_structured_and_meta),
        cmocka_unit_test(hidden_errors_tell_only_the_log),
        cmocka_unit_test(protocol_errors_are_read),
        cmocka_unit_test(constructors_check_their_arguments),
        cmocka_unit_test(every_refused_allocation_leaves_no_leak),
        cmocka_unit_test(writing_takes_no_lua_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
