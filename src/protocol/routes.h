/*
 * routes.h - requests beside the endpoint's path: the routes of the app
 *
 * They are no messages of MCP, but they run on the same workers, are cancelled
 * when their client leaves, and are counted and logged alike.
 *
 * Layer:  protocol. Uses protocol/exchange, features/route_serve.
 * Thread: any.
 */
#ifndef MCP_PROTOCOL_ROUTES_H
#define MCP_PROTOCOL_ROUTES_H

#include "base/call.h"

struct mcp_endpoint;

/* Answers a request of plain HTTP. The call is TAKEN until call->ops->done(),
 * as by mcp_endpoint_handle(). */
void mcp_routes_handle(struct mcp_endpoint *ep, struct mcp_call *call);

/* An HTTP refusal of the transport as an answer of a route: fills call->out and
 * call->status. */
void mcp_routes_refuse(struct mcp_call *call, int http_status,
                       const char *message);

#endif
