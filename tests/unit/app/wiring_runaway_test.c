/* wiring_runaway_test.c - the ends of calls that do not end by themselves */
#include "wiring_bench.h"

static void a_call_that_takes_too_long_is_cleaned_up(void **unused)
{
    (void)unused;
    one_call(WATCHED "mcp.tool('t', { timeout = 0.2 }, function(db)\n"
                     "  while true do end end)",
             true, "took longer",
             "before t\nopen\nafter t nil The tool took longer than 0.2 s and "
             "was stopped (timeout)\nclose\n");
}

static void cancel(const char *handler)
{
    const uint64_t begin = mcp_clock_now_ns();
    char source[2048];
    struct bench b;
    struct one one;

    bench_make(&b);
    snprintf(source, sizeof(source),
             "%smcp.tool('t', function(db, ctx) %s end)", WATCHED, handler);
    open_app(&b, source);
    start(&b, &one, "t", "{}");
    usleep(200 * 1000);
    atomic_store(&one.call.cancelled, true);
    mcp_app_cancel(b.app, &one.call);
    wait_for(&one);
    assert_int_equal(one.job.outcome.kind, MCP_OUTCOME_CANCELED);
    drop(&one);
    said(&b, "before t\nopen\nafter t nil the call was cancelled\nclose\n");
    assert_true(mcp_clock_now_ns() - begin < 10 * MCP_NS_PER_S);
    bench_close(&b);
}

static void a_cancelled_call_is_cleaned_up(void **unused)
{
    (void)unused;
    cancel("while true do end");
    cancel("ctx.sleep(20)");
}

static void a_cleanup_has_a_second(void **unused)
{
    const uint64_t begin = mcp_clock_now_ns();
    struct bench b;
    uint64_t took;

    (void)unused;
    bench_make(&b);
    open_app(
        &b, SAY
        "mcp.provide('a', function() return 1, function() say('a') end end)\n"
        "mcp.provide('b', function() return 2, function()\n"
        "  say('b') pcall(function() while true do end end) say('no') end "
        "end)\n"
        "mcp.tool('t', function(a, b) return a + b end)");
    expect(&b, "t", "{}", false, "\"3\"");
    took = mcp_clock_now_ns() - begin;
    said(&b, "b\na\n");
    assert_true(took >= MCP_NS_PER_S && took < 5 * MCP_NS_PER_S);
    expect(&b, "t", "{}", false, "\"3\"");
    bench_close(&b);
}

#define LIFE                                                                   \
    SAY "mcp.hooks { on_startup = function() say('startup') error('oh') "      \
        "end,\n"                                                               \
        "  on_reload = function() say('reload') end,\n"                        \
        "  on_shutdown = function() say('shutdown')\n"                         \
        "    while true do pcall(error) end end }\n"

static void the_app_has_a_life(void **unused)
{
    struct bench b;
    uint64_t begin;

    (void)unused;
    bench_make(&b);
    open_app(&b, LIFE "mcp.tool('t', function() return '1' end)");
    said(&b, "startup\n");
    write_file(&b, "app.lua", LIFE "mcp.tool('t', function() return '2' end)");
    mcp_app_reload(b.app);
    for (int i = 0; i < 200; i++) {
        const struct mcp_generation *gen = mcp_app_acquire(b.app);
        bool is_new = gen->number == 2;

        mcp_generation_release(gen);
        if (is_new)
            break;
        usleep(20 * 1000);
    }
    expect(&b, "t", "{}", false, "\"2\"");
    begin = mcp_clock_now_ns();
    assert_true(mcp_app_close(b.app));
    assert_true(mcp_clock_now_ns() - begin < 10 * MCP_NS_PER_S);
    b.err = MCP_EINVAL; /* closed already */
    said(&b, "reload\nshutdown\n");
    bench_close(&b);
}

/* A pattern without end can only be torn out of the VM, and its state with it.
 */
static void a_cleanup_that_cannot_be_stopped_is_torn_out(void **unused)
{
    struct bench b;

    (void)unused;
    bench_make(&b);
    open_app(
        &b, SAY
        "mcp.provide('a', function() return 1, function() say('a') end end)\n"
        "mcp.provide('b', function() return 2, function()\n"
        "  say('b') return (('a'):rep(40):find(('a*'):rep(40) .. 'b')) end "
        "end)\n"
        "mcp.tool('t', function(a, b) return a + b end)\n"
        "mcp.tool('u', function() return 'fine' end)");
    expect(&b, "t", "{}", false, "\"3\"");
    said(&b, "b\n");
    expect(&b, "u", "{}", false, "fine");
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_that_takes_too_long_is_cleaned_up),
        cmocka_unit_test(a_cancelled_call_is_cleaned_up),
        cmocka_unit_test(a_cleanup_has_a_second),
        cmocka_unit_test(a_cleanup_that_cannot_be_stopped_is_torn_out),
        cmocka_unit_test(the_app_has_a_life),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
