/*
 * complete.h - completion/complete: what somebody may be typing
 *
 * An argument of a prompt or a variable of a template may have a fixed list or
 * a handler that gives one; either is ranked by features/rank. An argument
 * that exists but has neither completes to nothing.
 *
 * Layer:  features. Uses features/launch, features/rank, features/envelope.
 * Thread: starts on the caller's thread, may end on a worker.
 * Source: MCP server/utilities/completion of each revision.
 */
#ifndef MCP_FEATURES_COMPLETE_H
#define MCP_FEATURES_COMPLETE_H

#include "features/request.h"

/* The method completion/complete. */
void mcp_complete(struct mcp_request *rq);

#endif
