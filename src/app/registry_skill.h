/*
 * registry_skill.h - what is declared about skills, copied
 *
 * Whether a skill is a right one is seen later, when the index of all of them
 * is opened (features/skill_index.h).
 *
 * Layer:  app, private to registry. Uses app/registry_copy.
 * Thread: the builder's.
 */
#ifndef MCP_APP_REGISTRY_SKILL_H
#define MCP_APP_REGISTRY_SKILL_H

#include "app/registry.h"
#include "app/registry_copy.h"

/* Copies all members but the lists. */
void mcp_registry_set_skills(struct mcp_skills_declared *to,
                             const struct mcp_skills_declared *options);

/* Add a deep copy of `in` at the end of its list in `to`, which is declared
 * from now on. Errors: MCP_EINVAL, MCP_ENOMEM. */
enum mcp_err
mcp_registry_add_skill_folder(struct mcp_copy *c,
                              const struct mcp_skill_decl_folder *in,
                              struct mcp_skills_declared *to) MCP_MUST_USE;
enum mcp_err
mcp_registry_add_skill(struct mcp_copy *c, const struct mcp_skill_decl *in,
                       struct mcp_skills_declared *to) MCP_MUST_USE;

/* Fills `*out` with a deep copy of `in`; the slot of its handler is left to the
 * caller. Errors: MCP_EINVAL, MCP_ENOMEM. */
enum mcp_err
mcp_registry_copy_skill_source(struct mcp_copy *c,
                               const struct mcp_skill_source *in,
                               struct mcp_skill_source *out) MCP_MUST_USE;

#endif
