/*
 * skills_write.c - see skills_write.h
 */
#include "features/skills_write.h"

#include "base/suggest.h"
#include "base/uri_template.h"
#include "features/envelope.h"
#include "features/skills_open.h"
#include "features/unknown.h"

const struct mcp_json *mcp_skills_uri(struct mcp_request *rq)
{
    const struct mcp_json *uri = mcp_json_find(rq->call->params, "uri");

    if (mcp_json_is(uri, MCP_JSON_STRING))
        return uri;
    mcp_request_fail(rq, MCP_EINVAL, "uri must be a string", NULL);
    return NULL;
}

/* The URI of the skill that is nearest to `uri`, or NULL. */
static const char *nearest(struct mcp_request *rq, const struct mcp_json *uri)
{
    const struct mcp_skill_index *index = mcp_skills_index(rq->gen);
    const struct mcp_skill *skills;
    const char **names;
    size_t count;

    if (index == NULL || uri->count > MCP_SUGGEST_MAX_NAME)
        return NULL;
    skills = mcp_skill_index_skills(index, &count);
    names = mcp_arena_alloc(rq->call->arena, (count + 1) * sizeof(*names));
    if (names == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++)
        names[i] = skills[i].uri;
    return mcp_suggest(uri->u.text, uri->count, names, count);
}

void mcp_skills_fail_unknown(struct mcp_request *rq, const char *lead,
                             const struct mcp_json *uri, bool is_skill)
{
    mcp_unknown_fail(rq, lead, uri, is_skill ? nearest(rq, uri) : NULL,
                     mcp_unknown_data(rq->call, "uri", uri, MCP_URI_MAX_BYTES));
}

void mcp_skills_write_cache(struct mcp_buf *out,
                            const struct mcp_generation *gen, bool dynamic,
                            bool fresh)
{
    struct mcp_cache_hint hint = gen->skills.cache;

    if (dynamic)
        hint.scope = MCP_CACHE_PRIVATE;
    mcp_buf_putc(out, ',');
    mcp_envelope_write_cache(out, gen->config, &hint, fresh);
}

void mcp_skills_end_result(struct mcp_request *rq, bool cached, bool dynamic)
{
    struct mcp_buf *out = &rq->call->out;

    if (cached && mcp_call_is_modern(rq->call))
        mcp_skills_write_cache(out, rq->gen, dynamic,
                               !mcp_envelope_is_retry(rq->call));
    mcp_envelope_write_meta(out, rq->call, rq->gen, NULL, 0);
    mcp_buf_putc(out, '}');
}
