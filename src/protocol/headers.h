/*
 * headers.h - HTTP headers that repeat the body, and must agree with it
 *
 * Layer:  protocol. Uses features/mirror, protocol/rpc, base.
 * Thread: any.
 * Source: MCP 2026-07-28, basic/transports/streamable-http, "Request
 *         Metadata", "Server Validation".
 */
#ifndef MCP_PROTOCOL_HEADERS_H
#define MCP_PROTOCOL_HEADERS_H

#include "app/registry.h"
#include "base/call.h"
#include "protocol/rpc.h"

/* The value of header `name` without white space around it, or NULL when it
 * is absent or there are several. */
const char *mcp_headers_sole(const struct mcp_call *call, const char *name,
                             size_t *len);

/* Does MCP-Protocol-Version say what `version` (a string) says? NULL: yes;
 * else what is wrong, in the call's arena or static. */
const char *mcp_headers_check_version(struct mcp_call *call,
                                      const struct mcp_json *version);

/* The same for Mcp-Method, Mcp-Name and the Mcp-Param-* of the called tool. */
const char *mcp_headers_check_message(struct mcp_call *call,
                                      const struct mcp_message *m,
                                      const struct mcp_generation *gen);

#endif
