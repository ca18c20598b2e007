/*
 * legacy.h - which session a legacy message belongs to
 *
 * Layer:  protocol. Uses protocol/exchange, headers.
 * Thread: the owner of the call; on stdio the reading thread.
 * Source: MCP 2025-11-25, basic/transports.
 */
#ifndef MCP_PROTOCOL_LEGACY_H
#define MCP_PROTOCOL_LEGACY_H

#include <stdbool.h>

#include "protocol/exchange.h"

#define MCP_SESSION_HEADER "Mcp-Session-Id"

/* Each gives the call its session (or none), revision, client and log level.
 * False: the exchange has been refused and is gone. */

/* By the header Mcp-Session-Id, which is there. */
bool mcp_legacy_enter_session(struct mcp_exchange *x) MCP_MUST_USE;

/* Without a session, by MCP-Protocol-Version (absent: 2025-03-26). */
bool mcp_legacy_enter_stateless(struct mcp_exchange *x) MCP_MUST_USE;

/* On stdio, by the pipe's session; before initialize there is none. */
void mcp_legacy_enter_pipe(struct mcp_exchange *x);

#endif
