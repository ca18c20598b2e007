/*
 * check_skills.c - the skills of the app in the report of `mcpluad check`
 */
#include "cli/check.h"
#include "cli/skills.h"
#include "features/skills_open.h"

void mcp_check_write_skills(struct mcp_buf *out,
                            const struct mcp_generation *gen)
{
    const struct mcp_skill_index *index = mcp_skills_index(gen);
    size_t count = 0;

    if (index != NULL)
        (void)mcp_skill_index_skills(index, &count);
    if (count == 0)
        return;
    mcp_buf_printf(out, "\n%zu skill%s\n", count, count == 1 ? "" : "s");
    mcp_skills_write_list(out, index, false);
}

void mcp_check_write_skills_json(struct mcp_buf *out,
                                 const struct mcp_generation *gen)
{
    const struct mcp_skill_index *index = mcp_skills_index(gen);

    mcp_buf_puts(out, ",\"skills\":[");
    if (index != NULL)
        mcp_skills_write_list_json(out, index);
    mcp_buf_putc(out, ']');
}

void mcp_check_write_skill_problems(struct mcp_buf *out,
                                    const struct mcp_generation *gen)
{
    const struct mcp_skill_index *index = mcp_skills_index(gen);
    size_t count = 0;

    if (index != NULL)
        (void)mcp_skill_index_reports(index, &count);
    if (count == 0)
        return;
    mcp_buf_putc(out, '\n');
    mcp_skills_write_problems(out, index);
}

void mcp_check_write_skill_problems_json(struct mcp_buf *out,
                                         const struct mcp_check *check)
{
    const struct mcp_skill_index *index = mcp_skills_index(check->gen);

    if (index != NULL)
        mcp_skills_write_problems_json(out, index, check->findings.count == 0);
}

size_t mcp_check_count(const struct mcp_check *check,
                       enum mcp_lint_severity severity)
{
    static const enum mcp_skill_severity of_skills[] = {
        [MCP_LINT_ERROR] = MCP_SKILL_ERROR,
        [MCP_LINT_WARNING] = MCP_SKILL_WARNING,
        [MCP_LINT_NOTE] = MCP_SKILL_NOTE};
    const struct mcp_skill_index *index =
        check->gen != NULL ? mcp_skills_index(check->gen) : NULL;

    return check->findings.by_severity[severity] +
           mcp_skills_count(index, of_skills[severity]);
}
