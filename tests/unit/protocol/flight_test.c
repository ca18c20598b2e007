/* Mirrors src/protocol/flight.c. */
#include "protocol/flight.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct mcp_flights fs;

static const struct mcp_json one = {
    .type = MCP_JSON_NUMBER, .count = 1, .u.text = "1"};
static const struct mcp_json text_one = {
    .type = MCP_JSON_STRING, .count = 1, .u.text = "1"};

struct plane {
    struct mcp_call call;
    struct mcp_flight flight;
    int late;
    bool landed; /* by mcp_flights_land() inside of interrupt() */
};

static void late(struct mcp_flight *f)
{
    ((struct plane *)((char *)f - offsetof(struct plane, flight)))->late++;
}

static void take_off(struct plane *p, const struct mcp_json *id)
{
    memset(p, 0, sizeof(*p));
    p->call.id = id;
    p->flight.call = &p->call;
    p->flight.late = late;
    mcp_flights_add(&fs, &p->flight);
}

static int set_up(void **state)
{
    (void)state;
    return !mcp_flights_init(&fs);
}

static int tear_down(void **state)
{
    (void)state;
    assert_null(fs.first);
    mcp_flights_destroy(&fs);
    return 0;
}

static void count(void *user, struct mcp_call *call)
{
    assert_true(atomic_load(&call->cancelled));
    ++*(int *)user;
}

static void only_the_named_call_is_cancelled(void **state)
{
    struct plane a, b, c;
    int n = 0;

    (void)state;
    take_off(&a, &one);
    take_off(&b, &text_one);
    take_off(&c, &one);
    assert_int_equal(mcp_flights_cancel(&fs, &one, count, &n), 2);
    assert_int_equal(n, 2);
    assert_false(atomic_load(&b.call.cancelled));
    assert_int_equal(mcp_flights_cancel(&fs, &one, count, &n), 0);
    assert_true(mcp_flights_land(&fs, &b.flight));
    assert_true(mcp_flights_land(&fs, &a.flight));
    assert_true(mcp_flights_land(&fs, &c.flight));
    assert_int_equal(mcp_flights_cancel(&fs, &text_one, count, &n), 0);
}

/* The call ends while it is being cancelled. */
static void end_meanwhile(void *user, struct mcp_call *call)
{
    struct plane *p = user;

    assert_ptr_equal(call, &p->call);
    p->landed = mcp_flights_land(&fs, &p->flight);
    assert_int_equal(p->late, 0);
}

static void a_call_that_ends_meanwhile_waits_for_the_canceller(void **state)
{
    struct plane p;

    (void)state;
    take_off(&p, &one);
    assert_int_equal(mcp_flights_cancel(&fs, &one, end_meanwhile, &p), 1);
    assert_false(p.landed);
    assert_int_equal(p.late, 1);
}

static void only_strings_and_numbers_name_a_call(void **state)
{
    static const struct mcp_json odd = {.type = MCP_JSON_OBJECT};
    struct plane p;
    int n = 0;

    (void)state;
    take_off(&p, &one);
    assert_int_equal(mcp_flights_cancel(&fs, &odd, count, &n), 0);
    assert_true(mcp_flights_land(&fs, &p.flight));
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(only_the_named_call_is_cancelled),
        T(a_call_that_ends_meanwhile_waits_for_the_canceller),
        T(only_strings_and_numbers_name_a_call),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
