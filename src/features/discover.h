/*
 * discover.h - server/discover, and what initialize answers
 *
 * Layer:  features. Uses features/request, features/envelope.
 * Thread: any.
 * Source: MCP 2026-07-28, server/discover; 2025-*, basic/lifecycle.
 */
#ifndef MCP_FEATURES_DISCOVER_H
#define MCP_FEATURES_DISCOVER_H

#include "features/request.h"

/* Writes the result object: DiscoverResult for the modern revision,
 * InitializeResult for the others. */
void mcp_discover_write(struct mcp_buf *out, const struct mcp_generation *gen,
                        enum mcp_revision revision);

/* Writes ["2026-07-28", ...], newest first: every revision we speak. */
void mcp_discover_write_versions(struct mcp_buf *out);

/* The method server/discover. */
void mcp_discover(struct mcp_request *rq);

#endif
