/*
 * The stdio transport on pipes, with an endpoint that obeys.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "client_common.h"
#include "fake_endpoint_common.h"
#include "transport/stdio.h"

enum { MAX_BODY = 2000 };

static struct {
    struct mcp_config *config;
    int to, from;         /* our ends */
    int in, out, wake_fd; /* the server's */
    atomic_int stop;
    double grace_s;
    pthread_t thread;
    atomic_int ended;
    bool started;
    char heard[65536];
    size_t heard_pos, heard_len;
} s;

static void set(const char *name, const char *text)
{
    char message[200];

    assert_int_equal(mcp_config_set(s.config, name, text, MCP_FROM_FLAG,
                                    message, sizeof(message)),
                     MCP_OK);
}

static int setup(void **state)
{
    int a[2], b[2];

    (void)state;
    signal(SIGPIPE, SIG_IGN);
    memset(&s, 0, sizeof(s));
    s.config = mcp_config_new();
    set("max_body", "2000");
    assert_int_equal(pipe2(a, O_CLOEXEC), 0);
    assert_int_equal(pipe2(b, O_CLOEXEC), 0);
    s.in = a[0];
    s.to = a[1];
    s.from = b[0];
    s.out = b[1];
    s.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    s.grace_s = 1;
    fake_start(4);
    return 0;
}

static void *serve(void *arg)
{
    (void)arg;
    mcp_stdio_run(NULL, s.config, s.in, s.out, &s.stop, s.wake_fd, s.grace_s);
    close(s.out);
    atomic_store(&s.ended, 1);
    return NULL;
}

static void start(void)
{
    s.started = true;
    pthread_create(&s.thread, NULL, serve, NULL);
}

static void end_input(void)
{
    if (s.to >= 0)
        close(s.to);
    s.to = -1;
}

static int teardown(void **state)
{
    (void)state;
    end_input();
    if (s.started)
        pthread_join(s.thread, NULL);
    fake_stop();
    close(s.in);
    if (s.from >= 0)
        close(s.from);
    close(s.wake_fd);
    mcp_config_free(s.config);
    return 0;
}

static void say(const char *text)
{
    size_t len = strlen(text);

    assert_int_equal(write(s.to, text, len), len);
}

/* The next byte; 0: none within 5 s, or the end. */
static int hear_byte(char *c)
{
    struct pollfd p = {.fd = s.from, .events = POLLIN};

    if (s.heard_pos == s.heard_len) {
        ssize_t n =
            poll(&p, 1, 5000) > 0 ? read(s.from, s.heard, sizeof(s.heard)) : 0;

        s.heard_pos = 0;
        s.heard_len = n > 0 ? (size_t)n : 0;
        if (n <= 0)
            return 0;
    }
    *c = s.heard[s.heard_pos++];
    return 1;
}

/* One line without its LF; NULL: the end. */
static char *hear(void)
{
    static char line[(16 << 20) + 20000];
    size_t n = 0;

    while (hear_byte(line + n)) {
        if (line[n] == '\n') {
            line[n] = '\0';
            return line;
        }
        assert_true(++n < sizeof(line));
    }
    line[n] = '\0';
    assert_int_equal(n, 0); /* half a line is never left behind */
    return NULL;
}

static void assert_hear(const char *text)
{
    const char *line = hear();

    assert_non_null(line);
    assert_string_equal(line, text);
}

static bool is_quiet(int ms)
{
    struct pollfd p = {.fd = s.from, .events = POLLIN};

    return poll(&p, 1, ms) == 0;
}

static uint64_t ms_since(uint64_t start_ns)
{
    return (mcp_clock_now_ns() - start_ns) / MCP_NS_PER_MS;
}

/* ---- lines -------------------------------------------------------------- */

static void each_line_is_answered_by_a_line(void **state)
{
    (void)state;
    start();
    say("echo one\n");
    assert_hear("one");
    say("later 5\n");
    assert_hear("later");
    say("echo a\necho b\necho c\n");
    assert_hear("a");
    assert_hear("b");
    assert_hear("c");
}

static void a_line_may_come_in_pieces(void **state)
{
    (void)state;
    start();
    say("ec");
    usleep(20000);
    say("ho on");
    usleep(20000);
    say("e\necho t");
    assert_hear("one");
    say("wo\n");
    assert_hear("two");
}

static void cr_and_blank_lines_do_not_matter(void **state)
{
    (void)state;
    start();
    say("echo one\r\n\n\r\n  \t\necho two\r\n");
    assert_hear("one");
    assert_hear("two");
    assert_int_equal(atomic_load(&fake_stats.handled), 2);
}

static void garbage_is_the_endpoints_to_answer(void **state)
{
    (void)state;
    start();
    say("\xff\xfe\n");
    assert_hear("unknown");
    say("Content-Length: 52\r\n\r\necho 1\n");
    assert_hear("unknown");
    assert_hear("1");
}

static void a_notification_is_not_answered(void **state)
{
    (void)state;
    start();
    say("notify\necho 1\n");
    assert_hear("1");
    assert_true(is_quiet(50));
}

static void calls_do_not_wait_for_one_another(void **state)
{
    (void)state;
    start();
    say("later 200\necho 1\nlater 50\n");
    assert_hear("1");
    assert_hear("later");
    assert_hear("later");
}

static void messages_come_before_the_answer(void **state)
{
    (void)state;
    start();
    say("emit 3 5\n");
    assert_hear("{\"n\":1}");
    assert_hear("{\"n\":2}");
    assert_hear("{\"n\":3}");
    assert_hear("later");
    say("inline 1\n");
    assert_hear("{\"n\":1}");
    assert_hear("inline");
    say("open 1\n"); /* opening a stream says nothing */
    assert_hear("later");
}

/* ---- limits ------------------------------------------------------------- */

static void say_long(size_t n, const char *end)
{
    char text[MAX_BODY + 10];

    memset(text, 'm', n);
    memcpy(text, "echo ", 5);
    text[n] = '\0';
    say(text);
    say(end);
}

static void max_body_is_the_longest_line(void **state)
{
    (void)state;
    start();
    say_long(MAX_BODY, "\n");
    assert_int_equal(strspn(hear(), "m"), MAX_BODY - 5);
    say_long(MAX_BODY, "\r\n");
    assert_int_equal(strspn(hear(), "m"), MAX_BODY - 5);
    say_long(MAX_BODY + 1, "\n");
    assert_non_null(strstr(hear(), "\"refused\":413"));
    say("echo 1\n");
    assert_hear("1");
    assert_int_equal(atomic_load(&fake_stats.handled), 3);
}

static void a_line_that_is_too_long_is_skipped_to_its_end(void **state)
{
    char filler[20001];
    int i;

    (void)state;
    start();
    memset(filler, 'x', 20000);
    filler[20000] = '\0';
    for (i = 0; i < 20; i++)
        say(filler);
    say("\necho 1\n");
    assert_non_null(strstr(hear(), "\"refused\":413"));
    assert_hear("1");
    assert_int_equal(atomic_load(&fake_stats.handled), 1);
}

static void a_flood_of_calls_waits_in_the_pipe(void **state)
{
    int i, limit = 1 * 2 + 64, n;

    (void)state;
    set("queue", "1");
    start();
    for (i = 0; i < limit + 20; i++)
        say("later 1500\n");
    for (i = 0; i < 1000 && atomic_load(&fake_stats.handled) < limit; i++)
        usleep(1000);
    usleep(100000); /* and no more */
    n = atomic_load(&fake_stats.handled);
    assert_int_equal(n, limit);
    for (i = 0; i < limit + 20; i++)
        assert_hear("later");
}

/* Reads everything until a line is `last`; the number of bytes. */
static size_t read_until(const char *last, int pause_us)
{
    size_t bytes = 0;
    const char *line;

    do {
        line = hear();
        assert_non_null(line);
        bytes += strlen(line) + 1;
        if (pause_us > 0)
            usleep((useconds_t)pause_us);
    } while (strcmp(line, last) != 0);
    return bytes;
}

static void big_answers_reach_a_slow_reader_whole(void **state)
{
    int i;

    (void)state;
    start();
    say("big 150000\nbig 150000\nemit 20 0\necho end\n");
    usleep(200000); /* nobody reads: the pipe is full, the rest queued */
    say("echo more\n");
    for (i = 0; i < 2;) {
        const char *line = hear();

        assert_non_null(line);
        if (line[0] == 'x') {
            assert_int_equal(strlen(line), 150000);
            assert_int_equal(strspn(line, "x"), 150000);
            i++;
        } else {
            assert_true(strncmp(line, "{\"n\":", 5) == 0 ||
                        strcmp(line, "later") == 0 ||
                        strcmp(line, "end") == 0 || strcmp(line, "more") == 0);
        }
    }
}

static void an_answer_beyond_the_limit_is_an_error(void **state)
{
    enum { LIMIT = 3 * 4096 + 16 * 1024 * 1024 };
    char command[40];

    (void)state;
    set("max_blob_bytes", "4096");
    start();
    (void)snprintf(command, sizeof(command), "big %d\n", LIMIT);
    say(command);
    assert_int_equal(strspn(hear(), "x"), LIMIT);
    (void)snprintf(command, sizeof(command), "big %d\n", LIMIT + 1);
    say(command);
    assert_hear("{\"refused\":503,\"message\":\"The result is too large\"}");
    say("echo 1\n");
    assert_hear("1");
}

static void a_client_that_only_writes_cannot_stop_the_reading(void **state)
{
    int i;

    (void)state;
    set("max_body", "100000");
    start();
    for (i = 0; i < 100; i++) {
        char text[4001];

        memset(text, 'm', 4000);
        memcpy(text, "echo ", 5);
        text[3999] = '\n';
        text[4000] = '\0';
        say(text); /* would block for ever if the server did */
    }
    say("echo end\n");
    assert_int_equal(client_await(&fake_stats.handled, 101, 10000), 0);
    assert_true(read_until("end", 0) > 100 * 3990);
}

static void unread_messages_are_dropped_at_a_limit(void **state)
{
    const char *line;

    (void)state;
    start();
    say("flood 200\n"); /* 13 MB */
    assert_int_equal(client_await(&fake_stats.finished, 1, 10000), 0);
    assert_true(atomic_load(&fake_stats.refused) > 100);
    do {
        line = hear();
        assert_non_null(line);
    } while (strncmp(line, "refused ", 8) != 0);
}

/* ---- the end ------------------------------------------------------------ */

static void quick_calls_are_answered_after_the_end_of_input(void **state)
{
    uint64_t start_ns = mcp_clock_now_ns();

    (void)state;
    start();
    say("later 100\necho 1\necho last");
    end_input();
    assert_hear("1");
    assert_hear("last");
    assert_hear("later");
    assert_null(hear());
    assert_true(ms_since(start_ns) < 450);
}

static void slow_calls_are_cancelled_at_the_end_of_input(void **state)
{
    uint64_t start_ns = mcp_clock_now_ns();

    (void)state;
    start();
    say("hang\n");
    end_input();
    assert_int_equal(client_await(&s.ended, 1, 10000), 0);
    assert_in_range(ms_since(start_ns), 400, 990);
    assert_int_equal(atomic_load(&fake_stats.cancelled), 1);
    assert_int_equal(atomic_load(&fake_stats.disconnected), 1);
}

static void a_stubborn_call_does_not_hold_the_end(void **state)
{
    uint64_t start_ns = mcp_clock_now_ns();

    (void)state;
    start();
    say("stubborn 1500\n");
    end_input();
    assert_int_equal(client_await(&s.ended, 1, 10000), 0);
    assert_true(ms_since(start_ns) < 990);
    assert_null(hear()); /* and its answer goes nowhere */
    assert_int_equal(client_await(&fake_stats.finished, 1, 10000), 0);
}

static void an_end_of_input_without_calls_is_immediate(void **state)
{
    uint64_t start_ns = mcp_clock_now_ns();

    (void)state;
    start();
    end_input();
    assert_int_equal(client_await(&s.ended, 1, 10000), 0);
    assert_true(ms_since(start_ns) < 300);
}

static void a_signal_lets_calls_finish(void **state)
{
    static const uint64_t one = 1;
    uint64_t start_ns;

    (void)state;
    start();
    say("later 300\nhang\n");
    assert_int_equal(client_await(&fake_stats.handled, 2, 10000), 0);
    start_ns = mcp_clock_now_ns();
    atomic_store(&s.stop, 15);
    assert_int_equal(write(s.wake_fd, &one, sizeof(one)), sizeof(one));
    assert_hear("later");
    assert_int_equal(client_await(&s.ended, 1, 10000), 0);
    assert_in_range(ms_since(start_ns), 900, 1600);
    assert_int_equal(atomic_load(&fake_stats.cancelled), 1);
}

static void a_client_that_stops_reading_for_good_ends_the_server(void **state)
{
    uint64_t start_ns;

    (void)state;
    start();
    say("hang\n");
    assert_int_equal(client_await(&fake_stats.handled, 1, 10000), 0);
    start_ns = mcp_clock_now_ns();
    close(s.from);
    s.from = -1;
    assert_int_equal(client_await(&s.ended, 1, 10000), 0);
    assert_true(ms_since(start_ns) < 500);
    assert_int_equal(atomic_load(&fake_stats.cancelled), 1);
}

static void an_idle_server_sleeps(void **state)
{
    struct rusage before, after;

    (void)state;
    start();
    say("later 400\n");
    usleep(20000);
    getrusage(RUSAGE_SELF, &before);
    usleep(300000);
    getrusage(RUSAGE_SELF, &after);
    assert_true((after.ru_utime.tv_sec - before.ru_utime.tv_sec) * 1000000 +
                    after.ru_utime.tv_usec - before.ru_utime.tv_usec <
                60000);
    assert_hear("later");
}

/* ---- other descriptors -------------------------------------------------- */

static void a_socket_will_do_as_well(void **state)
{
    int pair[2], i;

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    close(s.out);
    close(s.from);
    s.from = pair[0];
    s.out = pair[1];
    start();
    say("big 150000\nbig 150000\n");
    usleep(100000);
    for (i = 0; i < 2; i++)
        assert_int_equal(strspn(hear(), "x"), 150000);
}

static void the_channel_is_taken_from_everyone_else(void **state)
{
    int status, n = 0, in, out, err[2];
    char text[100] = "";
    pid_t pid;

    (void)state;
    assert_int_equal(pipe(err), 0);
    pid = fork();
    if (pid == 0) {
        char c;

        dup2(s.in, 0);
        dup2(s.out, 1);
        dup2(err[1], 2);
        if (mcp_stdio_claim(&in, &out) != MCP_OK || read(0, &c, 1) != 0 ||
            write(1, "stray ", 6) != 6 || system("printf echoed") != 0 ||
            read(in, &c, 1) != 1 || write(out, &c, 1) != 1)
            _exit(1);
        _exit(0);
    }
    say("x");
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(read(s.from, text, sizeof(text)), 1);
    assert_int_equal(text[0], 'x');
    while (n < 12)
        n += (int)read(err[0], text + n, sizeof(text) - 1 - (size_t)n);
    assert_string_equal(text, "stray echoed");
    close(err[0]);
    close(err[1]);
    close(s.out);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(each_line_is_answered_by_a_line),
        T(a_line_may_come_in_pieces),
        T(cr_and_blank_lines_do_not_matter),
        T(garbage_is_the_endpoints_to_answer),
        T(a_notification_is_not_answered),
        T(calls_do_not_wait_for_one_another),
        T(messages_come_before_the_answer),
        T(max_body_is_the_longest_line),
        T(a_line_that_is_too_long_is_skipped_to_its_end),
        T(a_flood_of_calls_waits_in_the_pipe),
        T(big_answers_reach_a_slow_reader_whole),
        T(an_answer_beyond_the_limit_is_an_error),
        T(a_client_that_only_writes_cannot_stop_the_reading),
        T(unread_messages_are_dropped_at_a_limit),
        T(quick_calls_are_answered_after_the_end_of_input),
        T(slow_calls_are_cancelled_at_the_end_of_input),
        T(a_stubborn_call_does_not_hold_the_end),
        T(an_end_of_input_without_calls_is_immediate),
        T(a_signal_lets_calls_finish),
        T(a_client_that_stops_reading_for_good_ends_the_server),
        T(an_idle_server_sleeps),
        T(a_socket_will_do_as_well),
        T(the_channel_is_taken_from_everyone_else),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
