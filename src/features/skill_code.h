/*
 * skill_code.h - skills made in code
 *
 * Layer:  features, private to the skill_* modules. Uses features/skill_build,
 *         base/json.
 * Thread: one at a time.
 */
#ifndef MCP_FEATURES_SKILL_CODE_H
#define MCP_FEATURES_SKILL_CODE_H

#include "features/skill_build.h"

/* Adds `code`, which is copied, to `index`; what is wrong leaves a report at
 * the place of its declaration. Errors: MCP_ENOMEM; MCP_EINTERNAL no SHA-256.
 */
enum mcp_err
mcp_skill_load_code(struct mcp_skill_index *index,
                    const struct mcp_skill_code *code) MCP_MUST_USE;

#endif
