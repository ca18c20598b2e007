/* Mirrors src/protocol/session.c and keep.c. */
#include "protocol/session.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "protocol/keep.h"

static const uint64_t hour = UINT64_C(3600000000000);
static const struct mcp_client nobody;

static struct mcp_session_table *t;

static int set_up(void **state)
{
    (void)state;
    t = mcp_sessions_new();
    return t == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    mcp_sessions_free(t);
    return 0;
}

static struct mcp_session *open_one(size_t max)
{
    struct mcp_session *s;

    assert_int_equal(
        mcp_session_open(t, MCP_2025_06_18, &nobody, "me", max, &s), MCP_OK);
    return s;
}

static struct mcp_session *find(const char *id)
{
    return mcp_session_find(t, id, strlen(id), "me", hour);
}

static void a_session_is_found_until_it_is_closed(void **state)
{
    struct mcp_session *s = open_one(10), *again;

    (void)state;
    again = find(s->id);
    assert_ptr_equal(again, s);
    mcp_session_release(t, again);
    mcp_session_close(t, s);
    assert_null(find(s->id));
    mcp_session_close(t, s);
    assert_int_equal(mcp_sessions_count(t), 0);
    assert_int_equal(s->revision, MCP_2025_06_18);
    mcp_session_release(t, s);
}

static void a_session_belongs_to_who_opened_it(void **state)
{
    struct mcp_session *s = open_one(10);

    (void)state;
    assert_null(mcp_session_find(t, s->id, 32, "you", hour));
    assert_null(mcp_session_find(t, s->id, 31, "me", hour));
    mcp_session_release(t, s);
}

static void the_table_holds_max_and_not_one_more(void **state)
{
    char first[33], second[33];

    (void)state;
    for (int i = 0; i < 200; i++) {
        struct mcp_session *s = open_one(200);

        if (i == 0)
            memcpy(first, s->id, sizeof(first));
        if (i == 1)
            memcpy(second, s->id, sizeof(second));
        mcp_session_release(t, s);
    }
    assert_int_equal(mcp_sessions_count(t), 200);
    mcp_session_release(t, find(first)); /* used: the second is the oldest */
    mcp_session_release(t, open_one(200));
    assert_int_equal(mcp_sessions_count(t), 200);
    assert_null(find(second));
    mcp_session_release(t, find(first));
}

static void held_sessions_are_passed_by(void **state)
{
    struct mcp_session *a = open_one(2), *b = open_one(2), *c;
    char id[33];

    (void)state;
    assert_int_equal(mcp_session_open(t, MCP_2025_06_18, &nobody, "me", 2, &c),
                     MCP_EBUSY);
    memcpy(id, b->id, sizeof(id));
    mcp_session_release(t, b);
    c = open_one(2); /* a is older, but held */
    assert_null(find(id));
    mcp_session_release(t, find(a->id));
    mcp_session_release(t, a);
    mcp_session_release(t, c);
}

static void idle_time_begins_with_the_last_release(void **state)
{
    const uint64_t idle = 1000 * 1000 * 1000;
    struct mcp_session *held = open_one(10), *s = open_one(10);
    char id[33];

    (void)state;
    memcpy(id, s->id, sizeof(id));
    mcp_session_release(t, s);
    usleep(1200 * 1000);
    mcp_sessions_sweep(t, hour);
    assert_int_equal(mcp_sessions_count(t), 2);
    mcp_sessions_sweep(t, idle);
    assert_int_equal(mcp_sessions_count(t), 1);
    assert_null(find(id));
    mcp_session_release(t, held);
    assert_non_null(mcp_session_find(t, held->id, 32, "me", idle));
    mcp_session_release(t, held);
    usleep(1200 * 1000);
    memcpy(id, held->id, sizeof(id));
    assert_null(mcp_session_find(t, id, 32, "me", idle));
    assert_int_equal(mcp_sessions_count(t), 0);
}

static void the_pipe_has_a_session_outside_of_the_table(void **state)
{
    struct mcp_session *s = open_one(0);

    (void)state;
    assert_string_equal(s->id, "");
    assert_int_equal(mcp_sessions_count(t), 0);
    mcp_session_hold(t, s);
    mcp_session_release(t, s);
    mcp_session_close(t, s);
    mcp_session_release(t, s);
}

static void *churn(void *unused)
{
    char id[33];

    for (int i = 0; i < 2000; i++) {
        struct mcp_session *s, *again;

        if (mcp_session_open(t, MCP_2025_06_18, &nobody, "me", 8, &s) != MCP_OK)
            continue;
        memcpy(id, s->id, sizeof(id));
        again = find(id);
        if (again != NULL)
            mcp_session_release(t, again);
        if (i % 3 == 0)
            mcp_session_close(t, s);
        mcp_session_release(t, s);
        if (i % 7 == 0)
            mcp_sessions_sweep(t, 0);
        again = find(id);
        if (again != NULL)
            mcp_session_release(t, again);
    }
    return unused;
}

static void threads_may_do_all_of_it_at_once(void **state)
{
    pthread_t threads[4];

    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, churn, NULL), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_true(mcp_sessions_count(t) <= 8);
    mcp_sessions_sweep(t, 0);
    assert_int_equal(mcp_sessions_count(t), 0);
}

static const struct mcp_json *parse(struct mcp_arena *a, const char *text)
{
    const struct mcp_json *v;

    assert_int_equal(mcp_json_parse(a, text, strlen(text), NULL, &v, NULL),
                     MCP_OK);
    return v;
}

static void a_kept_value_outlives_its_message(void **state)
{
    static const char *const texts[] = {
        "null", "-1.50e3", "\"a\\u0000b\"",
        "[]",   "{}",      "{\"a\":[1,{\"b\":[]},\"x\\n\"],\"\":{\"c\":true}}"};

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        struct mcp_arena *a = mcp_arena_new(1 << 20);
        char *text = strdup(texts[i]);
        struct mcp_json *kept;
        struct mcp_buf b;

        assert_int_equal(mcp_keep(parse(a, text), NULL, 4096, &kept), MCP_OK);
        mcp_arena_free(a);
        free(text);
        mcp_buf_init(&b, 4096);
        mcp_json_write(&b, kept);
        assert_int_equal(b.len, strlen(texts[i]));
        assert_memory_equal(b.data, texts[i], b.len);
        mcp_buf_free(&b);
        free(kept);
    }
}

static void keeping_is_bounded_and_may_leave_out(void **state)
{
    struct mcp_arena *a = mcp_arena_new(1 << 20);
    const struct mcp_json *v = parse(a, "{\"a\":1,\"icons\":[1,2,3]}");
    size_t whole = sizeof(struct mcp_json) +
                   2 * sizeof(struct mcp_json_member) +
                   3 * sizeof(struct mcp_json) + 10;
    struct mcp_json *kept = NULL;

    (void)state;
    assert_int_equal(mcp_keep(NULL, NULL, 0, &kept), MCP_OK);
    assert_null(kept);
    assert_int_equal(mcp_keep(v, NULL, whole - 1, &kept), MCP_ELIMIT);
    assert_null(kept);
    assert_int_equal(mcp_keep(v, NULL, whole, &kept), MCP_OK);
    free(kept);
    assert_int_equal(mcp_keep(v, "icons", whole, &kept), MCP_OK);
    assert_int_equal(kept->count, 1);
    assert_null(mcp_json_find(kept, "icons"));
    free(kept);
    mcp_arena_free(a);
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(a_session_is_found_until_it_is_closed),
        T(a_session_belongs_to_who_opened_it),
        T(the_table_holds_max_and_not_one_more),
        T(held_sessions_are_passed_by),
        T(idle_time_begins_with_the_last_release),
        T(the_pipe_has_a_session_outside_of_the_table),
        T(threads_may_do_all_of_it_at_once),
        T(a_kept_value_outlives_its_message),
        T(keeping_is_bounded_and_may_leave_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
