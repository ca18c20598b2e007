/*
 * thread_test.c - after settling, nothing of a thread is left
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>

#include "base/thread.h"

enum { THREADS = 20 };

static struct {
    pthread_key_t key;
    sem_t done;
    atomic_int gone;
} t;

/* Among the last that a thread does. */
static void after_the_end(void *value)
{
    const struct timespec pause = {.tv_nsec = 20000000};

    (void)value;
    (void)nanosleep(&pause, NULL);
    atomic_fetch_add(&t.gone, 1);
}

static void work(void *arg)
{
    (void)pthread_setspecific(t.key, &t);
    if (arg != NULL)
        mcp_thread_leave();
    (void)sem_post(&t.done);
}

static int set_up(void **state)
{
    (void)state;
    atomic_store(&t.gone, 0);
    (void)sem_init(&t.done, 0, 0);
    return pthread_key_create(&t.key, after_the_end);
}

static int tear_down(void **state)
{
    (void)state;
    return pthread_key_delete(t.key);
}

static void start_and_wait(int n)
{
    pthread_attr_t attr;
    int i;

    (void)pthread_attr_init(&attr);
    for (i = 0; i < n; i++)
        assert_true(mcp_thread_start(&attr, work, &t));
    (void)pthread_attr_destroy(&attr);
    for (i = 0; i < n; i++)
        (void)sem_wait(&t.done);
}

static void threads_that_left_are_gone_after_settling(void **state)
{
    (void)state;
    start_and_wait(THREADS);
    mcp_threads_settle();
    assert_int_equal(atomic_load(&t.gone), THREADS);
}

static void settling_twice_waits_for_nothing(void **state)
{
    (void)state;
    start_and_wait(1);
    mcp_threads_settle();
    mcp_threads_settle();
    assert_int_equal(atomic_load(&t.gone), 1);
    start_and_wait(2);
    mcp_threads_settle();
    assert_int_equal(atomic_load(&t.gone), 3);
}

static void settle(void *arg)
{
    mcp_threads_settle();
    *(int *)arg = atomic_load(&t.gone);
}

static void *settle_main(void *arg)
{
    settle(arg);
    return NULL;
}

static void two_that_settle_both_wait(void **state)
{
    pthread_t other;
    int here = 0, there = 0;

    (void)state;
    start_and_wait(THREADS);
    assert_int_equal(pthread_create(&other, NULL, settle_main, &there), 0);
    settle(&here);
    assert_int_equal(pthread_join(other, NULL), 0);
    assert_int_equal(here, THREADS);
    assert_int_equal(there, THREADS);
}

/* It has not said that it leaves: still it is joined, by the next. */
static void a_thread_that_just_returns_is_joined_too(void **state)
{
    pthread_attr_t attr;

    (void)state;
    (void)pthread_attr_init(&attr);
    assert_true(mcp_thread_start(&attr, work, NULL));
    (void)pthread_attr_destroy(&attr);
    (void)sem_wait(&t.done);
    while (atomic_load(&t.gone) < 1)
        mcp_threads_settle();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            threads_that_left_are_gone_after_settling, set_up, tear_down),
        cmocka_unit_test_setup_teardown(settling_twice_waits_for_nothing,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(two_that_settle_both_wait, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(
            a_thread_that_just_returns_is_joined_too, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
