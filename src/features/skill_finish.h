/*
 * skill_finish.h - what an index needs when all its skills are in
 *
 * Layer:  features, private to the skill_* modules. Uses features/skill_build.
 * Thread: one at a time.
 */
#ifndef MCP_FEATURES_SKILL_FINISH_H
#define MCP_FEATURES_SKILL_FINISH_H

#include "features/skill_build.h"

/* Sorts files, gives skills their files and entries, makes the folders, warns
 * of names that come twice and of links to nowhere. Errors: MCP_ENOMEM. */
enum mcp_err mcp_skill_finish(struct mcp_skill_index *index) MCP_MUST_USE;

/* The files below the URI prefix uri[0..len), which ends with '/': the first,
 * and `*count` of them. */
struct mcp_skill_file *
mcp_skill_files_below(const struct mcp_skill_index *index, const char *uri,
                      size_t len, size_t *count);

#endif
