/*
 * memory_test.c - a call that holds all the memory it may have, and then goes
 * on: whatever the host does for it next must not need more
 */
#include "app_bench.h"

/* hoard() takes memory in ever smaller pieces until not even a small table can
 * be had, and keeps it all. */
static const char hoarders[] =
    "local mcp = require 'mcp'\n"
    "local keep\n"
    "local function fill(size)\n"
    "  while true do keep = {keep, ('x'):rep(size) .. tostring({})} end\n"
    "end\n"
    "local function tiny() while true do keep = {keep} end end\n"
    "local function hoard()\n"
    "  for _, n in ipairs{1e5, 1e4, 1e3, 100, 10} do pcall(fill, n) end\n"
    "  pcall(tiny)\n"
    "end\n"
    "local function nested(n) local t = {1}\n"
    "  for _ = 1, n do t = {t} end return t end\n"
    "local blocks = {}\n"
    "for i = 1, 9 do blocks[i] = mcp.text('t' .. i) end\n"
    "local deep = nested(62)\n"
    "mcp.tool('ok', function() return 'fine' end)\n"
    "mcp.tool('value', function() local d = nested(62) hoard() return d end)\n"
    "mcp.tool('upvalue', function() hoard() return deep end)\n"
    "mcp.tool('blocks', function() hoard() return blocks end)\n"
    "mcp.tool('number', function() hoard() return 1.25 end)\n"
    "mcp.tool('nothing', function() hoard() end)\n"
    "mcp.tool('many', function() local t = {}\n"
    "  for i = 1, 200 do t[i] = i end hoard() return unpack(t) end)\n"
    "mcp.tool('raise', function() hoard() error('plain', 0) end)\n"
    "mcp.tool('raise_table', function()\n"
    "  local e = { message = 'm', structured = nested(60) }\n"
    "  hoard() error(e) end)\n"
    "mcp.tool('sleep', function(args, ctx) hoard() ctx.sleep(0.01)\n"
    "  return 'slept' end)\n"
    "mcp.tool('log', function(args, ctx) hoard()\n"
    "  pcall(ctx.info, deep) return 'logged' end)\n";

static void a_call_out_of_memory_harms_nobody(void **unused)
{
    static const char *const tools[] = {
        "value", "upvalue", "blocks",      "number", "nothing",
        "many",  "raise",   "raise_table", "sleep",  "log",
    };
    static const char *const limits[] = {"2MiB", "3MiB", "16MiB"};
    struct one one;
    size_t i, j;

    (void)unused;
    for (j = 0; j < sizeof(limits) / sizeof(limits[0]); j++) {
        struct bench b;

        bench_make(&b);
        set(&b, "memory_limit", limits[j]);
        bench_open(&b, hoarders);
        if (b.err != MCP_OK)
            fail_msg("%s", b.message);
        for (i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
            start(&b, &one, tools[i], "{}");
            wait_for(&one);
            assert_int_equal(one.job.outcome.kind, MCP_OUTCOME_RESULT);
            assert_true(one.job.outcome.content.len > 0);
            drop(&one);
            expect(&b, "ok", "{}", false, "fine");
        }
        bench_close(&b);
    }
}

static void a_result_that_is_there_is_delivered(void **unused)
{
    struct bench b;

    (void)unused;
    bench_make(&b);
    set(&b, "memory_limit", "16MiB");
    bench_open(&b, hoarders);
    assert_int_equal(b.err, MCP_OK);
    expect(&b, "number", "{}", false, "1.25");
    expect(&b, "upvalue", "{}", false, "[1]");
    bench_close(&b);
}

static void thousands_of_results_are_one(void **unused)
{
    struct bench b;

    (void)unused;
    bench_make(&b);
    bench_open(&b, "local t = {} for i = 1, 7000 do t[i] = i end\n"
                   "require 'mcp'.tool('spread', function() "
                   "return unpack(t) end)");
    assert_int_equal(b.err, MCP_OK);
    expect(&b, "spread", "{}", false, "\"1\"");
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_out_of_memory_harms_nobody),
        cmocka_unit_test(a_result_that_is_there_is_delivered),
        cmocka_unit_test(thousands_of_results_are_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
