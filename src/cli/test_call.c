/*
 * test_call.c - see test_call.h
 */
#include "cli/test_call.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "protocol/endpoint.h"
#include "protocol/routes.h"

enum {
    CALL_BYTES = 256 << 20,
    OUT_BYTES = 1 << 30,
};

/* One message that nobody has taken yet. */
struct arrival {
    struct arrival *next;
    size_t len;
    char text[];
};

struct mcp_test_call {
    struct mcp_call call; /* first: a cast converts both ways */
    struct mcp_endpoint *endpoint;
    struct mcp_buf body;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct arrival *first, **last; /* under lock, as are these: */
    bool left, done, taken;
    unsigned holders; /* the spec, and the endpoint until done() */
};

static void call_free(struct mcp_test_call *c)
{
    while (c->first != NULL) {
        struct arrival *a = c->first;

        c->first = a->next;
        free(a);
    }
    mcp_buf_free(&c->body);
    mcp_buf_free(&c->call.out);
    mcp_arena_free(c->call.arena);
    (void)pthread_mutex_destroy(&c->lock);
    (void)pthread_cond_destroy(&c->changed);
    free(c);
}

/* Takes and gives the lock back. */
static void let_go(struct mcp_test_call *c)
{
    bool last;

    (void)pthread_mutex_lock(&c->lock);
    last = --c->holders == 0;
    (void)pthread_mutex_unlock(&c->lock);
    if (last)
        call_free(c);
}

static enum mcp_err emit(struct mcp_call *call, const char *msg, size_t len)
{
    struct mcp_test_call *c = (struct mcp_test_call *)call;
    struct arrival *a = len > 0 ? mcp_memory_new(1, sizeof(*a) + len) : NULL;
    enum mcp_err err = MCP_OK;

    if (len == 0)
        return MCP_OK;
    if (a == NULL)
        return MCP_ENOMEM;
    a->next = NULL;
    a->len = len;
    memcpy(a->text, msg, len);
    (void)pthread_mutex_lock(&c->lock);
    if (c->left) {
        err = MCP_ECANCELED;
    } else {
        *c->last = a;
        c->last = &a->next;
        (void)pthread_cond_broadcast(&c->changed);
    }
    (void)pthread_mutex_unlock(&c->lock);
    if (err != MCP_OK)
        free(a);
    return err;
}

static void done(struct mcp_call *call)
{
    struct mcp_test_call *c = (struct mcp_test_call *)call;

    (void)pthread_mutex_lock(&c->lock);
    c->done = true;
    (void)pthread_cond_broadcast(&c->changed);
    (void)pthread_mutex_unlock(&c->lock);
    let_go(c);
}

static const struct mcp_call_ops ops = {.emit = emit, .done = done};

static struct mcp_test_call *call_new(const char *body, size_t len)
{
    struct mcp_test_call *c = mcp_memory_new(1, sizeof(*c));
    pthread_condattr_t attr;

    if (c == NULL)
        return NULL;
    c->last = &c->first;
    c->holders = 2;
    (void)pthread_mutex_init(&c->lock, NULL);
    (void)pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&c->changed, &attr);
    (void)pthread_condattr_destroy(&attr);
    mcp_buf_init(&c->body, len + 1);
    mcp_buf_add(&c->body, body, len);
    mcp_buf_init(&c->call.out, OUT_BYTES);
    c->call.arena = mcp_arena_new(CALL_BYTES);
    if (c->call.arena == NULL || c->body.failed) {
        call_free(c);
        return NULL;
    }
    return c;
}

static struct mcp_test_call *call_for(struct mcp_endpoint *endpoint,
                                      enum mcp_transport transport,
                                      const char *body, size_t len)
{
    struct mcp_test_call *c = call_new(body, len);

    if (c == NULL)
        return NULL;
    c->endpoint = endpoint;
    c->call.ops = &ops;
    c->call.transport = transport;
    c->call.principal = "anonymous";
    c->call.status = 200;
    c->call.started_ns = mcp_clock_now_ns();
    c->call.body = c->body.len > 0 ? c->body.data : "";
    c->call.body_len = c->body.len;
    return c;
}

struct mcp_test_call *mcp_test_call_start(struct mcp_endpoint *endpoint,
                                          const char *body, size_t len)
{
    struct mcp_test_call *c =
        call_for(endpoint, MCP_TRANSPORT_STDIO, body, len);

    if (c != NULL)
        mcp_endpoint_handle(endpoint, &c->call);
    return c;
}

static const char *copy(struct mcp_call *call, const char *text)
{
    return text != NULL ? mcp_arena_dup(call->arena, text, strlen(text)) : NULL;
}

/* Into the call's arena. False: no memory. */
static bool copy_head(struct mcp_call *call, const struct mcp_test_http *http)
{
    struct mcp_header *headers = mcp_arena_alloc(
        call->arena, (http->header_count + 1) * sizeof(*headers));

    if (headers == NULL)
        return false;
    for (size_t i = 0; i < http->header_count; i++) {
        headers[i].name = copy(call, http->headers[i].name);
        headers[i].value = copy(call, http->headers[i].value);
        if (headers[i].name == NULL || headers[i].value == NULL)
            return false;
    }
    call->headers = headers;
    call->header_count = http->header_count;
    call->http_method = copy(call, http->method);
    call->path = call->raw_path = copy(call, http->path);
    call->query = copy(call, http->query);
    return call->http_method != NULL && call->path != NULL &&
           (http->query == NULL || call->query != NULL);
}

struct mcp_test_call *mcp_test_call_start_http(struct mcp_endpoint *endpoint,
                                               const struct mcp_test_http *http,
                                               const char *body, size_t len)
{
    struct mcp_test_call *c = call_for(endpoint, MCP_TRANSPORT_HTTP, body, len);

    if (c == NULL)
        return NULL;
    if (!copy_head(&c->call, http)) {
        call_free(c);
        return NULL;
    }
    mcp_routes_handle(endpoint, &c->call);
    return c;
}

const struct mcp_call *mcp_test_call_of(const struct mcp_test_call *c)
{
    return &c->call;
}

/* A copy for the caller. */
static void give(const char *from, size_t n, char **text, size_t *len)
{
    *text = mcp_memory_new(1, n + 1);
    if (*text == NULL)
        return;
    memcpy(*text, from, n);
    (*text)[n] = '\0';
    *len = n;
}

enum mcp_test_next mcp_test_call_next(struct mcp_test_call *c, uint64_t wait_ns,
                                      char **text, size_t *len)
{
    struct timespec until = mcp_clock_timespec(mcp_clock_now_ns() + wait_ns);
    enum mcp_test_next next = MCP_TEST_NOTHING;
    int rc = 0;

    (void)pthread_mutex_lock(&c->lock);
    while (c->first == NULL && !c->done && rc == 0)
        rc = pthread_cond_timedwait(&c->changed, &c->lock, &until);
    if (c->first != NULL) {
        struct arrival *a = c->first;

        c->first = a->next;
        if (c->first == NULL)
            c->last = &c->first;
        give(a->text, a->len, text, len);
        free(a);
        next = MCP_TEST_MESSAGE;
    } else if (c->done && !c->taken) {
        c->taken = true;
        give(c->call.out.data != NULL ? c->call.out.data : "", c->call.out.len,
             text, len);
        next = MCP_TEST_ANSWER;
    }
    (void)pthread_mutex_unlock(&c->lock);
    return next;
}

void mcp_test_call_leave(struct mcp_test_call *c)
{
    bool live;

    (void)pthread_mutex_lock(&c->lock);
    live = !c->left && !c->done;
    c->left = true;
    /* kept until this is told: done() may come meanwhile */
    c->holders++;
    (void)pthread_mutex_unlock(&c->lock);
    if (live)
        mcp_endpoint_disconnected(c->endpoint, &c->call);
    let_go(c);
}

void mcp_test_call_drop(struct mcp_test_call *c)
{
    mcp_test_call_leave(c);
    let_go(c);
}
