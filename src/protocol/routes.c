/*
 * routes.c - see routes.h
 */
#include "protocol/routes.h"

#include "base/clock.h"
#include "base/log.h"
#include "features/route_serve.h"
#include "protocol/exchange.h"

static void log_end(const struct mcp_request *rq)
{
    const struct mcp_call *call = rq->call;

    if (mcp_log_enabled(MCP_LOG_DEBUG))
        mcp_log(MCP_LOG_DEBUG, "call", "%s %s: %s%d in %.1f ms over http",
                call->http_method, call->path, rq->silent ? "cancelled, " : "",
                call->status,
                (double)(mcp_clock_now_ns() - call->started_ns) / 1e6);
}

/* mcp_request.end */
static void end_request(struct mcp_request *rq)
{
    if (rq->silent)
        mcp_buf_clear(&rq->call->out); /* nobody is there to read it */
    else if (rq->fault.err != MCP_OK || rq->fault.code != 0)
        mcp_route_write_fault(rq);
    log_end(rq);
    mcp_exchange_finish(mcp_exchange_of(rq));
}

void mcp_routes_handle(struct mcp_endpoint *ep, struct mcp_call *call)
{
    struct mcp_exchange *x = mcp_exchange_begin(ep, call);

    if (x == NULL)
        return;
    call->cancel_on_disconnect = true;
    call->method = call->http_method;
    x->rq.end = end_request;
    mcp_route_serve(&x->rq);
}

void mcp_routes_refuse(struct mcp_call *call, int http_status,
                       const char *message)
{
    call->app_header_count = 0;
    mcp_route_write_error(call, http_status, message);
}
