/*
 * skill_report.h - what is wrong with skills, while it is being gathered
 *
 * Layer:  features, private to the skill_* modules. Uses base/arena.
 * Thread: one at a time.
 */
#ifndef MCP_FEATURES_SKILL_REPORT_H
#define MCP_FEATURES_SKILL_REPORT_H

#include "base/arena.h"
#include "features/skill.h"

/* Warnings and notes beyond this many reports are dropped; errors never are. */
enum { MCP_SKILL_MAX_REPORTS = 4096 };

struct mcp_skill_reports {
    struct mcp_arena *arena;        /* texts are copied here        */
    struct mcp_skill_report *items; /* OWNED: _free                 */
    size_t count, room;
    bool failed; /* out of memory: stays so      */
};

void mcp_skill_reports_free(struct mcp_skill_reports *r);

/* Adds a report; `advice` is static or in the arena, the other texts are
 * copied, the reason with a "?" for each byte that is not UTF-8. Once it failed
 * nothing is added. */
void mcp_skill_report_add(struct mcp_skill_reports *r,
                          enum mcp_skill_severity severity, const char *file,
                          int line, const char *advice, const char *fmt, ...)
    MCP_PRINTF(6, 7);

/* Errors first, else as they came. Out of memory: `r` has failed. */
void mcp_skill_reports_sort(struct mcp_skill_reports *r);

#endif
