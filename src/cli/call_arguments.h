/*
 * call_arguments.h - key=value as the tool's schema wants it
 *
 * A value is text where the schema's type is string; where it is another type
 * it is JSON; without a type it is JSON when it can be. What is no JSON stays
 * text, so that the tool's own check says what would be right.
 *
 * Layer:  cli. Uses base/json.
 * Thread: main.
 */
#ifndef MCP_CLI_CALL_ARGUMENTS_H
#define MCP_CLI_CALL_ARGUMENTS_H

#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

/* Writes a JSON object: the members of `json` (text of an object, or NULL) and
 * those of the pairs "key=value", which win. `schema` is the tool's.
 * Errors, told in `message`: MCP_EINVAL `json` is no object, a key comes twice
 * or is no UTF-8; MCP_ENOMEM. */
enum mcp_err mcp_call_arguments_write(struct mcp_buf *out, const char *json,
                                      char *const *pairs, size_t pair_count,
                                      const struct mcp_json *schema,
                                      struct mcp_arena *arena, char *message,
                                      size_t message_size) MCP_MUST_USE;

#endif
