/*
 * fake_endpoint_common.c - commands, a timed queue, some worker threads
 */
#include "fake_endpoint_common.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "protocol/endpoint.h"
#include "protocol/routes.h"

enum { MAX_TASKS = 4096, MAX_WORKERS = 8, FLOOD_BYTES = 65536 };

struct task {
    struct mcp_call *call;
    uint64_t due_ns;
    int left, total, gap_ms; /* emits */
};

struct fake_stats fake_stats;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct task tasks[MAX_TASKS];
    int count;
    int stopping;
    pthread_t workers[MAX_WORKERS];
    int worker_count;
} fake = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- answers ------------------------------------------------------------ */

static void finish(struct mcp_call *call, const char *text)
{
    mcp_buf_puts(&call->out, text);
    atomic_fetch_add(&fake_stats.finished, 1);
    call->ops->done(call);
}

static void count_emit(enum mcp_err err)
{
    if (err == MCP_ELIMIT)
        atomic_fetch_add(&fake_stats.refused, 1);
    else if (err == MCP_ECANCELED)
        atomic_fetch_add(&fake_stats.lost, 1);
    else if (err == MCP_EINVAL)
        atomic_fetch_add(&fake_stats.unwanted, 1);
    else if (err != MCP_OK)
        atomic_fetch_add(&fake_stats.failed, 1);
}

static void emit_number(struct mcp_call *call, int n)
{
    char text[32];

    (void)snprintf(text, sizeof(text), "{\"n\":%d}", n);
    count_emit(call->ops->emit(call, text, strlen(text)));
}

static void flood(struct mcp_call *call, int n, int pause_us)
{
    static char message[FLOOD_BYTES];
    char text[32];
    int i, refused = 0;

    for (i = 0; i < n; i++) {
        enum mcp_err err = call->ops->emit(call, message, sizeof(message));

        count_emit(err);
        refused += err == MCP_ELIMIT;
        if (pause_us > 0)
            usleep((useconds_t)pause_us);
    }
    (void)snprintf(text, sizeof(text), "refused %d", refused);
    finish(call, text);
}

static int begins(const struct mcp_call *call, const char *word)
{
    size_t n = strlen(word);

    return call->body_len >= n && memcmp(call->body, word, n) == 0 &&
           (call->body_len == n || call->body[n] == ' ');
}

/* The numbers behind the command, 0 where there is none. */
static void read_numbers(const struct mcp_call *call, int *a, int *b)
{
    char text[64] = "";

    *a = *b = 0;
    if (call->body_len < sizeof(text))
        memcpy(text, call->body, call->body_len);
    (void)sscanf(text, "%*s %d %d", a, b);
}

/* ---- workers ------------------------------------------------------------ */

static void enqueue(struct task t)
{
    pthread_mutex_lock(&fake.lock);
    assert(fake.count < MAX_TASKS);
    fake.tasks[fake.count++] = t;
    pthread_cond_broadcast(&fake.changed);
    pthread_mutex_unlock(&fake.lock);
}

static struct task in_ms(struct task t, int ms)
{
    t.due_ns = mcp_clock_now_ns() + (uint64_t)ms * MCP_NS_PER_MS;
    return t;
}

/* One step; it may put the task back. */
static void step(struct task t)
{
    struct mcp_call *call = t.call;
    int n, pause_us;

    if (begins(call, "hang")) {
        if (!atomic_load(&call->cancelled)) {
            enqueue(in_ms(t, 2));
            return;
        }
        atomic_fetch_add(&fake_stats.cancelled, 1);
        finish(call, "");
        return;
    }
    if (t.left > 0 &&
        (begins(call, "nag") ||
         (begins(call, "emit") && !atomic_load(&call->cancelled)))) {
        emit_number(call, t.total - t.left + 1);
        t.left--;
        enqueue(in_ms(t, t.gap_ms));
        return;
    }
    read_numbers(call, &n, &pause_us);
    if (begins(call, "emit") && t.left > 0)
        emit_number(call, 0);
    if (begins(call, "flood")) {
        flood(call, n, pause_us);
    } else if (begins(call, "big")) {
        char *to = mcp_buf_reserve(&call->out, (size_t)n);

        if (to != NULL) {
            memset(to, 'x', (size_t)n);
            call->out.len += (size_t)n;
        }
        finish(call, "");
    } else if (begins(call, "stubborn")) {
        finish(call, "stubborn");
    } else {
        finish(call, "later");
    }
}

static void *work(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&fake.lock);
    while (!fake.stopping || fake.count > 0) {
        struct timespec until;
        uint64_t now = mcp_clock_now_ns();
        struct task t;
        int i, first = -1;

        for (i = 0; i < fake.count; i++)
            if (first < 0 || fake.tasks[i].due_ns < fake.tasks[first].due_ns)
                first = i;
        if (first < 0) {
            pthread_cond_wait(&fake.changed, &fake.lock);
            continue;
        }
        t = fake.tasks[first];
        if (t.due_ns > now) {
            until.tv_sec = (time_t)(t.due_ns / MCP_NS_PER_S);
            until.tv_nsec = (long)(t.due_ns % MCP_NS_PER_S);
            pthread_cond_timedwait(&fake.changed, &fake.lock, &until);
            continue;
        }
        fake.tasks[first] = fake.tasks[--fake.count];
        pthread_mutex_unlock(&fake.lock);
        step(t);
        pthread_mutex_lock(&fake.lock);
    }
    pthread_mutex_unlock(&fake.lock);
    return NULL;
}

void fake_start(int n)
{
    static int ready;
    pthread_condattr_t attr;
    int i;

    if (!ready) {
        pthread_condattr_init(&attr);
        pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
        pthread_cond_init(&fake.changed, &attr);
        ready = 1;
    }
    memset(&fake_stats, 0, sizeof(fake_stats));
    fake.stopping = 0;
    fake.worker_count = n;
    for (i = 0; i < n; i++)
        pthread_create(&fake.workers[i], NULL, work, NULL);
}

void fake_stop(void)
{
    int i;

    pthread_mutex_lock(&fake.lock);
    fake.stopping = 1;
    pthread_cond_broadcast(&fake.changed);
    pthread_mutex_unlock(&fake.lock);
    for (i = 0; i < fake.worker_count; i++)
        pthread_join(fake.workers[i], NULL);
}

/* ---- the endpoint ------------------------------------------------------- */

static void handle_now(struct mcp_call *call, int n)
{
    char text[512];
    int i;

    if (begins(call, "echo")) {
        size_t skip = call->body_len > 5 ? 5 : 4;

        mcp_buf_add(&call->out, call->body + skip, call->body_len - skip);
        finish(call, "");
    } else if (begins(call, "inline")) {
        for (i = 1; i <= n; i++)
            emit_number(call, i);
        finish(call, "inline");
    } else if (begins(call, "fill")) {
        static const char message[92];
        int before = atomic_load(&fake_stats.refused);

        for (i = 0; i < n; i++) /* as an event 100 bytes */
            count_emit(call->ops->emit(call, message, sizeof(message)));
        (void)snprintf(text, sizeof(text), "refused %d",
                       atomic_load(&fake_stats.refused) - before);
        finish(call, text);
    } else if (begins(call, "notify")) {
        call->status = 202;
        finish(call, "");
    } else if (begins(call, "status")) {
        call->status = n;
        finish(call, "status");
    } else if (begins(call, "header")) {
        mcp_call_reply_header(call, "Mcp-Session-Id", "abc");
        finish(call, "header");
    } else if (begins(call, "see")) {
        (void)snprintf(text, sizeof(text), "%.*s", (int)call->body_len - 4,
                       call->body + 4);
        finish(call, mcp_call_header(call, text) != NULL
                         ? mcp_call_header(call, text)
                         : "none");
    } else if (begins(call, "target")) {
        (void)snprintf(text, sizeof(text), "%s %s %s", call->http_method,
                       call->path, call->query != NULL ? call->query : "-");
        finish(call, text);
    } else {
        call->status = 400;
        finish(call, "unknown");
    }
}

void mcp_endpoint_handle(struct mcp_endpoint *ep, struct mcp_call *call)
{
    struct task t = {.call = call};
    int a, b;

    (void)ep;
    atomic_fetch_add(&fake_stats.handled, 1);
    if (call->http_method != NULL && strcmp(call->http_method, "POST") != 0) {
        call->status = 405;
        finish(call, "no");
        return;
    }
    call->cancel_on_disconnect = true;
    read_numbers(call, &a, &b);
    if (begins(call, "later") || begins(call, "stubborn")) {
        enqueue(in_ms(t, a));
    } else if (begins(call, "open")) {
        count_emit(call->ops->emit(call, NULL, 0));
        enqueue(in_ms(t, a));
    } else if (begins(call, "emit") || begins(call, "nag")) {
        t.left = t.total = a;
        t.gap_ms = b;
        enqueue(in_ms(t, b));
    } else if (begins(call, "hang") || begins(call, "big") ||
               begins(call, "flood")) {
        enqueue(in_ms(t, 0));
    } else {
        handle_now(call, a);
    }
}

void mcp_endpoint_refuse(struct mcp_call *call, int http_status,
                         const char *message)
{
    call->status = http_status;
    mcp_buf_printf(&call->out, "{\"refused\":%d,\"message\":\"%s\"}",
                   http_status, message);
}

void mcp_routes_refuse(struct mcp_call *call, int http_status,
                       const char *message)
{
    mcp_endpoint_refuse(call, http_status, message);
}

/* An app without routes, but for one that shows its path as it came. */
void mcp_routes_handle(struct mcp_endpoint *ep, struct mcp_call *call)
{
    (void)ep;
    atomic_fetch_add(&fake_stats.handled, 1);
    if (strncmp(call->raw_path, "/raw/", 5) == 0) {
        call->reply_type = "text/plain";
        finish(call, call->raw_path);
        return;
    }
    call->status = 404;
    finish(call, "not found");
}

void mcp_endpoint_disconnected(struct mcp_endpoint *ep, struct mcp_call *call)
{
    (void)ep;
    atomic_fetch_add(&fake_stats.disconnected, 1);
    if (call->cancel_on_disconnect)
        atomic_store(&call->cancelled, true);
}

void mcp_endpoint_streams(struct mcp_call *call)
{
    (void)call;
}

void mcp_endpoint_poll(struct mcp_call *call)
{
    (void)call;
}

void mcp_endpoint_sweep(struct mcp_endpoint *ep)
{
    (void)ep;
    atomic_fetch_add(&fake_stats.swept, 1);
}

void mcp_endpoint_end_streams(struct mcp_endpoint *ep)
{
    (void)ep;
    atomic_fetch_add(&fake_stats.streams_ended, 1);
}
