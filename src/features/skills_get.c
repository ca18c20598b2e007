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

/* True: the request ends later. */
static bool ask_sources(struct mcp_request *rq, const struct mcp_json *uri)
{
    struct mcp_skill_walk *w = mcp_arena_alloc(rq->call->arena, sizeof(*w));

    if (w == NULL) {
        mcp_request_fail(rq, MCP_ENOMEM, NULL, NULL);
        return false;
    }
    *w = (struct mcp_skill_walk){
        .op = MCP_SKILL_OP_GET, .uri = uri, .take = take, .done = done};
    if (mcp_skills_may_know(rq->gen, uri))
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
        if (skill != NULL)
            write_result(rq, skill->entry.text, skill->entry.len, false);
        else
            goes_on = ask_sources(rq, uri);
    }
    if (!goes_on)
        rq->end(rq);
}
