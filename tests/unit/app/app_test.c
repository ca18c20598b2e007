/* app_test.c - calls through a real app, real workers and real Lua states */
#include "app_bench.h"

/* ---- calls ---- */

static void a_call_gets_its_arguments_and_answers(void **unused)
{
    struct bench b;

    (void)unused;
    bench_make(&b);
    bench_open(&b, "local mcp = require 'mcp'\n"
                   "mcp.tool('add', function(a, b) return a + b end)\n"
                   "mcp.tool('who', function(args, ctx)\n"
                   "  return ctx.item.name .. ' ' .. ctx.request.transport ..\n"
                   "    ' ' .. ctx.client.protocol_version end)\n");
    assert_string_equal(
        b.message[0] != '\0' && b.err != MCP_OK ? b.message : "", "");
    expect(&b, "add", "{\"a\":1,\"b\":41}", false, "42");
    expect(&b, "who", "{}", false, "who http 2026-07-28");
    bench_close(&b);
}

static void ctx_works_with_a_dot_and_with_a_colon(void **unused)
{
    struct bench b;

    (void)unused;
    bench_make(&b);
    bench_open(&b, "local mcp = require 'mcp'\n"
                   "mcp.tool('ask', function(ctx)\n"
                   "  local dot, colon = ctx.cancelled(), ctx:cancelled()\n"
                   "  ctx:sleep(0)\n"
                   "  return tostring(dot) .. tostring(colon)\n"
                   "end)\n"
                   "mcp.tool('level', function(ctx)\n"
                   "  ctx.log('warn', 1)\n"
                   "end)\n"
                   "mcp.tool('bare', function(ctx, args)\n"
                   "  local _, e = pcall(ctx[args.f])\n"
                   "  return e\n"
                   "end)\n");
    assert_int_equal(b.err, MCP_OK);
    expect(&b, "ask", "{}", false, "falsefalse");
    expect(&b, "bare", "{\"f\":\"sleep\"}", false,
           "bad argument #1 to '?' (number expected, got no value)");
    expect(&b, "bare", "{\"f\":\"progress\"}", false,
           "bad argument #1 to '?' (number expected, got no value)");
    expect(&b, "level", "{}", true,
           "bad argument #1 to 'log' (must be debug, info, notice, warning, "
           "error, critical, alert or emergency)");
    expect(&b, "bare", "{\"f\":\"info\"}", false,
           "bad argument #1 to '?' (value expected)");
    bench_close(&b);
}

static void calls_see_nothing_of_one_another(void **unused)
{
    struct bench b;
    int i;

    (void)unused;
    bench_make(&b);
    write_file(&b, "counter.lua",
               "local n = 0 return { up = function() "
               "n = n + 1 return n end }");
    bench_open(&b,
               "local mcp = require 'mcp'\n"
               "local counter = require 'counter'\n"
               "mcp.tool('dirty', function()\n"
               "  g = (g or 0) + 1\n"
               "  local s = getmetatable('').__index\n"
               "  s.mark = (s.mark or 0) + 1\n"
               "  package.loaded.extra = (package.loaded.extra or 0) + 1\n"
               "  local junk = {} for i = 1, 2000 do junk[i] = {i} end\n"
               "  return g .. s.mark .. package.loaded.extra .. counter.up()\n"
               "end)\n");
    assert_int_equal(b.err, MCP_OK);
    for (i = 0; i < 2000; i++)
        expect(&b, "dirty", "{}", false, "1111");
    bench_close(&b);
}

static void each_call_has_its_own_random_numbers(void **unused)
{
    struct bench b;
    char texts[8][64];
    int i, j, same = 0;

    (void)unused;
    bench_make(&b);
    bench_open(&b, "require 'mcp'.tool('dice', function() "
                   "return math.random(1e9) end)");
    assert_int_equal(b.err, MCP_OK);
    for (i = 0; i < 8; i++) {
        struct one one;

        start(&b, &one, "dice", "{}");
        wait_for(&one);
        snprintf(texts[i], sizeof(texts[i]), "%s", one.text);
        drop(&one);
        for (j = 0; j < i; j++)
            same += strcmp(texts[i], texts[j]) == 0;
    }
    assert_int_equal(same, 0);
    bench_close(&b);
}

/* ---- loading ---- */

static void a_broken_script_is_told_with_its_line(void **unused)
{
    (void)unused;
    expect_load_error("local x = = 1", MCP_EINVAL, "app.lua:1:");
    expect_load_error("\n\nerror('boom')", MCP_EINVAL, "app.lua:3: boom");
    expect_load_error("error({})", MCP_EINVAL,
                      "app.lua: the script raised a table");
    expect_load_error(
        "local t = {} while true do t[#t+1] = ('x'):rep(9e5) .. #t end",
        MCP_ENOMEM, "out of memory");
    expect_load_error("require 'nowhere'", MCP_EINVAL, "nowhere");
    expect_load_error("local mcp = require 'mcp' "
                      "mcp.tool('t' .. tostring({}):gsub('%W', ''), "
                      "function() end)",
                      MCP_EINVAL, "t");
}

static void an_unsafe_app_runs_in_fresh_states(void **unused)
{
    struct bench b;
    int i;

    (void)unused;
    bench_make(&b);
    bench_open(&b, "local mcp = require 'mcp'\nlocal ffi = require 'ffi'\n"
                   "local n = 0\n"
                   "mcp.tool('up', function() n = n + 1 return n end)\n");
    assert_int_equal(b.err, MCP_OK);
    assert_non_null(strstr(mcp_app_isolation(b.app), "ffi is used"));
    for (i = 0; i < 200; i++)
        expect(&b, "up", "{}", false, "\"1\"");
    bench_close(&b);
}

static void files_of_a_call_are_closed(void **unused)
{
    struct bench b;
    int i;

    (void)unused;
    bench_make(&b);
    bench_open(&b,
               "local mcp = require 'mcp'\n"
               "mcp.tool('open', function()\n"
               "  local f = assert(io.open('/dev/null'))\n"
               "  for l in io.lines('/proc/self/stat') do return 'read' end\n"
               "end)\n");
    assert_int_equal(b.err, MCP_OK);
    assert_null(strstr(mcp_app_isolation(b.app), "fresh"));
    for (i = 0; i < 3000; i++) /* more than the usual limit of descriptors */
        expect(&b, "open", "{}", false, "read");
    bench_close(&b);
}

static void compiled_code_needs_kept_states(void **unused)
{
    struct bench b;

    (void)unused;
    expect_load_error("require 'mcp'.server { jit = true }", MCP_EINVAL,
                      "isolation");
    bench_make(&b);
    bench_open(&b, "local mcp = require 'mcp'\n"
                   "mcp.server { isolation = 'worker', jit = true }\n"
                   "mcp.tool('sum', function(n) local s = 0\n"
                   "  for i = 1, n do s = s + i % 7 end\n"
                   "  return tostring(jit.status()) .. s end)\n");
    if (b.err != MCP_OK)
        fail_msg("%s", b.message);
    expect(&b, "sum", "{\"n\":1000000}", false, "true2999998");
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_gets_its_arguments_and_answers),
        cmocka_unit_test(ctx_works_with_a_dot_and_with_a_colon),
        cmocka_unit_test(calls_see_nothing_of_one_another),
        cmocka_unit_test(each_call_has_its_own_random_numbers),
        cmocka_unit_test(a_broken_script_is_told_with_its_line),
        cmocka_unit_test(an_unsafe_app_runs_in_fresh_states),
        cmocka_unit_test(files_of_a_call_are_closed),
        cmocka_unit_test(compiled_code_needs_kept_states),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
