/*
 * signals_test.c - the first signal asks, the second ends, children are free
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/signals.h"

/* Runs `body` in a child process; its exit status, or 1000 + the signal that
 * killed it. */
static int status_of(int (*body)(void))
{
    int status = 0;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0)
        _exit(body());
    while (waitpid(pid, &status, 0) < 0)
        assert_int_equal(errno, EINTR);
    return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int before_serving(void)
{
    struct mcp_signals s;

    if (mcp_signals_open(&s) != MCP_OK)
        return 99;
    (void)raise(SIGTERM);
    return 98;
}

static int first_while_serving(void)
{
    struct mcp_signals s;

    if (mcp_signals_open(&s) != MCP_OK)
        return 99;
    mcp_signals_serving(5);
    if (mcp_signals_wait(&s, 0) || *s.stop != 0)
        return 98;
    (void)raise(SIGINT);
    if (!mcp_signals_wait(&s, 10000))
        return 97;
    return *s.stop == SIGINT ? 0 : 96;
}

static int second_while_serving(void)
{
    struct mcp_signals s;

    if (mcp_signals_open(&s) != MCP_OK)
        return 99;
    mcp_signals_serving(5);
    (void)raise(SIGINT);
    if (*s.stop != SIGINT)
        return 98;
    (void)raise(SIGTERM);
    return 97;
}

static int write_to_a_closed_pipe(void)
{
    struct mcp_signals s;
    int fds[2];

    if (mcp_signals_open(&s) != MCP_OK || pipe(fds) != 0)
        return 99;
    (void)close(fds[0]);
    return write(fds[1], "x", 1) < 0 && errno == EPIPE ? 0 : 98;
}

/* What a started program has: SIGPIPE and SIGTERM as by default. */
static int a_program_of_the_app(void)
{
    struct mcp_signals s;

    if (mcp_signals_open(&s) != MCP_OK)
        return 99;
    mcp_signals_serving(5);
    (void)execl("/bin/sh", "sh", "-c", "kill -PIPE $$; exit 7", (char *)NULL);
    return 98;
}

static int hangs_after_the_end(void)
{
    struct mcp_signals s;

    if (mcp_signals_open(&s) != MCP_OK)
        return 99;
    mcp_signals_serving(1);
    (void)close(STDERR_FILENO);
    (void)raise(SIGTERM);
    for (;;)
        (void)pause();
}

static void before_serving_a_signal_ends_at_once(void **state)
{
    (void)state;
    assert_int_equal(status_of(before_serving), 128 + SIGTERM);
}

static void the_first_signal_wakes_who_waits(void **state)
{
    (void)state;
    assert_int_equal(status_of(first_while_serving), 0);
}

static void the_second_signal_ends_at_once(void **state)
{
    (void)state;
    assert_int_equal(status_of(second_while_serving), 128 + SIGTERM);
}

static void a_closed_pipe_is_an_error_not_an_end(void **state)
{
    (void)state;
    assert_int_equal(status_of(write_to_a_closed_pipe), 0);
}

static void programs_that_an_app_starts_have_default_signals(void **state)
{
    (void)state;
    assert_int_equal(status_of(a_program_of_the_app), 1000 + SIGPIPE);
}

static void the_last_second_comes(void **state)
{
    time_t before = time(NULL);

    (void)state;
    assert_int_equal(status_of(hangs_after_the_end), EXIT_FAILURE);
    assert_true(time(NULL) - before < 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(before_serving_a_signal_ends_at_once),
        cmocka_unit_test(the_first_signal_wakes_who_waits),
        cmocka_unit_test(the_second_signal_ends_at_once),
        cmocka_unit_test(a_closed_pipe_is_an_error_not_an_end),
        cmocka_unit_test(programs_that_an_app_starts_have_default_signals),
        cmocka_unit_test(the_last_second_comes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
