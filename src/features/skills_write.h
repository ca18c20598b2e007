/*
 * skills_write.h - what the answers of the skills methods have in common
 *
 * Layer:  features. Uses features/envelope, features/request.
 * Thread: the owner of the call.
 */
#ifndef MCP_FEATURES_SKILLS_WRITE_H
#define MCP_FEATURES_SKILLS_WRITE_H

#include <stdbool.h>

#include "features/prepared.h"
#include "features/request.h"

/* params.uri, a string; NULL: it is none, the fault is set. */
const struct mcp_json *mcp_skills_uri(struct mcp_request *rq);

/* The fault MCP_ENOENT: `LEAD "uri"`, with the nearest skill when `kind` is
 * about skills. */
void mcp_skills_fail_unknown(struct mcp_request *rq, const char *lead,
                             const struct mcp_json *uri, bool is_skill);

/* Writes ,"ttlMs":...,"cacheScope":... of skills: as declared, private when a
 * source is among those who answer (`dynamic`), 0 and private unless `fresh`.
 */
void mcp_skills_write_cache(struct mcp_buf *out,
                            const struct mcp_generation *gen, bool dynamic,
                            bool fresh);

/* Writes the end of a result: cache members unless `cached` is false, _meta,
 * the brace. */
void mcp_skills_end_result(struct mcp_request *rq, bool cached, bool dynamic);

#endif
