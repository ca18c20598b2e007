/*
 * log_test.c - form, escaping, levels, bounds, and lines that cannot leave
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/json.h"
#include "base/log.h"

static int saved_stderr = -1;
static char read_back[1 << 20];

/* stderr becomes `fd`, which is closed here. */
static void redirect(int fd)
{
    saved_stderr = dup(STDERR_FILENO);
    assert_true(saved_stderr >= 0);
    assert_true(dup2(fd, STDERR_FILENO) == STDERR_FILENO);
    assert_int_equal(close(fd), 0);
}

static void restore(void)
{
    assert_true(dup2(saved_stderr, STDERR_FILENO) == STDERR_FILENO);
    assert_int_equal(close(saved_stderr), 0);
}

static int file;

static void begin(enum mcp_log_level level, bool json)
{
    file = memfd_create("log", 0);
    assert_true(file >= 0);
    /* As a shell does for 2>>: else threads share one position. */
    assert_int_equal(fcntl(file, F_SETFL, O_APPEND), 0);
    redirect(dup(file));
    mcp_log_setup(level, json);
}

/* What was written since begin(). */
static const char *end(void)
{
    ssize_t n;

    restore();
    n = pread(file, read_back, sizeof(read_back) - 1, 0);
    assert_true(n >= 0);
    read_back[n] = '\0';
    assert_int_equal(close(file), 0);
    mcp_log_setup(MCP_LOG_INFO, false);
    return read_back;
}

static void a_text_line_has_time_level_part_and_message(void **state)
{
    const char *line;
    int y, mo, d, h, mi, s, ms, used = 0;

    (void)state;
    begin(MCP_LOG_INFO, false);
    mcp_log(MCP_LOG_WARNING, "http", "port=%d", 8000);
    line = end();
    assert_int_equal(sscanf(line, "%4d-%2d-%2dT%2d:%2d:%2d.%3dZ%n", &y, &mo, &d,
                            &h, &mi, &s, &ms, &used),
                     7);
    assert_int_equal(used, 24);
    assert_string_equal(line + 24, " warning http: port=8000\n");
}

static void a_text_line_stays_one_line(void **state)
{
    (void)state;
    begin(MCP_LOG_INFO, false);
    mcp_log(MCP_LOG_INFO, "a", "x\ny\tz\r\x1b[31m\x7f \xff\xfe \xc3\xa9 \xe2");
    assert_string_equal(end() + 24,
                        " info    a: x\\ny\\tz\\r\\u001b[31m\\u007f "
                        "\\xff\\xfe \xc3\xa9 \\xe2\n");
}

static void a_json_line_is_json_whatever_the_message(void **state)
{
    struct mcp_arena *a = mcp_arena_new(1 << 20);
    const struct mcp_json *v;
    const char *line;

    (void)state;
    begin(MCP_LOG_INFO, true);
    mcp_log(MCP_LOG_ERROR, "app", "say \"hi\"\n\x01\xff\xc3\xa9");
    line = end();
    assert_non_null(a);
    assert_int_equal(mcp_json_parse(a, line, strlen(line), NULL, &v, NULL),
                     MCP_OK);
    assert_int_equal(v->count, 4);
    assert_true(mcp_json_equals_string(mcp_json_find(v, "level"), "error"));
    assert_true(mcp_json_equals_string(mcp_json_find(v, "part"), "app"));
    assert_true(mcp_json_equals_string(mcp_json_find(v, "message"),
                                       "say \"hi\"\n\x01\xef\xbf\xbd\xc3\xa9"));
    assert_int_equal(mcp_json_find(v, "time")->count, 24);
    assert_int_equal(strcspn(line, "\n"), strlen(line) - 1);
    mcp_arena_free(a);
}

static void lines_below_the_level_are_dropped(void **state)
{
    int level, least;

    (void)state;
    for (least = MCP_LOG_DEBUG; least <= (int)MCP_LOG_OFF; least++) {
        begin((enum mcp_log_level)least, false);
        for (level = MCP_LOG_DEBUG; level < (int)MCP_LOG_OFF; level++) {
            assert_int_equal(mcp_log_enabled((enum mcp_log_level)level),
                             level >= least);
            mcp_log((enum mcp_log_level)level, "x", "L%d", level);
        }
        (void)end();
        for (level = MCP_LOG_DEBUG; level < (int)MCP_LOG_OFF; level++) {
            char text[16];

            (void)snprintf(text, sizeof(text), "L%d\n", level);
            assert_int_equal(strstr(read_back, text) != NULL, level >= least);
        }
    }
}

static size_t logged_bytes_of(size_t len)
{
    char *text = malloc(len + 1);
    size_t n;

    assert_non_null(text);
    memset(text, 'm', len);
    text[len] = '\0';
    begin(MCP_LOG_INFO, false);
    mcp_log(MCP_LOG_INFO, "p", "%s", text);
    free(text);
    n = strspn(strchr(end(), 'm'), "m");
    return n;
}

static void messages_of_64_kib_are_whole_and_longer_ones_cut(void **state)
{
    (void)state;
    assert_int_equal(logged_bytes_of(511), 511);
    assert_int_equal(logged_bytes_of(512), 512);
    assert_int_equal(logged_bytes_of(65536), 65536);
    assert_int_equal(logged_bytes_of(65537), 65536);
}

static void the_worst_message_still_fits_a_line(void **state)
{
    char *text = malloc(65537);
    unsigned long long lost = mcp_log_lost();
    bool json;
    int i;

    (void)state;
    assert_non_null(text);
    memset(text, 1, 65536);
    text[65536] = '\0';
    for (i = 0; i < 2; i++) {
        json = i == 1;
        begin(MCP_LOG_INFO, json);
        mcp_log(MCP_LOG_INFO, "p", "%s", text);
        assert_true(strlen(end()) > 6 * 65536);
    }
    assert_int_equal(mcp_log_lost(), lost);
    free(text);
}

enum { THREADS = 4, LINES = 200 };

static void *log_many(void *arg)
{
    int i;

    for (i = 0; i < LINES; i++)
        mcp_log(MCP_LOG_INFO, "t", "%s of many words %d", (const char *)arg, i);
    return NULL;
}

static void lines_of_threads_do_not_mix(void **state)
{
    static const char *const names[THREADS] = {"a", "b", "c", "d"};
    pthread_t threads[THREADS];
    const char *line;
    int i, n, whole = 0;

    (void)state;
    begin(MCP_LOG_INFO, false);
    for (i = 0; i < THREADS; i++)
        assert_int_equal(
            pthread_create(&threads[i], NULL, log_many, (void *)names[i]), 0);
    for (i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (line = end(); *line != '\0'; line += strcspn(line, "\n") + 1) {
        char name, after;

        if (sscanf(line + 24, " info t: %c of many words %d%c", &name, &n,
                   &after) == 3 &&
            after == '\n' && name >= 'a' && name <= 'd')
            whole++;
    }
    assert_int_equal(whole, THREADS * LINES);
}

static void a_full_disk_is_counted_and_forgotten(void **state)
{
    unsigned long long lost = mcp_log_lost();
    int fd = open("/dev/full", O_WRONLY);

    (void)state;
    assert_true(fd >= 0);
    redirect(fd);
    errno = EDOM;
    mcp_log(MCP_LOG_ERROR, "p", "lost");
    assert_int_equal(errno, EDOM);
    restore();
    assert_int_equal(mcp_log_lost(), lost + 1);
}

static void a_closed_pipe_is_counted_and_forgotten(void **state)
{
    unsigned long long lost = mcp_log_lost();
    int fds[2];

    (void)state;
    (void)signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pipe(fds), 0);
    assert_int_equal(close(fds[0]), 0);
    redirect(fds[1]);
    mcp_log(MCP_LOG_ERROR, "p", "lost");
    restore();
    (void)signal(SIGPIPE, SIG_DFL);
    assert_int_equal(mcp_log_lost(), lost + 1);
}

static void a_closed_stderr_is_counted_and_forgotten(void **state)
{
    unsigned long long lost = mcp_log_lost();
    int keep = dup(STDERR_FILENO);

    (void)state;
    assert_int_equal(close(STDERR_FILENO), 0);
    mcp_log(MCP_LOG_ERROR, "p", "lost");
    assert_true(dup2(keep, STDERR_FILENO) == STDERR_FILENO);
    assert_int_equal(close(keep), 0);
    assert_int_equal(mcp_log_lost(), lost + 1);
}

/* A pipe that nobody reads: lines are lost, nobody waits for long. */
static void a_full_pipe_is_not_waited_for(void **unused)
{
    unsigned long long lost = mcp_log_lost();
    struct timespec begun, ended;
    char long_text[10000], *data = read_back;
    int ends[2], i;
    ssize_t n;

    (void)unused;
    memset(long_text, 'x', sizeof(long_text) - 1);
    long_text[sizeof(long_text) - 1] = '\0';
    assert_int_equal(pipe(ends), 0);
    redirect(ends[1]);
    mcp_log_setup(MCP_LOG_INFO, false);
    (void)clock_gettime(CLOCK_MONOTONIC, &begun);
    for (i = 0; i < 50; i++)
        mcp_log(MCP_LOG_INFO, "test", "%s", long_text);
    (void)clock_gettime(CLOCK_MONOTONIC, &ended);
    assert_true(ended.tv_sec - begun.tv_sec < 5);
    assert_true(mcp_log_lost() > lost);
    lost = mcp_log_lost();
    n = read(ends[0], data, sizeof(read_back));
    assert_true(n > (ssize_t)sizeof(long_text));
    mcp_log(MCP_LOG_INFO, "test", "read again");
    restore();
    assert_true(mcp_log_lost() == lost);
    n = read(ends[0], data, sizeof(read_back) - 1);
    assert_true(n > 0);
    data[n] = '\0';
    assert_non_null(strstr(data, "read again"));
    assert_int_equal(close(ends[0]), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_line_has_time_level_part_and_message),
        cmocka_unit_test(a_text_line_stays_one_line),
        cmocka_unit_test(a_json_line_is_json_whatever_the_message),
        cmocka_unit_test(lines_below_the_level_are_dropped),
        cmocka_unit_test(messages_of_64_kib_are_whole_and_longer_ones_cut),
        cmocka_unit_test(the_worst_message_still_fits_a_line),
        cmocka_unit_test(lines_of_threads_do_not_mix),
        cmocka_unit_test(a_full_disk_is_counted_and_forgotten),
        cmocka_unit_test(a_closed_pipe_is_counted_and_forgotten),
        cmocka_unit_test(a_closed_stderr_is_counted_and_forgotten),
        cmocka_unit_test(a_full_pipe_is_not_waited_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
