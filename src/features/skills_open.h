/*
 * skills_open.h - from what an app declares to the index of its skills
 *
 *     gen->skills (app/registry.h) -> index (features/skill_index.h)
 *
 * Layer:  features. Uses features/skill_index, app/registry.
 * Thread: any.
 */
#ifndef MCP_FEATURES_SKILLS_OPEN_H
#define MCP_FEATURES_SKILLS_OPEN_H

#include <stdbool.h>
#include <stddef.h>

#include "app/registry.h"
#include "base/err.h"
#include "features/skill_index.h"

/* Opens the index of the skills that `gen` declares. OWNED in `*out`:
 * mcp_skill_index_free(). Errors: those of mcp_skill_index_open(). */
enum mcp_err mcp_skills_open(const struct mcp_generation *gen,
                             struct mcp_skill_index **out) MCP_MUST_USE;

/* The index that `gen` was prepared with; NULL: it declares no skills. */
static inline const struct mcp_skill_index *
mcp_skills_index(const struct mcp_generation *gen)
{
    return gen->skills.index;
}

/* Tells the log what the reports of `index` say. */
void mcp_skills_log(const struct mcp_skill_index *index);

/* Would the skills of `gen` be others, were they read now? */
bool mcp_skills_stale(const struct mcp_generation *gen);

/* Calls each(user, folder) for every folder on disk whose events matter,
 * looking for new ones. */
void mcp_skills_watched(const struct mcp_generation *gen,
                        void (*each)(void *user, const char *folder),
                        void *user);

#endif
