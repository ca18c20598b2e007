/*
 * endpoint.c - see endpoint.h
 */
#include "protocol/endpoint.h"

#include "app/app.h"
#include "base/clock.h"
#include "base/memory.h"
#include "protocol/batch.h"
#include "protocol/exchange.h"
#include "protocol/legacy.h"
#include "protocol/listen.h"
#include "protocol/resume.h"
#include "protocol/route.h"

enum { REFUSAL_MAX_BYTES = 64 << 10 };

struct mcp_endpoint *mcp_endpoint_new(struct mcp_app *app,
                                      const struct mcp_config *config,
                                      struct mcp_subscriptions *subscriptions)
{
    struct mcp_endpoint *ep = mcp_memory_new(1, sizeof(*ep));

    (void)config; /* each call goes by that of its generation */
    if (ep == NULL)
        return NULL;
    ep->app = app;
    ep->subscriptions = subscriptions;
    ep->sessions = mcp_sessions_new();
    ep->replay = mcp_replay_new(NULL);
    if (ep->sessions == NULL || ep->replay == NULL ||
        !mcp_flights_init(&ep->pipe_flights)) {
        mcp_sessions_free(ep->sessions);
        mcp_replay_free(ep->replay);
        free(ep);
        return NULL;
    }
    return ep;
}

void mcp_endpoint_set_tasks(struct mcp_endpoint *ep, struct mcp_tasks *tasks)
{
    ep->tasks = tasks;
}

void mcp_endpoint_free(struct mcp_endpoint *ep)
{
    if (ep == NULL)
        return;
    if (ep->pipe != NULL)
        mcp_session_release(ep->sessions, ep->pipe);
    mcp_sessions_free(ep->sessions);
    mcp_replay_free(ep->replay);
    mcp_flights_destroy(&ep->pipe_flights);
    free(ep);
}

static void refuse_http_method(struct mcp_exchange *x, const char *allowed)
{
    mcp_call_reply_header(x->rq.call, "Allow", allowed);
    mcp_exchange_refuse(x, MCP_REFUSE_HTTP_METHOD,
                        "This is an MCP endpoint: send JSON-RPC messages to "
                        "it by POST",
                        NULL);
}

/* GET and DELETE: both are about a session. */
static void handle_bodiless(struct mcp_exchange *x)
{
    struct mcp_call *call = x->rq.call;

    if (mcp_call_header_count(call, MCP_SESSION_HEADER) == 0) {
        refuse_http_method(x, "POST, OPTIONS");
        return;
    }
    if (!mcp_legacy_enter_session(x))
        return;
    if (strcmp(call->http_method, "DELETE") != 0) {
        if (mcp_call_header_count(call, "Last-Event-ID") > 0)
            mcp_resume(x);
        else
            mcp_listen_session(x);
        return;
    }
    mcp_session_close(x->ep->sessions, call->session);
    mcp_app_session_ended(x->ep->app, call->session);
    mcp_inbox_close(x->ep->subscriptions, &call->session->inbox,
                    MCP_STREAM_ENDED);
    mcp_exchange_silence(x, 204);
}

/* What is wrong with the text, at which byte. */
static const char *parse_message(struct mcp_call *call, const char *what,
                                 const struct mcp_json_error *e)
{
    const char *text = mcp_arena_printf(call->arena, "%s: %s at byte %zu", what,
                                        e->reason, e->offset);

    return text != NULL ? text : what;
}

/* The text is JSON but for keys that come twice: that it is answered with its
 * id is a service, so it is read once more. */
static void refuse_duplicates(struct mcp_exchange *x,
                              struct mcp_json_options *options,
                              const struct mcp_json_error *e)
{
    struct mcp_call *call = x->rq.call;
    const struct mcp_json *tree;

    options->allow_duplicate_keys = true;
    if (mcp_json_parse(call->arena, call->body, call->body_len, options, &tree,
                       NULL) == MCP_OK)
        call->id = mcp_rpc_sole_id(tree);
    mcp_exchange_refuse(x, MCP_REFUSE_ENVELOPE,
                        parse_message(call, "Invalid Request", e), NULL);
}

/* NULL: the text was refused, the exchange is gone. */
static const struct mcp_json *parse(struct mcp_exchange *x)
{
    struct mcp_call *call = x->rq.call;
    int64_t depth = x->rq.gen->config->max_json_depth;
    struct mcp_json_options options = {.max_depth = (uint32_t)depth};
    struct mcp_json_error e = {.reason = ""};
    const struct mcp_json *tree;
    enum mcp_err err;

    if (call->body == NULL)
        call->body = ""; /* the parser wants a text, also an empty one */
    err = mcp_json_parse(call->arena, call->body, call->body_len, &options,
                         &tree, &e);
    call->parsed_bytes = mcp_arena_used_bytes(call->arena);
    if (err == MCP_OK)
        return tree;
    if (err == MCP_ENOMEM)
        mcp_exchange_refuse(x, MCP_REFUSE_SIZE,
                            "The message has too many values", NULL);
    else if (e.duplicate_key)
        refuse_duplicates(x, &options, &e);
    else
        mcp_exchange_refuse(x, MCP_REFUSE_PARSE,
                            parse_message(call, "Parse error", &e), NULL);
    return NULL;
}

void mcp_endpoint_handle(struct mcp_endpoint *ep, struct mcp_call *call)
{
    struct mcp_exchange *x = mcp_exchange_begin(ep, call);
    const struct mcp_json *tree;

    if (x == NULL)
        return;
    if (call->http_method != NULL && strcmp(call->http_method, "POST") != 0) {
        handle_bodiless(x);
        return;
    }
    tree = parse(x);
    if (tree == NULL)
        return;
    if (tree->type != MCP_JSON_ARRAY)
        mcp_route(x, tree);
    else if (mcp_route_batch(x))
        mcp_batch_run(x, tree);
}

void mcp_endpoint_refuse(struct mcp_call *call, int http_status,
                         const char *message)
{
    if (call->out.max == 0)
        mcp_buf_init(&call->out, REFUSAL_MAX_BYTES);
    call->status = http_status;
    mcp_error_write(call, http_status == 503 ? -32603 : -32600, message,
                    strlen(message), NULL, 0);
}

void mcp_endpoint_disconnected(struct mcp_endpoint *ep, struct mcp_call *call)
{
    struct mcp_exchange *x = call->protocol_data;
    enum mcp_replay_left left;

    if (x == NULL)
        return;
    left = mcp_replay_left(&x->replay);
    if (left == MCP_REPLAY_TO_END) {
        mcp_exchange_silence(x, 202);
        return;
    }
    if (!call->cancel_on_disconnect) {
        if (left == MCP_REPLAY_LOST)
            mcp_app_client_left(ep->app, call);
        return;
    }
    atomic_store(&call->cancelled, true);
    if (x->batch != NULL)
        mcp_batch_cancel(x->batch, ep->app);
    else
        mcp_app_cancel(ep->app, call);
    mcp_stream_close(ep->subscriptions, &x->stream, MCP_STREAM_LEFT);
}

void mcp_endpoint_streams(struct mcp_call *call)
{
    struct mcp_exchange *x = call->protocol_data;

    /* It may refuse: then the stream has no ids. */
    if (x != NULL && x->replay.replay != NULL)
        (void)!mcp_replay_write(&x->replay, "", 0);
}

void mcp_endpoint_poll(struct mcp_call *call)
{
    struct mcp_exchange *x = call->protocol_data;

    if (x != NULL)
        mcp_exchange_end_reader(mcp_replay_poll(&x->replay));
}

void mcp_endpoint_end_streams(struct mcp_endpoint *ep)
{
    mcp_subscriptions_close(ep->subscriptions);
}

/* A question to a client that does not come back has no answer. */
static void tell_left(void *app, struct mcp_call *call)
{
    mcp_app_client_left(app, call);
}

void mcp_endpoint_sweep(struct mcp_endpoint *ep)
{
    const struct mcp_generation *gen = mcp_app_acquire(ep->app);

    if (gen == NULL)
        return;
    mcp_sessions_sweep(ep->sessions,
                       mcp_clock_from_seconds(gen->config->session_idle));
    mcp_generation_release(gen);
    mcp_replay_sweep(ep->replay, tell_left, ep->app);
}
