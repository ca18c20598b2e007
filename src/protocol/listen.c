/*
 * listen.c - see listen.h
 */
#include "protocol/listen.h"

#include <stdlib.h>

#include "app/app.h"
#include "features/envelope.h"
#include "features/prepared.h"
#include "features/subscriptions.h"
#include "features/task.h"

#define SUBSCRIPTION_ID "io.modelcontextprotocol/subscriptionId"

enum {
    ACK_MAX_BYTES = 8 * MCP_LISTEN_MAX_BYTES,
    PIPE_SPARE = 32,
};

static struct mcp_exchange *exchange_of(struct mcp_stream *s)
{
    return (struct mcp_exchange *)((char *)s -
                                   offsetof(struct mcp_exchange, stream));
}

/* How many streams may be open. On stdio each takes the place of a call, and
 * the queue needs as many again. */
static size_t max_streams(const struct mcp_exchange *x)
{
    const struct mcp_config *config = x->rq.gen->config;
    size_t max = (size_t)config->max_streams;
    size_t pipe = (size_t)config->queue + PIPE_SPARE;

    return x->rq.call->transport == MCP_TRANSPORT_STDIO && pipe < max ? pipe
                                                                      : max;
}

/* A stream may stay open for days: it must not hold the Lua states of the
 * generation that it began with. */
static void let_generation_go(struct mcp_exchange *x)
{
    mcp_generation_release(x->rq.gen);
    x->rq.gen = NULL;
}

static void refuse_accept(struct mcp_exchange *x)
{
    mcp_exchange_refuse(x, MCP_REFUSE_ACCEPT,
                        "Accept must allow text/event-stream here", NULL);
}

/* ---- subscriptions/listen ----------------------------------------------- */

static const struct {
    const char *member;
    unsigned list;
} lists[] = {
    {"toolsListChanged", MCP_OFFER_TOOLS},
    {"promptsListChanged", MCP_OFFER_PROMPTS},
    {"resourcesListChanged", MCP_OFFER_RESOURCES},
};

enum { LIST_COUNT = sizeof(lists) / sizeof(lists[0]) };

static bool is_boolean(const struct mcp_json *v)
{
    return v->type == MCP_JSON_TRUE || v->type == MCP_JSON_FALSE;
}

static bool is_string_list(const struct mcp_json *v)
{
    if (v->type != MCP_JSON_ARRAY)
        return false;
    for (uint32_t i = 0; i < v->count; i++)
        if (v->u.items[i].type != MCP_JSON_STRING)
            return false;
    return true;
}

/* What is wrong with the filter, or NULL. */
static const char *find_problem(const struct mcp_call *call,
                                const struct mcp_json *filter)
{
    const struct mcp_json *uris =
        mcp_json_find(filter, "resourceSubscriptions");
    const struct mcp_json *tasks = mcp_json_find(filter, "taskIds");

    if (call->body_len > MCP_LISTEN_MAX_BYTES)
        return "The request is too large: what it asks for must fit into "
               "64 KiB";
    if (!mcp_json_is(filter, MCP_JSON_OBJECT))
        return "notifications must be an object that says what to listen for";
    for (int i = 0; i < LIST_COUNT; i++) {
        const struct mcp_json *v = mcp_json_find(filter, lists[i].member);

        if (v != NULL && !is_boolean(v))
            return "notifications: toolsListChanged, promptsListChanged and "
                   "resourcesListChanged must be booleans";
    }
    if (uris != NULL && !is_string_list(uris))
        return "notifications.resourceSubscriptions must be a list of URIs";
    if (tasks != NULL && !is_string_list(tasks))
        return "notifications.taskIds must be a list of strings";
    return NULL;
}

/* Fills the stream with what is asked for and there. False: no memory. */
static bool fill_stream(struct mcp_exchange *x, const struct mcp_json *filter,
                        struct mcp_buf *b)
{
    const struct mcp_prepared *p = x->rq.gen->prepared;
    struct mcp_stream *s = &x->stream;

    s->call = x->rq.call;
    for (int i = 0; i < LIST_COUNT; i++)
        if (mcp_json_is(mcp_json_find(filter, lists[i].member), MCP_JSON_TRUE))
            s->lists |= lists[i].list & p->offers;
    if ((p->offers & MCP_OFFER_RESOURCES) != 0)
        s->uris = mcp_json_find(filter, "resourceSubscriptions");
    mcp_json_write(b, x->rq.call->id);
    s->id = b->failed ? NULL : mcp_arena_dup(s->call->arena, b->data, b->len);
    mcp_buf_clear(b);
    return s->id != NULL;
}

static void write_acknowledgement(struct mcp_buf *b, const struct mcp_stream *s)
{
    const char *comma = "";

    mcp_buf_puts(b, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
                    "subscriptions/acknowledged\",\"params\":{\"_meta\":{"
                    "\"" SUBSCRIPTION_ID "\":");
    mcp_buf_puts(b, s->id);
    mcp_buf_puts(b, "},\"notifications\":{");
    for (int i = 0; i < LIST_COUNT; i++) {
        if ((s->lists & lists[i].list) == 0)
            continue;
        mcp_buf_printf(b, "%s\"%s\":true", comma, lists[i].member);
        comma = ",";
    }
    if (s->uris != NULL) {
        mcp_buf_printf(b, "%s\"resourceSubscriptions\":", comma);
        mcp_json_write(b, s->uris);
        comma = ",";
    }
    if (s->tasks != NULL) {
        mcp_buf_printf(b, "%s\"taskIds\":", comma);
        mcp_json_write(b, s->tasks);
    }
    mcp_buf_puts(b, "}}}");
}

/* On a pipe nothing else says that the stream is over. */
static void emit_cancelled(const struct mcp_stream *s)
{
    struct mcp_buf b;

    mcp_buf_init(&b, ACK_MAX_BYTES);
    mcp_buf_puts(&b, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
                     "cancelled\",\"params\":{\"requestId\":");
    mcp_buf_puts(&b, s->id);
    mcp_buf_puts(&b, "}}");
    if (!b.failed)
        (void)s->call->ops->emit(s->call, b.data, b.len);
    mcp_buf_free(&b);
}

static void write_result(struct mcp_exchange *x)
{
    const struct mcp_generation *gen = mcp_app_acquire(x->ep->app);
    struct mcp_buf *out = &x->rq.call->out, meta;

    mcp_buf_init(&meta, ACK_MAX_BYTES);
    mcp_buf_printf(&meta, "{\"" SUBSCRIPTION_ID "\":%s}", x->stream.id);
    mcp_buf_puts(out, "{\"resultType\":\"complete\"");
    if (gen != NULL && !meta.failed)
        mcp_envelope_write_meta(out, x->rq.call, gen, meta.data, meta.len);
    mcp_buf_putc(out, '}');
    mcp_buf_free(&meta);
    if (gen != NULL)
        mcp_generation_release(gen);
}

/* A stream that the client gave up, or that it does not read, gets no result:
 * a result would say that nothing was missed. */
static void end_listen(struct mcp_stream *s, enum mcp_stream_why why)
{
    struct mcp_exchange *x = exchange_of(s);
    bool pipe = s->call->transport == MCP_TRANSPORT_STDIO;

    if (why == MCP_STREAM_SHUTDOWN || (pipe && why == MCP_STREAM_SLOW)) {
        if (pipe)
            emit_cancelled(s);
        write_result(x);
    } else {
        x->rq.silent = true;
    }
    x->rq.end(&x->rq);
}

/* What became of the tasks until the stream was open: `tasks` is a copy, for
 * the stream may have ended already. */
static void announce(struct mcp_tasks *tasks, char *principal, char *ids,
                     size_t count)
{
    const char *id = ids;

    for (size_t i = 0; i < count; i++, id += strlen(id) + 1)
        mcp_tasks_announce(tasks, id, principal);
    free(principal);
    free(ids);
}

/* The ids one behind the other, each with its NUL. NULL: there are none. */
static char *copy_ids(const struct mcp_json *ids)
{
    struct mcp_buf b;
    char *text;
    size_t len;

    mcp_buf_init(&b, ACK_MAX_BYTES);
    for (uint32_t i = 0; ids != NULL && i < ids->count; i++) {
        mcp_buf_add(&b, ids->u.items[i].u.text, ids->u.items[i].count);
        mcp_buf_putc(&b, '\0');
    }
    text = mcp_buf_take(&b, &len);
    mcp_buf_free(&b);
    return text;
}

static void open_listen(struct mcp_exchange *x, const struct mcp_json *filter)
{
    const struct mcp_json *tasks = x->stream.tasks;
    struct mcp_tasks *all = x->ep->tasks;
    char *ids = copy_ids(tasks);
    char *principal = ids == NULL ? NULL : strdup(x->rq.call->principal);
    size_t count = principal == NULL ? 0 : tasks->count;
    size_t max = max_streams(x);
    enum mcp_err err = MCP_ENOMEM;
    struct mcp_buf b;

    mcp_buf_init(&b, ACK_MAX_BYTES);
    x->stream.end = end_listen;
    if (fill_stream(x, filter, &b))
        write_acknowledgement(&b, &x->stream);
    let_generation_go(x);
    if (b.len > 0 && !b.failed)
        err = mcp_stream_open(x->ep->subscriptions, &x->stream, b.data, b.len,
                              max);
    mcp_buf_free(&b);
    if (err == MCP_OK) { /* perhaps it has ended already: `x` may be gone */
        announce(all, principal, ids, count);
        return;
    }
    free(principal);
    free(ids);
    if (err == MCP_EINVAL) {
        refuse_accept(x);
        return;
    }
    x->rq.silent = err == MCP_ECANCELED;
    mcp_request_fail(&x->rq, err == MCP_ELIMIT ? MCP_EBUSY : err, NULL, NULL);
    x->rq.end(&x->rq);
}

/* It is known which of the tasks are the caller's. */
static void tasks_accepted(void *user, const struct mcp_json *ids)
{
    struct mcp_exchange *x = user;

    x->stream.tasks = ids;
    open_listen(x, mcp_json_find(x->rq.call->params, "notifications"));
}

void mcp_listen(struct mcp_request *rq)
{
    const struct mcp_json *filter =
        mcp_json_find(rq->call->params, "notifications");
    const struct mcp_json *tasks = mcp_json_find(filter, "taskIds");
    const char *problem = find_problem(rq->call, filter);

    if (problem != NULL)
        mcp_request_fail(rq, MCP_EINVAL, problem, NULL);
    else if (tasks == NULL || mcp_task_check_client(rq)) {
        if (tasks == NULL)
            open_listen(mcp_exchange_of(rq), filter);
        else
            mcp_tasks_accept(rq->tasks, rq->call, tasks, tasks_accepted,
                             mcp_exchange_of(rq));
        return;
    }
    rq->end(rq);
}

/* ---- legacy ------------------------------------------------------------- */

static void end_session_stream(struct mcp_stream *s, enum mcp_stream_why why)
{
    (void)why;
    mcp_exchange_silence(exchange_of(s), 202);
}

void mcp_listen_session(struct mcp_exchange *x)
{
    struct mcp_call *call = x->rq.call;
    size_t max = max_streams(x);
    enum mcp_err err;

    x->stream.call = call;
    x->stream.lists = MCP_LISTS;
    x->stream.inbox = &call->session->inbox;
    x->stream.end = end_session_stream;
    if (x->replay.replay != NULL)
        mcp_replay_listen(&x->replay);
    call->cancel_on_disconnect = true; /* it ends; another one resumes */
    let_generation_go(x);
    err = mcp_stream_open(x->ep->subscriptions, &x->stream, "", 0, max);
    if (err == MCP_OK)
        return; /* `x` may be gone */
    if (err == MCP_EINVAL)
        refuse_accept(x);
    else if (err == MCP_ECANCELED || call->transport == MCP_TRANSPORT_STDIO)
        mcp_exchange_silence(x, 202);
    else
        mcp_exchange_refuse(x, MCP_REFUSE_BUSY, "busy", NULL);
}

/* The URI of the request, or NULL with the fault set. */
static const struct mcp_json *read_uri(struct mcp_request *rq)
{
    const struct mcp_json *uri = mcp_json_find(rq->call->params, "uri");

    if (!mcp_json_is(uri, MCP_JSON_STRING) || uri->count == 0) {
        mcp_request_fail(rq, MCP_EINVAL, "uri must be a string", NULL);
        return NULL;
    }
    if (rq->call->session != NULL)
        return uri;
    mcp_request_fail(rq, MCP_EINVAL,
                     "A subscription needs a session: there is no stream to "
                     "tell of updates",
                     NULL);
    return NULL;
}

void mcp_resources_subscribe(struct mcp_request *rq)
{
    struct mcp_endpoint *ep = mcp_exchange_of(rq)->ep;
    const struct mcp_json *uri = read_uri(rq);
    enum mcp_err err = MCP_OK;

    if (uri != NULL)
        err = mcp_inbox_add(ep->subscriptions, &rq->call->session->inbox,
                            uri->u.text, uri->count);
    if (err == MCP_ELIMIT)
        mcp_request_fail(rq, MCP_EINVAL,
                         "This session has subscribed to too many resources",
                         NULL);
    else if (err != MCP_OK)
        mcp_request_fail(rq, err, NULL, NULL);
    mcp_buf_puts(&rq->call->out, "{}");
    rq->end(rq);
}

void mcp_resources_unsubscribe(struct mcp_request *rq)
{
    struct mcp_endpoint *ep = mcp_exchange_of(rq)->ep;
    const struct mcp_json *uri = read_uri(rq);

    if (uri != NULL)
        mcp_inbox_remove(ep->subscriptions, &rq->call->session->inbox,
                         uri->u.text, uri->count);
    mcp_buf_puts(&rq->call->out, "{}");
    rq->end(rq);
}
