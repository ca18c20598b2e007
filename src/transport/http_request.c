/*
 * http_request.c - request objects, their two owners, and the mailbox
 *
 * http_private.h tells who may touch what.
 */
#include <assert.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "protocol/endpoint.h"
#include "transport/http_private.h"

enum {
    ARENA_EXTRA = 1024 * 1024, /* beside the parsed body              */
    ARENA_PER_BODY_BYTE = 64,  /* "[1,1,1,...": a node per two bytes  */
    COMMENT_BYTES = 64,
    FRAME_BYTES = 8, /* of an event, but for its id                      */
    OUT_EXTRA = 16 * 1024 * 1024, /* beside two blobs in base64          */
};

/* ---- mailbox ------------------------------------------------------------ */

struct mcp_http_mailbox *mcp_http_mailbox_new(void)
{
    struct mcp_arena *memory = mcp_arena_new(SIZE_MAX);
    struct mcp_http_mailbox *mb =
        memory != NULL ? mcp_arena_alloc(memory, sizeof(*mb)) : NULL;

    if (mb == NULL) {
        mcp_arena_free(memory);
        return NULL;
    }
    memset(mb, 0, sizeof(*mb));
    mb->memory = memory;
    mb->event_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (mb->event_fd < 0 || !mcp_http_role_init(&mb->role)) {
        if (mb->event_fd >= 0)
            (void)close(mb->event_fd);
        mcp_arena_free(memory);
        return NULL;
    }
    atomic_init(&mb->top, NULL);
    atomic_init(&mb->asleep, false);
    atomic_init(&mb->refs, 1);
    return mb;
}

void mcp_http_mailbox_release(struct mcp_http_mailbox *mb)
{
    if (atomic_fetch_sub(&mb->refs, 1) != 1)
        return;
    (void)close(mb->event_fd);
    mcp_http_role_destroy(&mb->role);
    mcp_arena_free(mb->memory);
}

static void ring(struct mcp_http_mailbox *mb)
{
    static const uint64_t one = 1;

    if (atomic_exchange(&mb->asleep, false))
        (void)!write(mb->event_fd, &one, sizeof(one));
}

/* Frees what a request holds; the object itself lies in the mailbox's arena. */
static void destroy(struct mcp_http_request *r)
{
    mcp_buf_free(&r->body);
    mcp_buf_free(&r->stream);
    mcp_buf_free(&r->call.out);
    mcp_arena_free(r->call.arena);
    (void)pthread_mutex_destroy(&r->lock);
}

/* Any thread. After MCP_HTTP_DONE the request is no longer ours to touch, and
 * the io thread may have ended: hence the reference to the mailbox. */
static void post(struct mcp_http_request *r, unsigned signal)
{
    struct mcp_http_mailbox *mb = r->mailbox;
    unsigned before = atomic_fetch_or(&r->signals, signal);

    if ((before & MCP_HTTP_ORPHAN) != 0) {
        if (signal == MCP_HTTP_DONE) {
            destroy(r);
            mcp_http_mailbox_release(mb);
        }
        return;
    }
    if (before != 0)
        return; /* it lies in the mailbox already */
    atomic_fetch_add(&mb->refs, 1);
    r->next = atomic_load(&mb->top);
    while (!atomic_compare_exchange_weak(&mb->top, &r->next, r))
        continue;
    ring(mb);
    mcp_http_mailbox_release(mb);
}

/* ---- what the layers below call ----------------------------------------- */

static struct mcp_http_request *request_of(struct mcp_call *call)
{
    return (struct mcp_http_request *)call;
}

static bool on_io_thread(const struct mcp_http_request *r)
{
    return pthread_equal(pthread_self(), atomic_load(&r->mailbox->thread)) != 0;
}

bool mcp_http_request_stream(struct mcp_http_request *r)
{
    struct mcp_http *http = r->io->http;
    size_t max = (size_t)http->options.config->max_streams;

    if (r->reserved)
        return true;
    if (!r->takes_sse)
        return false;
    if (atomic_fetch_add(&http->streams, 1) >= max) {
        atomic_fetch_sub(&http->streams, 1);
        if (!atomic_exchange(&http->told_streams, true))
            mcp_log(MCP_LOG_WARNING, "http",
                    "max_streams is reached: more calls are answered without "
                    "messages");
        return false;
    }
    r->reserved = true;
    return true;
}

/* Forgets sent bytes once they are more than half, which pays for the copy; so
 * the buffer holds at most twice the unsent bytes. With the lock. */
static void compact(struct mcp_http_request *r)
{
    size_t left = r->stream.len - r->stream_pos;

    if (r->stream_pos <= left)
        return;
    memmove(r->stream.data, r->stream.data + r->stream_pos, left);
    r->stream.len = left;
    r->stream_pos = 0;
}

/* With the lock. `id` may be NULL. */
static enum mcp_err append_event(struct mcp_http_request *r, const char *id,
                                 unsigned retry_ms, const char *msg, size_t len)
{
    size_t before;

    compact(r);
    if (r->stream.len - r->stream_pos + len + FRAME_BYTES >
        r->io->http->limits.stream_bytes) {
        if (!r->too_slow)
            mcp_log(MCP_LOG_WARNING, "http",
                    "a client reads its stream too slowly; messages are "
                    "dropped");
        r->too_slow = true;
        return MCP_ELIMIT;
    }
    before = r->stream.len;
    if (id != NULL)
        mcp_buf_printf(&r->stream, "id: %s\n", id);
    if (retry_ms > 0)
        mcp_buf_printf(&r->stream, "retry: %u\n", retry_ms);
    mcp_buf_add(&r->stream, "data: ", 6);
    mcp_buf_add(&r->stream, msg, len);
    mcp_buf_add(&r->stream, "\n\n", 2);
    if (!r->stream.failed)
        return MCP_OK;
    r->stream.failed = false;
    r->stream.len = before;
    return MCP_ENOMEM;
}

static enum mcp_err send_event(struct mcp_call *call, const char *id,
                               unsigned retry_ms, const char *msg, size_t len)
{
    struct mcp_http_request *r = request_of(call);
    enum mcp_err err = MCP_ELIMIT;

    if (!r->takes_sse)
        return MCP_EINVAL;
    (void)pthread_mutex_lock(&r->lock);
    if (atomic_load(&r->left) || r->stopped) /* perhaps r->io is gone */
        err = MCP_ECANCELED;
    else if (mcp_http_request_stream(r))
        err = len > 0 || id != NULL ? append_event(r, id, retry_ms, msg, len)
                                    : MCP_OK;
    (void)pthread_mutex_unlock(&r->lock);
    if (err != MCP_OK)
        return err;
    if (on_io_thread(r) && r->in_handle)
        r->emitted = true;
    else
        post(r, MCP_HTTP_WAKE);
    return MCP_OK;
}

static enum mcp_err emit(struct mcp_call *call, const char *msg, size_t len)
{
    return send_event(call, NULL, 0, msg, len);
}

static void detach(struct mcp_call *call)
{
    post(request_of(call), MCP_HTTP_DETACH);
}

static void done(struct mcp_call *call)
{
    struct mcp_http_request *r = request_of(call);

    if (on_io_thread(r) && r->in_handle)
        r->done = true;
    else
        post(r, MCP_HTTP_DONE);
}

static const struct mcp_call_ops ops = {
    .emit = emit,
    .done = done,
    .emit_event = send_event,
    .detach = detach,
};

/* ---- life --------------------------------------------------------------- */

/* Room in io->requests for one more. The old table stays in the arena: tables
 * double, so that is no more than the last one's size. */
static bool grow_table(struct mcp_http_io *io)
{
    uint32_t room = io->request_room > 0 ? io->request_room * 2 : 64;
    struct mcp_http_request **table;

    if (io->request_count < io->request_room)
        return true;
    table = mcp_arena_alloc(io->mailbox->memory, room * sizeof(*table));
    if (table == NULL)
        return false;
    if (io->request_count > 0)
        memcpy(table, io->requests, io->request_count * sizeof(*table));
    io->requests = table;
    io->request_room = room;
    return true;
}

static struct mcp_arena *new_arena(const struct mcp_http_io *io)
{
    size_t body = (size_t)io->http->options.config->max_body;

    return mcp_arena_new(body * ARENA_PER_BODY_BYTE + ARENA_EXTRA);
}

static struct mcp_http_request *create(struct mcp_http_io *io)
{
    const struct mcp_config *config = io->http->options.config;
    struct mcp_http_request *r;
    size_t body = (size_t)config->max_body;

    if (!grow_table(io))
        return NULL;
    r = mcp_arena_alloc(io->mailbox->memory, sizeof(*r));
    if (r == NULL)
        return NULL;
    memset(r, 0, sizeof(*r));
    r->call.arena = new_arena(io);
    if (r->call.arena == NULL)
        return NULL; /* the few bytes of *r are lost, the server is dying */
    r->io = io;
    r->mailbox = io->mailbox;
    r->index = io->request_count;
    r->generation = 1;
    (void)pthread_mutex_init(&r->lock, NULL);
    mcp_http_link_init(&r->link);
    mcp_http_link_init(&r->busy);
    mcp_http_link_init(&r->poll);
    mcp_buf_init(&r->body, body);
    mcp_buf_init(&r->stream, 2 * io->http->limits.stream_bytes + COMMENT_BYTES);
    mcp_buf_init(&r->call.out, (size_t)config->max_blob_bytes * 3 + OUT_EXTRA);
    io->requests[io->request_count++] = r;
    return r;
}

/* One of those without memory, with memory again, or NULL. */
static struct mcp_http_request *dress(struct mcp_http_io *io)
{
    struct mcp_http_request *r = io->bare_requests;

    r->call.arena = new_arena(io);
    if (r->call.arena == NULL)
        return NULL;
    io->bare_requests = r->next;
    return r;
}

struct mcp_http_request *mcp_http_request_new(struct mcp_http_io *io)
{
    struct mcp_http_request *r = io->free_requests;

    if (r != NULL) {
        io->free_requests = r->next;
        io->free_count--;
    } else if (io->bare_requests != NULL) {
        r = dress(io);
    } else {
        r = create(io);
    }
    if (r == NULL)
        return NULL;
    r->call.ops = &ops;
    r->call.transport = MCP_TRANSPORT_HTTP;
    r->call.principal = "anonymous";
    r->call.status = 200;
    r->call.transport_data = r;
    r->call.started_ns = mcp_clock_now_ns();
    r->takes_json = r->takes_sse = true;
    return r;
}

static void keep_small(struct mcp_buf *b)
{
    if (b->cap > MCP_HTTP_KEPT_BYTES)
        mcp_buf_free(b);
    else
        mcp_buf_clear(b);
}

/* Into the cache. After a flood of calls or streams most of them are bare. */
static void shelve(struct mcp_http_request *r)
{
    struct mcp_http_io *io = r->io;

    if (io->free_count < MCP_HTTP_KEPT_REQUESTS) {
        io->free_count++;
        r->next = io->free_requests;
        io->free_requests = r;
        return;
    }
    mcp_buf_free(&r->call.out);
    mcp_buf_free(&r->body);
    mcp_buf_free(&r->stream);
    mcp_arena_free(r->call.arena);
    r->call.arena = NULL;
    r->next = io->bare_requests;
    io->bare_requests = r;
}

/* Back to the cache, as if new. */
static void recycle(struct mcp_http_request *r)
{
    struct mcp_http_io *io = r->io;
    struct mcp_arena *arena = r->call.arena;
    struct mcp_buf out;

    mcp_http_unwatch(r);
    mcp_http_delist(r);
    mcp_http_link_remove(&r->busy);
    if (r->reserved)
        atomic_fetch_sub(&io->http->streams, 1);
    if (r->body_counted + r->more_counted > 0)
        atomic_fetch_sub(&io->http->body_bytes,
                         r->body_counted + r->more_counted);
    r->body_counted = r->more_counted = 0;
    mcp_arena_reset(arena);
    keep_small(&r->call.out);
    keep_small(&r->body);
    keep_small(&r->stream);
    out = r->call.out;
    memset(&r->call, 0, sizeof(r->call));
    r->call.arena = arena;
    r->call.out = out;
    r->generation = r->generation == UINT32_MAX ? 1 : r->generation + 1;
    r->mhd = NULL;
    r->connection = NULL;
    r->called = r->in_handle = r->done = r->suspended = r->streaming = false;
    r->malformed = r->told = r->linger = r->emitted = r->reserved =
        r->too_slow = false;
    r->stopped = r->detached = r->here = false;
    r->tail_pos = r->stream_pos = 0;
    r->refusal = 0;
    r->refusal_message = r->allow = r->origin = NULL;
    r->accept = (struct mcp_http_accept)MCP_HTTP_ACCEPT_INIT;
    r->route = MCP_HTTP_NOWHERE;
    memset(r->seen, 0, sizeof(r->seen));
    atomic_store_explicit(&r->left, false, memory_order_relaxed);
    shelve(r);
}

void mcp_http_request_settle(struct mcp_http_request *r)
{
    if (!r->conn_live && !r->call_live)
        recycle(r);
}

void mcp_http_free_requests(struct mcp_http_io *io)
{
    uint32_t i;

    for (i = 0; i < io->request_count; i++)
        if (io->requests[i] != NULL)
            destroy(io->requests[i]);
    io->request_count = 0;
}

/* ---- suspension --------------------------------------------------------- */

void mcp_http_request_suspend(struct mcp_http_request *r)
{
    assert(!r->suspended && r->mhd != NULL);
    MHD_suspend_connection(r->mhd);
    r->suspended = true;
}

void mcp_http_request_resume(struct mcp_http_request *r)
{
    if (!r->suspended)
        return;
    r->suspended = false;
    r->io->resumed = true;
    MHD_resume_connection(r->mhd);
}

void mcp_http_request_left(struct mcp_http_request *r)
{
    atomic_store(&r->left, true);
    mcp_http_unwatch(r);
    if (r->call_live && !r->told) {
        r->told = true;
        mcp_endpoint_disconnected(r->io->http->options.endpoint, &r->call);
    }
    if (r->conn_live)
        mcp_http_request_resume(r);
}

void mcp_http_request_stop(struct mcp_http_request *r)
{
    struct mcp_call end;

    mcp_http_write_stopped(r, &end);
    (void)pthread_mutex_lock(&r->lock);
    r->stopped = true;
    if (r->streaming && !end.out.failed)
        (void)append_event(r, NULL, 0, end.out.data, end.out.len);
    (void)pthread_mutex_unlock(&r->lock);
    mcp_buf_free(&end.out);
    mcp_http_unwatch(r);
    mcp_http_delist(r);
    r->told = true;
    r->call.cancel_on_disconnect = true; /* whatever its era */
    mcp_endpoint_disconnected(r->io->http->options.endpoint, &r->call);
    if (r->conn_live)
        mcp_http_request_resume(r);
}

void mcp_http_request_comment(struct mcp_http_request *r)
{
    (void)pthread_mutex_lock(&r->lock);
    if (r->stream.len == r->stream_pos)
        mcp_buf_puts(&r->stream, ": keep-alive\n\n");
    (void)pthread_mutex_unlock(&r->lock);
    mcp_http_request_resume(r);
}

/* ---- the io side of the mailbox ----------------------------------------- */

static void act(struct mcp_http_request *r, unsigned signals)
{
    if ((signals & MCP_HTTP_DETACH) != 0)
        r->detached = true;
    if ((signals & MCP_HTTP_DONE) != 0) {
        r->done = true;
        r->call_live = false;
        mcp_http_unwatch(r);
        mcp_http_delist(r);
        if (!r->conn_live) {
            mcp_http_request_settle(r);
            return;
        }
    }
    if (!r->conn_live)
        return;
    if (r->reserved && !r->streaming) {
        r->streaming = true;
        if (!r->done) {
            mcp_http_begin_stream(r);
            mcp_http_watch(r);
        }
    }
    mcp_http_request_resume(r);
}

bool mcp_http_collect(struct mcp_http_io *io)
{
    struct mcp_http_request *stack, *first = NULL;

    if (atomic_load_explicit(&io->mailbox->top, memory_order_relaxed) == NULL)
        return false;
    stack = atomic_exchange(&io->mailbox->top, NULL);
    while (stack != NULL) { /* oldest first */
        struct mcp_http_request *r = stack;

        stack = r->next;
        r->next = first;
        first = r;
    }
    while (first != NULL) {
        struct mcp_http_request *r = first;

        unsigned signals;

        first = r->next;
        signals = atomic_fetch_and(&r->signals, (unsigned)MCP_HTTP_ORPHAN);
        if (io->requests[r->index] == r) /* else: orphaned */
            act(r, signals);
    }
    return true;
}

/* After this only `signals`, the call and the mailbox may be touched by who
 * has the call. */
static void abandon(struct mcp_http_request *r)
{
    atomic_store(&r->call.cancelled, true);
    r->told = true;
    (void)pthread_mutex_lock(&r->lock);
    atomic_store(&r->left, true);
    (void)pthread_mutex_unlock(&r->lock);
    if (r->conn_live)
        mcp_http_request_resume(r);
}

void mcp_http_orphan_all(struct mcp_http_io *io)
{
    uint32_t i;

    for (i = 0; i < io->request_count; i++) {
        struct mcp_http_request *r = io->requests[i];

        if (!r->call_live)
            continue;
        abandon(r);
        atomic_fetch_add(&io->mailbox->refs, 1);
        if (atomic_fetch_or(&r->signals, MCP_HTTP_ORPHAN) & MCP_HTTP_DONE) {
            /* it is about to arrive in the mailbox: take it from there */
            atomic_fetch_sub(&io->mailbox->refs, 1);
            while (r->call_live)
                (void)mcp_http_collect(io);
            continue;
        }
        io->requests[i] = NULL;
    }
}
