/* Mirrors src/features/task_store.c and task_store_memory.c: what both stores
 * promise. task_store_sqlite_test.c has the file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "task_store_common.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

enum { THREADS = 8, ROUNDS = 60, MANY = 10000 };

static void check_row(const struct mcp_task_row *is,
                      const struct mcp_task_row *was)
{
#define SAME_TEXT(field)                                                       \
    do {                                                                       \
        assert_int_equal(is->field == NULL, was->field == NULL);               \
        if (was->field != NULL)                                                \
            assert_string_equal(is->field, was->field);                        \
    } while (0)
    SAME_TEXT(id);
    SAME_TEXT(principal);
    SAME_TEXT(tool);
    SAME_TEXT(status_message);
    SAME_TEXT(params);
    SAME_TEXT(client);
    SAME_TEXT(kept);
    SAME_TEXT(questions);
    SAME_TEXT(outcome);
    assert_int_equal(is->status, was->status);
    assert_int_equal(is->created_ms, was->created_ms);
    assert_int_equal(is->updated_ms, was->updated_ms);
    assert_int_equal(is->ttl_ms, was->ttl_ms);
    assert_int_equal(is->poll_ms, was->poll_ms);
    assert_int_equal(is->retry, was->retry);
}

static void check_round_trip(struct mcp_task_store *s,
                             const struct mcp_task_row *row)
{
    struct mcp_task_copy *c;

    assert_int_equal(task_put(s, row), MCP_OK);
    c = task_get(s, row->id, row->principal, 0);
    assert_non_null(c);
    check_row(&c->row, row);
    mcp_task_copy_release(c);
}

static void every_field_comes_back(void **state)
{
    struct store_test *t = *state;
    struct mcp_task_row row = {
        .id = "full",
        .principal = "anna",
        .tool = "t\xc3\xb6\xc3\xb6l",
        .status = MCP_TASK_INPUT_REQUIRED,
        .status_message = "\xf0\x9f\x98\x80 \xe2\x82\xac\n\t\"\\",
        .created_ms = INT64_C(1796000000001),
        .updated_ms = INT64_C(1796000000002),
        .ttl_ms = INT64_C(86400003),
        .poll_ms = 4,
        .retry = true,
        .params = "{\"a\":1}",
        .client = "{\"b\":2}",
        .kept = "{\"c\":3}",
        .questions = "{\"d\":4}",
        .outcome = "{\"e\":5}",
    };

    check_round_trip(t->store, &row);
    for (int i = MCP_TASK_WORKING; i <= MCP_TASK_CANCELLED; i++) {
        char id[32];

        snprintf(id, sizeof(id), "s%d", i);
        row.id = id;
        row.status = (enum mcp_task_status)i;
        check_round_trip(t->store, &row);
    }
}

static void absent_and_empty_texts_differ(void **state)
{
    struct store_test *t = *state;
    struct mcp_task_row row = {.id = "bare",
                               .principal = "",
                               .tool = "",
                               .created_ms = INT64_MIN,
                               .updated_ms = INT64_MAX,
                               .ttl_ms = -1,
                               .poll_ms = -7};

    check_round_trip(t->store, &row);
    row.status_message = row.params = row.client = "";
    row.kept = row.questions = row.outcome = "";
    check_round_trip(t->store, &row);
    row.status_message = row.params = row.client = NULL;
    check_round_trip(t->store, &row);
}

static void a_mebibyte_of_outcome_comes_back(void **state)
{
    struct store_test *t = *state;
    struct mcp_task_row row = task_row("big", MCP_TASK_COMPLETED);
    char *text = malloc((1 << 20) + 1);

    for (int i = 0; i < 1 << 20; i++)
        text[i] = (char)('a' + i % 23);
    text[1 << 20] = '\0';
    row.outcome = text;
    check_round_trip(t->store, &row);
    store_test_reopen(t);
    if (strcmp(t->kind, "sqlite:") == 0) {
        struct mcp_task_copy *c = task_get(t->store, "big", "p", 0);

        assert_non_null(c);
        check_row(&c->row, &row);
        mcp_task_copy_release(c);
    }
    free(text);
}

static void the_callers_texts_are_copied(void **state)
{
    struct store_test *t = *state;
    char id[] = "mine", message[] = "before";
    struct mcp_task_row row = task_row(id, MCP_TASK_WORKING);
    struct mcp_task_copy *c;

    row.status_message = message;
    mcp_task_store_put(t->store, &row, NULL, NULL);
    memset(id, 'x', sizeof(id) - 1);
    memset(message, 'x', sizeof(message) - 1);
    c = task_get(t->store, "mine", "p", 0);
    assert_non_null(c);
    assert_string_equal(c->row.status_message, "before");
    mcp_task_copy_release(c);
}

static void a_task_is_seen_by_its_principal_alone(void **state)
{
    struct store_test *t = *state;
    struct mcp_task_row row = task_row("secret", MCP_TASK_WORKING);
    static const char *const others[] = {"bob", "",     "anna2",
                                         "ann", "ANNA", "anna "};

    row.principal = "anna";
    check_round_trip(t->store, &row);
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        assert_null(task_get(t->store, "secret", others[i], 0));
    assert_null(task_get(t->store, "secre", "anna", 0));
    assert_null(task_get(t->store, "SECRET", "anna", 0));
    assert_null(task_get(t->store, "%", "anna", 0));
}

static void a_put_replaces_the_whole_row(void **state)
{
    struct store_test *t = *state;
    struct mcp_task_row row = task_row("one", MCP_TASK_WORKING);

    row.status_message = "halfway";
    row.kept = "{}";
    check_round_trip(t->store, &row);
    row.status_message = row.kept = row.params = NULL;
    row.status = MCP_TASK_COMPLETED;
    row.outcome = "{\"ok\":true}";
    row.updated_ms = 2000;
    check_round_trip(t->store, &row);
    assert_int_equal(mcp_task_store_count(t->store), 1);
}

static void a_final_row_stays(void **state)
{
    struct store_test *t = *state;

    for (int was = MCP_TASK_COMPLETED; was <= MCP_TASK_CANCELLED; was++)
        for (int is = MCP_TASK_WORKING; is <= MCP_TASK_CANCELLED; is++) {
            char id[32];
            struct mcp_task_row row, late;
            struct mcp_task_copy *c;

            snprintf(id, sizeof(id), "f%d%d", was, is);
            row = task_row(id, (enum mcp_task_status)was);
            row.outcome = "first";
            late = task_row(id, (enum mcp_task_status)is);
            late.outcome = "second";
            late.principal = "q";
            assert_int_equal(task_put(t->store, &row), MCP_OK);
            assert_int_equal(task_put(t->store, &late), MCP_EEXIST);
            c = task_get(t->store, id, "p", 0);
            assert_non_null(c);
            check_row(&c->row, &row);
            mcp_task_copy_release(c);
        }
    assert_int_equal(mcp_task_store_count(t->store), 15);
}

/* ---- time -----------------------------------------------------------------
 */

static void a_task_lives_ttl_milliseconds_and_no_longer(void **state)
{
    struct store_test *t = *state;
    struct mcp_task_row row = task_row("short", MCP_TASK_COMPLETED);

    row.created_ms = 5000;
    row.ttl_ms = 100;
    assert_int_equal(task_put(t->store, &row), MCP_OK);
    assert_true(task_is_there(t->store, "short", 5100));
    assert_false(task_is_there(t->store, "short", 5101));
    row = task_row("none", MCP_TASK_WORKING);
    row.created_ms = 5000;
    row.ttl_ms = 0;
    assert_int_equal(task_put(t->store, &row), MCP_OK);
    assert_true(task_is_there(t->store, "none", 5000));
    assert_false(task_is_there(t->store, "none", 5001));
    row = task_row("ever", MCP_TASK_WORKING);
    assert_int_equal(task_put(t->store, &row), MCP_OK);
    assert_true(task_is_there(t->store, "ever", INT64_MAX));
    row = task_row("beyond", MCP_TASK_WORKING);
    row.created_ms = INT64_MAX - 1;
    row.ttl_ms = 5;
    assert_int_equal(task_put(t->store, &row), MCP_OK);
    assert_true(task_is_there(t->store, "beyond", INT64_MAX));
}

/* expire() tells nobody; a get that was asked later comes after it. */
static size_t count_after_expiry(struct mcp_task_store *s, int64_t now_ms)
{
    mcp_task_store_expire(s, now_ms);
    (void)task_is_there(s, "?", 0);
    for (int i = 0; i < 20; i++) /* it may be several steps */
        (void)task_is_there(s, "?", 0);
    return mcp_task_store_count(s);
}

static void expiry_deletes_what_is_past_its_time(void **state)
{
    struct store_test *t = *state;
    static const int64_t ttls[] = {100, 200, 300, -1};
    char id[32];

    for (int i = 0; i < 4; i++) {
        struct mcp_task_row row;

        snprintf(id, sizeof(id), "e%d", i);
        row = task_row(id, i % 2 == 0 ? MCP_TASK_WORKING : MCP_TASK_FAILED);
        row.ttl_ms = ttls[i];
        assert_int_equal(task_put(t->store, &row), MCP_OK);
    }
    assert_int_equal(count_after_expiry(t->store, 1100), 4);
    assert_true(task_is_there(t->store, "e0", 0));
    assert_int_equal(count_after_expiry(t->store, 1101), 3);
    assert_false(task_is_there(t->store, "e0", 0));
    assert_true(task_is_there(t->store, "e1", 0));
    assert_int_equal(count_after_expiry(t->store, INT64_MAX), 1);
    assert_true(task_is_there(t->store, "e3", INT64_MAX));
    assert_int_equal(count_after_expiry(t->store, 0), 1);
}

static void an_expired_id_may_come_again(void **state)
{
    struct store_test *t = *state;
    struct mcp_task_row row = task_row("again", MCP_TASK_COMPLETED);

    row.ttl_ms = 1;
    assert_int_equal(task_put(t->store, &row), MCP_OK);
    assert_int_equal(count_after_expiry(t->store, 2000), 0);
    row.ttl_ms = -1;
    check_round_trip(t->store, &row);
    assert_int_equal(mcp_task_store_count(t->store), 1);
}

/* More than one step of the store's deletes at once. */
static void thousands_expire_and_the_count_is_exact(void **state)
{
    struct store_test *t = *state;
    char id[32];

    for (int i = 0; i < 2600; i++) {
        struct mcp_task_row row;

        snprintf(id, sizeof(id), "x%d", i);
        row = task_row(id, MCP_TASK_COMPLETED);
        row.ttl_ms = i < 2500 ? i % 10 : 1000;
        mcp_task_store_put(t->store, &row, NULL, NULL);
    }
    assert_int_equal(mcp_task_store_count(t->store), 2600);
    assert_int_equal(count_after_expiry(t->store, 1500), 100);
    for (int i = 0; i < 2600; i += 7) {
        snprintf(id, sizeof(id), "x%d", i);
        assert_int_equal(task_is_there(t->store, id, 0), i >= 2500);
    }
}

/* ---- order ----------------------------------------------------------------
 */

struct order {
    struct mcp_task_store *store;
    atomic_int done, found, wrong;
};

static void on_ordered_done(void *user, enum mcp_err err)
{
    struct order *o = user;

    if (err != MCP_OK)
        atomic_fetch_add(&o->wrong, 1);
    atomic_fetch_add(&o->done, 1);
}

static void on_ordered_found(void *user, const struct mcp_task_row *row)
{
    struct order *o = user;
    int n = atomic_fetch_add(&o->found, 1);

    if (row == NULL || row->updated_ms < n)
        atomic_fetch_add(&o->wrong, 1);
    if (atomic_load(&o->done) < n + 1)
        atomic_fetch_add(&o->wrong, 1);
}

static void a_get_sees_the_puts_before_it(void **state)
{
    struct store_test *t = *state;
    struct order o = {.store = t->store};
    struct mcp_task_row row = task_row("ordered", MCP_TASK_WORKING);

    for (int i = 0; i < 500; i++) {
        row.updated_ms = i;
        mcp_task_store_put(t->store, &row, on_ordered_done, &o);
        mcp_task_store_get(t->store, "ordered", "p", 0, on_ordered_found, &o);
    }
    (void)task_is_there(t->store, "ordered", 0);
    assert_int_equal(atomic_load(&o.done), 500);
    assert_int_equal(atomic_load(&o.found), 500);
    assert_int_equal(atomic_load(&o.wrong), 0);
}

static void on_done_puts_again(void *user, enum mcp_err err)
{
    struct order *o = user;
    struct mcp_task_row row = task_row("chain", MCP_TASK_WORKING);

    assert_int_equal(err, MCP_OK);
    row.updated_ms = atomic_fetch_add(&o->done, 1);
    if (row.updated_ms < 10)
        mcp_task_store_put(o->store, &row, on_done_puts_again, o);
}

static void a_callback_may_use_the_store(void **state)
{
    struct store_test *t = *state;
    struct order o = {.store = t->store};
    struct mcp_task_row row = task_row("chain", MCP_TASK_WORKING);

    mcp_task_store_put(t->store, &row, on_done_puts_again, &o);
    for (int i = 0; i < 20; i++)
        (void)task_is_there(t->store, "chain", 0);
    assert_int_equal(atomic_load(&o.done), 11);
}

static void closing_waits_for_what_was_put(void **state)
{
    struct store_test *t = *state;
    struct order o = {.store = t->store};
    char id[32];

    for (int i = 0; i < 300; i++) {
        struct mcp_task_row row;

        snprintf(id, sizeof(id), "c%d", i);
        row = task_row(id, MCP_TASK_WORKING);
        mcp_task_store_put(t->store, &row, on_ordered_done, &o);
    }
    store_test_reopen(t);
    assert_int_equal(atomic_load(&o.done), 300);
    assert_int_equal(atomic_load(&o.wrong), 0);
    assert_int_equal(mcp_task_store_count(t->store),
                     strcmp(t->kind, "sqlite:") == 0 ? 300 : 0);
}

/* ---- limits ---------------------------------------------------------------
 */

static void a_row_has_a_largest_size(void **state)
{
    struct store_test *t = *state;
    struct mcp_task_row row = task_row("limit", MCP_TASK_WORKING);
    size_t room = MCP_TASK_STORE_QUEUE_BYTES - mcp_task_row_bytes(&row) - 1;
    char *text = malloc(room + 2);

    memset(text, 'x', room + 1);
    text[room + 1] = '\0';
    row.outcome = text;
    assert_int_equal(mcp_task_row_bytes(&row), MCP_TASK_STORE_QUEUE_BYTES + 1);
    assert_int_equal(task_put(t->store, &row), MCP_ELIMIT);
    assert_int_equal(mcp_task_store_count(t->store), 0);
    text[room] = '\0';
    assert_int_equal(task_put(t->store, &row), MCP_OK);
    assert_int_equal(mcp_task_store_count(t->store), 1);
    free(text);
}

/* ---- threads --------------------------------------------------------------
 */

struct thread {
    pthread_t thread;
    struct mcp_task_store *store;
    int number;
    atomic_int *wins; /* [ROUNDS], all threads' */
    atomic_int *winner;
    int wrong; /* cmocka's asserts belong to the main thread */
};

static void put_my_own(struct thread *me, int round)
{
    char id[32];
    struct mcp_task_row row;

    snprintf(id, sizeof(id), "own-%d-%d", me->number, round);
    row = task_row(id, MCP_TASK_WORKING);
    me->wrong += task_put(me->store, &row) != MCP_OK;
    row.status = MCP_TASK_COMPLETED;
    row.outcome = id;
    mcp_task_store_put(me->store, &row, NULL, NULL);
    me->wrong += !task_is_there(me->store, id, 0);
}

static void finish_a_common_one(struct thread *me, int round)
{
    char id[32], outcome[16];
    struct mcp_task_row row;
    enum mcp_err err;

    snprintf(id, sizeof(id), "common-%d", round);
    snprintf(outcome, sizeof(outcome), "%d", me->number);
    row = task_row(id, MCP_TASK_WORKING);
    mcp_task_store_put(me->store, &row, NULL, NULL);
    row.status = (enum mcp_task_status)(MCP_TASK_COMPLETED + me->number % 3);
    row.outcome = outcome;
    err = task_put(me->store, &row);
    if (err == MCP_OK) {
        atomic_fetch_add(&me->wins[round], 1);
        atomic_store(&me->winner[round], me->number);
    }
    me->wrong += err != MCP_OK && err != MCP_EEXIST;
}

static void *thread_main(void *arg)
{
    struct thread *me = arg;

    for (int i = 0; i < ROUNDS; i++) {
        put_my_own(me, i);
        finish_a_common_one(me, i);
        mcp_task_store_expire(me->store, 1000);
        (void)mcp_task_store_count(me->store);
    }
    return NULL;
}

static void of_racing_threads_one_finishes_a_task(void **state)
{
    struct store_test *t = *state;
    struct thread threads[THREADS];
    atomic_int wins[ROUNDS] = {0}, winner[ROUNDS] = {0};

    for (int i = 0; i < THREADS; i++) {
        threads[i] = (struct thread){
            .store = t->store, .number = i, .wins = wins, .winner = winner};
        assert_int_equal(
            pthread_create(&threads[i].thread, NULL, thread_main, &threads[i]),
            0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i].thread, NULL);
        assert_int_equal(threads[i].wrong, 0);
    }
    for (int i = 0; i < ROUNDS; i++) {
        char id[32];
        struct mcp_task_copy *c;

        snprintf(id, sizeof(id), "common-%d", i);
        assert_int_equal(atomic_load(&wins[i]), 1);
        c = task_get(t->store, id, "p", 0);
        assert_non_null(c);
        assert_int_equal(strtol(c->row.outcome, NULL, 10),
                         atomic_load(&winner[i]));
        mcp_task_copy_release(c);
    }
    assert_int_equal(mcp_task_store_count(t->store), THREADS * ROUNDS + ROUNDS);
}

/* ---- many -----------------------------------------------------------------
 */

static void ten_thousand_tasks_are_kept(void **state)
{
    struct store_test *t = *state;
    uint64_t start = mcp_clock_now_ns(), put, got;
    char id[32];

    for (int i = 0; i < MANY; i++) {
        struct mcp_task_row row;

        snprintf(id, sizeof(id), "m%d", i);
        row = task_row(id, MCP_TASK_WORKING);
        mcp_task_store_put(t->store, &row, NULL, NULL);
    }
    assert_int_equal(mcp_task_store_count(t->store), MANY);
    assert_true(task_is_there(t->store, "m9999", 0));
    put = mcp_clock_now_ns();
    for (int i = 0; i < MANY; i += 10) {
        snprintf(id, sizeof(id), "m%d", i);
        assert_true(task_is_there(t->store, id, 0));
    }
    got = mcp_clock_now_ns();
    print_message(
        "%s %d puts: %.0f a second; gets, one by one: %.0f a second\n", t->kind,
        MANY, MANY * 1e9 / (double)(put - start),
        MANY / 10 * 1e9 / (double)(got - put));
    assert_int_equal(mcp_task_store_count(t->store), MANY);
}

/* ---- URLs -----------------------------------------------------------------
 */

static void an_unknown_store_is_refused_with_what_is_right(void **state)
{
    static const char *const refused[][2] = {
        {"", "\"\" is no store of tasks: write memory: or sqlite:PATH"},
        {"memory", "\"memory\" is no store of tasks"},
        {"memory:x", "\"memory\" is no store of tasks"},
        {"/var/tasks.sqlite", "write memory: or sqlite:PATH"},
        {"sqlite:", "names no file: write sqlite:PATH"},
        {"sqlite:/tmp/", "names a folder, not a file"},
        {"sqlite:..", "names a folder, not a file"},
        {"redis:", "not built in: write memory: or sqlite:PATH"},
        {"redis://:hunter2@host/1", "redis: is not built in"},
        {"postgres://u:hunter2@host", "\"postgres\" is no store of tasks"},
    };
    char message[512];

    (void)state;
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        assert_int_equal(store_open_error(refused[i][0], message), MCP_EINVAL);
        if (strstr(message, refused[i][1]) == NULL)
            fail_msg("%s: %s", refused[i][0], message);
        assert_null(strstr(message, "hunter2"));
    }
}

static char in_memory[] = "memory:", in_a_file[] = "sqlite:";

/* clang-format off */
#define BOTH(f)                                                                \
    {#f " (memory)", f, store_test_open, store_test_close, in_memory},         \
    {#f " (sqlite)", f, store_test_open, store_test_close, in_a_file}
/* clang-format on */

int main(void)
{
    const struct CMUnitTest tests[] = {
        BOTH(every_field_comes_back),
        BOTH(absent_and_empty_texts_differ),
        BOTH(a_mebibyte_of_outcome_comes_back),
        BOTH(the_callers_texts_are_copied),
        BOTH(a_task_is_seen_by_its_principal_alone),
        BOTH(a_put_replaces_the_whole_row),
        BOTH(a_final_row_stays),
        BOTH(a_task_lives_ttl_milliseconds_and_no_longer),
        BOTH(expiry_deletes_what_is_past_its_time),
        BOTH(an_expired_id_may_come_again),
        BOTH(thousands_expire_and_the_count_is_exact),
        BOTH(a_get_sees_the_puts_before_it),
        BOTH(a_callback_may_use_the_store),
        BOTH(closing_waits_for_what_was_put),
        BOTH(a_row_has_a_largest_size),
        BOTH(of_racing_threads_one_finishes_a_task),
        BOTH(ten_thousand_tasks_are_kept),
        cmocka_unit_test(an_unknown_store_is_refused_with_what_is_right),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
