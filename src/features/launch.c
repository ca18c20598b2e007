/*
 * launch.c - see launch.h
 */
#include "features/launch.h"

#include "app/app.h"
#include "features/input_required.h"
#include "features/notify.h"

enum { INTERNAL_ERROR = -32603, DATA_MAX_BYTES = 1 << 20 };

struct launched {
    struct mcp_job job; /* first: a cast converts both ways */
    struct mcp_request *rq;
    const struct mcp_landing *landing;
};

static void finish_error(struct mcp_request *rq, const struct mcp_outcome *o)
{
    rq->fault = (struct mcp_fault){
        .code = o->code,
        .message = o->text.data + o->message.at,
        .message_len = o->message.len,
        .data = o->data.len > 0 ? o->text.data + o->data.at : NULL,
        .data_len = o->data.len,
    };
}

/* On a worker. */
static void check(struct mcp_job *job)
{
    struct launched *l = (struct launched *)job;

    l->landing->check(l->rq, job, &job->outcome);
}

/* The outcome outlives the call: its texts are read by end(). */
static void land(const struct launched *l, const struct mcp_outcome *o)
{
    struct mcp_request *rq = l->rq;

    switch (o->kind) {
    case MCP_OUTCOME_RESULT:
        l->landing->result(rq, &l->job, o);
        break;
    case MCP_OUTCOME_ERROR:
        finish_error(rq, o);
        break;
    case MCP_OUTCOME_INPUT_REQUIRED:
        mcp_input_required_write(rq, o);
        break;
    case MCP_OUTCOME_NOT_FOUND:
        if (l->landing->not_found != NULL)
            l->landing->not_found(rq, &l->job);
        else
            mcp_request_fail(rq, MCP_EINTERNAL, NULL, NULL);
        break;
    case MCP_OUTCOME_CANCELED: /* by the peer, or by the end of the server */
        rq->silent = atomic_load(&rq->call->cancelled);
        if (!rq->silent)
            mcp_request_fail(rq, MCP_EBUSY, NULL, NULL);
        break;
    case MCP_OUTCOME_NONE:
        mcp_request_fail(rq, MCP_EINTERNAL, NULL, NULL);
        break;
    }
    rq->end(rq);
}

/* On a worker. */
static void finish(struct mcp_job *job)
{
    struct mcp_outcome o = job->outcome;
    struct launched *l = (struct launched *)job;
    struct mcp_request *rq = l->rq;

    if (l->landing->next == NULL ||
        (o.kind != MCP_OUTCOME_RESULT && o.kind != MCP_OUTCOME_NOT_FOUND))
        land(l, &o);
    else if (!l->landing->next(rq, job, &o))
        rq->end(rq);
    mcp_outcome_free(&o);
}

bool mcp_launch(struct mcp_request *rq, const struct mcp_job *what,
                const struct mcp_landing *landing)
{
    struct launched *l = mcp_arena_alloc(rq->call->arena, sizeof(*l));

    if (l == NULL) {
        mcp_request_fail(rq, MCP_ENOMEM, NULL, NULL);
        return false;
    }
    *l = (struct launched){.job = *what, .rq = rq, .landing = landing};
    l->job.call = rq->call;
    l->job.gen = rq->gen;
    l->job.check = landing->check != NULL ? check : NULL;
    l->job.finish = finish;
    if (what->apart == NULL)
        rq->call->notify = &mcp_notify;
    if (mcp_app_run(rq->app, &l->job) == MCP_OK)
        return true;
    mcp_request_fail(rq, MCP_EBUSY, NULL, NULL);
    return false;
}

/* {"statusCode":500,"content":"..."} of the text that a failure shows, in the
 * call's arena; NULL when there is none or no room. */
static const char *shown_data(struct mcp_call *call,
                              const struct mcp_outcome *o)
{
    const struct mcp_json *content, *text;
    const char *data;
    struct mcp_buf b;

    if (o->content.len == 0 ||
        mcp_json_parse(call->arena, o->text.data + o->content.at,
                       o->content.len, NULL, &content, NULL) != MCP_OK ||
        content->type != MCP_JSON_ARRAY || content->count == 0)
        return NULL;
    text = mcp_json_find(&content->u.items[0], "text");
    if (!mcp_json_is(text, MCP_JSON_STRING))
        return NULL;
    mcp_buf_init(&b, DATA_MAX_BYTES);
    mcp_buf_puts(&b, "{\"statusCode\":500,\"content\":");
    mcp_json_write(&b, text);
    mcp_buf_putc(&b, '}');
    data = b.failed ? NULL : mcp_arena_dup(call->arena, b.data, b.len);
    mcp_buf_free(&b);
    return data;
}

void mcp_launch_fail(struct mcp_request *rq, const char *message,
                     const struct mcp_outcome *o)
{
    mcp_request_fail(rq, MCP_OK, message, NULL);
    rq->fault.code = INTERNAL_ERROR;
    if (o->data.len > 0) {
        rq->fault.data = o->text.data + o->data.at;
        rq->fault.data_len = o->data.len;
    } else {
        rq->fault.data = shown_data(rq->call, o);
        rq->fault.data_len =
            rq->fault.data == NULL ? 0 : strlen(rq->fault.data);
    }
}
