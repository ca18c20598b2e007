/*
 * http.c - start and stop of the HTTP transport
 */
#include "transport/http.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "protocol/endpoint.h"
#include "transport/http_private.h"

enum { MAX_THREADS = 4, SPARE_DESCRIPTORS = 256 };

const struct mcp_http_limits mcp_http_default_limits = {
    .slow_ns = 10 * MCP_NS_PER_MS,
    .wait_ns = 60 * MCP_NS_PER_S,
    .idle_s = 60,
    .linger_ns = 2 * MCP_NS_PER_S,
    .stream_bytes = 4 * 1024 * 1024,
    .body_bytes = 256 * 1024 * 1024,
    .threads = 0,
};

/* ---- start -------------------------------------------------------------- */

static enum mcp_err fail(enum mcp_err err, char *message, size_t size,
                         const char *fmt, ...) MCP_PRINTF(4, 5);

static enum mcp_err fail(enum mcp_err err, char *message, size_t size,
                         const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(message, size, fmt, ap);
    va_end(ap);
    return err;
}

static enum mcp_err check_address(struct mcp_http *http, char *message,
                                  size_t size)
{
    const struct mcp_config *c = http->options.config;
    enum mcp_err err;

    if (mcp_http_resolve(c->host, (int)c->port, &http->address) != MCP_OK)
        return fail(MCP_EINVAL, message, size,
                    "host \"%s\" is neither an IP address nor localhost",
                    c->host);
    if (!http->address.loopback && c->allowed_hosts.count == 0 &&
        c->public_url == NULL)
        return fail(MCP_EINVAL, message, size,
                    "host \"%s\" is beyond loopback: set allowed_hosts "
                    "(--allowed-hosts) or public_url (--public-url) to the "
                    "names that clients use",
                    c->host);
    err = mcp_http_probe(&http->address);
    if (err == MCP_EEXIST)
        return fail(err, message, size, "port %d is in use", (int)c->port);
    if (err == MCP_EINVAL)
        return fail(err, message, size,
                    "host \"%s\" is no address of this machine", c->host);
    if (err != MCP_OK && errno == EACCES)
        return fail(err, message, size,
                    "not allowed to listen on %s port %d: low ports are for "
                    "root; choose another with --port",
                    c->host, (int)c->port);
    if (err != MCP_OK)
        return fail(err, message, size, "cannot listen on %s port %d: %s",
                    c->host, (int)c->port, strerror(errno));
    return MCP_OK;
}

/* The path without the slash at its end, and the URL. */
static enum mcp_err name_endpoint(struct mcp_http *http, char *message,
                                  size_t size)
{
    const struct mcp_config *c = http->options.config;
    size_t len = strlen(c->base_path);
    bool ipv6 = strchr(c->host, ':') != NULL && c->host[0] != '[';

    if (c->base_path[0] != '/' || len >= sizeof(http->path) ||
        strlen(c->host) > 128)
        return fail(MCP_EINVAL, message, size,
                    "base_path \"%s\" must start with / and be shorter than "
                    "%zu bytes",
                    c->base_path, sizeof(http->path));
    while (len > 0 && c->base_path[len - 1] == '/')
        len--;
    memcpy(http->path, c->base_path, len);
    http->path[len] = '\0';
    (void)snprintf(http->url, sizeof(http->url), "http://%s%s%s:%d%s",
                   ipv6 ? "[" : "", c->host, ipv6 ? "]" : "",
                   mcp_http_port(&http->address), len > 0 ? http->path : "/");
    return MCP_OK;
}

/* Raises RLIMIT_NOFILE as far as needed and allowed. */
static void set_connection_limit(struct mcp_http *http)
{
    rlim_t want = (rlim_t)http->options.config->max_connections;
    struct rlimit limit;

    http->connection_limit = (size_t)want;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    if (limit.rlim_cur < want + SPARE_DESCRIPTORS) {
        limit.rlim_cur = want + SPARE_DESCRIPTORS < limit.rlim_max
                             ? want + SPARE_DESCRIPTORS
                             : limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
        (void)getrlimit(RLIMIT_NOFILE, &limit);
    }
    if (limit.rlim_cur >= want + SPARE_DESCRIPTORS)
        return;
    http->reduced = true;
    http->connection_limit = limit.rlim_cur > 2 * SPARE_DESCRIPTORS
                                 ? (size_t)limit.rlim_cur - SPARE_DESCRIPTORS
                                 : (size_t)limit.rlim_cur / 2;
}

static unsigned thread_count(const struct mcp_http *http)
{
    cpu_set_t set;
    int n = http->limits.threads > 0 ? (int)http->limits.threads
            : sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set)
                                                           : 1;

    return n < 1 ? 1 : n > MAX_THREADS ? MAX_THREADS : (unsigned)n;
}

static void count_threads(struct mcp_http *http, int more)
{
    (void)pthread_mutex_lock(&http->lock);
    http->starting += (unsigned)more;
    (void)pthread_mutex_unlock(&http->lock);
}

static bool start_thread(struct mcp_http_io *io, const pthread_attr_t *attr)
{
    struct mcp_http *http = io->http;

    atomic_fetch_add(&io->mailbox->refs, 1);
    count_threads(http, +1);
    if (mcp_thread_start(attr, mcp_http_io_run, io))
        return true;
    count_threads(http, -1);
    mcp_http_mailbox_release(io->mailbox);
    return false;
}

/* The thread that turns the loop, and one that takes over when a handler that
 * is run by the first takes long. */
static bool start_loop(struct mcp_http_io *io)
{
    struct mcp_http *http = io->http;
    pthread_attr_t attr;
    bool spare =
        http->options.app != NULL && mcp_here_is_possible(http->options.app);

    mcp_here_init_attr(http->options.app, &attr);
    io->started = start_thread(io, &attr);
    if (io->started) {
        (void)pthread_mutex_lock(&http->lock);
        http->loops++;
        (void)pthread_mutex_unlock(&http->lock);
        if (spare)
            (void)start_thread(io, &attr);
    }
    (void)pthread_attr_destroy(&attr);
    return io->started;
}

static enum mcp_err start_threads(struct mcp_http *http)
{
    unsigned i, n = thread_count(http);

    for (i = 0; i < n; i++) {
        struct mcp_http_io *io = &http->io[i];
        enum mcp_err err;

        http->io_count = i + 1;
        err = mcp_http_io_open(io, http, i);
        if (err != MCP_OK)
            return err;
    }
    for (i = 0; i < n; i++)
        if (!start_loop(&http->io[i]))
            return MCP_EINTERNAL;
    return MCP_OK;
}

static struct mcp_http *create(const struct mcp_http_options *options,
                               const struct mcp_http_limits *limits)
{
    struct mcp_arena *memory = mcp_arena_new(SIZE_MAX);
    struct mcp_http *http =
        memory != NULL ? mcp_arena_alloc(memory, sizeof(*http)) : NULL;

    if (http == NULL) {
        mcp_arena_free(memory);
        return NULL;
    }
    memset(http, 0, sizeof(*http));
    http->memory = memory;
    http->options = *options;
    http->limits = *limits;
    (void)pthread_mutex_init(&http->lock, NULL);
    (void)pthread_cond_init(&http->ended, NULL);
    return http;
}

enum mcp_err mcp_http_start_with(const struct mcp_http_options *options,
                                 const struct mcp_http_limits *limits,
                                 struct mcp_http **out, char *message,
                                 size_t message_size)
{
    struct mcp_http *http = create(options, limits);
    enum mcp_err err;

    if (http == NULL)
        return fail(MCP_ENOMEM, message, message_size, "out of memory");
    err = check_address(http, message, message_size);
    if (err == MCP_OK)
        err = name_endpoint(http, message, message_size);
    if (err == MCP_OK) {
        set_connection_limit(http);
        err = start_threads(http);
        if (err != MCP_OK)
            (void)fail(err, message, message_size,
                       "cannot start the HTTP server: %s", strerror(errno));
    }
    if (err != MCP_OK) {
        mcp_http_stop(http, 0);
        return err;
    }
    *out = http;
    return MCP_OK;
}

enum mcp_err mcp_http_start(const struct mcp_http_options *options,
                            struct mcp_http **out, char *message,
                            size_t message_size)
{
    return mcp_http_start_with(options, &mcp_http_default_limits, out, message,
                               message_size);
}

/* ---- life --------------------------------------------------------------- */

const char *mcp_http_url(const struct mcp_http *http)
{
    return http->url;
}

size_t mcp_http_connection_limit(const struct mcp_http *http, bool *reduced)
{
    *reduced = http->reduced;
    return http->connection_limit;
}

static void tell_stopped(struct mcp_http *http)
{
    size_t n = atomic_load(&http->stopped_calls);

    if (n > 0)
        mcp_log(MCP_LOG_WARNING, "http", "%zu call%s stopped", n,
                n == 1 ? " was" : "s were");
}

/* A thread that is not in the loop any more, but in a handler that takes long,
 * is waited for by the app. */
static void wait_for_loops(struct mcp_http *http)
{
    (void)pthread_mutex_lock(&http->lock);
    while (http->loops + http->starting > 0)
        (void)pthread_cond_wait(&http->ended, &http->lock);
    (void)pthread_mutex_unlock(&http->lock);
    mcp_threads_settle();
}

void mcp_http_stop(struct mcp_http *http, double grace_s)
{
    unsigned i;

    mcp_endpoint_end_streams(http->options.endpoint);
    atomic_store(&http->end_ns,
                 mcp_clock_now_ns() + mcp_clock_from_seconds(grace_s));
    atomic_store(&http->state, MCP_HTTP_DRAINING);
    for (i = 0; i < http->io_count; i++)
        if (http->io[i].started)
            mcp_http_io_ring(&http->io[i]);
    wait_for_loops(http);
    tell_stopped(http);
    for (i = 0; i < http->io_count; i++)
        mcp_http_io_close(&http->io[i]);
    (void)pthread_mutex_destroy(&http->lock);
    (void)pthread_cond_destroy(&http->ended);
    mcp_arena_free(http->memory);
}
