/*
 * handshake.h - the methods that only the legacy era has
 *
 * Layer:  protocol. Uses protocol/exchange, features/prepared.
 * Thread: the owner of the call; initialize on stdio: the reading thread.
 * Source: MCP 2025-11-25, basic/lifecycle, basic/utilities/ping,
 *         server/utilities/logging.
 */
#ifndef MCP_PROTOCOL_HANDSHAKE_H
#define MCP_PROTOCOL_HANDSHAKE_H

#include "features/request.h"

/* Chooses the revision (what was asked for, else the newest legacy one) and
 * mints a session. A second initialize mints a second session; on stdio it
 * replaces the one of the pipe. */
void mcp_initialize(struct mcp_request *rq);

void mcp_ping(struct mcp_request *rq);

/* Sets the session's lowest log level; without a session it has no effect. */
void mcp_set_level(struct mcp_request *rq);

#endif
