/*
 * envelope.h - the parts that results have in common
 *
 * Layer:  features. Uses app/registry, base.
 * Thread: any.
 * Source: MCP 2026-07-28, basic (resultType, _meta), server/utilities/caching;
 *         the schemas of each revision for serverInfo.
 */
#ifndef MCP_FEATURES_ENVELOPE_H
#define MCP_FEATURES_ENVELOPE_H

#include "app/registry.h"
#include "base/buf.h"
#include "base/call.h"
#include "base/config.h"

/* Writes the Implementation object of this server with the members that
 * `revision` has. `whole` false leaves out icons and the web site: for what is
 * repeated in every result. */
void mcp_envelope_write_server_info(struct mcp_buf *out,
                                    const struct mcp_config *config,
                                    enum mcp_revision revision, bool whole);

/* Writes "ttlMs":...,"cacheScope":"...": as `hint` says, and where it (or
 * NULL) says nothing as `config` does. `fresh` false: 0 and private, for
 * answers that must not be cached. */
void mcp_envelope_write_cache(struct mcp_buf *out,
                              const struct mcp_config *config,
                              const struct mcp_cache_hint *hint, bool fresh);

/* Is this an answer to a round of input (inputResponses, requestState)? Such
 * answers are never cacheable. */
bool mcp_envelope_is_retry(const struct mcp_call *call);

/* Writes ,"_meta":{...} of a result, or nothing when it would be empty: the
 * author's members meta[0..len) (a JSON object; len 0: none), then, for modern
 * calls, serverInfo unless the author has set it. Needs the call's arena when
 * there is author's meta. */
void mcp_envelope_write_meta(struct mcp_buf *out, const struct mcp_call *call,
                             const struct mcp_generation *gen, const char *meta,
                             size_t len);

#endif
