/*
 * listen.h - calls that stay open to hear of changes
 *
 * Modern clients ask by subscriptions/listen, on both transports. A legacy
 * session has one stream: the GET of its URL, on stdio the pipe itself from
 * notifications/initialized on; a new one takes the place of the old, which a
 * client may have lost without our knowing. It tells of every list, and of the
 * resources that resources/subscribe named.
 *
 * Layer:  protocol. Uses protocol/exchange, features/subscriptions, app/app.
 * Thread: the owner of the call.
 * Source: MCP 2026-07-28, basic/patterns/subscriptions; MCP 2025-11-25,
 *         basic/transports, "Listening for Messages from the Server",
 *         server/resources; extensions/tasks (`taskIds`).
 */
#ifndef MCP_PROTOCOL_LISTEN_H
#define MCP_PROTOCOL_LISTEN_H

#include "protocol/exchange.h"

enum { MCP_LISTEN_MAX_BYTES = 64 << 10 }; /* of the whole request */

/* subscriptions/listen. */
void mcp_listen(struct mcp_request *rq);

/* Opens the stream of the call's session. The exchange is TAKEN. */
void mcp_listen_session(struct mcp_exchange *x);

/* The methods of those names. */
void mcp_resources_subscribe(struct mcp_request *rq);
void mcp_resources_unsubscribe(struct mcp_request *rq);

#endif
