/*
 * resume.h - GET with Last-Event-ID: the rest of a stream that broke off
 *
 * Layer:  protocol. Uses protocol/exchange, listen, replay.
 * Thread: the owner of the call.
 * Source: MCP 2025-11-25, basic/transports, "Resumability and Redelivery".
 */
#ifndef MCP_PROTOCOL_RESUME_H
#define MCP_PROTOCOL_RESUME_H

#include "protocol/exchange.h"

/* Answers a GET that has the header and has entered its session. The exchange
 * is TAKEN. */
void mcp_resume(struct mcp_exchange *x);

#endif
