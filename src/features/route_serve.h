/*
 * route_serve.h - requests of plain HTTP, answered by the routes of the app
 *
 *     find the route -> check the arguments -> queue a job   (caller's thread)
 *     outcome -> status, headers, body                       (worker)
 *
 * What goes wrong is told as { "statusCode", "error", "message", "errors"? }.
 *
 * Layer:  features. Uses features/launch, features/route_match,
 *         features/route_arguments.
 * Thread: starts on the caller's thread, ends on a worker.
 */
#ifndef MCP_FEATURES_ROUTE_SERVE_H
#define MCP_FEATURES_ROUTE_SERVE_H

#include "features/request.h"

/* Answers the request: fills out, status, headers and type of the call, or sets
 * the fault; then end(). */
void mcp_route_serve(struct mcp_request *rq);

/* The answer for a request with a fault: the queue is full, our bug, ... */
void mcp_route_write_fault(struct mcp_request *rq);

/* An error as this server tells it on routes; `message` may be NULL. */
void mcp_route_write_error(struct mcp_call *call, int status,
                           const char *message);

#endif
