/*
 * blocks.h - content as the revision of a call knows it
 *
 * 2025-03-26 has no resource_link: a text block with the URI stands for it.
 *
 * Layer:  features. Uses base/call, base/json.
 * Thread: the owner of the call.
 * Source: ContentBlock, PromptMessage in the schema of each revision.
 */
#ifndef MCP_FEATURES_BLOCKS_H
#define MCP_FEATURES_BLOCKS_H

#include <stddef.h>

#include "base/call.h"

/* Appends json[0..len), an array of content blocks or of messages that have
 * one each, to call->out. Needs the call's arena when it has to be changed;
 * without memory it goes out as it is. */
void mcp_blocks_write(struct mcp_call *call, const char *json, size_t len);

#endif
