/*
 * stdio_channel.c - writing lines, and the calls that they answer
 */
#include "transport/stdio_channel.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "protocol/endpoint.h"
#include "transport/pipe_write.h"

enum {
    KEPT_BYTES = 64 * 1024,           /* larger buffers go with their call */
    ARENA_EXTRA = 1024 * 1024,        /* beside the parsed message         */
    ARENA_PER_BODY_BYTE = 64,         /* "[1,1,1,...": a node per 2 bytes  */
    OUT_EXTRA = 16 * 1024 * 1024,     /* beside blobs in base64            */
    EMIT_MAX_BYTES = 4 * 1024 * 1024, /* queued: then messages are dropped */
};

/* ---- writing ------------------------------------------------------------ */

static void ring(struct mcp_stdio_channel *ch)
{
    static const uint64_t one = 1;

    (void)!write(ch->event_fd, &one, sizeof(one));
}

/* With the lock. */
static void give_up(struct mcp_stdio_channel *ch)
{
    ch->broken = true;
    mcp_buf_free(&ch->queue);
    ch->queue_pos = 0;
    ring(ch);
}

/* With the lock. How many of bytes[0..len) are gone. */
static size_t write_while_room(struct mcp_stdio_channel *ch, const char *bytes,
                               size_t len)
{
    size_t done = 0;

    while (done < len && !ch->broken) {
        ssize_t n =
            mcp_pipe_write(ch->out, ch->is_socket, bytes + done, len - done);

        if (n == 0)
            break;
        if (n < 0) {
            if (errno != EPIPE && errno != ECONNRESET)
                ch->write_error = errno;
            give_up(ch);
            return len;
        }
        done += (size_t)n;
    }
    return done;
}

/* With the lock. The line goes out or into the queue. */
static enum mcp_err send_line(struct mcp_stdio_channel *ch, const char *text,
                              size_t len)
{
    size_t before = ch->queue.len, done = 0;

    if (ch->broken || ch->closed)
        return MCP_ECANCELED;
    if (before == 0) {
        done = write_while_room(ch, text, len);
        if (done == len && write_while_room(ch, "\n", 1) == 1)
            return MCP_OK;
        ring(ch); /* the loop writes the rest */
    }
    mcp_buf_add(&ch->queue, text + done, len - done);
    mcp_buf_add(&ch->queue, "\n", 1);
    if (!ch->queue.failed)
        return MCP_OK;
    /* Half a line may be out already: nothing sensible can follow it. */
    mcp_log(MCP_LOG_ERROR, "stdio", "out of memory for an answer");
    give_up(ch);
    return MCP_ENOMEM;
}

void mcp_stdio_flush(struct mcp_stdio_channel *ch)
{
    (void)pthread_mutex_lock(&ch->lock);
    ch->queue_pos += write_while_room(ch, ch->queue.data + ch->queue_pos,
                                      ch->queue.len - ch->queue_pos);
    if (ch->queue_pos >= ch->queue.len) {
        if (ch->queue.cap > KEPT_BYTES)
            mcp_buf_free(&ch->queue);
        mcp_buf_clear(&ch->queue);
        ch->queue_pos = 0;
    } else if (ch->queue_pos > ch->queue.len / 2) {
        ch->queue.len -= ch->queue_pos;
        memmove(ch->queue.data, ch->queue.data + ch->queue_pos, ch->queue.len);
        ch->queue_pos = 0;
    }
    (void)pthread_mutex_unlock(&ch->lock);
}

void mcp_stdio_break(struct mcp_stdio_channel *ch)
{
    (void)pthread_mutex_lock(&ch->lock);
    give_up(ch);
    (void)pthread_mutex_unlock(&ch->lock);
}

/* ---- life of a channel -------------------------------------------------- */

static void destroy_call(struct mcp_stdio_call *c)
{
    mcp_buf_free(&c->body);
    mcp_buf_free(&c->call.out);
    mcp_arena_free(c->call.arena);
}

/* Takes the lock and gives it, or the channel, back. */
static void release(struct mcp_stdio_channel *ch)
{
    struct mcp_stdio_call *c;

    if (--ch->refs > 0) {
        (void)pthread_mutex_unlock(&ch->lock);
        return;
    }
    (void)pthread_mutex_unlock(&ch->lock);
    for (c = ch->free; c != NULL; c = c->next)
        destroy_call(c);
    mcp_buf_free(&ch->queue);
    (void)close(ch->event_fd);
    (void)pthread_mutex_destroy(&ch->lock);
    mcp_arena_free(ch->memory);
}

struct mcp_stdio_channel *mcp_stdio_channel_new(const struct mcp_config *config,
                                                int out)
{
    struct mcp_arena *memory = mcp_arena_new(SIZE_MAX);
    struct mcp_stdio_channel *ch =
        memory != NULL ? mcp_arena_alloc(memory, sizeof(*ch)) : NULL;

    if (ch != NULL) {
        memset(ch, 0, sizeof(*ch));
        ch->event_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    }
    if (ch == NULL || ch->event_fd < 0) {
        mcp_arena_free(memory);
        return NULL;
    }
    ch->memory = memory;
    ch->config = config;
    ch->out = out;
    ch->is_socket = mcp_pipe_is_socket(out);
    ch->calls.next = ch->calls.prev = &ch->calls;
    ch->refs = 1;
    mcp_buf_init(&ch->queue, SIZE_MAX / 2);
    (void)pthread_mutex_init(&ch->lock, NULL);
    return ch;
}

void mcp_stdio_channel_close(struct mcp_stdio_channel *ch)
{
    (void)pthread_mutex_lock(&ch->lock);
    ch->closed = true;
    release(ch);
}

/* ---- calls -------------------------------------------------------------- */

/* With the lock. Forgets the call when nobody needs it; the channel may go
 * with it, so this also unlocks. */
static void drop(struct mcp_stdio_call *c)
{
    struct mcp_stdio_channel *ch = c->channel;

    if (--c->refs > 0) {
        (void)pthread_mutex_unlock(&ch->lock);
        return;
    }
    c->prev->next = c->next;
    c->next->prev = c->prev;
    mcp_arena_reset(c->call.arena);
    if (c->body.cap > KEPT_BYTES)
        mcp_buf_free(&c->body);
    if (c->call.out.cap > KEPT_BYTES)
        mcp_buf_free(&c->call.out);
    c->next = ch->free;
    ch->free = c;
    ch->call_count--;
    if (ch->waiting)
        ring(ch);
    release(ch);
}

static enum mcp_err emit(struct mcp_call *call, const char *msg, size_t len)
{
    struct mcp_stdio_channel *ch = ((struct mcp_stdio_call *)call)->channel;
    enum mcp_err err = MCP_OK;

    if (len == 0)
        return MCP_OK;
    (void)pthread_mutex_lock(&ch->lock);
    if (ch->queue.len - ch->queue_pos + len > EMIT_MAX_BYTES) {
        if (!ch->told_slow)
            mcp_log(MCP_LOG_WARNING, "stdio",
                    "the client reads too slowly; messages are dropped");
        ch->told_slow = true;
        err = MCP_ELIMIT;
    } else {
        err = send_line(ch, msg, len);
    }
    (void)pthread_mutex_unlock(&ch->lock);
    return err;
}

static void done(struct mcp_call *call)
{
    struct mcp_stdio_call *c = (struct mcp_stdio_call *)call;

    if (call->out.failed) {
        mcp_buf_free(&call->out);
        mcp_endpoint_refuse(call, 503, "The result is too large");
    }
    (void)pthread_mutex_lock(&c->channel->lock);
    if (c->channel->stopping && c->told && call->out.len == 0 &&
        call->id != NULL)
        mcp_endpoint_refuse(call, 503, "The server is shutting down");
    if (call->out.len > 0 && !call->out.failed)
        (void)send_line(c->channel, call->out.data, call->out.len);
    drop(c);
}

static const struct mcp_call_ops ops = {.emit = emit, .done = done};

static struct mcp_stdio_call *create(struct mcp_stdio_channel *ch)
{
    size_t max_body = (size_t)ch->config->max_body;
    struct mcp_stdio_call *c = mcp_arena_alloc(ch->memory, sizeof(*c));

    if (c == NULL)
        return NULL;
    memset(c, 0, sizeof(*c));
    c->call.arena = mcp_arena_new(max_body * ARENA_PER_BODY_BYTE + ARENA_EXTRA);
    if (c->call.arena == NULL)
        return NULL; /* the few bytes of *c are lost, the server is dying */
    c->channel = ch;
    mcp_buf_init(&c->body, max_body);
    mcp_buf_init(&c->call.out,
                 (size_t)ch->config->max_blob_bytes * 3 + OUT_EXTRA);
    return c;
}

static void reset(struct mcp_stdio_call *c)
{
    struct mcp_arena *arena = c->call.arena;
    struct mcp_buf out = c->call.out;

    memset(&c->call, 0, sizeof(c->call));
    mcp_buf_clear(&out);
    mcp_buf_clear(&c->body);
    c->call.arena = arena;
    c->call.out = out;
    c->call.ops = &ops;
    c->call.transport = MCP_TRANSPORT_STDIO;
    c->call.principal = "anonymous";
    c->call.status = 200;
    c->call.transport_data = c;
    c->call.started_ns = mcp_clock_now_ns();
    c->told = false;
    c->refs = 1;
}

struct mcp_stdio_call *mcp_stdio_call_new(struct mcp_stdio_channel *ch,
                                          const char *body, size_t len)
{
    struct mcp_stdio_call *c;

    (void)pthread_mutex_lock(&ch->lock);
    c = ch->free;
    if (c != NULL)
        ch->free = c->next;
    else
        c = create(ch);
    if (c != NULL) {
        reset(c);
        c->prev = ch->calls.prev;
        c->next = &ch->calls;
        c->prev->next = c->next->prev = c;
        ch->call_count++;
        ch->refs++;
    }
    (void)pthread_mutex_unlock(&ch->lock);
    if (c == NULL)
        return NULL;
    mcp_buf_add(&c->body, body, len);
    if (c->body.failed) {
        (void)pthread_mutex_lock(&ch->lock);
        drop(c);
        return NULL;
    }
    c->call.body = len > 0 ? c->body.data : "";
    c->call.body_len = len;
    return c;
}

/* With the lock: the next call that has not been told, held. */
static struct mcp_stdio_call *next_untold(struct mcp_stdio_channel *ch)
{
    struct mcp_stdio_call *c;

    for (c = ch->calls.next; c != &ch->calls; c = c->next)
        if (!c->told) {
            c->told = true;
            c->refs++;
            return c;
        }
    return NULL;
}

size_t mcp_stdio_cancel_all(struct mcp_stdio_channel *ch,
                            struct mcp_endpoint *endpoint, bool stopping)
{
    struct mcp_stdio_call *c;
    size_t n = 0;

    (void)pthread_mutex_lock(&ch->lock);
    ch->stopping = stopping;
    for (; (c = next_untold(ch)) != NULL; n++) {
        (void)pthread_mutex_unlock(&ch->lock);
        c->call.cancel_on_disconnect = true; /* whatever its era */
        mcp_endpoint_disconnected(endpoint, &c->call);
        (void)pthread_mutex_lock(&ch->lock);
        drop(c);
        (void)pthread_mutex_lock(&ch->lock);
    }
    (void)pthread_mutex_unlock(&ch->lock);
    return n;
}

struct mcp_stdio_state mcp_stdio_look(struct mcp_stdio_channel *ch, bool wait)
{
    struct mcp_stdio_state s;

    (void)pthread_mutex_lock(&ch->lock);
    ch->waiting = wait;
    s.calls = ch->call_count;
    s.unsent_bytes = ch->queue.len - ch->queue_pos;
    s.broken = ch->broken;
    s.write_error = ch->write_error;
    (void)pthread_mutex_unlock(&ch->lock);
    return s;
}
