/*
 * modern.h - the checks of a modern request, in the order of the specification
 *
 * Layer:  protocol. Uses protocol/exchange, headers.
 * Thread: the owner of the call.
 * Source: MCP 2026-07-28, basic and basic/transports/streamable-http.
 */
#ifndef MCP_PROTOCOL_MODERN_H
#define MCP_PROTOCOL_MODERN_H

#include <stdbool.h>

#include "protocol/exchange.h"

#define MCP_META_VERSION "io.modelcontextprotocol/protocolVersion"

/* _meta, headers, version; then headers against the message. Fills what the
 * call knows of its client. False: the exchange has been refused and is gone.
 */
bool mcp_modern_check(struct mcp_exchange *x) MCP_MUST_USE;

/* Reads _meta.progressToken into the call. False: it is there, but neither a
 * string nor an integer. */
bool mcp_progress_token_read(struct mcp_call *call);

#endif
