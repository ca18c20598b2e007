/*
 * handshake.c - see handshake.h
 */
#include "protocol/handshake.h"

#include "features/notify.h"
#include "features/prepared.h"
#include "protocol/exchange.h"

static void write_empty(struct mcp_request *rq)
{
    mcp_buf_puts(&rq->call->out, "{}");
    rq->end(rq);
}

static void fail(struct mcp_request *rq, enum mcp_err err, const char *message)
{
    mcp_request_fail(rq, err, message, NULL);
    rq->end(rq);
}

/* What is wrong with the parameters of initialize, or NULL. */
static const char *find_problem(const struct mcp_json *params)
{
    const struct mcp_json *info = mcp_json_find(params, "clientInfo");
    const struct mcp_json *caps = mcp_json_find(params, "capabilities");

    if (!mcp_json_is(mcp_json_find(params, "protocolVersion"), MCP_JSON_STRING))
        return "protocolVersion must be a string";
    if (info != NULL && info->type != MCP_JSON_OBJECT)
        return "clientInfo must be an object";
    if (caps != NULL && caps->type != MCP_JSON_OBJECT)
        return "capabilities must be an object";
    return NULL;
}

static enum mcp_revision choose_revision(const struct mcp_json *asked)
{
    int r = mcp_revision_parse(asked->u.text, asked->count);

    return r >= 0 && r <= (int)MCP_2025_11_25 ? (enum mcp_revision)r
                                              : MCP_2025_11_25;
}

/* The new session becomes that of the call (HTTP) or of the pipe (stdio). */
static enum mcp_err open_session(struct mcp_exchange *x,
                                 enum mcp_revision revision)
{
    struct mcp_call *call = x->rq.call;
    bool pipe = call->transport == MCP_TRANSPORT_STDIO;
    int64_t max = x->rq.gen->config->max_sessions;
    const struct mcp_client client = {
        .info = mcp_json_find(call->params, "clientInfo"),
        .capabilities = mcp_json_find(call->params, "capabilities"),
    };
    struct mcp_session *s;
    enum mcp_err err;

    err = mcp_session_open(x->ep->sessions, revision, &client, call->principal,
                           pipe ? 0 : (size_t)(max < 1 ? 1 : max), &s);
    if (err != MCP_OK)
        return err;
    if (pipe) {
        if (x->ep->pipe != NULL) {
            mcp_inbox_close(x->ep->subscriptions, &x->ep->pipe->inbox,
                            MCP_STREAM_ENDED);
            mcp_session_release(x->ep->sessions, x->ep->pipe);
        }
        x->ep->pipe = s;
    } else {
        if (call->session != NULL)
            mcp_session_release(x->ep->sessions, call->session);
        call->session = s;
    }
    return MCP_OK;
}

/* False: no memory. */
static bool add_headers(struct mcp_call *call, enum mcp_revision revision)
{
    char *id;

    if (call->transport == MCP_TRANSPORT_STDIO)
        return true;
    id = mcp_arena_dup(call->arena, call->session->id, MCP_SESSION_ID_LEN);
    if (id == NULL)
        return false;
    mcp_call_reply_header(call, "Mcp-Session-Id", id);
    mcp_call_reply_header(call, "MCP-Protocol-Version",
                          mcp_revision_name(revision));
    return true;
}

void mcp_initialize(struct mcp_request *rq)
{
    const struct mcp_prepared *p = rq->gen->prepared;
    const char *problem = find_problem(rq->call->params);
    enum mcp_revision revision;
    enum mcp_err err;

    if (problem != NULL) {
        fail(rq, MCP_EINVAL, problem);
        return;
    }
    revision =
        choose_revision(mcp_json_find(rq->call->params, "protocolVersion"));
    err = open_session(mcp_exchange_of(rq), revision);
    if (err == MCP_ELIMIT) {
        fail(rq, MCP_EINVAL, "clientInfo or capabilities are too large");
        return;
    }
    if (err == MCP_OK && !add_headers(rq->call, revision))
        err = MCP_ENOMEM;
    if (err != MCP_OK) {
        fail(rq, err, NULL);
        return;
    }
    rq->call->revision = revision;
    mcp_buf_add(&rq->call->out, p->hello[revision].text,
                p->hello[revision].len);
    rq->end(rq);
}

void mcp_ping(struct mcp_request *rq)
{
    write_empty(rq);
}

void mcp_set_level(struct mcp_request *rq)
{
    const struct mcp_json *v = mcp_json_find(rq->call->params, "level");
    int level = mcp_json_is(v, MCP_JSON_STRING)
                    ? mcp_level_parse(v->u.text, v->count)
                    : -1;

    if (level < 0) {
        fail(rq, MCP_EINVAL,
             "level must be one of debug, info, notice, warning, error, "
             "critical, alert, emergency");
        return;
    }
    if (rq->call->session != NULL)
        atomic_store(&rq->call->session->log_level, level);
    write_empty(rq);
}
