/* Mirrors src/features/task_store_sqlite.c: kill -9 while it writes, and files
 * whose bits have changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "task_store_common.h"

#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"

enum { KILLS = 25, OUTSTANDING = 64, FLIPS = 400, ROWS = 60 };

static char in_a_file[] = "sqlite:";

/* xorshift64: the same in each run. */
static uint64_t chance;

static uint64_t next_random(uint64_t below)
{
    chance ^= chance << 13;
    chance ^= chance >> 7;
    chance ^= chance << 17;
    return chance % below;
}

/* ---- kill -9 --------------------------------------------------------------
 */

/* What the child tells of each done(): task `number` was put in `stage`. */
struct told {
    int number, stage;
    int err;
};

static struct {
    int pipe;
    sem_t room;
} child;

enum { STAGES = 4 }; /* working, working with a message, completed, refused */

static void on_done(void *user, enum mcp_err err)
{
    intptr_t n = (intptr_t)user;
    struct told told = {(int)(n / STAGES), (int)(n % STAGES), (int)err};

    if (write(child.pipe, &told, sizeof(told)) != sizeof(told))
        _exit(3);
    sem_post(&child.room);
}

static void put_stage(struct mcp_task_store *s, int round, int number,
                      int stage)
{
    char id[32], outcome[48];
    struct mcp_task_row row;

    snprintf(id, sizeof(id), "r%d-%d", round, number);
    snprintf(outcome, sizeof(outcome), "outcome of %s", id);
    row = task_row(id, stage >= 2 ? MCP_TASK_COMPLETED : MCP_TASK_WORKING);
    row.updated_ms = stage;
    row.created_ms = number;
    row.outcome = stage == 2 ? outcome : NULL;
    sem_wait(&child.room);
    mcp_task_store_put(s, &row, on_done,
                       (void *)(intptr_t)(number * STAGES + stage));
}

/* Puts until it is killed. */
static void child_main(const char *url, int round, int fd)
{
    struct mcp_task_store *s;
    char message[512];

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    child.pipe = fd;
    sem_init(&child.room, 0, OUTSTANDING);
    if (mcp_task_store_open(url, &s, message, sizeof(message)) != MCP_OK)
        _exit(2);
    for (int n = 0;; n++) {
        put_stage(s, round, n, 0);
        if (n >= 10)
            put_stage(s, round, n - 10, 1);
        for (int stage = 2; n >= 20 && stage < STAGES; stage++)
            put_stage(s, round, n - 20, stage);
    }
}

/* The highest stage told of each task; -1: none. Returns how many tasks. */
static int read_told(int fd, int *stages, int max)
{
    struct told told;
    int count = 0;

    for (int i = 0; i < max; i++)
        stages[i] = -1;
    while (read(fd, &told, sizeof(told)) == sizeof(told)) {
        assert_int_equal(told.err, told.stage == 3 ? MCP_EEXIST : MCP_OK);
        assert_true(told.number < max);
        assert_int_equal(stages[told.number], told.stage - 1); /* in order */
        stages[told.number] = told.stage;
        count += told.stage == 0;
    }
    return count;
}

static void check_told(struct mcp_task_store *s, int round, const int *stages,
                       int max)
{
    for (int i = 0; i < max; i++) {
        char id[32], outcome[48];
        struct mcp_task_copy *c;

        if (stages[i] < 0)
            continue;
        snprintf(id, sizeof(id), "r%d-%d", round, i);
        c = task_get(s, id, "p", 0);
        if (c == NULL)
            fail_msg("%s is lost", id);
        assert_true(c->row.updated_ms >= (stages[i] < 2 ? stages[i] : 2));
        assert_true(c->row.updated_ms <= 2);
        assert_int_equal(mcp_task_is_final(c->row.status),
                         c->row.updated_ms == 2);
        snprintf(outcome, sizeof(outcome), "outcome of %s", id);
        if (c->row.updated_ms == 2)
            assert_string_equal(c->row.outcome, outcome);
        mcp_task_copy_release(c);
    }
}

static void nap_us(uint64_t us)
{
    struct timespec t = {.tv_nsec = (long)us * 1000};

    nanosleep(&t, NULL);
}

static int kill_once(struct store_test *t, int round, int *stages, int max)
{
    int fds[2], count;
    pid_t pid;

    assert_int_equal(pipe(fds), 0);
    pid = fork();
    if (pid == 0) {
        close(fds[0]);
        child_main(t->url, round, fds[1]);
    }
    close(fds[1]);
    if (round % 2 == 1) { /* else it may die while it opens the store */
        struct pollfd first = {.fd = fds[0], .events = POLLIN};

        assert_int_equal(poll(&first, 1, 20000), 1);
    }
    nap_us(next_random(50000));
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    count = read_told(fds[0], stages, max);
    close(fds[0]);
    return count;
}

static void what_was_told_as_done_survives_kill_9(void **state)
{
    struct store_test *t = *state;
    enum { MAX = 100000 };
    int *stages = calloc(MAX, sizeof(*stages)), told = 0;
    size_t before = 0;

    chance = 88172645463325252u;
    mcp_task_store_close(t->store);
    t->store = NULL;
    assert_int_equal(remove(t->path), 0); /* it may die while it is made */
    for (int round = 0; round < KILLS; round++) {
        int count = kill_once(t, round, stages, MAX);

        told += count;
        store_test_reopen(t);
        check_told(t->store, round, stages, MAX);
        assert_true(mcp_task_store_count(t->store) >= before + (size_t)count);
        before = mcp_task_store_count(t->store);
        mcp_task_store_close(t->store);
        t->store = NULL;
    }
    print_message("%d kills, %d tasks told as kept\n", KILLS, told);
    assert_true(told > KILLS);
    free(stages);
}

/* ---- bits -----------------------------------------------------------------
 */

static void on_row(void *user, const struct mcp_task_row *row)
{
    size_t *sum = user;

    *sum += strlen(row->id) + strlen(row->principal) + strlen(row->tool) +
            (row->outcome != NULL ? strlen(row->outcome) : 0);
}

static void on_maybe(void *user, const struct mcp_task_row *row)
{
    if (row != NULL)
        on_row(user, row);
}

/* All that a server would do with it. */
static void use(struct mcp_task_store *s)
{
    size_t sum = 0;
    char id[32];

    mcp_task_store_unfinished(s, on_row, &sum);
    for (int i = 0; i < ROWS; i += 3) {
        struct mcp_task_row row;

        snprintf(id, sizeof(id), "bits-%d", i);
        mcp_task_store_get(s, id, "p", 0, on_maybe, &sum);
        row = task_row(id, MCP_TASK_WORKING);
        row.outcome = "new";
        mcp_task_store_put(s, &row, NULL, NULL);
    }
    mcp_task_store_expire(s, 1500);
    (void)task_is_there(s, "bits-1", 0);
    (void)mcp_task_store_count(s);
}

static void fill(struct mcp_task_store *s)
{
    char id[32], outcome[6000];

    for (int i = 0; i < ROWS; i++) {
        struct mcp_task_row row;

        snprintf(id, sizeof(id), "bits-%d", i);
        snprintf(outcome, sizeof(outcome), "%0*d", i * 90, i);
        row = task_row(id, (enum mcp_task_status)(i % 5));
        row.ttl_ms = i % 4 == 0 ? i : -1;
        row.outcome = outcome;
        assert_int_equal(task_put(s, &row), MCP_OK);
    }
}

static void flip(char *bytes, size_t len)
{
    size_t bits = 1 + next_random(16), range = len;

    if (next_random(2) == 0 && len > 4096) /* heads are the most delicate */
        range = 4096;
    for (size_t i = 0; i < bits; i++)
        bytes[next_random(range)] ^= (char)(1 << next_random(8));
}

static void write_damaged(const char *path, const char *bytes, size_t len)
{
    char *copy = malloc(len);

    memcpy(copy, bytes, len);
    flip(copy, len);
    file_write(path, copy, next_random(10) == 0 ? next_random(len) : len);
    free(copy);
}

static void changed_bits_never_crash_it(void **state)
{
    struct store_test *t = *state;
    size_t len, wal_len;
    char *bytes, *wal, wal_path[300], message[512];
    int opened = 0;

    chance = 123456789;
    snprintf(wal_path, sizeof(wal_path), "%s-wal", t->path);
    fill(t->store);
    bytes = file_read(t->path, &len);
    wal = file_read(wal_path, &wal_len);
    assert_true(wal_len > 4096);
    mcp_log_setup(MCP_LOG_OFF, false);
    for (int i = 0; i < FLIPS; i++) {
        bool with_log = i % 3 == 0;

        mcp_task_store_close(t->store);
        t->store = NULL;
        if (i == 0) {
            free(bytes);
            bytes = file_read(t->path, &len); /* all is in the file now */
        }
        write_damaged(t->path, bytes, len);
        remove(wal_path);
        if (with_log)
            write_damaged(wal_path, wal, wal_len);
        if (mcp_task_store_open(t->url, &t->store, message, sizeof(message)) !=
            MCP_OK) {
            assert_true(strlen(message) > 10);
            continue;
        }
        opened++;
        use(t->store);
    }
    mcp_log_setup(MCP_LOG_INFO, false);
    print_message("of %d damaged files %d could be opened\n", FLIPS, opened);
    assert_true(opened > 0 && opened < FLIPS);
    free(bytes);
    free(wal);
}

int main(void)
{
#define CASE(f)                                                                \
    cmocka_unit_test_prestate_setup_teardown(f, store_test_open,               \
                                             store_test_close, in_a_file)
    const struct CMUnitTest tests[] = {
        CASE(what_was_told_as_done_survives_kill_9),
        CASE(changed_bits_never_crash_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
