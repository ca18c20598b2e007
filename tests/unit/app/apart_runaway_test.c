/* apart_runaway_test.c - runs apart that do not end by themselves */
#include "apart_bench.h"

static const char app[] =
    "local mcp = require 'mcp'\n"
    "mcp.tool('loop', {}, function() while true do end end)\n";

static void limits_are_its_own(void **state)
{
    struct apart_run r;

    (void)state;
    begin(&r, "loop", 0.1, NULL, NULL, NULL);
    expect_end(&r, "took longer than 0.1 s and was stopped (task_timeout)");
    assert_true(r.one.job.outcome.timed_out);
    drop(&r.one);
}

static void a_loop_ends_when_it_is_cancelled(void **state)
{
    struct apart_run r;
    uint64_t begun;

    (void)state;
    begin(&r, "loop", 30, NULL, NULL, NULL);
    usleep(50000);
    begun = mcp_clock_now_ns();
    atomic_store(&r.one.call.cancelled, true);
    mcp_app_cancel(b.app, &r.one.call);
    wait_for(&r.one);
    /* 0.1 s is meant; by itself it ends after 30 */
    assert_true(mcp_clock_now_ns() - begun < 10 * MCP_NS_PER_S);
    assert_int_equal(r.one.job.outcome.kind, MCP_OUTCOME_CANCELED);
    drop(&r.one);
}

static int setup(void **state)
{
    (void)state;
    return open_app(app);
}

static int teardown(void **state)
{
    (void)state;
    bench_close(&b);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_are_its_own),
        cmocka_unit_test(a_loop_ends_when_it_is_cancelled),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
