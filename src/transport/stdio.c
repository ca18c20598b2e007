/*
 * stdio.c - the loop that reads lines
 *
 * One thread reads and, when the client is slow, writes; workers answer by
 * themselves (stdio_channel.h). Each line is a call of its own.
 */
#include "transport/stdio.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "protocol/endpoint.h"
#include "transport/stdio_channel.h"

enum {
    READ_BYTES = 64 * 1024,
    UNSENT_MAX_BYTES = 16 * 1024 * 1024, /* then reading stops     */
    SPARE_CALLS = 64,   /* beyond the queue, which refuses before */
    FINISH_MS = 500,    /* for calls under way at the end of input */
    CANCELLED_MS = 300, /* for them to end once cancelled          */
};

struct reader {
    struct mcp_endpoint *endpoint;
    const struct mcp_config *config;
    struct mcp_stdio_channel *ch;
    int in, wake_fd;
    const atomic_int *stop;
    struct mcp_buf line; /* what has come of the present line */
    bool skipping;       /* the present line is too long       */
    bool ended;          /* no more input                      */
    char chunk[READ_BYTES];
    size_t pos, len; /* of the chunk */
};

/* ---- claim -------------------------------------------------------------- */

enum mcp_err mcp_stdio_claim(int *in, int *out)
{
    int in_copy = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    int out_copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

    if (in_copy < 0 || out_copy < 0 || null < 0 ||
        dup2(null, STDIN_FILENO) < 0 ||
        dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        if (in_copy >= 0)
            (void)close(in_copy);
        if (out_copy >= 0)
            (void)close(out_copy);
        if (null >= 0)
            (void)close(null);
        return MCP_EINTERNAL;
    }
    if (null > STDERR_FILENO)
        (void)close(null);
    *in = in_copy;
    *out = out_copy;
    return MCP_OK;
}

/* ---- lines -------------------------------------------------------------- */

static bool is_blank(const char *p, size_t len)
{
    size_t i;

    for (i = 0; i < len; i++)
        if (p[i] != ' ' && p[i] != '\t' && p[i] != '\r')
            return false;
    return true;
}

static void refuse_long_line(struct reader *r)
{
    struct mcp_stdio_call *c = mcp_stdio_call_new(r->ch, "", 0);

    if (c == NULL)
        return;
    mcp_endpoint_refuse(&c->call, 413, "The message is larger than max_body");
    c->call.ops->done(&c->call);
}

/* A whole line without its LF. */
static void take_line(struct reader *r, const char *p, size_t len)
{
    struct mcp_stdio_call *c;

    if (len > 0 && p[len - 1] == '\r')
        len--;
    if (is_blank(p, len))
        return;
    if (len > (size_t)r->config->max_body) {
        refuse_long_line(r);
        return;
    }
    c = mcp_stdio_call_new(r->ch, p, len);
    if (c != NULL)
        mcp_endpoint_handle(r->endpoint, &c->call);
}

/* A piece of a line that goes on. */
static void keep_piece(struct reader *r, const char *p, size_t len)
{
    if (r->skipping)
        return;
    mcp_buf_add(&r->line, p, len); /* its maximum is max_body and a CR */
    if (!r->line.failed)
        return;
    r->skipping = true;
    mcp_buf_free(&r->line);
    refuse_long_line(r);
}

static void end_line(struct reader *r)
{
    enum { KEPT_BYTES = 64 * 1024 };

    if (!r->skipping)
        take_line(r, r->line.data, r->line.len);
    r->skipping = false;
    if (r->line.cap > KEPT_BYTES)
        mcp_buf_free(&r->line);
    mcp_buf_clear(&r->line);
}

/* The next line of the chunk, or its rest. */
static void take_from_chunk(struct reader *r)
{
    const char *p = r->chunk + r->pos;
    size_t left = r->len - r->pos;
    const char *lf = memchr(p, '\n', left);
    size_t n = lf != NULL ? (size_t)(lf - p) : left;

    r->pos += n + (lf != NULL);
    if (lf != NULL && r->line.len == 0 && !r->skipping) {
        take_line(r, p, n); /* the usual case: no copy */
        return;
    }
    keep_piece(r, p, n);
    if (lf != NULL)
        end_line(r);
}

static void read_chunk(struct reader *r)
{
    ssize_t n = read(r->in, r->chunk, sizeof(r->chunk));

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    r->pos = 0;
    r->len = n > 0 ? (size_t)n : 0;
    if (n > 0)
        return;
    r->ended = true;
    end_line(r); /* the last line may lack its LF */
}

/* ---- the loop ----------------------------------------------------------- */

static bool stopped(const struct reader *r)
{
    return atomic_load(r->stop) != 0;
}

/* Waits until something can be done: input if `reading`, room for the queue, a
 * signal, a call that ended. True: there is input. */
static bool wait_for(struct reader *r, bool reading,
                     const struct mcp_stdio_state *s, int ms)
{
    uint64_t count;
    struct pollfd p[] = {
        {.fd = reading ? r->in : -1, .events = POLLIN},
        {.fd = stopped(r) ? -1 : r->wake_fd, .events = POLLIN},
        {.fd = r->ch->event_fd, .events = POLLIN},
        {.fd = s->broken ? -1 : r->ch->out,
         .events = s->unsent_bytes > 0 ? POLLOUT : 0},
    };

    if (poll(p, 4, ms) <= 0)
        return false;
    if (p[2].revents != 0)
        (void)!read(r->ch->event_fd, &count, sizeof(count));
    if ((p[3].revents & (POLLERR | POLLHUP | POLLNVAL)) != 0)
        mcp_stdio_break(r->ch);
    else if (p[3].revents != 0)
        mcp_stdio_flush(r->ch);
    return p[0].revents != 0;
}

/* May another call begin? */
static bool has_room(const struct reader *r, const struct mcp_stdio_state *s)
{
    return s->calls < (size_t)r->config->queue * 2 + SPARE_CALLS &&
           s->unsent_bytes < UNSENT_MAX_BYTES;
}

static void serve(struct reader *r)
{
    while (!stopped(r) && !r->ended) {
        struct mcp_stdio_state s = mcp_stdio_look(r->ch, false);
        bool room = has_room(r, &s);

        if (s.broken)
            return;
        if (!room) { /* look again, now that the end of a call rings */
            s = mcp_stdio_look(r->ch, true);
            room = has_room(r, &s);
        }
        if (room && r->pos < r->len)
            take_from_chunk(r);
        else if (wait_for(r, room, &s, -1))
            read_chunk(r);
    }
}

/* Waits until no call is under way and all is written, at most `ms`. */
static void drain(struct reader *r, uint64_t ms)
{
    uint64_t end = mcp_clock_now_ns() + ms * MCP_NS_PER_MS;

    for (;;) {
        struct mcp_stdio_state s = mcp_stdio_look(r->ch, true);
        uint64_t now = mcp_clock_now_ns();

        if ((s.calls == 0 && s.unsent_bytes == 0) || now >= end)
            return;
        (void)wait_for(r, false, &s, (int)((end - now) / MCP_NS_PER_MS) + 1);
    }
}

/* Ends the streams, lets calls under way finish for a while, then cancels them.
 */
static void end_calls(struct reader *r, double grace_s)
{
    struct mcp_stdio_state s;
    bool stopping = stopped(r);
    size_t n;

    mcp_endpoint_end_streams(r->endpoint);
    s = mcp_stdio_look(r->ch, false);
    if (stopping && s.calls > 0)
        mcp_log(MCP_LOG_INFO, "stdio", "draining: %zu call%s in flight",
                s.calls, s.calls == 1 ? "" : "s");
    if (!s.broken)
        drain(r, stopping ? mcp_clock_from_seconds(grace_s) / MCP_NS_PER_MS
                          : FINISH_MS);
    n = mcp_stdio_cancel_all(r->ch, r->endpoint, stopping);
    if (stopping && n > 0)
        mcp_log(MCP_LOG_WARNING, "stdio", "%zu call%s stopped", n,
                n == 1 ? " was" : "s were");
    drain(r, CANCELLED_MS);
}

int mcp_stdio_run(struct mcp_endpoint *endpoint,
                  const struct mcp_config *config, int in, int out,
                  const atomic_int *stop, int wake_fd, double grace_s)
{
    struct reader r = {.endpoint = endpoint,
                       .config = config,
                       .ch = mcp_stdio_channel_new(config, out),
                       .in = in,
                       .wake_fd = wake_fd,
                       .stop = stop};

    int write_error;

    if (r.ch == NULL)
        return ENOMEM;
    mcp_buf_init(&r.line, (size_t)config->max_body + 1);
    serve(&r);
    end_calls(&r, grace_s);
    write_error = mcp_stdio_look(r.ch, false).write_error;
    mcp_buf_free(&r.line);
    mcp_stdio_channel_close(r.ch);
    return write_error;
}
