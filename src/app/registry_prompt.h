/*
 * registry_prompt.h - one declared prompt, checked and copied
 *
 * Layer:  app, private to registry. Uses app/registry_copy.
 * Thread: the builder's.
 */
#ifndef MCP_APP_REGISTRY_PROMPT_H
#define MCP_APP_REGISTRY_PROMPT_H

#include "app/registry.h"
#include "app/registry_copy.h"

/* Fills `*out` with a deep copy of `in`. `index` and slots of handlers are
 * left to the caller. Errors: MCP_EINVAL, MCP_ENOMEM. */
enum mcp_err mcp_registry_copy_prompt(struct mcp_copy *c,
                                      const struct mcp_prompt *in,
                                      struct mcp_prompt *out) MCP_MUST_USE;

#endif
