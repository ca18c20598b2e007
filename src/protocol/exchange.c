/*
 * exchange.c - see exchange.h
 */
#include "protocol/exchange.h"

#include <math.h>

#include <stdio.h>

#include "app/app.h"
#include "base/clock.h"
#include "base/log.h"
#include "features/notify.h"
#include "features/shorten.h"

enum {
    ANSWER_MAX_BYTES = 256 << 20,
    NAME_SHOWN_BYTES = 128,
    LOGGED_BYTES = 64 << 10, /* what a line of the log takes */
};

/* What a client said, or hears, when log_messages is set. */
static void log_message(const struct mcp_exchange *x, const char *what,
                        const char *text, size_t len)
{
    if (x->rq.gen != NULL && x->rq.gen->config->log_messages && len > 0)
        mcp_log(MCP_LOG_INFO, "message", "%s %.*s", what,
                (int)(len < LOGGED_BYTES ? len : LOGGED_BYTES), text);
}

/* The last step: nothing may touch the exchange after it. */
static void close_exchange(struct mcp_exchange *x)
{
    struct mcp_call *call = x->rq.call;
    struct mcp_replay_end *reader;

    if (x->flights != NULL &&
        atomic_load_explicit(&call->cancelled, memory_order_acquire)) {
        mcp_buf_clear(&call->out);
        call->status = 202;
    }
    log_message(x, "answer", call->out.data, call->out.len);
    reader = mcp_replay_finish(&x->replay);
    if (call->session != NULL)
        mcp_session_release(x->ep->sessions, call->session);
    call->session = NULL;
    if (x->rq.gen != NULL)
        mcp_generation_release(x->rq.gen);
    call->ops->done(call);
    mcp_exchange_end_reader(reader);
}

/* call->out is final; it is sent now, or by a canceller at work. */
static void land(struct mcp_exchange *x)
{
    if (x->flights == NULL || mcp_flights_land(x->flights, &x->flight))
        close_exchange(x);
}

void mcp_exchange_finish(struct mcp_exchange *x)
{
    land(x);
}

void mcp_exchange_end_reader(struct mcp_replay_end *reader)
{
    if (reader != NULL)
        close_exchange(reader->call->protocol_data);
}

static struct mcp_replay_end *end_of(struct mcp_call *call)
{
    return &((struct mcp_exchange *)call->protocol_data)->replay;
}

static enum mcp_err emit_kept(struct mcp_call *call, const char *msg,
                              size_t len)
{
    return mcp_replay_write(end_of(call), msg, len);
}

static void done_kept(struct mcp_call *call)
{
    end_of(call)->ops->done(call);
}

void mcp_exchange_keep(struct mcp_exchange *x)
{
    static const struct mcp_call_ops kept = {.emit = emit_kept,
                                             .done = done_kept};
    struct mcp_call *call = x->rq.call;

    mcp_replay_begin(x->ep->replay, &call->session->replay, &x->replay, call,
                     x->rq.gen->config->sse_poll_after > 0);
    call->ops = &kept;
}

static void land_late(struct mcp_flight *f)
{
    close_exchange(
        (struct mcp_exchange *)((char *)f -
                                offsetof(struct mcp_exchange, flight)));
}

/* One line for each request that a feature has ended. */
static void log_end(const struct mcp_request *rq)
{
    const struct mcp_call *call = rq->call;
    const struct mcp_json *name = mcp_json_find(call->params, "name");
    char outcome[32] = "ok";

    if (!mcp_log_enabled(MCP_LOG_DEBUG))
        return;
    if (!mcp_json_is(name, MCP_JSON_STRING))
        name = mcp_json_find(call->params, "uri");
    if (rq->silent)
        (void)snprintf(outcome, sizeof(outcome), "cancelled");
    else if (rq->fault.code != 0)
        (void)snprintf(outcome, sizeof(outcome), "error %d", rq->fault.code);
    else if (rq->fault.err != MCP_OK)
        (void)snprintf(outcome, sizeof(outcome), "refused");
    else if (rq->failed)
        (void)snprintf(outcome, sizeof(outcome), "isError");
    mcp_log(MCP_LOG_DEBUG, "call", "%s%s%.*s: %s in %.1f ms over %s",
            call->method, mcp_json_is(name, MCP_JSON_STRING) ? " " : "",
            mcp_json_is(name, MCP_JSON_STRING)
                ? (int)mcp_shorten(name, NAME_SHOWN_BYTES)
                : 0,
            mcp_json_is(name, MCP_JSON_STRING) ? name->u.text : "", outcome,
            (double)(mcp_clock_now_ns() - call->started_ns) / 1e6,
            call->transport == MCP_TRANSPORT_STDIO ? "stdio" : "http");
}

/* mcp_request.end: the feature has written its result or set its fault. */
static void end_request(struct mcp_request *rq)
{
    struct mcp_call *call = rq->call;

    log_end(rq);
    mcp_notify_end(call);
    if (rq->silent) {
        mcp_buf_clear(&call->out);
        call->status = 202;
    } else if (rq->fault.err != MCP_OK || rq->fault.code != 0) {
        mcp_error_fault(call, &rq->fault);
    } else {
        mcp_buf_putc(&call->out, '}');
        if (call->out.failed)
            mcp_error_refuse(call, MCP_REFUSE_TOO_LARGE,
                             "The result is too large", NULL);
    }
    land(mcp_exchange_of(rq));
}

static void set_defaults(struct mcp_call *call)
{
    if (call->out.max == 0)
        mcp_buf_init(&call->out, ANSWER_MAX_BYTES);
    call->status = 200;
    call->revision = MCP_REVISION_LAST;
    call->last_progress = -HUGE_VAL;
    call->log_level = MCP_LEVEL_NONE;
    call->notify = &mcp_notify;
    call->cancel_on_disconnect = call->transport == MCP_TRANSPORT_STDIO;
}

struct mcp_exchange *mcp_exchange_begin(struct mcp_endpoint *ep,
                                        struct mcp_call *call)
{
    struct mcp_exchange *x = mcp_arena_alloc(call->arena, sizeof(*x));
    const struct mcp_generation *gen;

    set_defaults(call);
    gen = x == NULL ? NULL : mcp_app_acquire(ep->app);
    if (gen == NULL) {
        mcp_error_refuse(call, MCP_REFUSE_MEMORY, NULL, NULL);
        call->ops->done(call);
        return NULL;
    }
    *x = (struct mcp_exchange){
        .rq = {.call = call,
               .app = ep->app,
               .tasks = ep->tasks,
               .gen = gen,
               .end = end_request},
        .ep = ep,
    };
    call->protocol_data = x;
    log_message(x, "request", call->body, call->body_len);
    return x;
}

void mcp_exchange_refuse(struct mcp_exchange *x, enum mcp_refusal why,
                         const char *message, const char *data)
{
    mcp_error_refuse(x->rq.call, why, message, data);
    land(x);
}

void mcp_exchange_silence(struct mcp_exchange *x, int status)
{
    mcp_buf_clear(&x->rq.call->out);
    x->rq.call->status = status;
    land(x);
}

/* Where calls of this peer are listed: NULL when only their stream can end
 * them. */
static struct mcp_flights *flights_of(struct mcp_exchange *x)
{
    if (x->rq.call->transport == MCP_TRANSPORT_STDIO)
        return &x->ep->pipe_flights;
    return x->rq.call->session != NULL ? &x->rq.call->session->flights : NULL;
}

void mcp_exchange_run(struct mcp_exchange *x,
                      void (*run)(struct mcp_request *rq), bool flies)
{
    struct mcp_call *call = x->rq.call;

    mcp_buf_puts(&call->out, "{\"jsonrpc\":\"2.0\",\"id\":");
    mcp_json_write(&call->out, call->id);
    mcp_buf_puts(&call->out, ",\"result\":");
    x->flights = flies ? flights_of(x) : NULL;
    if (x->flights != NULL) {
        x->flight.call = call;
        x->flight.late = land_late;
        mcp_flights_add(x->flights, &x->flight);
    }
    run(&x->rq);
}
