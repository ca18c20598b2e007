/*
 * http_role_test.c - who turns the loop when a handler takes long
 */
#include "transport/http_role.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

struct spare {
    struct mcp_http_role role;
    pthread_t thread;
    atomic_int taken; /* how often it got the role */
    atomic_bool gone;
};

static void pause_ms(long ms)
{
    const struct timespec t = {.tv_sec = ms / 1000,
                               .tv_nsec = ms % 1000 * 1000000};

    (void)nanosleep(&t, NULL);
}

/* Waits for the role, gives up what it got at once, and ends. */
static void *be_spare(void *arg)
{
    struct spare *s = arg;

    if (mcp_http_role_wait(&s->role))
        atomic_fetch_add(&s->taken, 1);
    atomic_store(&s->gone, true);
    return NULL;
}

static void start(struct spare *s)
{
    *s = (struct spare){0};
    assert_true(mcp_http_role_init(&s->role));
    assert_int_equal(pthread_create(&s->thread, NULL, be_spare, s), 0);
    while (!atomic_load(&s->role.spare))
        pause_ms(1);
}

static void stop(struct spare *s)
{
    assert_int_equal(pthread_join(s->thread, NULL), 0);
    mcp_http_role_destroy(&s->role);
}

static void without_a_spare_nothing_begins(void **state)
{
    struct mcp_http_role role = {0};

    (void)state;
    assert_true(mcp_http_role_init(&role));
    assert_int_equal(mcp_http_role_begin(&role), 0);
    mcp_http_role_destroy(&role);
}

static void quick_handlers_keep_the_role(void **state)
{
    struct spare s;
    unsigned last = 0;

    (void)state;
    start(&s);
    for (int i = 0; i < 100000; i++) {
        unsigned number = mcp_http_role_begin(&s.role);

        if (number == 0) /* this thread was not given the processor */
            break;
        assert_int_not_equal(number, last);
        last = number;
        if (!mcp_http_role_end(&s.role, number))
            break;
    }
    mcp_http_role_close(&s.role);
    stop(&s);
    assert_int_not_equal(last, 0);
}

static void a_long_handler_loses_it(void **state)
{
    struct spare s;
    unsigned number;

    (void)state;
    start(&s);
    number = mcp_http_role_begin(&s.role);
    assert_int_not_equal(number, 0);
    while (!atomic_load(&s.gone)) /* the handler */
        pause_ms(1);
    assert_int_equal(atomic_load(&s.taken), 1);
    assert_false(mcp_http_role_end(&s.role, number));
    assert_int_equal(mcp_http_role_begin(&s.role), 0); /* no spare left */
    stop(&s);
}

static void a_quiet_spare_sleeps_and_wakes_up(void **state)
{
    struct spare s;
    unsigned number;

    (void)state;
    start(&s);
    number = mcp_http_role_begin(&s.role);
    if (number != 0 && mcp_http_role_end(&s.role, number)) {
        for (int i = 0; i < 10000 && atomic_load(&s.role.watched); i++)
            pause_ms(1);
        assert_false(atomic_load(&s.role.watched));
        number = mcp_http_role_begin(&s.role);
        assert_int_not_equal(number, 0);
        while (!atomic_load(&s.gone))
            pause_ms(1);
        assert_int_equal(atomic_load(&s.taken), 1);
    }
    mcp_http_role_close(&s.role);
    stop(&s);
}

static void the_end_ends_the_wait(void **state)
{
    struct spare s;

    (void)state;
    start(&s);
    mcp_http_role_close(&s.role);
    stop(&s);
    assert_int_equal(atomic_load(&s.taken), 0);
}

/* Two threads that run handlers as long as it takes to lose the role. */
struct loop {
    struct mcp_http_role role;
    atomic_bool held;   /* as in the io loop: the first has it     */
    atomic_int holders; /* at this moment                          */
    atomic_int turns;   /* how often the role has changed hands    */
    atomic_int at_once; /* the most holders that there were at once */
};

enum { LOOP_TURNS = 400 };

/* False: the role is lost. */
static bool hold(struct loop *l)
{
    static atomic_uint seed;
    int now = atomic_fetch_add(&l->holders, 1) + 1;

    if (now > atomic_load(&l->at_once))
        atomic_store(&l->at_once, now);
    while (atomic_load(&l->turns) < LOOP_TURNS) {
        const struct timespec handler = {
            .tv_nsec =
                300000 + (long)(atomic_fetch_add(&seed, 1) % 16) * 50000};
        unsigned number;

        atomic_fetch_sub(&l->holders, 1); /* another may have it soon */
        number = mcp_http_role_begin(&l->role);
        if (number != 0) {
            (void)nanosleep(&handler, NULL);
            if (!mcp_http_role_end(&l->role, number))
                return false;
        }
        (void)atomic_fetch_add(&l->holders, 1);
    }
    return true;
}

static void *turn_loop(void *arg)
{
    struct loop *l = arg;
    bool holds = !atomic_exchange(&l->held, true), ended = false;

    while (!ended && (holds || mcp_http_role_wait(&l->role))) {
        if (!holds)
            atomic_fetch_add(&l->turns, 1);
        ended = hold(l);
        holds = false;
    }
    if (ended)
        mcp_http_role_close(&l->role);
    return NULL;
}

/* Whoever waits can be seen to wait, or the role would never move again. */
static void one_holds_it_and_the_other_waits(void **state)
{
    struct loop l = {0};
    pthread_t threads[2];

    (void)state;
    assert_true(mcp_http_role_init(&l.role));
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, turn_loop, &l), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(atomic_load(&l.at_once), 1);
    mcp_http_role_destroy(&l.role);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_spare_nothing_begins),
        cmocka_unit_test(quick_handlers_keep_the_role),
        cmocka_unit_test(a_long_handler_loses_it),
        cmocka_unit_test(a_quiet_spare_sleeps_and_wakes_up),
        cmocka_unit_test(the_end_ends_the_wait),
        cmocka_unit_test(one_holds_it_and_the_other_waits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
