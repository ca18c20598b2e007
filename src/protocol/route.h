/*
 * route.h - from one parsed message to the method that answers it
 *
 *   envelope -> era -> modern checks | legacy session -> table -> method
 *
 * The era, chosen for each message:
 *   1. _meta names a protocol version              -> modern
 *   2. stdio                                       -> legacy, the pipe
 *   3. Mcp-Session-Id is there                     -> legacy, that session
 *   4. MCP-Protocol-Version absent or a 2025 one   -> legacy, no session
 *   5. anything else                               -> modern, if malformed
 *
 * Layer:  protocol. Uses protocol/modern, legacy, dispatch, exchange.
 * Thread: the owner of the call; on stdio the reading thread.
 */
#ifndef MCP_PROTOCOL_ROUTE_H
#define MCP_PROTOCOL_ROUTE_H

#include "protocol/exchange.h"

/* Answers `tree`, now or later. The exchange is TAKEN. */
void mcp_route(struct mcp_exchange *x, const struct mcp_json *tree);

/* The same for a part of a batch: legacy, in the session that the call already
 * has. */
void mcp_route_part(struct mcp_exchange *x, const struct mcp_json *tree);

/* Gives the call of a batch its session. False: the exchange has been refused,
 * because this session takes no batches, and is gone. */
bool mcp_route_batch(struct mcp_exchange *x) MCP_MUST_USE;

#endif
