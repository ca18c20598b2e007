/*
 * skills_walk.c - see skills_walk.h
 */
#include "features/skills_walk.h"

#include <string.h>

#include "features/skill_uri.h"

enum {
    SCHEME_LEN = sizeof(MCP_SKILL_SCHEME) - 1,
    INTERNAL_ERROR = -32603,
};

/* ---- URIs ---- */

bool mcp_skills_uri_is_sound(const char *uri, size_t len)
{
    struct mcp_buf b;
    bool sound;

    mcp_buf_init(&b, MCP_SKILL_MAX_URI);
    sound = mcp_skill_uri_normalize(&b, uri, len);
    mcp_buf_free(&b);
    return sound;
}

/* Is uri[0..len) below skill://PREFIX/? */
static bool is_below(const char *uri, size_t len, const char *prefix)
{
    size_t n = strlen(prefix);

    return n == 0 || (len > SCHEME_LEN + n + 1 &&
                      memcmp(uri + SCHEME_LEN, prefix, n) == 0 &&
                      uri[SCHEME_LEN + n] == '/');
}

/* Is uri[0..len) a folder that skill://PREFIX is or lies in? */
static bool is_above(const char *uri, size_t len, const char *prefix)
{
    size_t n = len < SCHEME_LEN ? 0 : len - SCHEME_LEN;

    return n > 0 && strncmp(prefix, uri + SCHEME_LEN, n) == 0 &&
           (prefix[n] == '/' || prefix[n] == '\0');
}

/* ---- sources ---- */

/* A list is of everybody, but in a folder. */
static bool is_asked(const struct mcp_skill_source *s, enum mcp_skill_op op,
                     const struct mcp_json *uri)
{
    if (s->op != op)
        return false;
    return uri == NULL || is_below(uri->u.text, uri->count, s->prefix) ||
           (op == MCP_SKILL_OP_LIST &&
            is_above(uri->u.text, uri->count, s->prefix));
}

bool mcp_skills_may_know(const struct mcp_generation *gen,
                         const struct mcp_json *uri)
{
    const struct mcp_skills_declared *s = &gen->skills;

    if (s->source_count == 0 ||
        (uri != NULL && !mcp_skills_uri_is_sound(uri->u.text, uri->count)))
        return false;
    for (size_t i = 0; i < s->source_count; i++)
        if (is_asked(&s->sources[i], MCP_SKILL_OP_GET, uri))
            return true;
    return false;
}

bool mcp_skills_are_guarded(const struct mcp_generation *gen)
{
    for (size_t i = 0; i < gen->skills.source_count; i++)
        if (gen->skills.sources[i].op == MCP_SKILL_OP_GUARD)
            return true;
    return false;
}

static struct mcp_json string_of(const char *text, size_t len)
{
    return (struct mcp_json){
        .type = MCP_JSON_STRING, .count = (uint32_t)len, .u.text = text};
}

/* { "op": word, "uri": uri } as far as they are there; NULL: no memory. */
static const struct mcp_json *make_args(struct mcp_arena *a,
                                        const struct mcp_skill_walk *w)
{
    struct mcp_json *args = mcp_arena_alloc(a, sizeof(*args));
    struct mcp_json_member *members = mcp_arena_alloc(a, 2 * sizeof(*members));
    uint32_t n = 0;

    if (args == NULL || members == NULL)
        return NULL;
    if (w->word != NULL)
        members[n++] = (struct mcp_json_member){
            .key = string_of("op", 2),
            .value = string_of(w->word, strlen(w->word))};
    if (w->uri != NULL)
        members[n++] = (struct mcp_json_member){.key = string_of("uri", 3),
                                                .value = *w->uri};
    *args = (struct mcp_json){
        .type = MCP_JSON_OBJECT, .count = n, .u.members = members};
    return args;
}

static bool step(struct mcp_request *rq, struct mcp_skill_walk *w);

/* On a worker. */
static bool next(struct mcp_request *rq, const struct mcp_job *job,
                 const struct mcp_outcome *o)
{
    struct mcp_skill_walk *w = job->user;

    if (o->kind == MCP_OUTCOME_RESULT && !w->take(rq, w, o))
        return false;
    return step(rq, w);
}

static bool ask(struct mcp_request *rq, struct mcp_skill_walk *w,
                const struct mcp_skill_source *source)
{
    static const struct mcp_landing landing = {.next = next};
    struct mcp_job job = {.handler = &source->handler, .user = w};

    job.args = make_args(rq->call->arena, w);
    if (w->uri != NULL)
        job.uri = mcp_arena_dup(rq->call->arena, w->uri->u.text, w->uri->count);
    if (job.args != NULL && (w->uri == NULL || job.uri != NULL))
        return mcp_launch(rq, &job, &landing);
    mcp_request_fail(rq, MCP_ENOMEM, NULL, NULL);
    return false;
}

static bool step(struct mcp_request *rq, struct mcp_skill_walk *w)
{
    const struct mcp_skills_declared *s = &rq->gen->skills;

    while (w->next < s->source_count) {
        const struct mcp_skill_source *source = &s->sources[w->next++];

        if (is_asked(source, w->op, w->uri))
            return ask(rq, w, source);
    }
    return w->done(rq, w);
}

bool mcp_skills_walk(struct mcp_request *rq, struct mcp_skill_walk *w)
{
    w->next = 0;
    return step(rq, w);
}

const struct mcp_json *mcp_skills_tree(struct mcp_request *rq,
                                       const struct mcp_outcome *o)
{
    struct mcp_arena *a = rq->call->arena;
    const char *text =
        mcp_arena_dup(a, o->text.data + o->content.at, o->content.len);
    const struct mcp_json *tree = NULL;
    enum mcp_err err = MCP_ENOMEM;

    if (text != NULL)
        err = mcp_json_parse(a, text, o->content.len, NULL, &tree, NULL);
    if (err == MCP_OK)
        return tree;
    mcp_request_fail(rq, err == MCP_ENOMEM ? err : MCP_OK,
                     "Skill source failed: it told more than can be sent",
                     NULL);
    if (err != MCP_ENOMEM)
        rq->fault.code = INTERNAL_ERROR;
    return NULL;
}
