/*
 * skills_entry.h - one entry that a source told, as clients get it
 *
 * Layer:  features. Uses features/request, features/prepared.
 * Thread: the owner of the call.
 */
#ifndef MCP_FEATURES_SKILLS_ENTRY_H
#define MCP_FEATURES_SKILLS_ENTRY_H

#include <stdbool.h>

#include "features/prepared.h"
#include "features/request.h"

/* Reads the entry `tree`, which lua/mcp/skill_entry.lua has checked: its URI
 * and its JSON text {"uri", "frontmatter", "resources"}, both in the call's
 * arena. False: the fault is set. */
bool mcp_skills_entry(struct mcp_request *rq, const struct mcp_json *tree,
                      const char **uri, struct mcp_text *entry) MCP_MUST_USE;

#endif
