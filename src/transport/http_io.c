/*
 * http_io.c - one io thread: its daemon and the loop around it
 *
 * libmicrohttpd runs in external epoll mode, without a listening socket of its
 * own: we accept, so that running out of descriptors or of connections makes
 * the loop wait instead of spin, and give it the connections. All calls of
 * libmicrohttpd come from this thread.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "protocol/endpoint.h"
#include "transport/http_private.h"

enum {
    EVENTS = 64,
    ACCEPT_SERIES = 32, /* then the others have a turn */
    ACCEPT_PAUSE_MS = 50,
    SWEEP_S = 5,
    TELL_S = 10,
    CANCEL_WAIT_MS = 500, /* for cancelled calls, after the grace */
    LINGER_MAX = 32,
    LINGER_READ = 64 * 1024,
    SPINS_MAX = 1000, /* turns without anything to do: pause         */
    SPINS_AGAIN = 50, /* and, after something happened, so many more */
    SPIN_PAUSE_MS = 5,
    HERE_US = 500,    /* of handlers before the connections have a turn */
    HERE_TURNS = 4,   /* with handlers, before the rest of the loop     */
    HERE_LATE_MS = 5, /* waited so long: the workers have to help       */
};

/* Tags of our own descriptors; watches have a generation above 0 in the upper
 * half. */
enum { TAG_DAEMON, TAG_EVENT, TAG_LISTEN, TAG_LINGER = 16 };

/* ---- descriptors -------------------------------------------------------- */

static bool epoll_add(struct mcp_http_io *io, int fd, uint64_t tag)
{
    struct epoll_event e = {.events = EPOLLIN, .data = {.u64 = tag}};

    if (tag == TAG_EVENT) /* every ring is an edge: no need to read it */
        e.events |= EPOLLET;
    return epoll_ctl(io->epoll_fd, EPOLL_CTL_ADD, fd, &e) == 0;
}

static void epoll_del(struct mcp_http_io *io, int fd)
{
    (void)epoll_ctl(io->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
}

static void set_accepting(struct mcp_http_io *io, bool on)
{
    size_t i;

    if (io->accepting == on)
        return;
    io->accepting = on;
    for (i = 0; i < MCP_HTTP_ADDRESSES; i++) {
        if (io->listeners[i] < 0)
            continue;
        if (on)
            (void)epoll_add(io, io->listeners[i], TAG_LISTEN + i);
        else
            epoll_del(io, io->listeners[i]);
    }
}

static void close_listeners(struct mcp_http_io *io)
{
    size_t i;

    set_accepting(io, false);
    io->accept_again_ns = 0;
    for (i = 0; i < MCP_HTTP_ADDRESSES; i++) {
        if (io->listeners[i] >= 0)
            (void)close(io->listeners[i]);
        io->listeners[i] = -1;
    }
}

static void silent(void *arg, const char *fmt, va_list ap)
{
    (void)arg;
    (void)fmt;
    (void)ap;
}

static struct MHD_Daemon *start_daemon(struct mcp_http_io *io)
{
    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET, 0,
        NULL, NULL, mcp_http_serve, io, MHD_OPTION_EXTERNAL_LOGGER, silent,
        NULL, MHD_OPTION_NOTIFY_COMPLETED, mcp_http_completed, io,
        MHD_OPTION_NOTIFY_CONNECTION, mcp_http_connected, io,
        MHD_OPTION_URI_LOG_CALLBACK, mcp_http_uri, io,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)io->http->options.config->connection_memory,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)io->http->connection_limit + 1,
        MHD_OPTION_CONNECTION_TIMEOUT, io->http->limits.idle_s, MHD_OPTION_END);
}

static void init_links(struct mcp_http_io *io)
{
    int i;

    mcp_http_link_init(&io->waiting);
    mcp_http_link_init(&io->idle);
    mcp_http_link_init(&io->busy);
    mcp_http_link_init(&io->polls);
    mcp_http_link_init(&io->free_connections);
    for (i = 0; i < MCP_HTTP_LISTS; i++)
        mcp_http_link_init(&io->lists[i]);
}

static enum mcp_err open_listeners(struct mcp_http_io *io)
{
    size_t i;

    for (i = 0; i < io->http->address.count; i++) {
        io->listeners[i] = mcp_http_listen(&io->http->address, i);
        if (io->listeners[i] < 0)
            return errno == EADDRINUSE ? MCP_EEXIST : MCP_EINTERNAL;
    }
    return MCP_OK;
}

enum mcp_err mcp_http_io_open(struct mcp_http_io *io, struct mcp_http *http,
                              unsigned index)
{
    const union MHD_DaemonInfo *info;
    enum mcp_err err;

    memset(io, 0, sizeof(*io));
    io->http = http;
    io->index = index;
    io->listeners[0] = io->listeners[1] = io->epoll_fd = -1;
    init_links(io);
    io->mailbox = mcp_http_mailbox_new();
    if (io->mailbox == NULL)
        return MCP_ENOMEM;
    io->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (io->epoll_fd < 0)
        return MCP_EINTERNAL;
    err = open_listeners(io);
    if (err != MCP_OK)
        return err;
    io->daemon = start_daemon(io);
    if (io->daemon == NULL)
        return MCP_ENOMEM;
    info = MHD_get_daemon_info(io->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    if (info == NULL || !epoll_add(io, info->epoll_fd, TAG_DAEMON) ||
        !epoll_add(io, io->mailbox->event_fd, TAG_EVENT))
        return MCP_EINTERNAL;
    set_accepting(io, true);
    return MCP_OK;
}

void mcp_http_io_close(struct mcp_http_io *io)
{
    close_listeners(io);
    if (io->daemon != NULL)
        MHD_stop_daemon(io->daemon);
    while (io->linger_count > 0)
        (void)close(io->linger[--io->linger_count].fd);
    if (io->epoll_fd >= 0)
        (void)close(io->epoll_fd);
    if (io->mailbox != NULL) {
        mcp_http_free_requests(io);
        mcp_http_mailbox_release(io->mailbox);
    }
}

void mcp_http_io_ring(struct mcp_http_io *io)
{
    static const uint64_t one = 1;

    (void)!write(io->mailbox->event_fd, &one, sizeof(one));
}

/* ---- accepting ---------------------------------------------------------- */

/* Stops accepting for a moment. */
static void pause_accepting(struct mcp_http_io *io)
{
    set_accepting(io, false);
    io->accept_again_ns = mcp_clock_now_ns() + ACCEPT_PAUSE_MS * MCP_NS_PER_MS;
}

/* Makes room by ending the connection that has waited longest without a
 * request, if that is at least a second. */
static void end_idlest(struct mcp_http_io *io)
{
    struct mcp_http_connection *c;

    c = mcp_http_longest_waiting(io);
    if (c == NULL)
        return;
    if (mcp_clock_now_ns() - c->since_ns < MCP_NS_PER_S)
        return;
    mcp_http_unawait(io, c);
    (void)shutdown(c->fd, SHUT_RDWR);
}

/* Once in a while. */
static void tell_full(struct mcp_http_io *io)
{
    uint64_t now = mcp_clock_now_ns();

    if (now < io->tell_again_ns)
        return;
    io->tell_again_ns = now + TELL_S * MCP_NS_PER_S;
    mcp_log(MCP_LOG_WARNING, "http", "cannot accept connections: %s",
            strerror(errno));
}

static void accept_some(struct mcp_http_io *io, int listener)
{
    int n;

    for (n = 0; n < ACCEPT_SERIES; n++) {
        struct sockaddr_storage at;
        socklen_t len = sizeof(at);
        int fd;

        if (atomic_load(&io->http->connections) >= io->http->connection_limit) {
            end_idlest(io);
            pause_accepting(io);
            return;
        }
        fd = accept4(listener, (struct sockaddr *)&at, &len,
                     SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            (void)MHD_add_connection(io->daemon, fd, (struct sockaddr *)&at,
                                     len);
            continue;
        }
        if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
            errno == ENOMEM) {
            tell_full(io);
            end_idlest(io);
            pause_accepting(io);
        }
        return;
    }
}

/* ---- lingering ---------------------------------------------------------- */

void mcp_http_io_linger(struct mcp_http_io *io, int fd)
{
    int copy;

    if (io->linger_count == LINGER_MAX)
        return;
    copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (copy < 0)
        return;
    if (!epoll_add(io, copy, TAG_LINGER + (uint64_t)copy)) {
        (void)close(copy);
        return;
    }
    io->linger[io->linger_count].fd = copy;
    io->linger[io->linger_count].until_ns =
        mcp_clock_now_ns() + io->http->limits.linger_ns;
    io->linger_count++;
}

static void end_linger(struct mcp_http_io *io, size_t i)
{
    epoll_del(io, io->linger[i].fd);
    (void)close(io->linger[i].fd);
    io->linger[i] = io->linger[--io->linger_count];
}

static void read_on(struct mcp_http_io *io, int fd)
{
    char sink[LINGER_READ];
    size_t i;

    for (i = 0; i < io->linger_count; i++)
        if (io->linger[i].fd == fd)
            break;
    if (i == io->linger_count)
        return;
    if (read(fd, sink, sizeof(sink)) > 0 || errno == EAGAIN)
        return;
    end_linger(io, i);
}

/* ---- the loop ----------------------------------------------------------- */

static void handle_event(struct mcp_http_io *io, uint64_t tag)
{
    if (tag >> 32 != 0)
        mcp_http_hung_up(io, tag);
    else if (tag >= MCP_HTTP_TAG_IDLE) /* libmicrohttpd has not noticed */
        (void)shutdown((int)(tag - MCP_HTTP_TAG_IDLE), SHUT_RDWR);
    else if (tag >= TAG_LINGER)
        read_on(io, (int)(tag - TAG_LINGER));
    else if (tag >= TAG_LISTEN && io->accepting)
        accept_some(io, io->listeners[tag - TAG_LISTEN]);
}

/* Timers of the io thread itself. */
static void run_own_timers(struct mcp_http_io *io, uint64_t now)
{
    size_t i = 0;

    if (io->accept_again_ns != 0 && now >= io->accept_again_ns) {
        io->accept_again_ns = 0;
        set_accepting(io, true);
    }
    while (i < io->linger_count) {
        if (now >= io->linger[i].until_ns)
            end_linger(io, i);
        else
            i++;
    }
    if (now >= io->next_sweep_ns) {
        io->next_sweep_ns = now + SWEEP_S * MCP_NS_PER_S;
        if (io->index == 0)
            mcp_endpoint_sweep(io->http->options.endpoint);
    }
}

static uint64_t sooner(uint64_t a_ns, uint64_t b_ns)
{
    return a_ns < b_ns ? a_ns : b_ns;
}

/* Milliseconds until the loop must turn, whatever happens. */
static int wait_ms(struct mcp_http_io *io, uint64_t now)
{
    uint64_t next = sooner(mcp_http_next_timer_ns(io), io->next_sweep_ns);
    MHD_UNSIGNED_LONG_LONG mhd_ms;
    size_t i;
    int ms;

    if (io->resumed || io->here.first != NULL)
        return 0;
    if (io->accept_again_ns != 0)
        next = sooner(next, io->accept_again_ns);
    for (i = 0; i < io->linger_count; i++)
        next = sooner(next, io->linger[i].until_ns);
    if (io->draining)
        next = sooner(next, io->end_ns);
    ms = next <= now ? 0 : (int)((next - now) / MCP_NS_PER_MS) + 1;
    if (MHD_get_timeout(io->daemon, &mhd_ms) == MHD_YES &&
        mhd_ms < (unsigned)ms)
        ms = (int)mhd_ms;
    return ms == 0 && io->spins >= SPINS_MAX ? SPIN_PAUSE_MS : ms;
}

/* libmicrohttpd wants the processor for a connection that can do nothing: the
 * line with the size of a chunk has filled its buffer. The connection ends when
 * its time is over; meanwhile the loop must not spin. */
static void count_spins(struct mcp_http_io *io, int waited_ms, int events)
{
    bool spinning = io->spins >= SPINS_MAX;

    if (events > 0 || io->progress)
        io->spins = spinning ? SPINS_MAX - SPINS_AGAIN : 0;
    else if (waited_ms == 0)
        io->spins++;
    else if (!spinning || waited_ms > SPIN_PAUSE_MS)
        io->spins = 0;
    io->progress = false;
}

/* Waits for events and handles all but the daemon's. */
static void wait_and_handle(struct mcp_http_io *io, uint64_t now)
{
    struct epoll_event events[EVENTS];
    int n, i, ms = wait_ms(io, now);

    atomic_store(&io->mailbox->asleep, true);
    if (atomic_load(&io->mailbox->top) != NULL)
        ms = 0;
    n = epoll_wait(io->epoll_fd, events, EVENTS, ms);
    atomic_store(&io->mailbox->asleep, false);
    count_spins(io, ms, n);
    for (i = 0; i < n; i++)
        handle_event(io, events[i].data.u64);
}

/* Of the calls under way, those that have not ended. */
static size_t count_calls(const struct mcp_http_io *io)
{
    const struct mcp_http_link *l;
    size_t n = 0;

    for (l = io->busy.next; l != &io->busy; l = l->next)
        n += MCP_HTTP_OF(l, struct mcp_http_request, busy)->call_live;
    return n;
}

/* The last thread to see the stop says what is left to do. */
static void begin_drain(struct mcp_http_io *io)
{
    struct mcp_http *http = io->http;
    size_t n = count_calls(io);

    io->draining = true;
    io->end_ns = atomic_load(&http->end_ns);
    close_listeners(io);
    n += atomic_fetch_add(&http->draining_calls, n);
    if (atomic_fetch_add(&http->draining, 1) + 1 == http->io_count && n > 0)
        mcp_log(MCP_LOG_INFO, "http", "draining: %zu call%s in flight", n,
                n == 1 ? "" : "s");
}

/* After the grace: every call is cancelled, and its client told why. */
static void cancel_all(struct mcp_http_io *io)
{
    struct mcp_http_link *l, *next;

    io->cancelled = true;
    for (l = io->busy.next; l != &io->busy; l = next) {
        struct mcp_http_request *r =
            MCP_HTTP_OF(l, struct mcp_http_request, busy);

        next = l->next;
        if (!r->call_live)
            continue; /* its answer is being sent */
        atomic_fetch_add(&io->http->stopped_calls, 1);
        mcp_http_request_stop(r);
    }
}

/* While draining: is it time to go? */
static bool drained(struct mcp_http_io *io, uint64_t now)
{
    if (!io->draining)
        begin_drain(io);
    if (mcp_http_link_empty(&io->busy))
        return true;
    if (now < io->end_ns)
        return false;
    if (io->cancelled)
        return true;
    cancel_all(io);
    io->end_ns += CANCEL_WAIT_MS * MCP_NS_PER_MS;
    return false;
}

static void hand_over(struct mcp_http_io *io)
{
    if (io->here.first != NULL)
        mcp_here_hand_over(io->http->options.app, &io->here);
}

/* Runs what came in and is quick, for a while. False: that took long, and the
 * loop is another thread's now. */
static bool run_here(struct mcp_http_io *io, struct mcp_runner *runner)
{
    struct mcp_app *app = io->http->options.app;
    struct mcp_http_role *role = &io->mailbox->role;
    uint64_t now = mcp_clock_now_ns(), until = now + HERE_US * 1000;
    struct mcp_job *job;

    io->progress = true;
    while (now < until && (job = mcp_here_take(&io->here)) != NULL) {
        bool late = now >= job->queued_ns + HERE_LATE_MS * MCP_NS_PER_MS;
        unsigned number = late ? 0 : mcp_http_role_begin(role);

        if (number == 0) {
            mcp_here_decline(app, job);
            hand_over(io);
            break;
        }
        /* From begin to end `io` may be another's. */
        mcp_here_run(app, runner, job);
        if (!mcp_http_role_end(role, number))
            return false;
        now = mcp_clock_now_ns();
    }
    return true;
}

/* One turn for libmicrohttpd: what has arrived is dispatched, what is done is
 * sent. */
static bool turn(struct mcp_http_io *io, struct mcp_runner *runner)
{
    int i;

    io->resumed = false;
    (void)MHD_run(io->daemon);
    for (i = 0; i < HERE_TURNS && io->here.first != NULL; i++) {
        if (!run_here(io, runner))
            return false;
        (void)mcp_http_collect(io);
        io->resumed = false;
        (void)MHD_run(io->daemon);
    }
    return true;
}

static bool is_serving(const struct mcp_http_io *io)
{
    return atomic_load_explicit(&io->http->state, memory_order_relaxed) ==
           MCP_HTTP_SERVING;
}

/* Turns the loop to its end; false: the caller has lost it. */
static bool loop(struct mcp_http_io *io, struct mcp_runner *runner)
{
    uint64_t now = mcp_clock_now_ns();

    atomic_store(&io->mailbox->thread, pthread_self());
    hand_over(io); /* what the one before has left */
    do {
        wait_and_handle(io, now);
        (void)mcp_http_collect(io);
        now = mcp_clock_now_ns();
        mcp_http_run_timers(io, now);
        run_own_timers(io, now);
        if (!turn(io, runner))
            return false;
    } while (is_serving(io) || !drained(io, now));
    hand_over(io);
    (void)mcp_http_collect(io);
    mcp_http_orphan_all(io);
    return true;
}

/* One less in `count`, of http. When none is left, nothing of it may be
 * touched. */
static void count_down(struct mcp_http *http, unsigned *count)
{
    (void)pthread_mutex_lock(&http->lock);
    (*count)--;
    (void)pthread_cond_signal(&http->ended);
    (void)pthread_mutex_unlock(&http->lock);
}

void mcp_http_io_run(void *arg)
{
    struct mcp_http_io *io = arg;
    struct mcp_http_mailbox *mb = io->mailbox;
    struct mcp_http *http = io->http;
    struct mcp_app *app = http->options.app;
    struct mcp_runner *runner = app != NULL ? mcp_here_begin(app) : NULL;
    bool holds = !atomic_exchange(&io->held, true), ended = false;

    (void)pthread_setname_np(pthread_self(), "mcp-io");
    count_down(http, &http->starting);
    while (!ended) {
        if (!holds && (runner == NULL || !mcp_http_role_wait(&mb->role)))
            break;
        ended = loop(io, runner);
        holds = false;
    }
    if (ended)
        mcp_http_role_close(&mb->role);
    if (runner != NULL)
        mcp_here_end(app, runner);
    mcp_thread_leave();
    if (ended)
        count_down(http, &http->loops);
    mcp_http_mailbox_release(mb);
}
