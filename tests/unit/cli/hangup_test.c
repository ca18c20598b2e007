/*
 * hangup_test.c - SIGHUP is heard, and none is lost while one is handled
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#include "cli/hangup.h"

static atomic_int reloads;
static atomic_bool hold;

static void nap(void)
{
    struct timespec t = {0, 1000000};

    (void)nanosleep(&t, NULL);
}

static void reload(void *user)
{
    atomic_fetch_add((atomic_int *)user, 1);
    while (atomic_load(&hold))
        nap();
}

/* Waits at most ten seconds. */
static bool reached(int count)
{
    int i;

    for (i = 0; i < 10000 && atomic_load(&reloads) < count; i++)
        nap();
    return atomic_load(&reloads) == count;
}

static struct mcp_hangup *started(void)
{
    struct mcp_hangup *h;

    atomic_store(&reloads, 0);
    atomic_store(&hold, false);
    h = mcp_hangup_start(reload, &reloads);
    assert_non_null(h);
    return h;
}

static void each_signal_reloads(void **state)
{
    struct mcp_hangup *h = started();
    int i;

    (void)state;
    for (i = 1; i <= 3; i++) {
        assert_int_equal(raise(SIGHUP), 0);
        assert_true(reached(i));
    }
    mcp_hangup_stop(h);
}

static void those_that_come_meanwhile_are_one_more(void **state)
{
    struct mcp_hangup *h = started();
    int i;

    (void)state;
    atomic_store(&hold, true);
    assert_int_equal(raise(SIGHUP), 0);
    assert_true(reached(1));
    for (i = 0; i < 5; i++)
        assert_int_equal(raise(SIGHUP), 0);
    atomic_store(&hold, false);
    assert_true(reached(2));
    for (i = 0; i < 50; i++)
        nap();
    assert_int_equal(atomic_load(&reloads), 2);
    mcp_hangup_stop(h);
}

static void after_the_stop_it_is_ignored(void **state)
{
    (void)state;
    mcp_hangup_stop(started());
    assert_int_equal(raise(SIGHUP), 0);
    assert_int_equal(atomic_load(&reloads), 0);
    mcp_hangup_stop(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_signal_reloads),
        cmocka_unit_test(those_that_come_meanwhile_are_one_more),
        cmocka_unit_test(after_the_stop_it_is_ignored),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
