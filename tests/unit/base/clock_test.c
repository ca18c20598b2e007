/*
 * clock_test.c - the clocks go forward, and seconds become nanoseconds
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <math.h>

#include "base/clock.h"

static void the_monotonic_clock_measures_a_pause(void **state)
{
    struct timespec pause = {0, 5000000};
    uint64_t before = mcp_clock_now_ns();

    (void)state;
    while (nanosleep(&pause, &pause) != 0)
        ;
    assert_true(mcp_clock_now_ns() - before >= 5 * MCP_NS_PER_MS);
}

static void the_wall_clock_is_that_of_time(void **state)
{
    uint64_t seconds = mcp_clock_wall_ms() / 1000;
    time_t now = time(NULL);

    (void)state;
    assert_true((uint64_t)now + 1 >= seconds && seconds + 2 >= (uint64_t)now);
}

static void seconds_become_nanoseconds_and_saturate(void **state)
{
    (void)state;
    assert_true(mcp_clock_from_seconds(0.5) == 500000000);
    assert_true(mcp_clock_from_seconds(30) == 30 * MCP_NS_PER_S);
    assert_true(mcp_clock_from_seconds(0) == 0);
    assert_true(mcp_clock_from_seconds(-1) == 0);
    assert_true(mcp_clock_from_seconds(NAN) == 0);
    assert_true(mcp_clock_from_seconds(9.1e9) == UINT64_C(9100000000000000000));
    assert_true(mcp_clock_from_seconds(HUGE_VAL) ==
                UINT64_C(9200000000000000000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_monotonic_clock_measures_a_pause),
        cmocka_unit_test(the_wall_clock_is_that_of_time),
        cmocka_unit_test(seconds_become_nanoseconds_and_saturate),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
