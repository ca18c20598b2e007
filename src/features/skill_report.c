/*
 * skill_report.c - see skill_report.h
 */
#include "features/skill_report.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/json.h"
#include "features/skill_grow.h"

enum { REASON_BYTES = 512 };

void mcp_skill_reports_free(struct mcp_skill_reports *r)
{
    free(r->items);
    r->items = NULL;
    r->count = r->room = 0;
}

/* Room for one more. */
static bool grow(struct mcp_skill_reports *r)
{
    struct mcp_skill_report *items =
        mcp_skill_grow(r->items, r->count, &r->room, sizeof(*items));

    if (items != NULL)
        r->items = items;
    return items != NULL;
}

/* What is cut, or the name of a file, need not be UTF-8. */
static void make_valid(char *text)
{
    size_t bad;

    while (!mcp_utf8_valid(text, strlen(text), &bad))
        text[bad] = '?';
}

void mcp_skill_report_add(struct mcp_skill_reports *r,
                          enum mcp_skill_severity severity, const char *file,
                          int line, const char *advice, const char *fmt, ...)
{
    char reason[REASON_BYTES];
    struct mcp_skill_report report = {
        .severity = severity, .line = line, .advice = advice};
    va_list args;

    if (r->failed ||
        (severity != MCP_SKILL_ERROR && r->count >= MCP_SKILL_MAX_REPORTS))
        return;
    va_start(args, fmt);
    (void)vsnprintf(reason, sizeof(reason), fmt, args);
    va_end(args);
    make_valid(reason);
    report.file = mcp_arena_dup(r->arena, file, strlen(file));
    report.reason = mcp_arena_dup(r->arena, reason, strlen(reason));
    r->failed = report.file == NULL || report.reason == NULL || !grow(r);
    if (!r->failed)
        r->items[r->count++] = report;
}

void mcp_skill_reports_sort(struct mcp_skill_reports *r)
{
    struct mcp_skill_report *sorted =
        mcp_memory_new(r->count + 1, sizeof(*sorted));
    size_t n = 0;

    if (sorted == NULL) {
        r->failed = true;
        return;
    }
    for (int severity = MCP_SKILL_ERROR; severity <= MCP_SKILL_NOTE; severity++)
        for (size_t i = 0; i < r->count; i++)
            if ((int)r->items[i].severity == severity)
                sorted[n++] = r->items[i];
    free(r->items);
    r->items = sorted;
    r->room = r->count;
}
