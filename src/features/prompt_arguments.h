/*
 * prompt_arguments.h - from what the peer sent to what a prompt may see
 *
 * Arguments are strings. An argument that is null counts as absent, an absent
 * one gets its default. Whatever is wrong is told at once: which are missing,
 * which are unknown, which are no strings.
 *
 * Layer:  features. Uses app/registry, base/json, base/suggest.
 * Thread: any.
 * Source: MCP server/prompts of each revision.
 */
#ifndef MCP_FEATURES_PROMPT_ARGUMENTS_H
#define MCP_FEATURES_PROMPT_ARGUMENTS_H

#include "app/registry.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/json.h"

/* Makes `*out` of `sent` (an object; NULL: none), in `a`.
 * Errors: MCP_EINVAL with `message` (a text) and `data` (a JSON object) that
 * name every argument that is wrong; MCP_ENOMEM. */
enum mcp_err mcp_prompt_arguments_check(const struct mcp_prompt *prompt,
                                        const struct mcp_json *sent,
                                        struct mcp_arena *a,
                                        const struct mcp_json **out,
                                        struct mcp_buf *message,
                                        struct mcp_buf *data) MCP_MUST_USE;

#endif
