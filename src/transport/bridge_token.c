/*
 * bridge_token.c - see bridge_token.h
 */
#include "transport/bridge_token.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

extern char **environ;

#define LOOK_NS (UINT64_C(20) * MCP_NS_PER_MS) /* has it ended? */

void mcp_bridge_token_init(struct mcp_bridge_token *t, const char *variable,
                           char *const *command, double timeout_s)
{
    memset(t, 0, sizeof(*t));
    t->variable = variable;
    t->command = command;
    t->timeout_ns = mcp_clock_from_seconds(timeout_s);
    t->fd = -1;
    mcp_buf_init(&t->output, sizeof(t->text) - 1);
}

/* With all that it has started. */
static void kill_command(struct mcp_bridge_token *t)
{
    (void)kill(-t->pid, SIGKILL);
    (void)kill(t->pid, SIGKILL);
}

static void close_output(struct mcp_bridge_token *t)
{
    if (t->fd >= 0)
        (void)close(t->fd);
    t->fd = -1;
}

void mcp_bridge_token_free(struct mcp_bridge_token *t)
{
    close_output(t);
    if (t->pid > 0) {
        kill_command(t);
        (void)waitpid(t->pid, NULL, 0);
        t->pid = 0;
    }
    mcp_buf_free(&t->output);
    explicit_bzero(t->text, sizeof(t->text));
}

/* Keeps text[0..len) as the token, without white space around it. */
static void accept_token(struct mcp_bridge_token *t, const char *text,
                         size_t len, const char *source)
{
    while (len > 0 && (unsigned char)text[len - 1] <= ' ')
        len--;
    while (len > 0 && (unsigned char)*text <= ' ') {
        text++;
        len--;
    }
    t->text[0] = '\0';
    if (len == 0 || len >= sizeof(t->text)) {
        (void)snprintf(t->why, sizeof(t->why), "%.100s %s", source,
                       len == 0 ? "gave no token" : "gave too long a token");
        return;
    }
    for (size_t i = 0; i < len; i++)
        if (text[i] < ' ' || text[i] > '~') {
            (void)snprintf(t->why, sizeof(t->why),
                           "%.100s gave bytes that no header may have", source);
            return;
        }
    memcpy(t->text, text, len);
    t->text[len] = '\0';
}

static void fail(struct mcp_bridge_token *t, const char *what, int error)
{
    t->text[0] = '\0';
    (void)snprintf(t->why, sizeof(t->why), "the command of --bearer-cmd %s%s%s",
                   what, error != 0 ? ": " : "",
                   error != 0 ? strerror(error) : "");
    t->ended = t->started;
}

/* Runs the command in a group of its own, with `out` as its stdout. */
static int spawn(struct mcp_bridge_token *t, int out)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int rc = posix_spawn_file_actions_init(&actions);

    if (rc != 0)
        return rc;
    rc = posix_spawnattr_init(&attributes);
    if (rc == 0) {
        rc = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
        if (rc == 0)
            rc = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
        if (rc == 0)
            rc = posix_spawnp(&t->pid, t->command[0], &actions, &attributes,
                              t->command, environ);
        (void)posix_spawnattr_destroy(&attributes);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return rc;
}

static void start(struct mcp_bridge_token *t)
{
    int ends[2], rc;

    if (pipe2(ends, O_CLOEXEC) != 0) {
        fail(t, "cannot be started", errno);
        return;
    }
    rc = spawn(t, ends[1]);
    (void)close(ends[1]);
    t->fd = ends[0];
    mcp_buf_clear(&t->output);
    t->deadline_ns = mcp_clock_now_ns() + t->timeout_ns;
    if (rc == 0)
        return;
    t->pid = 0;
    close_output(t);
    fail(t, "cannot be started", rc);
}

uint64_t mcp_bridge_token_want(struct mcp_bridge_token *t)
{
    const char *value;
    char source[128];

    if (t->pid > 0)
        return t->started;
    t->started++;
    if (t->command != NULL) {
        start(t);
        return t->started;
    }
    value = getenv(t->variable);
    (void)snprintf(source, sizeof(source), "environment variable '%.100s'",
                   t->variable);
    if (value != NULL)
        accept_token(t, value, strlen(value), source);
    else
        (void)snprintf(t->why, sizeof(t->why),
                       "Environment variable '%.100s' is not set.",
                       t->variable);
    if (value == NULL)
        t->text[0] = '\0';
    t->ended = t->started;
    return t->started;
}

static void read_output(struct mcp_bridge_token *t)
{
    struct pollfd p = {.fd = t->fd, .events = POLLIN};
    char bytes[4096];
    ssize_t n;

    while (t->fd >= 0 && poll(&p, 1, 0) > 0) {
        n = read(t->fd, bytes, sizeof(bytes));
        if (n < 0 && errno == EINTR)
            continue;
        if (n > 0)
            mcp_buf_add(&t->output, bytes, (size_t)n);
        else
            close_output(t);
    }
}

static void judge(struct mcp_bridge_token *t, int status)
{
    char what[64];

    t->ended = t->started;
    if (WIFSIGNALED(status)) {
        (void)snprintf(what, sizeof(what), "was ended by signal %d",
                       WTERMSIG(status));
        fail(t, what, 0);
    } else if (WEXITSTATUS(status) != 0) {
        (void)snprintf(what, sizeof(what), "ended with %d",
                       WEXITSTATUS(status));
        fail(t, what, 0);
    } else if (t->output.failed) {
        fail(t, "gave too long a token", 0);
    } else {
        accept_token(t, t->output.data, t->output.len,
                     "the command of --bearer-cmd");
    }
}

bool mcp_bridge_token_step(struct mcp_bridge_token *t)
{
    int status = 0;
    pid_t pid;

    if (t->pid <= 0)
        return false;
    read_output(t);
    pid = waitpid(t->pid, &status, WNOHANG);
    if (pid == 0 && mcp_clock_now_ns() < t->deadline_ns)
        return false;
    if (pid == 0) {
        kill_command(t);
        (void)waitpid(t->pid, &status, 0);
        fail(t, "took too long", 0);
    } else {
        read_output(t); /* what it printed last */
        judge(t, status);
    }
    t->pid = 0;
    close_output(t);
    mcp_buf_free(&t->output);
    return true;
}

uint64_t mcp_bridge_token_next_ns(const struct mcp_bridge_token *t)
{
    /* a command may leave its output open to a child, so its end shows only
     * when looked for */
    return t->pid > 0 ? mcp_clock_now_ns() + LOOK_NS : 0;
}
