/*
 * route.c - see route.h
 */
#include "protocol/route.h"

#include "app/app.h"
#include "features/shorten.h"
#include "protocol/dispatch.h"
#include "protocol/headers.h"
#include "protocol/legacy.h"
#include "protocol/listen.h"
#include "protocol/modern.h"

enum { SHOWN_MAX_BYTES = 80 };

enum era { ERA_MODERN, ERA_PIPE, ERA_SESSION, ERA_STATELESS };

static enum era era_of_headers(const struct mcp_call *call)
{
    size_t len;
    const char *v;
    int r;

    if (call->transport == MCP_TRANSPORT_STDIO)
        return ERA_PIPE;
    if (mcp_call_header_count(call, MCP_SESSION_HEADER) > 0)
        return ERA_SESSION;
    if (mcp_call_header_count(call, "MCP-Protocol-Version") == 0)
        return ERA_STATELESS;
    v = mcp_headers_sole(call, "MCP-Protocol-Version", &len);
    r = v == NULL ? -1 : mcp_revision_parse(v, len);
    return r >= 0 && r <= (int)MCP_2025_11_25 ? ERA_STATELESS : ERA_MODERN;
}

static enum era era_of(const struct mcp_exchange *x)
{
    if (mcp_json_find(x->message.meta, MCP_META_VERSION) != NULL)
        return ERA_MODERN;
    return era_of_headers(x->rq.call);
}

/* Method not found, with the nearest one that is. */
static void refuse_method(struct mcp_exchange *x)
{
    const struct mcp_json *m = x->message.method;
    const char *near = mcp_dispatch_nearest(m->u.text, m->count,
                                            x->rq.call->revision, x->rq.gen);
    char *message;

    message =
        mcp_arena_printf(x->rq.call->arena, "Method not found: \"%.*s\"%s%s%s",
                         (int)mcp_shorten(m, SHOWN_MAX_BYTES), m->u.text,
                         near != NULL ? "; did you mean \"" : "",
                         near != NULL ? near : "", near != NULL ? "\"?" : "");
    mcp_exchange_refuse(x, MCP_REFUSE_METHOD,
                        message != NULL ? message : "Method not found", NULL);
}

/* The request has passed every check before the table. */
static void dispatch(struct mcp_exchange *x, bool in_batch)
{
    struct mcp_call *call = x->rq.call;
    const struct mcp_json *name = x->message.method;
    const struct mcp_method *m =
        mcp_dispatch_find(name->u.text, name->count, call->revision, x->rq.gen);
    bool early = call->transport == MCP_TRANSPORT_STDIO &&
                 !mcp_call_is_modern(call) && call->session == NULL;

    if (early && (m == NULL || (m->flags & MCP_M_EARLY) == 0)) {
        mcp_exchange_refuse(x, MCP_REFUSE_EARLY,
                            "Invalid Request: initialize comes first", NULL);
        return;
    }
    if (m == NULL) {
        refuse_method(x);
        return;
    }
    if (in_batch && (m->flags & MCP_M_ALONE) != 0) {
        mcp_exchange_refuse(x, MCP_REFUSE_ENVELOPE,
                            "Invalid Request: this method comes alone, not in "
                            "a batch",
                            NULL);
        return;
    }
    call->method = m->name;
    mcp_exchange_run(x, m->run, (m->flags & MCP_M_FLIES) != 0);
}

static void interrupt(void *user, struct mcp_call *call)
{
    struct mcp_endpoint *ep = user;
    struct mcp_exchange *x = call->protocol_data;

    mcp_app_cancel(ep->app, call);
    mcp_stream_close(ep->subscriptions, &x->stream, MCP_STREAM_LEFT);
}

/* Every notification is taken; one has an effect. */
static void take_notification(struct mcp_exchange *x)
{
    struct mcp_call *call = x->rq.call;
    const struct mcp_json *id = mcp_json_find(x->message.params, "requestId");
    struct mcp_flights *flights = NULL;

    if (call->transport == MCP_TRANSPORT_STDIO)
        flights = &x->ep->pipe_flights;
    else if (call->session != NULL)
        flights = &call->session->flights;
    if (flights != NULL && id != NULL &&
        mcp_json_equals_string(x->message.method, "notifications/cancelled"))
        (void)mcp_flights_cancel(flights, id, interrupt, x->ep);
    mcp_exchange_silence(x, 202);
}

static void route_modern(struct mcp_exchange *x)
{
    x->rq.call->revision = MCP_2026_07_28;
    x->rq.call->cancel_on_disconnect = true;
    if (x->message.kind == MCP_MESSAGE_RESPONSE)
        mcp_exchange_refuse(x, MCP_REFUSE_ENVELOPE,
                            "Invalid Request: this server asks nothing, so "
                            "there is nothing to respond to",
                            NULL);
    else if (x->message.kind == MCP_MESSAGE_NOTIFICATION)
        take_notification(x);
    else if (mcp_modern_check(x))
        dispatch(x, false);
}

/* On stdio this notification stays open as the stream of the session. */
static bool opens_pipe(const struct mcp_exchange *x)
{
    return x->rq.call->transport == MCP_TRANSPORT_STDIO &&
           x->rq.call->session != NULL &&
           mcp_json_equals_string(x->message.method,
                                  "notifications/initialized");
}

static void route_legacy(struct mcp_exchange *x, bool in_batch)
{
    struct mcp_call *call = x->rq.call;

    if (x->message.kind == MCP_MESSAGE_RESPONSE) {
        (void)mcp_app_answer(x->ep->app, call->session, x->message.tree);
        mcp_exchange_silence(x, 202);
        return;
    }
    if (x->message.kind == MCP_MESSAGE_NOTIFICATION) {
        if (!in_batch && opens_pipe(x))
            mcp_listen_session(x);
        else
            take_notification(x);
        return;
    }
    if (x->message.params != NULL &&
        x->message.params->type != MCP_JSON_OBJECT) {
        mcp_exchange_refuse(x, MCP_REFUSE_PARAMS, "params must be an object",
                            NULL);
        return;
    }
    call->meta = x->message.meta;
    mcp_progress_token_read(call); /* a wrong one is as none */
    dispatch(x, in_batch);
}

/* False: the message was no message; the exchange is gone. */
static bool read_message(struct mcp_exchange *x, const struct mcp_json *tree)
{
    struct mcp_message *m = &x->message;

    mcp_rpc_read(tree, m);
    x->rq.call->id = m->id;
    if (mcp_json_is(m->params, MCP_JSON_OBJECT))
        x->rq.call->params = m->params;
    if (m->kind != MCP_MESSAGE_BAD)
        return true;
    mcp_exchange_refuse(x, MCP_REFUSE_ENVELOPE, m->problem, NULL);
    return false;
}

void mcp_route(struct mcp_exchange *x, const struct mcp_json *tree)
{
    bool entered = true;

    if (!read_message(x, tree))
        return;
    switch (era_of(x)) {
    case ERA_MODERN:
        route_modern(x);
        return;
    case ERA_PIPE:
        mcp_legacy_enter_pipe(x);
        break;
    case ERA_SESSION:
        entered = mcp_legacy_enter_session(x);
        break;
    case ERA_STATELESS:
        entered = mcp_legacy_enter_stateless(x);
        break;
    }
    if (entered)
        route_legacy(x, false);
}

void mcp_route_part(struct mcp_exchange *x, const struct mcp_json *tree)
{
    if (read_message(x, tree))
        route_legacy(x, true);
}

bool mcp_route_batch(struct mcp_exchange *x)
{
    enum era era = era_of_headers(x->rq.call);

    if (era == ERA_SESSION && !mcp_legacy_enter_session(x))
        return false;
    if (era == ERA_PIPE)
        mcp_legacy_enter_pipe(x);
    if (x->rq.call->session != NULL && x->rq.call->revision == MCP_2025_03_26)
        return true;
    mcp_exchange_refuse(x, MCP_REFUSE_ENVELOPE,
                        "Invalid Request: batches are only for sessions of "
                        "2025-03-26",
                        NULL);
    return false;
}
