/*
 * prompts_get.h - prompts/get: arguments in, messages out
 *
 * Layer:  features. Uses features/launch, features/prompt_arguments,
 *         features/envelope.
 * Thread: starts on the caller's thread, ends on a worker.
 * Source: MCP server/prompts of each revision.
 */
#ifndef MCP_FEATURES_PROMPTS_GET_H
#define MCP_FEATURES_PROMPTS_GET_H

#include "features/request.h"

/* The method prompts/get. */
void mcp_prompts_get(struct mcp_request *rq);

#endif
