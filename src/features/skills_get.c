/*
 * skills_get.c - see skills_get.h
 */
#include "features/skills_get.h"

#include "features/skills_entry.h"
#include "features/skills_open.h"
#include "features/skills_walk.h"
#include "features/skills_write.h"

static void write_result(struct mcp_request *rq, const char *entry, size_t len,
                         bool dynamic)
{
    struct mcp_buf *out = &rq->call->out;

    mcp_buf_puts(out, "{\"resultType\":\"complete\",\"skill\":");
    mcp_buf_add(out, entry, len);
    mcp_skills_end_result(rq, true, dynamic);
}

static bool take(struct mcp_request *rq, struct mcp_skill_walk *w,
                 const struct mcp_outcome *o)
{
    const struct mcp_json *tree = mcp_skills_tree(rq, o);
    struct mcp_text entry;
    const char *uri;

    (void)w;
    if (tree != NULL && mcp_skills_entry(rq, tree, &uri, &entry))
        write_result(rq, entry.text, entry.len, true);
    return false;
}

static bool done(struct mcp_request *rq, struct mcp_skill_walk *w)
{
    mcp_skills_fail_unknown(rq, "No skill is served at", w->uri, true);
    return false;
}

/* The guards have let the caller through. */
static bool serve_kept(struct mcp_request *rq, struct mcp_skill_walk *w)
{
    const struct mcp_skill *skill = mcp_skill_index_find(
        mcp_skills_index(rq->gen), w->uri->u.text, w->uri->count);

    write_result(rq, skill->entry.text, skill->entry.len, true);
    return false;
}

/* Asks those of `op`. True: the request ends later. */
static bool ask(struct mcp_request *rq, const struct mcp_json *uri,
                enum mcp_skill_op op)
{
    struct mcp_skill_walk *w = mcp_arena_alloc(rq->call->arena, sizeof(*w));

    if (w == NULL) {
        mcp_request_fail(rq, MCP_ENOMEM, NULL, NULL);
        return false;
    }
    *w = (struct mcp_skill_walk){.op = op,
                                 .uri = uri,
                                 .take = take,
                                 .done = op == MCP_SKILL_OP_GUARD ? serve_kept
                                                                  : done};
    if (op == MCP_SKILL_OP_GUARD || mcp_skills_may_know(rq->gen, uri))
        return mcp_skills_walk(rq, w);
    return done(rq, w);
}

void mcp_skills_get(struct mcp_request *rq)
{
    const struct mcp_json *uri = mcp_skills_uri(rq);
    const struct mcp_skill *skill;
    bool goes_on = false;

    if (uri != NULL) {
        skill = mcp_skill_index_find(mcp_skills_index(rq->gen), uri->u.text,
                                     uri->count);
        if (skill == NULL)
            goes_on = ask(rq, uri, MCP_SKILL_OP_GET);
        else if (mcp_skills_are_guarded(rq->gen))
            goes_on = ask(rq, uri, MCP_SKILL_OP_GUARD);
        else
            write_result(rq, skill->entry.text, skill->entry.len, false);
    }
    if (!goes_on)
        rq->end(rq);
}
