/* runaway_test.c - calls that would not end, and those beside them
 *
 * Not for ThreadSanitizer, which holds the deadline signal back until a call of
 * the C library: see tests/tsan-skip. */
#include "app_bench.h"

static const char runaways[] =
    "local mcp = require 'mcp'\n"
    "local t = mcp.tool\n"
    "t('ok', function() return 'fine' end)\n"
    "t('loop', function() while true do end end)\n"
    "t('pcall_loop', function() while true do pcall(function() while true do "
    "end end) end end)\n"
    "t('co_loop', function() local f = coroutine.wrap(function() while true do "
    "end end) f() end)\n"
    "t('jit_loop', function() jit.on() while true do end end)\n"
    "t('gc_loop', function() getmetatable(io.stdout).__gc = function() while "
    "true do end end io.tmpfile() collectgarbage() collectgarbage() end)\n"
    "t('pattern', function() return (('a'):rep(40):find(('a*'):rep(40) .. "
    "'b')) end)\n"
    "t('grow', { timeout = 10 }, function() local t = {} while true do t[#t + "
    "1] = "
    "('x'):rep(1000)"
    " .. #t end end)\n"
    "t('recurse', { timeout = 10 }, function() local function f(n) return 1 + "
    "f(n + 1) end "
    "return "
    "f(1) end)\n"
    "t('c_stack', { timeout = 10 }, function() local function f(s) return "
    "(s:gsub('.', f)) end "
    "return f('a') end)\n"
    "t('error_nil', function() error(nil) end)\n"
    "t('yield', function() coroutine.yield(1) end)\n"
    "t('exit', function() os.exit(1) end)\n"
    "t('sleep', { timeout = 10 }, function(args, ctx) ctx.sleep(0.05) return "
    "'slept' end)\n"
    "t('sleep_long', function(args, ctx) ctx.sleep(60) return 'slept' end)\n";

static void a_runaway_ends_and_the_next_call_works(void **unused)
{
    static const struct {
        const char *tool, *part;
    } cases[] = {
        {"loop", "longer than 0.2 s"}, {"pcall_loop", "longer than"},
        {"co_loop", "longer than"},    {"jit_loop", "longer than"},
        {"gc_loop", "longer than"},    {"pattern", "longer than"},
        {"grow", "out of memory"},     {"recurse", "stack overflow"},
        {"c_stack", "C stack"},        {"error_nil", "nil"},
        {"yield", "yielded"},          {"exit", "os.exit"},
        {"sleep_long", "longer than"},
    };
    struct bench b;
    size_t i;
    int round;

    (void)unused;
    bench_make(&b);
    set(&b, "call_timeout", "0.2");
    set(&b, "memory_limit", "16MiB");
    bench_open(&b, runaways);
    if (b.err != MCP_OK)
        fail_msg("%s", b.message);
    for (round = 0; round < 2; round++)
        for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
            expect(&b, cases[i].tool, "{}", true, cases[i].part);
            expect(&b, "ok", "{}", false, "fine");
            expect(&b, "sleep", "{}", false, "slept");
        }
    bench_close(&b);
}

static void a_cancelled_call_ends_soon(void **unused)
{
    struct bench b;
    struct one one;
    const char *const tools[] = {"loop", "sleep_long"};
    size_t i;

    (void)unused;
    bench_make(&b);
    bench_open(&b, runaways);
    for (i = 0; i < 2; i++) {
        uint64_t begin = mcp_clock_now_ns();

        start(&b, &one, tools[i], "{}");
        usleep(50000);
        atomic_store(&one.call.cancelled, true);
        mcp_app_cancel(b.app, &one.call);
        wait_for(&one);
        assert_int_equal(one.job.outcome.kind, MCP_OUTCOME_CANCELED);
        assert_true(mcp_clock_now_ns() - begin < 10 * MCP_NS_PER_S);
        drop(&one);
    }
    expect(&b, "ok", "{}", false, "fine");
    bench_close(&b);
}

static void sleepers_hold_no_worker(void **unused)
{
    static struct one many[100];
    struct bench b;
    size_t i;
    uint64_t begin;

    (void)unused;
    bench_make(&b);
    set(&b, "max_workers", "2");
    bench_open(&b, runaways);
    begin = mcp_clock_now_ns();
    for (i = 0; i < 100; i++)
        start(&b, &many[i], "sleep", "{}");
    for (i = 0; i < 100; i++) {
        wait_for(&many[i]);
        assert_non_null(strstr(many[i].text, "slept"));
        drop(&many[i]);
    }
    /* One after the other they would take 2.5 s on two workers. */
    assert_true(mcp_clock_now_ns() - begin < 2 * MCP_NS_PER_S);
    bench_close(&b);
}

static void closing_interrupts_what_runs(void **unused)
{
    struct bench b;
    struct one a, c;

    (void)unused;
    bench_make(&b);
    bench_open(&b, runaways);
    start(&b, &a, "loop", "{}");
    start(&b, &c, "sleep_long", "{}");
    usleep(20000);
    bench_close(&b);
    assert_true(a.done && c.done);
    drop(&a);
    drop(&c);
}

static void blocked_workers_are_replaced(void **unused)
{
    uint64_t begin;

    static struct one blocked[4];
    struct bench b;
    size_t i;

    (void)unused;
    bench_make(&b);
    set(&b, "max_workers", "2");
    set(&b, "call_timeout", "0.2");
    bench_open(&b,
               "local mcp = require 'mcp'\n"
               "mcp.tool('block', function() io.popen('sleep 4'):read() end)\n"
               "mcp.tool('ok', { timeout = 10 }, function() "
               "return 'fine' end)\n");
    assert_int_equal(b.err, MCP_OK);
    for (i = 0; i < 4; i++)
        start(&b, &blocked[i], "block", "{}");
    expect(&b, "ok", "{}", false, "fine"); /* behind all of them */
    assert_true(mcp_app_ready(b.app));
    begin = mcp_clock_now_ns();
    for (i = 0; i < 4; i++) {
        wait_for(&blocked[i]);
        assert_true(blocked[i].job.outcome.timed_out);
        drop(&blocked[i]);
    }
    /* Their callers are told long before the shells end. */
    assert_true(mcp_clock_now_ns() - begin < 10 * MCP_NS_PER_S);
    expect(&b, "ok", "{}", false, "fine");
    usleep(200000); /* the workers come back to nothing */
    expect(&b, "ok", "{}", false, "fine");
    bench_close(&b);
}

static void a_full_queue_refuses(void **unused)
{
    struct bench b;
    static struct one jobs[8];
    struct one extra;
    size_t i;

    (void)unused;
    bench_make(&b);
    set(&b, "max_workers", "1");
    set(&b, "queue", "2");
    set(&b, "call_timeout", "3");
    bench_open(&b, runaways);
    start(&b, &jobs[0], "loop", "{}");
    usleep(500 * 1000); /* the worker has it */
    start(&b, &jobs[1], "ok", "{}");
    start(&b, &jobs[2], "ok", "{}");
    memset(&extra, 0, sizeof(extra));
    extra.job = jobs[1].job;
    assert_int_equal(mcp_app_run(b.app, &extra.job), MCP_EBUSY);
    for (i = 0; i < 3; i++) {
        wait_for(&jobs[i]);
        drop(&jobs[i]);
    }
    bench_close(&b);
}

static void a_kept_state_remembers(void **unused)
{
    struct bench b;
    struct one one;
    int i;

    (void)unused;
    bench_make(&b);
    set(&b, "isolation", "worker");
    set(&b, "max_workers", "1");
    set(&b, "call_timeout", "0.3");
    set(&b, "memory_limit", "16MiB");
    bench_open(&b,
               "local mcp = require 'mcp'\n"
               "local n = 0\n"
               "mcp.tool('up', function(args, ctx)\n"
               "  n = n + 1 return ctx.item.name .. n end)\n"
               "mcp.tool('other', function(args, ctx)\n"
               "  return ctx.item.name end)\n"
               "mcp.tool('loop', function() while true do end end)\n"
               "mcp.tool('pattern', function() return (('a'):rep(40):find("
               "('a*'):rep(40) .. 'b')) end)\n"
               "mcp.tool('grow', { timeout = 10 }, function() local t = {} "
               "while true do t[#t + 1] = ('x'):rep(1000) .. #t end end)\n");
    if (b.err != MCP_OK)
        fail_msg("%s", b.message);
    assert_non_null(strstr(mcp_app_isolation(b.app), "worker"));
    start(&b, &one, "up", "{}"); /* of the two first states */
    wait_for(&one);
    drop(&one);
    for (i = 2; i < 200; i++) {
        char text[16];

        snprintf(text, sizeof(text), "\"up%d\"", i);
        expect(&b, "up", "{}", false, text);
        expect(&b, "other", "{}", false, "other");
    }
    expect(&b, "loop", "{}", true, "longer than");
    expect(&b, "up", "{}", false, "up200");
    expect(&b, "grow", "{}", true, "out of memory");
    expect(&b, "up", "{}", false, "up201");
    expect(&b, "pattern", "{}", true, "longer than");
    expect(&b, "up", "{}", false, "up"); /* that state is lost */
    bench_close(&b);
}

static void a_load_without_end_is_told(void **unused)
{
    (void)unused;
    expect_load_error("while true do end", MCP_ETIMEOUT, "load_timeout");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_runaway_ends_and_the_next_call_works),
        cmocka_unit_test(a_cancelled_call_ends_soon),
        cmocka_unit_test(sleepers_hold_no_worker),
        cmocka_unit_test(closing_interrupts_what_runs),
        cmocka_unit_test(blocked_workers_are_replaced),
        cmocka_unit_test(a_full_queue_refuses),
        cmocka_unit_test(a_kept_state_remembers),
        cmocka_unit_test(a_load_without_end_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
