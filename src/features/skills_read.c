/*
 * skills_read.c - see skills_read.h
 */
#include "features/skills_read.h"

#include "base/codec.h"
#include "features/skills_open.h"
#include "features/skills_walk.h"
#include "features/skills_write.h"

enum { INTERNAL_ERROR = -32603 };

struct reading {
    struct mcp_skill_walk walk;
    bool (*otherwise)(struct mcp_request *rq, const struct mcp_json *uri);
};

static void begin_result(struct mcp_call *call)
{
    mcp_buf_puts(&call->out, mcp_call_is_modern(call)
                                 ? "{\"resultType\":\"complete\",\"contents\":"
                                 : "{\"contents\":");
}

/* ---- static files ---- */

static void fail_too_large(struct mcp_request *rq,
                           const struct mcp_skill_file *file)
{
    mcp_request_fail(
        rq, MCP_OK, "Resource read failed",
        mcp_arena_printf(
            rq->call->arena,
            "{\"statusCode\":500,\"content\":\"the file has %zu bytes, more "
            "than max_blob_bytes (%lld)\"}",
            file->len, (long long)rq->gen->config->max_blob_bytes));
    rq->fault.code = INTERNAL_ERROR;
}

static void write_file(struct mcp_request *rq,
                       const struct mcp_skill_file *file,
                       const struct mcp_json *uri, bool guarded)
{
    struct mcp_buf *out = &rq->call->out;

    begin_result(rq->call);
    mcp_buf_puts(out, "[{\"uri\":");
    mcp_json_write(out, uri);
    mcp_buf_puts(out, ",\"mimeType\":");
    mcp_json_write_cstring(out, file->mime_type);
    if (file->is_text) {
        mcp_buf_puts(out, ",\"text\":");
        mcp_json_write_string(out, file->bytes, file->len);
    } else {
        mcp_buf_puts(out, ",\"blob\":\"");
        mcp_base64_write(out, MCP_BASE64, file->bytes, file->len);
        mcp_buf_putc(out, '"');
    }
    mcp_buf_puts(out, "}]");
    mcp_skills_end_result(rq, true, guarded);
}

static void serve_file(struct mcp_request *rq, const struct mcp_json *uri,
                       bool guarded)
{
    const struct mcp_skill_file *file = mcp_skill_index_find_file(
        mcp_skills_index(rq->gen), uri->u.text, uri->count);

    if (!file->is_text && file->len > (uint64_t)rq->gen->config->max_blob_bytes)
        fail_too_large(rq, file);
    else
        write_file(rq, file, uri, guarded);
}

/* The guards have let the caller through. */
static bool serve_kept(struct mcp_request *rq, struct mcp_skill_walk *w)
{
    serve_file(rq, w->uri, true);
    return false;
}

/* ---- files of sources ---- */

static bool take(struct mcp_request *rq, struct mcp_skill_walk *w,
                 const struct mcp_outcome *o)
{
    (void)w;
    begin_result(rq->call);
    mcp_buf_add(&rq->call->out, o->text.data + o->content.at, o->content.len);
    mcp_skills_end_result(rq, true, true);
    return false;
}

static bool done(struct mcp_request *rq, struct mcp_skill_walk *w)
{
    struct reading *r = w->user;

    return r->otherwise(rq, w->uri);
}

enum mcp_skills_read mcp_skills_read(
    struct mcp_request *rq, const struct mcp_json *uri,
    bool (*otherwise)(struct mcp_request *rq, const struct mcp_json *uri))
{
    const struct mcp_skill_index *index = mcp_skills_index(rq->gen);
    struct reading *r;
    bool kept;

    if (index == NULL)
        return MCP_SKILLS_NOT_THEIRS;
    kept = mcp_skill_index_find_file(index, uri->u.text, uri->count) != NULL;
    if (kept && !mcp_skills_are_guarded(rq->gen)) {
        serve_file(rq, uri, false);
        return MCP_SKILLS_ANSWERED;
    }
    if (!kept && !mcp_skills_may_know(rq->gen, uri))
        return MCP_SKILLS_NOT_THEIRS;
    r = mcp_arena_alloc(rq->call->arena, sizeof(*r));
    if (r == NULL) {
        mcp_request_fail(rq, MCP_ENOMEM, NULL, NULL);
        return MCP_SKILLS_ANSWERED;
    }
    *r = (struct reading){
        .walk = {.op = kept ? MCP_SKILL_OP_GUARD : MCP_SKILL_OP_READ,
                 .uri = uri,
                 .take = take,
                 .done = kept ? serve_kept : done,
                 .user = r},
        .otherwise = otherwise};
    return mcp_skills_walk(rq, &r->walk) ? MCP_SKILLS_LATER
                                         : MCP_SKILLS_ANSWERED;
}
