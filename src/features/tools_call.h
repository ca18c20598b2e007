/*
 * tools_call.h - tools/call: arguments in, a handler's outcome out
 *
 * Layer:  features. Uses features/launch, features/arguments,
 *         features/envelope.
 * Thread: starts on the caller's thread, ends on a worker.
 * Source: MCP server/tools of each revision.
 */
#ifndef MCP_FEATURES_TOOLS_CALL_H
#define MCP_FEATURES_TOOLS_CALL_H

#include "features/request.h"

/* The method tools/call. */
void mcp_tools_call(struct mcp_request *rq);

#endif
