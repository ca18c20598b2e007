/*
 * task_queue_test.c - turns of callers and tools, limits, places
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "features/task_queue.h"

enum { PLACES = 64 };

struct fixture {
    struct mcp_task_queue *queue;
    struct mcp_task_place places[PLACES];
    size_t used;
};

static const struct mcp_task_limits none = {0};

static int setup(void **state)
{
    static struct fixture f;

    f = (struct fixture){.queue = mcp_task_queue_new()};
    *state = &f;
    return f.queue == NULL;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    for (size_t i = 0; i < f->used; i++)
        mcp_task_queue_end(f->queue, &f->places[i]);
    if (mcp_task_queue_alive(f->queue) != 0 ||
        mcp_task_queue_waiting(f->queue) != 0 ||
        mcp_task_queue_running(f->queue) != 0)
        return 1;
    mcp_task_queue_free(f->queue);
    return 0;
}

static size_t push(struct fixture *f, const char *who, const char *tool)
{
    assert_int_equal(
        mcp_task_queue_push(f->queue, &f->places[f->used], who, tool), MCP_OK);
    return f->used++;
}

/* The number of the next place, or -1. */
static int pop(struct fixture *f, const struct mcp_task_limits *limits)
{
    struct mcp_task_place *p = mcp_task_queue_pop(f->queue, limits);

    return p == NULL ? -1 : (int)(p - f->places);
}

static void end(struct fixture *f, int i)
{
    mcp_task_queue_end(f->queue, &f->places[i]);
}

static void test_in_order(void **state)
{
    struct fixture *f = *state;

    for (int i = 0; i < 3; i++)
        (void)push(f, "a", "t");
    for (int i = 0; i < 3; i++)
        assert_int_equal(pop(f, &none), i);
    assert_int_equal(pop(f, &none), -1);
    assert_int_equal(mcp_task_queue_running(f->queue), 3);
}

static void test_callers_take_turns(void **state)
{
    struct fixture *f = *state;

    for (int i = 0; i < 6; i++)
        (void)push(f, "busy", "t"); /* 0 to 5 */
    (void)push(f, "second", "t");   /* 6 */
    (void)push(f, "third", "t");    /* 7 */
    (void)push(f, "second", "t");   /* 8 */
    assert_int_equal(pop(f, &none), 0);
    assert_int_equal(pop(f, &none), 6);
    assert_int_equal(pop(f, &none), 7);
    assert_int_equal(pop(f, &none), 1);
    assert_int_equal(pop(f, &none), 8);
    for (int i = 2; i < 6; i++)
        assert_int_equal(pop(f, &none), i);
}

static void test_tools_of_a_caller_take_turns(void **state)
{
    struct fixture *f = *state;

    (void)push(f, "a", "x"); /* 0 */
    (void)push(f, "a", "x"); /* 1 */
    (void)push(f, "a", "y"); /* 2 */
    assert_int_equal(pop(f, &none), 0);
    assert_int_equal(pop(f, &none), 2);
    assert_int_equal(pop(f, &none), 1);
}

static void test_how_many_run(void **state)
{
    const struct mcp_task_limits two = {.running = 2};
    struct fixture *f = *state;

    for (int i = 0; i < 4; i++)
        (void)push(f, "a", "t");
    assert_int_equal(pop(f, &two), 0);
    assert_int_equal(pop(f, &two), 1);
    assert_int_equal(pop(f, &two), -1);
    end(f, 0);
    assert_int_equal(pop(f, &two), 2);
    assert_int_equal(pop(f, &two), -1);
}

static void test_how_many_of_a_tool(void **state)
{
    const struct mcp_task_limits one = {.per_tool = 1};
    struct fixture *f = *state;

    (void)push(f, "a", "x"); /* 0 */
    (void)push(f, "a", "x"); /* 1 */
    (void)push(f, "b", "x"); /* 2: another caller, the same tool */
    (void)push(f, "a", "y"); /* 3 */
    assert_int_equal(pop(f, &one), 0);
    assert_int_equal(pop(f, &one), 3);
    assert_int_equal(pop(f, &one), -1);
    end(f, 0);
    assert_int_equal(pop(f, &one), 2);
    assert_int_equal(pop(f, &one), -1);
}

static void test_how_many_of_a_caller(void **state)
{
    const struct mcp_task_limits one = {.per_principal = 1};
    struct fixture *f = *state;

    (void)push(f, "a", "x"); /* 0 */
    (void)push(f, "a", "y"); /* 1 */
    (void)push(f, "b", "x"); /* 2 */
    assert_int_equal(pop(f, &one), 0);
    assert_int_equal(pop(f, &one), 2);
    assert_int_equal(pop(f, &one), -1);
    end(f, 2);
    assert_int_equal(pop(f, &one), -1);
    end(f, 0);
    assert_int_equal(pop(f, &one), 1);
}

static void test_who_rests_does_not_run(void **state)
{
    const struct mcp_task_limits limits = {.running = 1, .alive = 2};
    struct fixture *f = *state;

    for (int i = 0; i < 4; i++)
        (void)push(f, "a", "t");
    assert_int_equal(pop(f, &limits), 0);
    assert_int_equal(pop(f, &limits), -1);
    mcp_task_queue_rest(f->queue, &f->places[0], true);
    mcp_task_queue_rest(f->queue, &f->places[0], true);
    assert_int_equal(mcp_task_queue_running(f->queue), 0);
    assert_int_equal(pop(f, &limits), 1);
    mcp_task_queue_rest(f->queue, &f->places[1], true);
    assert_int_equal(pop(f, &limits), -1); /* two are alive */
    mcp_task_queue_rest(f->queue, &f->places[0], false);
    assert_int_equal(mcp_task_queue_running(f->queue), 1);
    end(f, 0);
    assert_int_equal(pop(f, &limits), 2);
}

static void test_pushed_back_it_is_first(void **state)
{
    struct fixture *f = *state;

    (void)push(f, "a", "t");
    (void)push(f, "a", "t");
    assert_int_equal(pop(f, &none), 0);
    mcp_task_queue_push_back(f->queue, &f->places[0]);
    assert_int_equal(mcp_task_queue_waiting(f->queue), 2);
    assert_int_equal(mcp_task_queue_running(f->queue), 0);
    assert_int_equal(pop(f, &none), 0);
    assert_int_equal(pop(f, &none), 1);
}

static void test_one_that_waits_leaves(void **state)
{
    struct fixture *f = *state;

    for (int i = 0; i < 3; i++)
        (void)push(f, "a", "t");
    end(f, 1);
    end(f, 1); /* harmless */
    assert_int_equal(pop(f, &none), 0);
    assert_int_equal(pop(f, &none), 2);
    assert_int_equal(pop(f, &none), -1);
    end(f, 0);
    end(f, 2);
    assert_int_equal(push(f, "a", "t"), 3); /* its lane is made anew */
    assert_int_equal(pop(f, &none), 3);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(in_order),
        TEST(callers_take_turns),
        TEST(tools_of_a_caller_take_turns),
        TEST(how_many_run),
        TEST(how_many_of_a_tool),
        TEST(how_many_of_a_caller),
        TEST(who_rests_does_not_run),
        TEST(pushed_back_it_is_first),
        TEST(one_that_waits_leaves),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
