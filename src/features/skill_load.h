/*
 * skill_load.h - the skills of a folder on disk
 *
 * Layer:  features, private to the skill_* modules. Uses features/skill_build,
 *         skill_scan, skill_file.
 * Thread: one at a time.
 */
#ifndef MCP_FEATURES_SKILL_LOAD_H
#define MCP_FEATURES_SKILL_LOAD_H

#include "features/skill_build.h"

/* Adds the skills below `folder` to `index`; what is wrong leaves a report.
 * Errors: MCP_ENOMEM; MCP_EINTERNAL no SHA-256. */
enum mcp_err
mcp_skill_load_folder(struct mcp_skill_index *index,
                      const struct mcp_skill_folder *folder) MCP_MUST_USE;

#endif
