/* Mirrors src/app/convert.c; at the end the values reach a handler. */
#include "app/convert.h"

#include "app_bench.h"

static const char *const at_id[] = {"id"};
static const char *const at_items[] = {"list", NULL, "id"};
static const struct mcp_convert converts[] = {
    {MCP_CONVERT_INT64, at_id, 1},
    {MCP_CONVERT_BYTES, at_id, 1},
    {MCP_CONVERT_INT64, at_items, 3},
};
static const struct mcp_tool tool = {.converts = converts, .convert_count = 3};

/* What one conversion of one text gave. */
struct given {
    struct mcp_arena *a;
    const struct mcp_json *args, *out;
    const char *path, *why;
    enum mcp_err err;
};

static void convert(struct given *g, enum mcp_convert_kind kind,
                    const char *text)
{
    memset(g, 0, sizeof(*g));
    g->a = mcp_arena_new(1 << 20);
    assert_non_null(g->a);
    assert_int_equal(
        mcp_json_parse(g->a, text, strlen(text), NULL, &g->args, NULL), MCP_OK);
    g->err = mcp_convert_arguments(&tool, kind, g->args, g->a, &g->out,
                                   &g->path, &g->why);
}

static void int64_is_marked_and_the_sent_tree_is_not(void **state)
{
    struct given g;

    (void)state;
    convert(&g, MCP_CONVERT_INT64, "{\"id\":9007199254740993,\"n\":1}");
    assert_int_equal(g.err, MCP_OK);
    assert_int_equal(mcp_json_find(g.out, "id")->flags & MCP_JSON_F_INT64,
                     MCP_JSON_F_INT64);
    assert_int_equal(mcp_json_find(g.out, "n")->flags & MCP_JSON_F_INT64, 0);
    assert_int_equal(mcp_json_find(g.args, "id")->flags & MCP_JSON_F_INT64, 0);
    mcp_arena_free(g.a);
}

static void an_int64_is_held_up_to_its_limits(void **state)
{
    static const struct {
        const char *text;
        enum mcp_err err;
    } cases[] = {
        {"{\"id\":9223372036854775807}", MCP_OK},
        {"{\"id\":9223372036854775808}", MCP_EINVAL},
        {"{\"id\":-9223372036854775808}", MCP_OK},
        {"{\"id\":-9223372036854775809}", MCP_EINVAL},
        {"{\"id\":1e3}", MCP_OK},
        {"{\"id\":9007199254740993.0}", MCP_EINVAL},
        {"{\"id\":1e400}", MCP_EINVAL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct given g;

        convert(&g, MCP_CONVERT_INT64, cases[i].text);
        assert_int_equal(g.err, cases[i].err);
        if (g.err == MCP_EINVAL)
            assert_string_equal(g.path, "/id");
        mcp_arena_free(g.a);
    }
}

static void other_types_are_left_to_the_schema(void **state)
{
    static const char *const texts[] = {"{\"id\":\"x\"}", "{\"id\":1.5}",
                                        "{\"id\":null}",  "{\"list\":{}}",
                                        "{\"list\":[1]}", "[]"};

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct given g;

        convert(&g, MCP_CONVERT_INT64, texts[i]);
        assert_int_equal(g.err, MCP_OK);
        assert_true(mcp_json_equal(g.args, g.out));
        mcp_arena_free(g.a);
    }
}

static void a_fault_in_a_list_is_told_by_its_path(void **state)
{
    struct given g;

    (void)state;
    convert(&g, MCP_CONVERT_INT64,
            "{\"list\":[{\"id\":1},{\"id\":99999999999999999999}]}");
    assert_int_equal(g.err, MCP_EINVAL);
    assert_string_equal(g.path, "/list/1/id");
    assert_string_equal(g.why, "must be a whole number from "
                               "-9223372036854775808 to 9223372036854775807");
    mcp_arena_free(g.a);
}

static void bytes_are_decoded(void **state)
{
    struct given g;
    const struct mcp_json *v;

    (void)state;
    convert(&g, MCP_CONVERT_BYTES, "{\"id\":\"AP8i\"}");
    assert_int_equal(g.err, MCP_OK);
    v = mcp_json_find(g.out, "id");
    assert_int_equal(v->count, 3);
    assert_memory_equal(v->u.text, "\0\xff\"", 3);
    assert_int_equal(v->flags & MCP_JSON_F_PLAIN, 0);
    mcp_arena_free(g.a);

    convert(&g, MCP_CONVERT_BYTES, "{\"id\":\"AP8\"}");
    assert_int_equal(g.err, MCP_EINVAL);
    assert_string_equal(g.path, "/id");
    mcp_arena_free(g.a);
}

static void nothing_to_convert_copies_nothing(void **state)
{
    struct given g;
    struct mcp_tool plain = {0};

    (void)state;
    convert(&g, MCP_CONVERT_INT64, "{}");
    assert_int_equal(mcp_convert_arguments(&plain, MCP_CONVERT_BYTES, g.args,
                                           g.a, &g.out, &g.path, &g.why),
                     MCP_OK);
    assert_ptr_equal(g.out, g.args);
    mcp_arena_free(g.a);
}

static void a_handler_gets_all_digits_and_all_bytes(void **state)
{
    struct bench b;
    struct one one;
    const char *path, *why;
    const char *sent = "{\"id\":-9007199254740993,\"data\":\"/w==\"}";

    (void)state;
    bench_make(&b);
    bench_open(&b, "local mcp = require 'mcp' local t = mcp.types\n"
                   "mcp.tool { name = 'x', input = {\n"
                   "  { 'id', t.int64() }, { 'data', t.bytes() } },\n"
                   "  handler = function(id, data, args)\n"
                   "    assert(type(id) == 'cdata' and args.id == id)\n"
                   "    return tostring(id) .. ' ' .. tostring(id + 1) .. ' '\n"
                   "      .. data:byte(1) .. ' ' .. #data end }\n");
    assert_int_equal(b.err, MCP_OK);
    for (int i = 0; i < 3; i++) {
        const struct mcp_json *args;

        memset(&one, 0, sizeof(one));
        one.call.arena = mcp_arena_new(1 << 20);
        one.call.revision = MCP_2026_07_28;
        one.job.call = &one.call;
        one.job.gen = mcp_app_acquire(b.app);
        one.job.tool = mcp_generation_find_tool(one.job.gen, "x", 1);
        one.job.handler = &one.job.tool->handler;
        one.job.finish = finish;
        one.job.user = &one;
        assert_int_equal(mcp_json_parse(one.call.arena, sent, strlen(sent),
                                        NULL, &args, NULL),
                         MCP_OK);
        assert_int_equal(mcp_convert_arguments(one.job.tool, MCP_CONVERT_INT64,
                                               args, one.call.arena, &args,
                                               &path, &why),
                         MCP_OK);
        assert_int_equal(mcp_convert_arguments(one.job.tool, MCP_CONVERT_BYTES,
                                               args, one.call.arena,
                                               &one.job.args, &path, &why),
                         MCP_OK);
        assert_int_equal(mcp_app_run(b.app, &one.job), MCP_OK);
        wait_for(&one);
        if (strstr(one.text, "-9007199254740993 -9007199254740992 255 1") ==
                NULL &&
            strstr(one.text, "-9007199254740993LL -9007199254740992LL 255 1") ==
                NULL)
            fail_msg("got %s", one.text);
        drop(&one);
    }
    bench_close(&b);
}

static void a_literal_like_1ll_does_not_open_the_ffi(void **state)
{
    struct bench b;

    (void)state;
    bench_make(&b);
    bench_open(&b, "local one = 1LL\n"
                   "require 'mcp'.tool('x', function()\n"
                   "  return tostring(package.loaded.ffi) .. tostring(one)\n"
                   "end)\n");
    assert_int_equal(b.err, MCP_OK);
    assert_non_null(strstr(mcp_app_isolation(b.app), "request ("));
    expect(&b, "x", "{}", false, "nil");
    bench_close(&b);

    bench_make(&b);
    bench_open(&b, "local one = 1LL require 'ffi'\n"
                   "require 'mcp'.tool('x', function() return 'ok' end)\n");
    assert_int_equal(b.err, MCP_OK);
    assert_non_null(strstr(mcp_app_isolation(b.app), "ffi"));
    expect(&b, "x", "{}", false, "ok");
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(int64_is_marked_and_the_sent_tree_is_not),
        cmocka_unit_test(an_int64_is_held_up_to_its_limits),
        cmocka_unit_test(other_types_are_left_to_the_schema),
        cmocka_unit_test(a_fault_in_a_list_is_told_by_its_path),
        cmocka_unit_test(bytes_are_decoded),
        cmocka_unit_test(nothing_to_convert_copies_nothing),
        cmocka_unit_test(a_handler_gets_all_digits_and_all_bytes),
        cmocka_unit_test(a_literal_like_1ll_does_not_open_the_ffi),
    };

    return cmocka_run_group_tests_name("app/convert", tests, NULL, NULL);
}
