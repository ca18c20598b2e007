/*
 * endpoint.h - one MCP endpoint: messages in, answers out, every revision
 *
 * The transports hand each whole message to mcp_endpoint_handle(). It parses,
 * chooses the era, checks in the order of the specification, finds the method
 * in the table, and either answers at once (lists, errors) or sends the call
 * down to the app, whose worker answers later.
 *
 * Layer:  protocol. Uses features/, app/app.h, base. Knows neither
 *         libmicrohttpd nor pipes.
 * Thread: any.
 */
#ifndef MCP_PROTOCOL_ENDPOINT_H
#define MCP_PROTOCOL_ENDPOINT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/call.h"
#include "base/config.h"
#include "base/err.h"

struct mcp_app;
struct mcp_endpoint;
struct mcp_subscriptions;
struct mcp_tasks;

void mcp_endpoint_free(struct mcp_endpoint *ep);

/* All are BORROWED for the endpoint's life. OWNED. NULL: out of memory. */
struct mcp_endpoint *mcp_endpoint_new(struct mcp_app *app,
                                      const struct mcp_config *config,
                                      struct mcp_subscriptions *subscriptions)
    MCP_OWNED(mcp_endpoint_free) MCP_MUST_USE;

/* Tools may run as tasks; BORROWED. Before the first message. */
void mcp_endpoint_set_tasks(struct mcp_endpoint *ep, struct mcp_tasks *tasks);

/* Handles one message (call->body), or a GET or DELETE of the endpoint's URL
 * (call->http_method, no body). The call is TAKEN until call->ops->done(),
 * which comes exactly once, perhaps before this returns, perhaps on a worker.
 * The first part of the call is filled, the rest is zero. */
void mcp_endpoint_handle(struct mcp_endpoint *ep, struct mcp_call *call);

/* An HTTP refusal of the transport (403, 405, 406, 413, 415, 503) as the one
 * JSON body that the protocol wants: fills call->out and call->status. Code
 * -32603 for 503, else -32600. No id. */
void mcp_endpoint_refuse(struct mcp_call *call, int http_status,
                         const char *message);

/* The peer of `call` left or took it back: modern calls are cancelled, legacy
 * HTTP calls go on (and can be resumed), streams end. The caller still owns the
 * wait for done(). */
void mcp_endpoint_disconnected(struct mcp_endpoint *ep, struct mcp_call *call);

/* The transport has made the answer of `call` an event stream on its own
 * account: the client learns how to resume it. Before done() was seen. */
void mcp_endpoint_streams(struct mcp_call *call);

/* The stream of `call` has been open for sse_poll_after: if it can be resumed,
 * it ends. Before done() was seen. */
void mcp_endpoint_poll(struct mcp_call *call);

/* The server is about to end: every stream that tells of changes gets its
 * result, and no other is opened. Before the transport waits for its calls. */
void mcp_endpoint_end_streams(struct mcp_endpoint *ep);

/* Drops sessions that have been idle too long. Called now and then (every few
 * seconds) by whoever has time. */
void mcp_endpoint_sweep(struct mcp_endpoint *ep);

#endif
