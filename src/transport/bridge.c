/*
 * bridge.c - the loop
 *
 * One thread does everything: libcurl's transfers, both pipes, the token's
 * command. Each round starts what may start, lets libcurl work, ends what has
 * ended, writes what there is room for, and waits for whatever comes first.
 */
#include "transport/bridge.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "transport/bridge_private.h"

enum {
    WAIT_MS = 10 * 1000, /* at most: nothing depends on it  */
    CLOSE_MS = 2500,     /* to delete the session           */
    LAST_WORDS_MS = 500, /* for the client to read the rest */
};

struct run {
    struct mcp_bridge b;
    const atomic_int *stop;
    int wake_fd;
};

/* ---- making ------------------------------------------------------------- */

/* The URL without user, password and query. OWNED: free(). */
static char *show_url(const char *url)
{
    size_t len = strcspn(url, "?#");
    const char *host = strstr(url, "://");
    char *shown = mcp_memory_new(1, len + 1);
    size_t scheme, host_len;
    const char *at;

    if (shown == NULL)
        return NULL;
    host = host != NULL ? host + 3 : url;
    scheme = (size_t)(host - url);
    host_len = strcspn(host, "/?#");
    at = memrchr(host, '@', host_len);
    if (at != NULL)
        host = at + 1;
    memcpy(shown, url, scheme);
    memcpy(shown + scheme, host, len - (size_t)(host - url));
    return shown;
}

/* Each stream is a descriptor. */
static void raise_descriptor_limit(void)
{
    struct rlimit r;

    if (getrlimit(RLIMIT_NOFILE, &r) == 0 && r.rlim_cur < r.rlim_max) {
        r.rlim_cur = r.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &r);
    }
}

static enum mcp_err open_bridge(struct mcp_bridge *b,
                                const struct mcp_bridge_options *o, int in,
                                int out, char *message, size_t message_size)
{
    enum mcp_err rc = mcp_curl_load(&b->curl, message, message_size);

    if (rc != MCP_OK)
        return rc;
    b->o = o;
    b->calls.next = b->calls.prev = &b->calls;
    mcp_bridge_in_init(&b->in, in, o->max_message_bytes);
    mcp_bridge_out_init(&b->out, out);
    mcp_bridge_token_init(&b->token, o->bearer_env, o->bearer_command,
                          o->timeout_s);
    b->shown_url = show_url(o->url);
    b->multi = b->curl.multi_init();
    raise_descriptor_limit();
    return b->shown_url != NULL && b->multi != NULL ? MCP_OK : MCP_ENOMEM;
}

static void close_bridge(struct mcp_bridge *b)
{
    if (b->o == NULL)
        return;
    mcp_bridge_calls_reap(b, true);
    if (b->multi != NULL)
        (void)b->curl.multi_cleanup(b->multi);
    b->curl.global_cleanup();
    mcp_bridge_token_free(&b->token);
    mcp_bridge_session_free(&b->session);
    mcp_bridge_tools_clear(&b->tools);
    mcp_bridge_tools_clear(&b->seen);
    mcp_bridge_in_free(&b->in);
    mcp_bridge_out_free(&b->out);
    free(b->shown_url);
}

/* ---- a round ------------------------------------------------------------ */

static bool stopped(const struct run *r)
{
    return atomic_load(r->stop) != 0;
}

/* May another line be taken? */
static bool has_room(const struct mcp_bridge *b)
{
    return b->call_count < MCP_BRIDGE_CALLS_MAX &&
           b->body_bytes < MCP_BRIDGE_BODIES_BYTES &&
           mcp_bridge_out_waiting(&b->out) <= MCP_BRIDGE_OUT_HIGH_BYTES;
}

/* A line is too long; text[0..len) is the id in it, or `text` NULL. */
static void refuse_line(struct mcp_bridge *b, const char *text, size_t len)
{
    const struct mcp_bridge_id id = {.text = text, .len = len};
    char why[128];

    (void)snprintf(why, sizeof(why),
                   "Stdio JSON-RPC message exceeded the bridge limit of %zu "
                   "bytes.",
                   b->o->max_message_bytes);
    mcp_log(MCP_LOG_WARNING, "bridge", "%s", why);
    mcp_bridge_write_error(b, text != NULL ? &id : NULL, MCP_BRIDGE_ERROR, why,
                           0);
}

static void take_lines(struct mcp_bridge *b)
{
    while (has_room(b) && mcp_bridge_in_has(&b->in)) {
        const char *text;
        size_t len;
        enum mcp_err rc = mcp_bridge_in_take(&b->in, &text, &len);

        if (rc == MCP_OK)
            mcp_bridge_take_line(b, text, len);
        else if (rc == MCP_ELIMIT)
            refuse_line(b, text, len);
    }
}

static void step_transfers(struct mcp_bridge *b)
{
    struct mcp_bridge_call *c;
    int running, left;
    CURLMsg *m;

    (void)b->curl.multi_perform(b->multi, &running);
    while ((m = b->curl.multi_info_read(b->multi, &left)) != NULL) {
        CURLcode code = m->data.result;

        if (m->msg != CURLMSG_DONE)
            continue;
        c = NULL;
        (void)b->curl.easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &c);
        if (c != NULL)
            mcp_bridge_transfer_ended(c, code);
    }
}

static void step(struct mcp_bridge *b)
{
    (void)mcp_bridge_token_step(&b->token);
    take_lines(b);
    mcp_bridge_calls_start(b);
    step_transfers(b);
    mcp_bridge_calls_check(b);
    mcp_bridge_calls_start(b); /* what had to wait for one of those */
    mcp_bridge_calls_reap(b, false);
    mcp_bridge_out_flush(&b->out);
    mcp_bridge_transfers_resume(b);
}

static int wait_ms(const struct mcp_bridge *b, uint64_t end_ns)
{
    uint64_t now = mcp_clock_now_ns(), most = WAIT_MS * MCP_NS_PER_MS, look;

    if (b->reap || (mcp_bridge_in_has(&b->in) && has_room(b)))
        return 0;
    look = mcp_bridge_token_next_ns(&b->token);
    if (look != 0)
        most = look > now ? look - now : 0;
    if (end_ns != 0 && end_ns < now + most)
        most = end_ns > now ? end_ns - now : 0;
    return (int)((mcp_bridge_calls_wait_ns(b, most) + MCP_NS_PER_MS - 1) /
                 MCP_NS_PER_MS);
}

/* Waits for libcurl, the pipes, a signal, the command; reads input. */
static void wait_for(struct run *r, uint64_t end_ns)
{
    struct mcp_bridge *b = &r->b;
    bool reads =
        !b->in.ended && !b->ending && !mcp_bridge_in_has(&b->in) && has_room(b);
    short out = mcp_bridge_out_waiting(&b->out) > 0 ? POLLOUT : 0;
    struct pollfd p[] = {{.fd = b->out.fd, .events = out},
                         {.fd = reads ? b->in.fd : -1, .events = POLLIN},
                         {.fd = stopped(r) ? -1 : r->wake_fd, .events = POLLIN},
                         {.fd = b->token.fd, .events = POLLIN}};
    struct curl_waitfd w[4];
    unsigned n = 0;

    for (size_t i = 0; i < 4; i++)
        if (p[i].fd >= 0)
            w[n++] = (struct curl_waitfd){
                .fd = p[i].fd,
                .events =
                    (short)((p[i].events & POLLIN ? CURL_WAIT_POLLIN : 0) |
                            (p[i].events & POLLOUT ? CURL_WAIT_POLLOUT : 0))};
    (void)b->curl.multi_poll(b->multi, w, n, wait_ms(b, end_ns), NULL);
    /* libcurl does not hand on POLLHUP and POLLERR */
    if (poll(p, 4, 0) <= 0)
        return;
    if ((p[0].revents & (POLLERR | POLLNVAL)) != 0 ||
        (b->out.is_socket && (p[0].revents & POLLHUP) != 0))
        mcp_bridge_out_break(&b->out);
    if (p[1].revents != 0)
        mcp_bridge_in_read(&b->in);
}

/* ---- from the first line to the last ------------------------------------ */

static void serve(struct run *r)
{
    struct mcp_bridge *b = &r->b;

    while (!stopped(r) && !b->out.broken && !b->out_of_memory) {
        step(b);
        if (b->in.ended && !mcp_bridge_in_has(&b->in))
            return;
        wait_for(r, 0);
    }
}

/* Is the client still to get something? */
static bool is_busy(const struct mcp_bridge *b)
{
    return b->call_count > 0 || mcp_bridge_out_waiting(&b->out) > 0;
}

/* Goes on without input until nothing is left to do, at most `s` seconds or,
 * unless `whatever_comes`, until a signal. */
static void finish(struct run *r, double s, bool whatever_comes)
{
    uint64_t end = mcp_clock_now_ns() + mcp_clock_from_seconds(s);
    struct mcp_bridge *b = &r->b;

    for (;;) {
        step(b);
        if (!is_busy(b) || b->out.broken || b->out_of_memory ||
            mcp_clock_now_ns() >= end || (stopped(r) && !whatever_comes))
            return;
        wait_for(r, end);
    }
}

/* Streams have no end of their own: they are closed. `all`: calls too. */
static void close_calls(struct mcp_bridge *b, bool all)
{
    struct mcp_bridge_call *c;

    for (c = b->calls.next; c != &b->calls; c = c->next)
        if (all || c->is_listen || c->role == MCP_BRIDGE_STREAM)
            mcp_bridge_call_end(c);
    mcp_bridge_calls_reap(b, false);
}

static void end(struct run *r)
{
    struct mcp_bridge *b = &r->b;
    size_t left;

    b->ending = true;
    b->in.pos = b->in.len; /* what a signal has left unread */
    close_calls(b, false);
    if (!stopped(r))
        finish(r, b->o->timeout_s, false);
    left = b->call_count;
    if (left > 0 && !b->out.broken)
        mcp_log(MCP_LOG_WARNING, "bridge", "%zu message%s without an answer",
                left, left == 1 ? " stays" : "s stay");
    close_calls(b, true);
    mcp_bridge_session_close(b);
    finish(r, CLOSE_MS / 1000.0, true);
    mcp_bridge_calls_reap(b, true);
    finish(r, LAST_WORDS_MS / 1000.0, true);
}

enum mcp_err mcp_bridge_run(const struct mcp_bridge_options *options, int in,
                            int out, const atomic_int *stop, int wake_fd,
                            char *message, size_t message_size)
{
    struct run *r = mcp_memory_new(1, sizeof(*r));
    enum mcp_err rc;

    if (r == NULL)
        return MCP_ENOMEM;
    r->stop = stop;
    r->wake_fd = wake_fd;
    rc = open_bridge(&r->b, options, in, out, message, message_size);
    if (rc == MCP_OK) {
        mcp_log(MCP_LOG_INFO, "bridge", "to %s", r->b.shown_url);
        serve(r);
        end(r);
        rc = r->b.out_of_memory ? MCP_ENOMEM : MCP_OK;
    }
    if (rc == MCP_OK && r->b.out.error != 0) {
        (void)snprintf(message, message_size, "cannot write to stdout: %s",
                       strerror(r->b.out.error));
        rc = MCP_EINTERNAL;
    }
    close_bridge(&r->b);
    free(r);
    return rc;
}
