/*
 * legacy.c - see legacy.h
 */
#include "protocol/legacy.h"

#include "base/clock.h"
#include "features/notify.h"
#include "protocol/headers.h"

#define VERSION_HEADER "MCP-Protocol-Version"

static void adopt(struct mcp_call *call, struct mcp_session *s)
{
    call->session = s;
    call->revision = s->revision;
    call->client = s->client;
    call->log_level = atomic_load_explicit(&s->log_level, memory_order_relaxed);
}

/* Names MCP-Protocol-Version a legacy revision, or is it absent? A modern one
 * is refused too: whoever reads the headers would believe that they have been
 * compared with the body. */
static bool version_is_legacy(const struct mcp_call *call)
{
    size_t len;
    const char *v;

    if (mcp_call_header_count(call, VERSION_HEADER) == 0)
        return true;
    v = mcp_headers_sole(call, VERSION_HEADER, &len);
    if (v == NULL)
        return false;
    int r = mcp_revision_parse(v, len);

    return r >= 0 && r <= (int)MCP_2025_11_25;
}

bool mcp_legacy_enter_session(struct mcp_exchange *x)
{
    struct mcp_call *call = x->rq.call;
    struct mcp_session *s = NULL;
    size_t len;
    const char *id = mcp_headers_sole(call, MCP_SESSION_HEADER, &len);

    call->revision = MCP_2025_11_25;
    if (id == NULL) {
        mcp_exchange_refuse(x, MCP_REFUSE_NO_SESSION,
                            MCP_SESSION_HEADER " is there more than once",
                            NULL);
        return false;
    }
    s = mcp_session_find(
        x->ep->sessions, id, len, call->principal,
        mcp_clock_from_seconds(x->rq.gen->config->session_idle));
    if (s == NULL) {
        mcp_exchange_refuse(x, MCP_REFUSE_SESSION,
                            "Unknown or ended session: initialize anew "
                            "without " MCP_SESSION_HEADER,
                            NULL);
        return false;
    }
    adopt(call, s);
    mcp_exchange_keep(x);
    if (version_is_legacy(call))
        return true;
    mcp_exchange_refuse(x, MCP_REFUSE_HTTP_VERSION,
                        VERSION_HEADER " is not one of 2025-03-26, "
                                       "2025-06-18, 2025-11-25",
                        NULL);
    return false;
}

bool mcp_legacy_enter_stateless(struct mcp_exchange *x)
{
    struct mcp_call *call = x->rq.call;
    size_t len;
    const char *v = mcp_headers_sole(call, VERSION_HEADER, &len);
    int r = v == NULL ? -1 : mcp_revision_parse(v, len);

    call->revision = r < 0 ? MCP_2025_03_26 : (enum mcp_revision)r;
    call->log_level = MCP_LEVEL_NONE;
    if (x->rq.gen->config->sessions != MCP_SESSIONS_REQUIRED ||
        mcp_json_equals_string(x->message.method, "initialize"))
        return true;
    mcp_exchange_refuse(x, MCP_REFUSE_NO_SESSION,
                        "This server wants a session: initialize, then send "
                        "its " MCP_SESSION_HEADER,
                        NULL);
    return false;
}

void mcp_legacy_enter_pipe(struct mcp_exchange *x)
{
    x->rq.call->revision = MCP_2025_11_25;
    if (x->ep->pipe == NULL)
        return;
    mcp_session_hold(x->ep->sessions, x->ep->pipe);
    adopt(x->rq.call, x->ep->pipe);
}
