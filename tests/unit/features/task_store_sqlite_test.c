/* Mirrors src/features/task_store_sqlite.c, _file.c, _sql.c and _path.c: the
 * file. task_store_test.c has what is not about files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "task_store_common.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "features/task_store_sql.h"

static char in_a_file[] = "sqlite:";

/* The path of the store with another ending; of the next 4 calls. */
static const char *beside(const struct store_test *t, const char *ending)
{
    static char paths[4][300];
    static int next;
    char *path = paths[next++ % 4];

    snprintf(path, sizeof(paths[0]), "%s%s", t->path, ending);
    return path;
}

static int mode_of(const char *path)
{
    struct stat st;

    assert_int_equal(stat(path, &st), 0);
    return st.st_mode & 07777;
}

static bool is_absent(const char *path)
{
    struct stat st;

    return lstat(path, &st) != 0 && errno == ENOENT;
}

static void shut(struct store_test *t)
{
    mcp_task_store_close(t->store);
    t->store = NULL;
}

static void expect_refusal(const struct store_test *t, enum mcp_err err,
                           const char *text)
{
    char message[512];

    assert_int_equal(store_open_error(t->url, message), err);
    if (strstr(message, text) == NULL)
        fail_msg("not \"%s\": %s", text, message);
}

/* Runs SQL on the file of a closed store. */
static void alter(const struct store_test *t, const char *sql)
{
    sqlite3 *db;
    char *error = NULL;

    assert_int_equal(sqlite3_open(t->path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &error) != SQLITE_OK)
        fail_msg("%s: %s", sql, error);
    sqlite3_close(db);
}

/* ---- what stays -----------------------------------------------------------
 */

struct listing {
    char ids[256];
    int64_t last_ms;
};

static void on_unfinished(void *user, const struct mcp_task_row *row)
{
    struct listing *l = user;
    size_t at = strlen(l->ids);

    assert_true(row->created_ms >= l->last_ms);
    assert_string_equal(row->principal, "p");
    assert_string_equal(row->params, "{}");
    l->last_ms = row->created_ms;
    snprintf(l->ids + at, sizeof(l->ids) - at, "%s ", row->id);
}

static void unfinished_tasks_come_oldest_first_after_a_restart(void **state)
{
    struct store_test *t = *state;
    static const struct {
        const char *id;
        enum mcp_task_status status;
        int64_t created_ms;
    } rows[] = {
        {"c", MCP_TASK_WORKING, 300},   {"a", MCP_TASK_INPUT_REQUIRED, 100},
        {"x", MCP_TASK_COMPLETED, 50},  {"b", MCP_TASK_WORKING, 200},
        {"b2", MCP_TASK_WORKING, 200},  {"y", MCP_TASK_FAILED, 150},
        {"z", MCP_TASK_CANCELLED, 250}, {"w", MCP_TASK_WORKING, -5},
    };
    struct listing l = {.last_ms = INT64_MIN};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct mcp_task_row row = task_row(rows[i].id, rows[i].status);

        row.created_ms = rows[i].created_ms;
        assert_int_equal(task_put(t->store, &row), MCP_OK);
    }
    store_test_reopen(t);
    mcp_task_store_unfinished(t->store, on_unfinished, &l);
    assert_string_equal(l.ids, "w a b b2 c ");
    assert_int_equal(mcp_task_store_count(t->store), 8);
    assert_true(task_is_there(t->store, "x", 0));
}

static void a_final_row_stays_after_a_restart(void **state)
{
    struct store_test *t = *state;
    struct mcp_task_row row = task_row("done", MCP_TASK_COMPLETED);

    assert_int_equal(task_put(t->store, &row), MCP_OK);
    store_test_reopen(t);
    row.status = MCP_TASK_WORKING;
    assert_int_equal(task_put(t->store, &row), MCP_EEXIST);
    assert_int_equal(mcp_task_store_count(t->store), 1);
}

static void opening_ten_thousand_tasks_is_quick(void **state)
{
    struct store_test *t = *state;
    char id[32];
    uint64_t best = UINT64_MAX;

    for (int i = 0; i < 10000; i++) {
        struct mcp_task_row row;

        snprintf(id, sizeof(id), "0123456789abcdef-%d", i);
        row = task_row(id, MCP_TASK_COMPLETED);
        mcp_task_store_put(t->store, &row, NULL, NULL);
    }
    for (int i = 0; i < 5; i++) {
        uint64_t start;

        shut(t);
        start = mcp_clock_now_ns();
        store_test_reopen(t);
        if (mcp_clock_now_ns() - start < best)
            best = mcp_clock_now_ns() - start;
    }
    print_message("opened with 10000 tasks in %.2f ms\n", (double)best / 1e6);
    assert_int_equal(mcp_task_store_count(t->store), 10000);
    assert_true(best < 500 * MCP_NS_PER_MS);
}

/* ---- one owner ------------------------------------------------------------
 */

static void a_second_open_tells_who_has_it(void **state)
{
    struct store_test *t = *state;
    char text[64], link[256];

    snprintf(text, sizeof(text), "this process (%ld)", (long)getpid());
    expect_refusal(t, MCP_EBUSY, text);
    snprintf(link, sizeof(link), "%s/link", t->folder);
    assert_int_equal(symlink("tasks.sqlite", link), 0);
    snprintf(t->url, sizeof(t->url), "sqlite:%s", link);
    expect_refusal(t, MCP_EBUSY, text);
    shut(t);
    store_test_reopen(t); /* through the link */
    assert_true(is_absent(beside(t, ".new")));
}

/* Opens the store in a child, which then waits to be killed. */
static pid_t open_in_a_child(const struct store_test *t)
{
    int ready[2];
    char message[512], byte;
    pid_t child;

    assert_int_equal(pipe(ready), 0);
    child = fork();
    if (child == 0) {
        struct mcp_task_store *s;

        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (mcp_task_store_open(t->url, &s, message, sizeof(message)) == MCP_OK)
            (void)!write(ready[1], "x", 1);
        pause();
        _exit(0);
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return child;
}

static void end(pid_t child)
{
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void a_store_of_another_process_is_refused_until_its_end(void **state)
{
    struct store_test *t = *state;
    char text[512], *lock;
    pid_t child;

    shut(t);
    child = open_in_a_child(t);
    snprintf(text, sizeof(text), "%s is in use by process %ld", t->path,
             (long)child);
    expect_refusal(t, MCP_EBUSY, text);
    file_write(beside(t, ".lock"), "junk", 4);
    expect_refusal(t, MCP_EBUSY, "is in use by another process");
    end(child);
    store_test_reopen(t);
    lock = file_read(beside(t, ".lock"), NULL);
    assert_int_equal(strtol(lock, NULL, 10), getpid());
    free(lock);
}

/* Who does not know of the lock file is kept out by SQLite's own. */
static void others_cannot_write_an_open_store(void **state)
{
    struct store_test *t = *state;
    struct mcp_task_row row = task_row("a", MCP_TASK_WORKING);
    char command[512];

    assert_int_equal(task_put(t->store, &row), MCP_OK);
    snprintf(command, sizeof(command),
             "printf '%%s' 'delete from task' | %s %s >/dev/null 2>&1",
             "sqlite3 -bail", t->path);
    if (system("command -v sqlite3 >/dev/null") != 0) {
        print_message("no sqlite3 program here\n");
        skip();
    }
    assert_int_not_equal(system(command), 0);
    store_test_reopen(t);
    assert_true(task_is_there(t->store, "a", 0));
}

/* ---- what is there --------------------------------------------------------
 */

static void folders_and_files_are_for_the_owner_alone(void **state)
{
    struct store_test *t = *state;
    struct mcp_task_row row = task_row("a", MCP_TASK_WORKING);
    mode_t mask = umask(0);
    char deep[128];

    shut(t);
    snprintf(deep, sizeof(deep), "%s/one/two", t->folder);
    snprintf(t->path, sizeof(t->path), "%s/t", deep);
    snprintf(t->url, sizeof(t->url), "sqlite:%s", t->path);
    store_test_reopen(t);
    umask(mask);
    assert_int_equal(task_put(t->store, &row), MCP_OK);
    assert_int_equal(mode_of(deep), 0700);
    *strrchr(deep, '/') = '\0';
    assert_int_equal(mode_of(deep), 0700);
    assert_int_equal(mode_of(t->path), 0600);
    assert_int_equal(mode_of(beside(t, "-wal")), 0600);
    assert_int_equal(mode_of(beside(t, ".lock")), 0600);
    assert_true(is_absent(beside(t, ".new")));
    assert_true(is_absent(beside(t, "-shm")));
}

static void an_empty_file_becomes_a_store(void **state)
{
    struct store_test *t = *state;

    shut(t);
    file_write(t->path, "", 0);
    file_write(beside(t, ".new"), "half", 4); /* of a try that was killed */
    store_test_reopen(t);
    assert_int_equal(mcp_task_store_count(t->store), 0);
    assert_true(is_absent(beside(t, ".new")));
}

/* Refused, and the file is byte for byte as before. */
static void expect_untouched(const struct store_test *t, enum mcp_err err,
                             const char *text)
{
    size_t before_len, after_len;
    char *before = file_read(t->path, &before_len), *after;

    expect_refusal(t, err, text);
    after = file_read(t->path, &after_len);
    assert_int_equal(before_len, after_len);
    assert_memory_equal(before, after, before_len);
    free(before);
    free(after);
}

static void a_file_of_something_else_stays_as_it_is(void **state)
{
    struct store_test *t = *state;
    char text[4096];

    shut(t);
    memset(text, 'x', sizeof(text));
    file_write(t->path, text, sizeof(text));
    expect_untouched(t, MCP_EINVAL, "no store of tasks: not a SQLite file");
    file_write(t->path, "S", 1);
    expect_untouched(t, MCP_EINVAL, "not a SQLite file");
    file_write(t->path, "SQLite format 3", 16);
    expect_untouched(t, MCP_EINVAL, "not a SQLite file");
    assert_int_equal(unlink(t->path), 0);
    alter(t, "CREATE TABLE task (a); INSERT INTO task VALUES (1)");
    expect_untouched(t, MCP_EINVAL, "a SQLite file of another program");
}

static void a_newer_version_is_refused(void **state)
{
    struct store_test *t = *state;
    struct mcp_task_row row = task_row("a", MCP_TASK_WORKING);

    assert_int_equal(task_put(t->store, &row), MCP_OK);
    shut(t);
    alter(t, "PRAGMA user_version = 2; ALTER TABLE task ADD COLUMN more");
    expect_untouched(t, MCP_EINVAL,
                     "is a store of version 2, this mcpluad knows version 1");
    alter(t, "PRAGMA user_version = 0");
    expect_untouched(t, MCP_EINVAL, "is a store of version 0");
    alter(t, "PRAGMA user_version = 1");
    store_test_reopen(t);
    assert_true(task_is_there(t->store, "a", 0));
}

static void a_damaged_store_is_refused(void **state)
{
    struct store_test *t = *state;
    size_t len;
    char *bytes;

    shut(t);
    bytes = file_read(t->path, &len);
    memset(bytes + 100, 0xa5, 300); /* the schema */
    file_write(t->path, bytes, len);
    expect_untouched(t, MCP_EINVAL, "is damaged");
    free(bytes);
    assert_int_equal(unlink(t->path), 0);
    store_test_reopen(t);
    shut(t);
    alter(t, "DROP TABLE task");
    expect_untouched(t, MCP_EINVAL, "is damaged: no such table: task");
}

static void what_is_no_file_is_refused(void **state)
{
    struct store_test *t = *state;
    char message[512];

    shut(t);
    assert_int_equal(unlink(t->path), 0);
    assert_int_equal(mkdir(t->path, 0700), 0);
    expect_refusal(t, MCP_EINVAL, "is no regular file");
    assert_int_equal(rmdir(t->path), 0);
    assert_int_equal(mkfifo(t->path, 0600), 0);
    expect_refusal(t, MCP_EINVAL, "is no regular file");
    assert_int_equal(unlink(t->path), 0);
    assert_int_equal(symlink("nowhere", t->path), 0);
    expect_refusal(t, MCP_EINVAL, "is a link to a file that is not there");
    assert_int_equal(unlink(t->path), 0);
    file_write(beside(t, "-wal"), "left", 4);
    expect_refusal(t, MCP_EINVAL, "is there without");
    file_write(t->path, "", 0);
    expect_refusal(t, MCP_EINVAL, "is there without");
    file_write(beside(t, "-wal"), "", 0);
    store_test_reopen(t);
    assert_int_equal(store_open_error("sqlite:/dev/null/x", message), MCP_EIO);
    assert_non_null(strstr(message, "cannot open /dev/null/: Not a dir"));
    assert_int_equal(store_open_error("sqlite:/proc/x", message), MCP_EIO);
    assert_non_null(strstr(message, "cannot open /proc/x.lock"));
}

static void a_path_has_a_longest_length(void **state)
{
    struct store_test *t = *state;
    char path[PATH_MAX + 32], url[PATH_MAX + 64], message[512];
    size_t len;

    shut(t);
    len = (size_t)snprintf(path, sizeof(path), "%s", t->folder);
    while (MCP_TASK_PATH_MAX - 1 - len > 150)
        len += (size_t)snprintf(path + len, sizeof(path) - len, "/%0100d", 0);
    len += (size_t)snprintf(path + len, sizeof(path) - len, "/%0*d",
                            (int)(MCP_TASK_PATH_MAX - 2 - len), 0);
    assert_int_equal(len, MCP_TASK_PATH_MAX - 1);
    snprintf(url, sizeof(url), "sqlite:%s", path);
    if (store_open_error(url, message) != MCP_OK)
        fail_msg("%s", message);
    snprintf(url, sizeof(url), "sqlite:%s1", path);
    assert_int_equal(store_open_error(url, message), MCP_EINVAL);
    assert_non_null(strstr(message, "longer than 499 bytes"));
    store_test_reopen(t);
}

/* ---- the disk -------------------------------------------------------------
 */

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* A limit on the size of files is the full disk of this test. */
static void a_full_disk_is_told_and_survived(void **state)
{
    struct store_test *t = *state;
    struct mcp_task_row small = task_row("small", MCP_TASK_WORKING);
    struct mcp_task_row big = task_row("big", MCP_TASK_COMPLETED);
    char *text = malloc((1 << 20) + 1);

    memset(text, 'x', 1 << 20);
    text[1 << 20] = '\0';
    big.outcome = text;
    assert_int_equal(task_put(t->store, &small), MCP_OK);
    limit_files(256 << 10);
    mcp_log_setup(MCP_LOG_OFF, false);
    assert_int_equal(task_put(t->store, &big), MCP_EIO);
    assert_int_equal(task_put(t->store, &big), MCP_EIO);
    assert_int_equal(mcp_task_store_count(t->store), 1);
    assert_false(task_is_there(t->store, "big", 0));
    assert_true(task_is_there(t->store, "small", 0));
    small.updated_ms++;
    assert_int_equal(task_put(t->store, &small), MCP_OK);
    limit_files(RLIM_INFINITY);
    assert_int_equal(task_put(t->store, &big), MCP_OK);
    mcp_log_setup(MCP_LOG_INFO, false);
    store_test_reopen(t);
    assert_int_equal(mcp_task_store_count(t->store), 2);
    assert_true(task_is_there(t->store, "big", 0));
    free(text);
}

static void a_deleted_file_is_told(void **state)
{
    struct store_test *t = *state;
    struct mcp_task_row row = task_row("a", MCP_TASK_WORKING);

    assert_int_equal(task_put(t->store, &row), MCP_OK);
    assert_int_equal(rename(t->path, beside(t, ".away")), 0);
    mcp_log_setup(MCP_LOG_OFF, false);
    assert_int_equal(task_put(t->store, &row), MCP_EIO);
    assert_int_equal(rename(beside(t, ".away"), t->path), 0);
    assert_int_equal(task_put(t->store, &row), MCP_OK);
    mcp_log_setup(MCP_LOG_INFO, false);
}

/* ---- the queue ------------------------------------------------------------
 */

struct stall {
    sem_t held, go_on;
    atomic_int ok, wrong;
};

static void on_stall(void *user, enum mcp_err err)
{
    struct stall *s = user;

    (void)err;
    sem_post(&s->held);
    sem_wait(&s->go_on);
}

static void on_counted(void *user, enum mcp_err err)
{
    struct stall *s = user;

    atomic_fetch_add(err == MCP_OK ? &s->ok : &s->wrong, 1);
}

static void the_queue_is_bounded_by_bytes(void **state)
{
    struct store_test *t = *state;
    struct stall s = {.ok = 0};
    struct mcp_task_row row = task_row("0", MCP_TASK_WORKING), last;
    char *text = malloc(MCP_TASK_STORE_QUEUE_BYTES / 2);
    size_t room;

    sem_init(&s.held, 0, 0);
    sem_init(&s.go_on, 0, 0);
    mcp_task_store_put(t->store, &row, on_stall, &s);
    sem_wait(&s.held); /* now the thread takes nothing more */
    memset(text, 'x', MCP_TASK_STORE_QUEUE_BYTES / 2);
    text[MCP_TASK_STORE_QUEUE_BYTES / 2 - 1] = '\0';
    row = task_row("1", MCP_TASK_WORKING);
    row.outcome = text;
    mcp_task_store_put(t->store, &row, on_counted, &s);
    last = task_row("2", MCP_TASK_WORKING);
    room = MCP_TASK_STORE_QUEUE_BYTES - mcp_task_row_bytes(&row) -
           mcp_task_row_bytes(&last);
    last.outcome = text + MCP_TASK_STORE_QUEUE_BYTES / 2 - room - 1;
    assert_int_equal(task_put(t->store, &last), MCP_EBUSY); /* N + 1 */
    assert_int_equal(mcp_task_store_count(t->store), 2);
    last.outcome++;
    mcp_task_store_put(t->store, &last, on_counted, &s); /* N */
    row = task_row("3", MCP_TASK_WORKING);
    assert_int_equal(task_put(t->store, &row), MCP_EBUSY);
    assert_int_equal(mcp_task_store_count(t->store), 3);
    sem_post(&s.go_on);
    assert_true(task_is_there(t->store, "2", 0));
    assert_int_equal(task_put(t->store, &row),
                     MCP_OK); /* there is room again */
    assert_int_equal(atomic_load(&s.ok), 2);
    assert_int_equal(atomic_load(&s.wrong), 0);
    free(text);
}

/* ---- the default ----------------------------------------------------------
 */

static void expect_default(const char *app, const char *wanted)
{
    char url[512] = "";
    size_t len = strlen(wanted);
    const char *hash;

    assert_int_equal(mcp_task_store_default_url(app, url, sizeof(url)), MCP_OK);
    if (strncmp(url, wanted, len) != 0)
        fail_msg("not %s: %s", wanted, url);
    hash = url + len;
    assert_int_equal(strspn(hash, "0123456789abcdef"), 12);
    assert_string_equal(hash + 12, ".tasks.sqlite");
}

static void the_default_is_a_file_of_the_app(void **state)
{
    struct store_test *t = *state;
    char app[300], other[300], first[512], second[512], wanted[256];

    snprintf(app, sizeof(app), "%s/we ather", t->folder);
    assert_int_equal(mkdir(app, 0700), 0);
    snprintf(app, sizeof(app), "%s/we ather/app.lua", t->folder);
    snprintf(other, sizeof(other), "%s/we ather/../we ather/app.lua",
             t->folder);
    file_write(app, "", 0);
    setenv("HOME", t->folder, 1);
    unsetenv("XDG_STATE_HOME");
    unsetenv("STATE_DIRECTORY");
    snprintf(wanted, sizeof(wanted),
             "sqlite:%s/.local/state/mcpluad/we-ather-app-", t->folder);
    expect_default(app, wanted);
    setenv("XDG_STATE_HOME", "/xdg", 1);
    expect_default(app, "sqlite:/xdg/mcpluad/we-ather-app-");
    setenv("STATE_DIRECTORY", "/var/lib/one:/var/lib/two", 1);
    expect_default(app, "sqlite:/var/lib/one/we-ather-app-");
    expect_default("/", "sqlite:/var/lib/one/-");
    assert_int_equal(mcp_task_store_default_url(app, first, 512), MCP_OK);
    assert_int_equal(mcp_task_store_default_url(other, second, 512), MCP_OK);
    assert_string_equal(first, second);
    assert_int_equal(mcp_task_store_default_url(t->path, second, 512), MCP_OK);
    assert_string_not_equal(first, second);
    assert_int_equal(mcp_task_store_default_url(app, second, strlen(first) + 1),
                     MCP_OK);
    assert_int_equal(mcp_task_store_default_url(app, second, strlen(first)),
                     MCP_ELIMIT);
    assert_int_equal(mcp_task_store_default_url("/no/such", second, 512),
                     MCP_ENOENT);
    setenv("STATE_DIRECTORY", "relative", 1);
    setenv("XDG_STATE_HOME", "relative", 1);
    expect_default(app, wanted);
    unsetenv("HOME");
    assert_int_equal(mcp_task_store_default_url(app, second, 512), MCP_ENOENT);
}

int main(void)
{
#define CASE(f)                                                                \
    cmocka_unit_test_prestate_setup_teardown(f, store_test_open,               \
                                             store_test_close, in_a_file)
    const struct CMUnitTest tests[] = {
        CASE(unfinished_tasks_come_oldest_first_after_a_restart),
        CASE(a_final_row_stays_after_a_restart),
        CASE(opening_ten_thousand_tasks_is_quick),
        CASE(a_second_open_tells_who_has_it),
        CASE(a_store_of_another_process_is_refused_until_its_end),
        CASE(others_cannot_write_an_open_store),
        CASE(folders_and_files_are_for_the_owner_alone),
        CASE(an_empty_file_becomes_a_store),
        CASE(a_file_of_something_else_stays_as_it_is),
        CASE(a_newer_version_is_refused),
        CASE(a_damaged_store_is_refused),
        CASE(what_is_no_file_is_refused),
        CASE(a_path_has_a_longest_length),
        CASE(a_full_disk_is_told_and_survived),
        CASE(a_deleted_file_is_told),
        CASE(the_queue_is_bounded_by_bytes),
        CASE(the_default_is_a_file_of_the_app),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
