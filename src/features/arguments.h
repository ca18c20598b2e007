/*
 * arguments.h - from what the peer sent to what a handler may see
 *
 *     exact numbers --> nulls dropped --> validated --> defaults filled in
 *
 * Layer:  features. Uses app/registry, base/schema.
 * Thread: any.
 */
#ifndef MCP_FEATURES_ARGUMENTS_H
#define MCP_FEATURES_ARGUMENTS_H

#include "app/registry.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/json.h"

/* Makes `*out` of `sent` (an object; NULL: none), in `a`. What is wrong, every
 * path and rule, becomes a text for the model, appended to `problem`.
 * Errors: MCP_EINVAL, MCP_ELIMIT: see `problem`; MCP_ENOMEM. */
enum mcp_err mcp_arguments_check(const struct mcp_tool *tool,
                                 const struct mcp_json *sent,
                                 struct mcp_arena *a,
                                 const struct mcp_json **out,
                                 struct mcp_buf *problem) MCP_MUST_USE;

/* Appends "\n- /path: message" for each error; the value itself is called
 * `root`. */
void mcp_arguments_write_errors(struct mcp_buf *problem,
                                const struct mcp_schema_errors *errors,
                                const char *root);

#endif
