/*
 * input_required.h - the result that asks the client for input
 *
 * Layer:  features. Uses app/outcome, features/request.
 * Thread: the owner of the call.
 * Source: MCP 2026-07-28, basic/patterns/mrtr.
 */
#ifndef MCP_FEATURES_INPUT_REQUIRED_H
#define MCP_FEATURES_INPUT_REQUIRED_H

#include "app/outcome.h"
#include "features/request.h"

/* Writes the whole result object of an MCP_OUTCOME_INPUT_REQUIRED, the same
 * for tools, prompts and resources. */
void mcp_input_required_write(struct mcp_request *rq,
                              const struct mcp_outcome *o);

#endif
