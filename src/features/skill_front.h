/*
 * skill_front.h - the front matter of a SKILL.md
 *
 *     ---                    the first line, a byte order mark before it or not
 *     name: pdf
 *     description: ...
 *     ---                    the end; blanks behind it do not matter
 *
 * Layer:  features, private to the skill_* modules. Uses base/yaml,
 *         features/skill_report.
 * Thread: any.
 * Source: agentskills.io, specification.
 */
#ifndef MCP_FEATURES_SKILL_FRONT_H
#define MCP_FEATURES_SKILL_FRONT_H

#include "features/skill_report.h"

struct mcp_skill_front {
    const struct mcp_json *tree; /* the object, in the arena of the reports */
    const char *name, *description; /* NUL-terminated, without NULs inside  */
    size_t body;                    /* where the text behind it begins      */
};

/* Reads the front matter of bytes[0..len). `folder` is the name that the skill
 * must have; NULL: any. False: it is refused, and `reports` says why, with
 * `file`; or `reports` has failed. */
bool mcp_skill_front_read(const char *bytes, size_t len, const char *file,
                          const char *folder, struct mcp_skill_reports *reports,
                          struct mcp_skill_front *out);

#endif
