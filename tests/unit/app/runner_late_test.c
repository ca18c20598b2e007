/*
 * runner_late_test.c - a run that is late, and one that is stuck
 */
#include "app/runner.h"

#include <lauxlib.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"

struct work {
    struct mcp_supervisor *supervisor;
    struct mcp_runner *runner;
    bool deaf;      /* its thread gets no signals, as when it gets no time */
    double seconds; /* in C, past the deadline                             */
    bool claimed;
    atomic_int taken, finished;
};

static void take(void *user)
{
    atomic_fetch_add(&((struct work *)user)->taken, 1);
}

static void finish(void *user)
{
    atomic_fetch_add(&((struct work *)user)->finished, 1);
}

static void set_signal(int how)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGURG);
    assert_int_equal(pthread_sigmask(how, &set, NULL), 0);
}

/* A C function that does not come back for a while. */
static void body(void *user)
{
    struct work *w = user;
    uint64_t until = mcp_clock_now_ns() + mcp_clock_from_seconds(w->seconds);

    if (w->deaf)
        set_signal(SIG_BLOCK);
    while (mcp_clock_now_ns() < until)
        continue;
    w->claimed = mcp_runner_claim(w->runner);
}

static void run(struct work *w)
{
    struct mcp_giving_up giving_up = {w, take, finish};
    lua_State *L = luaL_newstate();

    assert_non_null(L);
    w->supervisor = mcp_supervisor_new();
    w->runner = mcp_runner_new(w->supervisor);
    assert_non_null(w->runner);
    (void)mcp_runner_run_for(w->runner, L,
                             mcp_clock_now_ns() + 10 * MCP_NS_PER_MS, w,
                             &giving_up, body, w);
    if (w->deaf)
        set_signal(SIG_UNBLOCK);
    mcp_runner_free(w->runner);
    mcp_supervisor_free(w->supervisor);
    lua_close(L);
}

static void one_that_is_stuck_is_given_up(void **state)
{
    struct work w = {.seconds = 3};

    (void)state;
    run(&w);
    assert_false(w.claimed);
    assert_int_equal(atomic_load(&w.taken), 1);
    assert_int_equal(atomic_load(&w.finished), 1);
}

static void one_that_had_no_time_keeps_what_it_works_on(void **state)
{
    struct work w = {.seconds = 3, .deaf = true};

    (void)state;
    run(&w);
    assert_true(w.claimed);
    assert_int_equal(atomic_load(&w.taken), 0);
}

static void one_that_comes_back_soon_is_not_given_up(void **state)
{
    struct work w = {.seconds = 0.3};

    (void)state;
    run(&w);
    assert_true(w.claimed);
    assert_int_equal(atomic_load(&w.taken), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_that_is_stuck_is_given_up),
        cmocka_unit_test(one_that_had_no_time_keeps_what_it_works_on),
        cmocka_unit_test(one_that_comes_back_soon_is_not_given_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
