/*
 * result_skill.c - what a source of skills tells, as JSON
 *
 * What it may tell was checked by lua/mcp/skill_entry.lua, which made the
 * value.
 */
#include "app/result_write.h"

/* content: the JSON of a value; nil: there is no such skill. */
void mcp_result_write_skill_source(struct mcp_result_writer *w, int first,
                                   int count)
{
    struct mcp_outcome *o = w->o;
    enum mcp_err err;

    if (count == 0 || lua_isnil(w->L, first)) {
        o->kind = MCP_OUTCOME_NOT_FOUND;
        return;
    }
    err = mcp_value_write_sorted(w->L, first, &o->text, &w->error);
    if (err != MCP_OK)
        mcp_result_set_write_fault(w, err, "skills that cannot be sent", "");
    else
        o->content = mcp_span_from(o, 0);
}
