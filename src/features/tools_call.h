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

struct mcp_job;

/* Runs `tool` with what was sent as its arguments (an object, or NULL), as a
 * job like `how`. True: the request ends later. False: it is the caller's to
 * end, the answer or the fault is ready. */
bool mcp_tools_start(struct mcp_request *rq, const struct mcp_tool *tool,
                     const struct mcp_json *sent,
                     const struct mcp_job *how) MCP_MUST_USE;

/* The method tools/call. */
void mcp_tools_call(struct mcp_request *rq);

#endif
