/*
 * resources_read.c - see resources_read.h
 */
#include "features/resources_read.h"

#include "base/codec.h"
#include "base/uri_template.h"
#include "features/envelope.h"
#include "features/launch.h"
#include "features/route_item.h"
#include "features/skills_read.h"
#include "features/unknown.h"

enum {
    LEGACY_NOT_FOUND = -32002,    /* until 2025-11-25                     */
    SCRATCH_MAX_BYTES = 16 << 20, /* for matching one template            */
};

static const char *uri_data(struct mcp_call *call, const struct mcp_json *uri)
{
    return mcp_unknown_data(call, "uri", uri, MCP_URI_MAX_BYTES);
}

/* There is nothing at `uri`. */
static void fail_not_found(struct mcp_request *rq, const struct mcp_json *uri,
                           const char *near)
{
    mcp_unknown_fail(rq, "Resource not found:", uri, near,
                     uri_data(rq->call, uri));
    if (mcp_call_is_modern(rq->call))
        return;
    rq->fault.err = MCP_OK;
    rq->fault.code = LEGACY_NOT_FOUND;
    if (rq->fault.message == NULL) {
        rq->fault.message = "Resource not found";
        rq->fault.message_len = strlen(rq->fault.message);
    }
}

/* ---- from a URI to a resource ---- */

struct found {
    const struct mcp_resource *resource;
    const struct mcp_json *args; /* of a template: its variables, {} else */
};

static const struct mcp_json no_args = {.type = MCP_JSON_OBJECT};

/* The values that are there as an object in `a`. Errors: MCP_EINVAL one is not
 * UTF-8; MCP_ENOMEM. */
static enum mcp_err make_args(const struct mcp_uri_template *t,
                              const struct mcp_uri_value *values,
                              struct mcp_arena *a, const struct mcp_json **out)
{
    size_t count = mcp_uri_template_variable_count(t);
    struct mcp_json *args = mcp_arena_alloc(a, sizeof(*args));
    struct mcp_json_member *members =
        mcp_arena_alloc(a, (count + 1) * sizeof(*members));
    uint32_t n = 0;

    if (args == NULL || members == NULL)
        return MCP_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        const char *name = mcp_uri_template_variable(t, i);
        const struct mcp_uri_value *v = &values[i];
        const char *text;

        if (v->text == NULL)
            continue;
        if (!mcp_utf8_valid(v->text, v->len, NULL))
            return MCP_EINVAL;
        text = mcp_arena_dup(a, v->text, v->len);
        if (text == NULL)
            return MCP_ENOMEM;
        members[n++] = (struct mcp_json_member){
            .key = {.type = MCP_JSON_STRING,
                    .count = (uint32_t)strlen(name),
                    .u.text = name},
            .value = {.type = MCP_JSON_STRING,
                      .count = (uint32_t)v->len,
                      .u.text = text},
        };
    }
    *args = (struct mcp_json){
        .type = MCP_JSON_OBJECT, .count = n, .u.members = members};
    *out = args;
    return MCP_OK;
}

/* Does `uri` begin as the template does before its first variable? */
static bool begins_alike(const struct mcp_resource *template,
                         const struct mcp_json *uri)
{
    size_t n = strcspn(template->uri, "{");

    return uri->count >= n && memcmp(template->uri, uri->u.text, n) == 0;
}

static enum mcp_err try_template(const struct mcp_resource *template,
                                 const struct mcp_json *uri,
                                 struct mcp_arena *scratch, struct mcp_arena *a,
                                 struct found *out)
{
    struct mcp_uri_value values[MCP_URI_TEMPLATE_MAX_VARIABLES];
    const struct mcp_uri_template *t = template->uri_template;
    enum mcp_err err;

    if (!begins_alike(template, uri))
        return MCP_ENOENT;
    err = mcp_uri_template_match(t, uri->u.text, uri->count, scratch, values);
    if (err == MCP_OK)
        err = make_args(t, values, a, &out->args);
    if (err == MCP_OK)
        out->resource = template;
    return err;
}

/* Errors: MCP_ENOENT nothing is there; MCP_EINVAL a template is, with a value
 * that must not be used; MCP_ELIMIT too long for templates; MCP_ENOMEM. */
static enum mcp_err find(const struct mcp_request *rq,
                         const struct mcp_json *uri, struct found *out)
{
    struct mcp_arena *scratch;
    enum mcp_err err = MCP_ENOENT;

    out->args = &no_args;
    for (size_t i = 0; i < rq->gen->builtin_count; i++) {
        out->resource = &rq->gen->builtins[i];
        if (mcp_json_equals_string(uri, out->resource->uri))
            return MCP_OK;
    }
    out->resource =
        mcp_generation_find_resource(rq->gen, uri->u.text, uri->count);
    if (out->resource != NULL)
        return MCP_OK;
    if (rq->gen->template_count == 0)
        return MCP_ENOENT;
    scratch = mcp_arena_new(SCRATCH_MAX_BYTES);
    if (scratch == NULL)
        return MCP_ENOMEM;
    for (size_t i = 0; i < rq->gen->template_count && err == MCP_ENOENT; i++) {
        err = try_template(&rq->gen->templates[i], uri, scratch,
                           rq->call->arena, out);
        mcp_arena_reset(scratch);
    }
    mcp_arena_free(scratch);
    return err;
}

/* ---- results ---- */

static void begin_result(struct mcp_call *call)
{
    mcp_buf_puts(&call->out, mcp_call_is_modern(call)
                                 ? "{\"resultType\":\"complete\",\"contents\":"
                                 : "{\"contents\":");
}

/* May the content depend on who asks? Whoever gets ctx may look; so do guards
 * and dependencies, which give a handler its ctx. */
static bool depends_on_caller(const struct mcp_resource *res)
{
    for (size_t i = 0; i < res->handler.bind_count; i++)
        if (res->handler.binds[i].kind == MCP_BIND_CTX)
            return true;
    return false;
}

static void end_result(struct mcp_request *rq, const struct mcp_resource *res,
                       const char *meta, size_t meta_len)
{
    struct mcp_call *call = rq->call;

    if (mcp_call_is_modern(call)) {
        struct mcp_cache_hint hint = res->cache;

        if (depends_on_caller(res))
            hint.scope = MCP_CACHE_PRIVATE;
        mcp_buf_putc(&call->out, ',');
        mcp_envelope_write_cache(&call->out, rq->gen->config, &hint,
                                 !mcp_envelope_is_retry(call));
    }
    mcp_envelope_write_meta(&call->out, call, rq->gen, meta, meta_len);
    mcp_buf_putc(&call->out, '}');
}

/* A whole result of the bytes that were declared. */
static void write_static(struct mcp_request *rq, const struct mcp_resource *res,
                         const struct mcp_json *uri)
{
    struct mcp_buf *out = &rq->call->out;

    begin_result(rq->call);
    mcp_buf_puts(out, "[{\"uri\":");
    mcp_json_write(out, uri);
    if (res->mime_type != NULL) {
        mcp_buf_puts(out, ",\"mimeType\":");
        mcp_json_write_cstring(out, res->mime_type);
    }
    if (res->is_blob) {
        mcp_buf_puts(out, ",\"blob\":\"");
        mcp_base64_write(out, MCP_BASE64, res->content, res->content_len);
        mcp_buf_putc(out, '"');
    } else {
        mcp_buf_puts(out, ",\"text\":");
        mcp_json_write_string(out, res->content, res->content_len);
    }
    mcp_buf_puts(out, "}]");
    end_result(rq, res, NULL, 0);
}

static void finish(struct mcp_request *rq, const struct mcp_job *job,
                   const struct mcp_outcome *o)
{
    if (o->is_error || o->content.len == 0) {
        mcp_launch_fail(rq, "Resource read failed", o);
        return;
    }
    begin_result(rq->call);
    mcp_buf_add(&rq->call->out, o->text.data + o->content.at, o->content.len);
    end_result(rq, job->resource,
               o->meta.len > 0 ? o->text.data + o->meta.at : NULL, o->meta.len);
}

static void finish_not_found(struct mcp_request *rq, const struct mcp_job *job)
{
    (void)job;
    fail_not_found(rq, mcp_json_find(rq->call->params, "uri"), NULL);
}

/* False: the answer is ready. */
static bool start(struct mcp_request *rq, const struct found *found,
                  const struct mcp_json *uri)
{
    static const struct mcp_landing landing = {.result = finish,
                                               .not_found = finish_not_found};
    struct mcp_job job = {.handler = &found->resource->handler,
                          .resource = found->resource,
                          .args = found->args};

    if (!mcp_route_item_arguments(rq, found->resource->route, found->args,
                                  &job.args))
        return false;
    job.uri = mcp_arena_dup(rq->call->arena, uri->u.text, uri->count);
    if (job.uri != NULL)
        return mcp_launch(rq, &job, &landing);
    mcp_request_fail(rq, MCP_ENOMEM, NULL, NULL);
    return false;
}

/* False: the answer is ready. */
static bool read_resource(struct mcp_request *rq, const struct mcp_json *uri)
{
    struct found found;
    enum mcp_err err = find(rq, uri, &found);

    if (err == MCP_OK && found.resource->handler.slot != 0)
        return start(rq, &found, uri);
    if (err == MCP_OK)
        write_static(rq, found.resource, uri);
    else if (err == MCP_EINVAL)
        mcp_request_fail(rq, err,
                         "Invalid resource URI: a variable must not hold a "
                         "\"..\" segment, a NUL, or bytes that are not UTF-8",
                         uri_data(rq->call, uri));
    else if (err == MCP_ENOMEM)
        mcp_request_fail(rq, err, NULL, NULL);
    else
        fail_not_found(rq, uri,
                       mcp_unknown_nearest(rq, MCP_ITEM_RESOURCE, uri));
    return false;
}

/* False: the answer is ready. */
static bool read_uri(struct mcp_request *rq, const struct mcp_json *uri)
{
    switch (mcp_skills_read(rq, uri, read_resource)) {
    case MCP_SKILLS_ANSWERED:
        return false;
    case MCP_SKILLS_LATER:
        return true;
    case MCP_SKILLS_NOT_THEIRS:
        break;
    }
    return read_resource(rq, uri);
}

void mcp_resources_read(struct mcp_request *rq)
{
    const struct mcp_json *uri = mcp_json_find(rq->call->params, "uri");
    bool started = false;

    if (mcp_json_is(uri, MCP_JSON_STRING))
        started = read_uri(rq, uri);
    else
        mcp_request_fail(rq, MCP_EINVAL, "uri must be a string", NULL);
    if (!started)
        rq->end(rq);
}
