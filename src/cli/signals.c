/*
 * signals.c - handlers that do no more than an eventfd and _exit()
 */
#include "cli/signals.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { EXIT_BY_SIGNAL = 128 };

static atomic_int stop_signal;
static atomic_uint seconds_to_end; /* 0: not serving yet */
static atomic_int event_fd = -1;

static void handle(int number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};

    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(number, &action, NULL);
}

static void on_end(int number)
{
    const uint64_t one = 1;
    int none = 0, saved = errno;

    if (atomic_load(&seconds_to_end) == 0 ||
        !atomic_compare_exchange_strong(&stop_signal, &none, number))
        _exit(EXIT_BY_SIGNAL + number);
    mcp_signals_end_in(atomic_load(&seconds_to_end));
    if (write(atomic_load(&event_fd), &one, sizeof(one)) < 0)
        _exit(EXIT_BY_SIGNAL + number);
    errno = saved;
}

static void on_pipe(int number)
{
    (void)number;
}

static void on_alarm(int number)
{
    static const char line[] =
        "mcpluad: a handler did not end in time and was left behind\n";

    ssize_t n = write(STDERR_FILENO, line, sizeof(line) - 1);

    (void)number;
    (void)n;
    _exit(EXIT_FAILURE);
}

enum mcp_err mcp_signals_open(struct mcp_signals *out)
{
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

    if (fd < 0)
        return MCP_EINTERNAL;
    atomic_store(&event_fd, fd);
    handle(SIGTERM, on_end);
    handle(SIGINT, on_end);
    handle(SIGPIPE, on_pipe);
    out->stop = &stop_signal;
    out->wake_fd = fd;
    return MCP_OK;
}

void mcp_signals_serving(unsigned end_s)
{
    atomic_store(&seconds_to_end, end_s);
}

bool mcp_signals_wait(const struct mcp_signals *s, int milliseconds)
{
    struct pollfd wait = {.fd = s->wake_fd, .events = POLLIN};

    if (atomic_load(s->stop) == 0)
        (void)poll(&wait, 1, milliseconds);
    return atomic_load(s->stop) != 0;
}

/* Also called by on_end(): sigaction() and alarm() may be. */
void mcp_signals_end_in(unsigned end_s)
{
    handle(SIGALRM, on_alarm);
    (void)alarm(end_s);
}
