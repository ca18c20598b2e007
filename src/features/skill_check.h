/*
 * skill_check.h - what is legal in a skill and still will not work well
 *
 * Layer:  features, private to the skill_* modules. Uses features/skill_front,
 *         features/skill_report.
 * Thread: one at a time.
 * Source: agentskills.io, specification.
 */
#ifndef MCP_FEATURES_SKILL_CHECK_H
#define MCP_FEATURES_SKILL_CHECK_H

#include "features/skill_front.h"
#include "features/skill_report.h"

/* Warns of members of the front matter that the specification types otherwise,
 * and of a SKILL.md that says nothing or is very long. `file` is for reports.
 */
void mcp_skill_check_front(const struct mcp_skill_front *front,
                           const char *bytes, size_t len, const char *file,
                           struct mcp_skill_reports *reports);

/* Warns of links in the text of SKILL.md to files that `skill`, which is
 * complete, does not have. */
void mcp_skill_check_links(const struct mcp_skill *skill,
                           struct mcp_skill_reports *reports);

#endif
