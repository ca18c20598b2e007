/*
 * resume.c - see resume.h
 */
#include "protocol/resume.h"

#include "protocol/headers.h"
#include "protocol/listen.h"

/* A status that keeps the session: 404 would say that it has ended. */
static void refuse_id(struct mcp_exchange *x, const char *message)
{
    mcp_exchange_refuse(x, MCP_REFUSE_EVENT, message, NULL);
}

static void refuse_err(struct mcp_exchange *x, enum mcp_err err)
{
    if (err == MCP_EINVAL)
        mcp_exchange_refuse(x, MCP_REFUSE_ACCEPT,
                            "Accept must allow text/event-stream here", NULL);
    else if (err == MCP_ECANCELED)
        mcp_exchange_silence(x, 202);
    else
        mcp_exchange_refuse(x, MCP_REFUSE_BUSY, "busy", NULL);
}

void mcp_resume(struct mcp_exchange *x)
{
    size_t len = 0;
    const char *id = mcp_headers_sole(x->rq.call, "Last-Event-ID", &len);
    struct mcp_replay_end *old = NULL;
    enum mcp_err err = MCP_OK;

    if (id == NULL) {
        refuse_id(x, "Last-Event-ID is there more than once");
        return;
    }
    switch (mcp_replay_resume(&x->replay, id, len, &old, &err)) {
    case MCP_REPLAY_READS:
        break; /* `x` may be gone */
    case MCP_REPLAY_LISTENS:
        mcp_listen_session(x);
        break;
    case MCP_REPLAY_ANSWERS:
        mcp_exchange_finish(x);
        break;
    case MCP_REPLAY_OVER:
        mcp_exchange_silence(x, 204);
        break;
    case MCP_REPLAY_UNKNOWN:
        refuse_id(x, "Last-Event-ID names no event of this session");
        break;
    case MCP_REPLAY_GONE:
        refuse_id(x, "The stream of this Last-Event-ID is no longer kept: call "
                     "again, or listen without Last-Event-ID");
        break;
    case MCP_REPLAY_FAILED:
        refuse_err(x, err);
        break;
    }
    if (old != NULL)
        mcp_exchange_end_reader(old);
}
