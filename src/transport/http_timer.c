/*
 * http_timer.c - what the io loop does because time has passed
 *
 * Each list has one fixed delay, so its head is always the next to be due and
 * nothing is ever sorted.
 */
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "protocol/endpoint.h"
#include "transport/http_private.h"

/* ---- lists -------------------------------------------------------------- */

void mcp_http_enlist(struct mcp_http_request *r, enum mcp_http_list list)
{
    mcp_http_link_remove(&r->link);
    r->since_ns = mcp_clock_now_ns();
    mcp_http_link_append(&r->io->lists[list], &r->link);
}

void mcp_http_delist(struct mcp_http_request *r)
{
    mcp_http_link_remove(&r->link);
    mcp_http_link_remove(&r->poll);
}

void mcp_http_begin_stream(struct mcp_http_request *r)
{
    r->streaming = true;
    mcp_http_enlist(r, MCP_HTTP_STREAMS);
    if (!(r->io->http->options.config->sse_poll_after > 0))
        return;
    r->stream_ns = r->since_ns;
    mcp_http_link_append(&r->io->polls, &r->poll);
}

/* The end of what a client sends may come together with its last bytes, and
 * libmicrohttpd, which is told of both at once, reads the bytes only. So who
 * waits for long is watched. */
static void watch_idle(struct mcp_http_io *io, struct mcp_http_connection *c)
{
    struct epoll_event e = {
        .events = EPOLLRDHUP | EPOLLONESHOT,
        .data = {.u64 = MCP_HTTP_TAG_IDLE + (unsigned)c->fd},
    };

    c->watched = epoll_ctl(io->epoll_fd, EPOLL_CTL_ADD, c->fd, &e) == 0;
}

void mcp_http_unawait(struct mcp_http_io *io, struct mcp_http_connection *c)
{
    mcp_http_link_remove(&c->link);
    if (c->watched)
        (void)epoll_ctl(io->epoll_fd, EPOLL_CTL_DEL, c->fd, NULL);
    c->watched = false;
}

void mcp_http_await(struct mcp_http_io *io, struct mcp_http_connection *c)
{
    mcp_http_unawait(io, c);
    c->since_ns = mcp_clock_now_ns();
    mcp_http_link_append(&io->waiting, &c->link);
}

static struct mcp_http_connection *first_of(const struct mcp_http_link *list)
{
    return mcp_http_link_empty(list)
               ? NULL
               : MCP_HTTP_OF(list->next, struct mcp_http_connection, link);
}

struct mcp_http_connection *
mcp_http_longest_waiting(const struct mcp_http_io *io)
{
    struct mcp_http_connection *c = first_of(&io->idle);

    return c != NULL ? c : first_of(&io->waiting);
}

/* ---- watches ------------------------------------------------------------ */

void mcp_http_watch(struct mcp_http_request *r)
{
    struct epoll_event e = {.events = EPOLLRDHUP | EPOLLONESHOT};

    if (r->watched)
        return;
    e.data.u64 = mcp_http_watch_id(r);
    r->watched =
        epoll_ctl(r->io->epoll_fd, EPOLL_CTL_ADD, r->connection->fd, &e) == 0;
}

void mcp_http_unwatch(struct mcp_http_request *r)
{
    if (!r->watched)
        return;
    r->watched = false;
    (void)epoll_ctl(r->io->epoll_fd, EPOLL_CTL_DEL, r->connection->fd, NULL);
}

void mcp_http_hung_up(struct mcp_http_io *io, uint64_t id)
{
    uint32_t index = (uint32_t)id;
    struct mcp_http_request *r =
        index < io->request_count ? io->requests[index] : NULL;

    if (r != NULL && r->watched && mcp_http_watch_id(r) == id)
        mcp_http_request_left(r);
}

/* ---- what is due -------------------------------------------------------- */

static uint64_t delay_of(const struct mcp_http_io *io, enum mcp_http_list list)
{
    const struct mcp_config *config = io->http->options.config;

    if (list == MCP_HTTP_YOUNG)
        return io->http->limits.slow_ns;
    return mcp_clock_from_seconds(list == MCP_HTTP_SLOW ? config->sse_after
                                                        : config->keepalive);
}

/* The call has lasted sse_after: headers now, comments from time to time. */
static void become_stream(struct mcp_http_request *r)
{
    bool may;

    mcp_http_delist(r);
    (void)pthread_mutex_lock(&r->lock);
    may = mcp_http_request_stream(r);
    (void)pthread_mutex_unlock(&r->lock);
    if (!may)
        return; /* it waits on, and is answered with JSON */
    mcp_http_begin_stream(r);
    mcp_endpoint_streams(&r->call);
    mcp_http_request_resume(r);
}

static void act(struct mcp_http_request *r, enum mcp_http_list list)
{
    switch (list) {
    case MCP_HTTP_YOUNG:
        mcp_http_watch(r);
        mcp_http_enlist(r, MCP_HTTP_SLOW);
        break;
    case MCP_HTTP_SLOW:
        become_stream(r);
        break;
    default:
        mcp_http_enlist(r, MCP_HTTP_STREAMS);
        mcp_http_request_comment(r);
    }
}

/* Acts on every request of the list that is due. */
static void run_list(struct mcp_http_io *io, enum mcp_http_list list,
                     uint64_t now_ns)
{
    struct mcp_http_link *head = &io->lists[list];
    uint64_t delay = delay_of(io, list);

    while (!mcp_http_link_empty(head)) {
        struct mcp_http_request *r =
            MCP_HTTP_OF(head->next, struct mcp_http_request, link);

        if (now_ns < r->since_ns + delay)
            return;
        act(r, list);
    }
}

static uint64_t poll_delay(const struct mcp_http_io *io)
{
    return mcp_clock_from_seconds(io->http->options.config->sse_poll_after);
}

/* Each stream is looked at once: it ends, or is none that may. */
static void run_polls(struct mcp_http_io *io, uint64_t now_ns)
{
    while (!mcp_http_link_empty(&io->polls)) {
        struct mcp_http_request *r =
            MCP_HTTP_OF(io->polls.next, struct mcp_http_request, poll);

        if (now_ns < r->stream_ns + poll_delay(io))
            return;
        mcp_http_link_remove(&r->poll);
        mcp_endpoint_poll(&r->call);
    }
}

/* After so long a connection that waits is watched. */
static uint64_t idle_delay(const struct mcp_http_io *io)
{
    uint64_t most = io->http->limits.wait_ns;

    return most < MCP_NS_PER_S ? most : MCP_NS_PER_S;
}

/* Ends connections whose request does not come. */
static void run_waiting(struct mcp_http_io *io, uint64_t now_ns)
{
    struct mcp_http_connection *c;

    while ((c = first_of(&io->waiting)) != NULL &&
           now_ns >= c->since_ns + idle_delay(io)) {
        mcp_http_link_remove(&c->link);
        mcp_http_link_append(&io->idle, &c->link);
        watch_idle(io, c);
    }
    while ((c = first_of(&io->idle)) != NULL &&
           now_ns >= c->since_ns + io->http->limits.wait_ns) {
        mcp_http_unawait(io, c);
        (void)shutdown(c->fd, SHUT_RDWR); /* libmicrohttpd closes it */
    }
}

void mcp_http_run_timers(struct mcp_http_io *io, uint64_t now_ns)
{
    int list;

    run_waiting(io, now_ns);
    run_polls(io, now_ns);
    for (list = 0; list < MCP_HTTP_LISTS; list++)
        run_list(io, (enum mcp_http_list)list, now_ns);
}

static uint64_t sooner(uint64_t a_ns, uint64_t b_ns)
{
    return a_ns < b_ns ? a_ns : b_ns;
}

uint64_t mcp_http_next_timer_ns(const struct mcp_http_io *io)
{
    const struct mcp_http_connection *waiting = first_of(&io->waiting);
    const struct mcp_http_connection *idle = first_of(&io->idle);
    uint64_t next = UINT64_MAX;
    int list;

    if (waiting != NULL)
        next = waiting->since_ns + idle_delay(io);
    if (idle != NULL)
        next = sooner(next, idle->since_ns + io->http->limits.wait_ns);
    if (!mcp_http_link_empty(&io->polls))
        next = sooner(next,
                      MCP_HTTP_OF(io->polls.next, struct mcp_http_request, poll)
                              ->stream_ns +
                          poll_delay(io));
    for (list = 0; list < MCP_HTTP_LISTS; list++) {
        const struct mcp_http_link *head = &io->lists[list];
        uint64_t t;

        if (mcp_http_link_empty(head))
            continue;
        t = MCP_HTTP_OF(head->next, struct mcp_http_request, link)->since_ns +
            delay_of(io, (enum mcp_http_list)list);
        next = sooner(next, t);
    }
    return next;
}
