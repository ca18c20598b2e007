/*
 * result_kinds_test.c - prompts, resources and completers: what has no room,
 * what the constructors refuse, and a Lua that has no memory
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

struct fixture {
    struct test_lua lua;
    struct mcp_outcome o;
    struct mcp_result_options options;
    const char *fault;
};

static void open_fixture(struct fixture *f, enum mcp_kind kind, size_t max)
{
    test_lua_open(&f->lua);
    mcp_outcome_init(&f->o, max);
    f->options = (struct mcp_result_options){.kind = kind,
                                             .name = "x",
                                             .revision = MCP_2026_07_28,
                                             .max_blob_bytes = 100,
                                             .expose_errors = true,
                                             .uri = "t:a"};
}

static void close_fixture(struct fixture *f)
{
    mcp_outcome_free(&f->o);
    test_lua_close(&f->lua);
}

static void returns(struct fixture *f, const char *code)
{
    int count = test_lua_run(&f->lua, code);

    mcp_result_write(f->lua.L, count, &f->options, &f->o, &f->fault);
    assert_int_equal(lua_gettop(f->lua.L), count);
}

static void span_is(const struct fixture *f, struct mcp_span span,
                    const char *expected)
{
    assert_int_equal(span.len, strlen(expected));
    if (span.len > 0)
        assert_memory_equal(f->o.text.data + span.at, expected, span.len);
}

/* The smallest room in which `code` gives `content`; one byte less gives
 * `reason`. */
static void needs(enum mcp_kind kind, const char *instructions,
                  const char *code, const char *content, const char *reason)
{
    size_t enough = 0, max;
    struct fixture f;

    for (max = 600; max > 0; max--) {
        open_fixture(&f, kind, max);
        f.options.instructions = instructions;
        returns(&f, code);
        if (f.fault == NULL) {
            assert_int_equal(f.o.kind, MCP_OUTCOME_RESULT);
            span_is(&f, f.o.content, content);
            enough = max;
        } else {
            assert_string_equal(f.fault, "the result is too large");
            assert_true(f.o.kind == MCP_OUTCOME_ERROR ||
                        kind == MCP_KIND_COMPLETER);
            if (f.o.reason.len == 0) /* no room even for that */
                assert_true(kind == MCP_KIND_COMPLETER || f.o.message.len > 0);
            else
                span_is(&f, f.o.reason,
                        f.o.reason.len == strlen(reason)
                            ? reason
                            : "the error message is too long to be sent");
        }
        close_fixture(&f);
        if (enough != max)
            break;
    }
    assert_true(enough > 0 && max == enough - 1);
    assert_true(enough >= strlen(content));
}

static void what_has_no_room_is_refused(void **state)
{
    (void)state;
    needs(MCP_KIND_PROMPT, NULL, "return ('y'):rep(300)",
          "[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\""
          "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"
          "yyyy"
          "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"
          "yyyy"
          "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"
          "yyyy"
          "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"
          "yyyy"
          "yyyyyyyyyyyy\"}}]",
          "The result of prompt \"x\" is too large to be sent");
    needs(MCP_KIND_PROMPT, "I", "return mcp.assistant 'a'",
          "[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"I\"}},"
          "{\"role\":\"assistant\",\"content\":{\"type\":\"text\",\"text\":"
          "\"a\"}}]",
          "The result of prompt \"x\" is too large to be sent");
    needs(MCP_KIND_RESOURCE, NULL, "return 'text'",
          "[{\"uri\":\"t:a\",\"mimeType\":\"text/plain\",\"text\":\"text\"}]",
          "The result of resource \"x\" is too large to be sent");
    needs(MCP_KIND_RESOURCE, NULL, "return { 'a' }",
          "[{\"uri\":\"t:a\",\"mimeType\":\"application/json\",\"text\":"
          "\"[\\\"a\\\"]\"}]",
          "The result of resource \"x\" is too large to be sent");
    needs(MCP_KIND_RESOURCE, NULL, "return mcp.blob('abc', 'a/b')",
          "[{\"uri\":\"t:a\",\"mimeType\":\"a/b\",\"blob\":\"YWJj\"}]",
          "The result of resource \"x\" is too large to be sent");
    needs(MCP_KIND_COMPLETER, NULL, "return { 'a', 7 }", "[\"a\",\"7\"]",
          "The result of completer \"x\" is too large to be sent");
}

static void an_error_that_has_no_room_keeps_its_message(void **state)
{
    static const char text_only[] = "{\"statusCode\":500,\"content\":\"m\"}";
    size_t with_text = 0;

    (void)state;
    for (size_t max = 20; max < 200; max++) {
        struct fixture f;

        open_fixture(&f, MCP_KIND_RESOURCE, max);
        test_lua_raise(&f.lua, "error { message = 'm', structured = "
                               "{ ('y'):rep(200) } }");
        mcp_result_write_error(f.lua.L, -1, &f.options, &f.o);
        assert_int_equal(f.o.kind, MCP_OUTCOME_ERROR);
        span_is(&f, f.o.message, "Resource read failed");
        assert_false(f.o.text.failed);
        if (f.o.data.len > 0) {
            span_is(&f, f.o.data, text_only);
            with_text++;
        }
        close_fixture(&f);
    }
    assert_true(with_text > 100);
}

static void an_ending_must_have_its_shape(void **state)
{
    struct fixture f;
    char problem[100] = "";

    (void)state;
    open_fixture(&f, MCP_KIND_RESOURCE, 1000);
    assert_int_equal(test_lua_run(&f.lua, "return { status = 404 }"), 1);
    assert_false(mcp_result_write_ending(f.lua.L, 1, &f.options, &f.o, problem,
                                         sizeof(problem)));
    assert_string_equal(problem, "message must be a string");
    assert_int_equal(lua_gettop(f.lua.L), 1);
    test_lua_run(&f.lua, "return { status = 7, message = 'm' }");
    assert_true(mcp_result_write_ending(f.lua.L, 1, &f.options, &f.o, problem,
                                        sizeof(problem)));
    span_is(&f, f.o.data, "{\"statusCode\":500,\"content\":\"m\"}");
    test_lua_run(&f.lua,
                 "return { status = 404, message = 'm', not_found = true }");
    assert_true(mcp_result_write_ending(f.lua.L, 1, &f.options, &f.o, problem,
                                        sizeof(problem)));
    assert_int_equal(f.o.kind, MCP_OUTCOME_NOT_FOUND);
    span_is(&f, f.o.message, "m");
    f.options.kind = MCP_KIND_TOOL;
    assert_true(mcp_result_write_ending(f.lua.L, 1, &f.options, &f.o, problem,
                                        sizeof(problem)));
    assert_int_equal(f.o.kind, MCP_OUTCOME_RESULT);
    assert_true(f.o.is_error);
    span_is(&f, f.o.content, "[{\"type\":\"text\",\"text\":\"m\"}]");
    close_fixture(&f);
}

static void constructors_check_what_they_are_given(void **state)
{
    static const struct {
        const char *code, *message;
    } wrong[] = {
        {"mcp.user()", "mcp.user wants a string or one content block, got no "
                       "value"},
        {"mcp.user(1)", "mcp.user wants a string or one content block, got "
                        "number"},
        {"mcp.assistant { 'a', 'b' }", "mcp.assistant wants a string or one "
                                       "content block, got another table"},
        {"mcp.blob()", "mcp.blob: the bytes must be a string, got no value"},
        {"mcp.blob('a', '')",
         "mcp.blob: mime_type must look like \"image/png\", got \"\""},
        {"mcp.blob('a', {})", "mcp.blob: the mime_type must be a string, got "
                              "table"},
    };
    struct fixture f;

    (void)state;
    open_fixture(&f, MCP_KIND_PROMPT, 1000);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        test_lua_raise(&f.lua, wrong[i].code);
        if (strstr(lua_tostring(f.lua.L, -1), wrong[i].message) == NULL)
            fail_msg("%s: %s", wrong[i].code, lua_tostring(f.lua.L, -1));
    }
    close_fixture(&f);
}

/* A tool that returns what only resources know says so. */
static void a_blob_is_for_resources(void **state)
{
    struct fixture f;

    (void)state;
    open_fixture(&f, MCP_KIND_TOOL, 1000);
    returns(&f, "return mcp.blob('a', 'a/b')");
    assert_true(f.o.is_error);
    assert_non_null(f.fault);
    close_fixture(&f);
}

/* Writing takes no Lua memory: not a single allocation may be needed. */
static void writing_takes_no_lua_memory(void **state)
{
    static const struct {
        enum mcp_kind kind;
        const char *code;
    } runs[] = {
        {MCP_KIND_PROMPT, "return { 'a', mcp.user 'b', mcp.text 'c' }"},
        {MCP_KIND_PROMPT, "return { messages = {}, description = 'd' }"},
        {MCP_KIND_RESOURCE, "return { { a = 1 }, 'b' }"},
        {MCP_KIND_RESOURCE,
         "return { mcp.embedded { uri = 'a:b', text = 'c', meta = { d = 1 } } "
         "}"},
        {MCP_KIND_COMPLETER, "return { 'a', 'b' }"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
        struct fixture f;
        size_t before;
        int count;

        open_fixture(&f, runs[i].kind, 1000);
        count = test_lua_run(&f.lua, runs[i].code);
        lua_checkstack(f.lua.L, 400);
        before = f.lua.allocations;
        mcp_result_write(f.lua.L, count, &f.options, &f.o, &f.fault);
        assert_null(f.fault);
        assert_int_equal(f.lua.allocations, before);
        close_fixture(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_has_no_room_is_refused),
        cmocka_unit_test(an_error_that_has_no_room_keeps_its_message),
        cmocka_unit_test(an_ending_must_have_its_shape),
        cmocka_unit_test(constructors_check_what_they_are_given),
        cmocka_unit_test(a_blob_is_for_resources),
        cmocka_unit_test(writing_takes_no_lua_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
