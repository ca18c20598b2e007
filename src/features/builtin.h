/*
 * builtin.h - resources that the server has by itself
 *
 *     mcpluad://openapi   the routes, as an OpenAPI document
 *     mcpluad://app       what the server is and offers
 *
 * With routes both are listed, before the app's own. Without, the second can be
 * read, where the app has resources at all. No app may declare these URIs.
 *
 * Layer:  features. Uses features/openapi, app/registry.
 * Thread: the loader's.
 */
#ifndef MCP_FEATURES_BUILTIN_H
#define MCP_FEATURES_BUILTIN_H

#include <stddef.h>

#include "app/registry.h"
#include "base/buf.h"

/* Fills gen->builtins and its counts; all is in `a`, `b` is scratch, empty.
 * Errors, with a one-line `message`: MCP_EINVAL a route or a resource of the
 * app is where the server itself is; MCP_ENOMEM. */
enum mcp_err mcp_builtins_prepare(struct mcp_generation *gen,
                                  struct mcp_arena *a, struct mcp_buf *b,
                                  char *message,
                                  size_t message_size) MCP_MUST_USE;

#endif
