/*
 * notify.h - what a handler's ctx.log and ctx.progress become
 *
 * Layer:  features. Uses base/call, base/json.
 * Thread: the owner of the call.
 * Source: MCP server/utilities/logging, basic/patterns/progress.
 */
#ifndef MCP_FEATURES_NOTIFY_H
#define MCP_FEATURES_NOTIFY_H

#include <stddef.h>

#include "base/call.h"

enum { MCP_LEVEL_INFO = 1, MCP_LEVEL_NONE = 8 };

/* "debug" 0 ... "emergency" 7; -1: no such level. */
int mcp_level_parse(const char *text, size_t len);

/* For call->notify. Logs below call->log_level and progress without a token,
 * not finite, or not above the last are dropped. */
extern const struct mcp_call_notify mcp_notify;

/* At the end of the call: says how many of its messages were dropped, if more
 * than the first, which was told at once. */
void mcp_notify_end(const struct mcp_call *call);

#endif
