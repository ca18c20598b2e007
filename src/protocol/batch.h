/*
 * batch.h - several messages in one array, as 2025-03-26 has them
 *
 * Each message becomes a call of its own with its own arena; it may run on any
 * worker. The last one to end puts the responses together, in the order of
 * the messages.
 *
 * Layer:  protocol. Uses protocol/route.
 * Thread: starts with the owner of the call, ends on any.
 * Source: MCP 2025-03-26, basic/transports; JSON-RPC 2.0, section 6.
 */
#ifndef MCP_PROTOCOL_BATCH_H
#define MCP_PROTOCOL_BATCH_H

#include "protocol/exchange.h"

enum { MCP_BATCH_MAX = 100 }; /* messages */

/* Answers the array `tree`. The exchange is TAKEN. */
void mcp_batch_run(struct mcp_exchange *x, const struct mcp_json *tree);

/* Cancels every part. The caller guarantees that the whole call lives. */
void mcp_batch_cancel(struct mcp_batch *b, struct mcp_app *app);

#endif
