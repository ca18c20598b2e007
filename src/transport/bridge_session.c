/*
 * bridge_session.c - sessions of the 2025 revisions
 *
 *     NONE --initialize--> OPENING --result--> OPEN --404--> LOST
 *                                               ^              | a message,
 *                                               +- RENEWING <--+ or the stream
 *
 * While a session is being opened or renewed, and while
 * notifications/initialized is under way, the messages behind wait.
 *
 * Source: MCP 2025-11-25, basic/transports, "Session Management",
 *         "Listening for Messages from the Server".
 */
#include <stdlib.h>

#include "base/log.h"
#include "base/memory.h"
#include "transport/bridge_private.h"

enum {
    NOT_FOUND = 404,
    STREAM_MS = 1000, /* to open it again, doubled each time */
    STREAM_MAX_MS = 30 * 1000,
    STREAM_MAX_DOUBLINGS = 5,
    DELETE_MS = 2000,
    VERSION_BYTES = 64,
};

static const char default_initialized[] =
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}";

static void keep(struct mcp_buf *to, const char *text, size_t len)
{
    mcp_buf_free(to);
    mcp_buf_init(to, len);
    mcp_buf_add(to, text, len);
}

/* Is `c` part of making the session? */
static bool makes_session(const struct mcp_bridge_call *c)
{
    return c->is_initialize || c->is_initialized;
}

/* ---- renewing ----------------------------------------------------------- */

/* Sends the client's own initialize once more. */
static bool renew(struct mcp_bridge *b)
{
    struct mcp_bridge_session *s = &b->session;
    struct mcp_json_error ignored;
    struct mcp_bridge_call *c;
    struct mcp_arena *arena;
    const struct mcp_json *id;
    enum mcp_err rc = MCP_ENOMEM;

    if (s->initialize.len == 0)
        return false;
    c = mcp_bridge_call_new(b, MCP_BRIDGE_RENEW, s->initialize.data,
                            s->initialize.len);
    if (c == NULL)
        return false;
    c->name = "initialize (to renew the session)";
    id = mcp_json_find(mcp_bridge_parse(c->body, c->body_len, &arena, &ignored),
                       "id");
    if (id != NULL)
        rc = mcp_bridge_call_add_id(c, id);
    mcp_arena_free(arena);
    if (rc != MCP_OK) {
        mcp_bridge_call_end(c);
        return false;
    }
    s->state = MCP_SESSION_RENEWING;
    return true;
}

/* The remote does not open a new session: nobody waits for it any more. */
static void give_up(struct mcp_bridge_call *renewal)
{
    struct mcp_bridge *b = renewal->b;
    struct mcp_bridge_call *c;

    b->session.state = MCP_SESSION_LOST;
    for (c = b->calls.next; c != &b->calls; c = c->next)
        if (c->state == MCP_BRIDGE_QUEUED && !c->modern &&
            c->role == MCP_BRIDGE_OF_CLIENT && !makes_session(c))
            mcp_bridge_call_fail(c, "The session with the MCP endpoint has "
                                    "ended, and no new one could be opened");
}

void mcp_bridge_session_lost(struct mcp_bridge_call *c)
{
    struct mcp_bridge_session *s = &c->b->session;

    /* else it was an older one that is lost */
    if (c->session_serial == s->serial && s->state == MCP_SESSION_OPEN)
        s->state = MCP_SESSION_LOST;
}

bool mcp_bridge_session_admits(struct mcp_bridge_call *c)
{
    struct mcp_bridge_session *s = &c->b->session;

    if (s->state == MCP_SESSION_OPENING || s->state == MCP_SESSION_RENEWING)
        return false;
    if (c->is_initialize)
        return true;
    if (s->state == MCP_SESSION_LOST && renew(c->b))
        return false;
    return c->is_initialized || !s->settling;
}

/* ---- opening ------------------------------------------------------------ */

void mcp_bridge_session_opening(struct mcp_bridge_call *c)
{
    struct mcp_bridge_session *s = &c->b->session;

    if (s->stream != NULL)
        mcp_bridge_call_end(s->stream);
    keep(&s->initialize, c->body, c->body_len);
    mcp_bridge_kept_clear(s);
    s->state = MCP_SESSION_OPENING;
}

static char *copy_text(const struct mcp_json *v)
{
    char *copy;

    if (!mcp_json_is(v, MCP_JSON_STRING) || v->count == 0 ||
        v->count > VERSION_BYTES)
        return NULL;
    for (uint32_t i = 0; i < v->count; i++)
        if (v->u.text[i] <= ' ' || v->u.text[i] > '~')
            return NULL;
    copy = mcp_memory_new(1, v->count + 1);
    if (copy != NULL)
        memcpy(copy, v->u.text, v->count);
    return copy;
}

void mcp_bridge_session_opened(struct mcp_bridge_call *c,
                               const struct mcp_json *result)
{
    struct mcp_bridge_session *s = &c->b->session;

    if (result == NULL) {
        s->state = MCP_SESSION_NONE;
        return;
    }
    free(s->id);
    free(s->version);
    s->id = c->session_id;
    c->session_id = NULL;
    s->version = copy_text(mcp_json_find(result, "protocolVersion"));
    s->serial++;
    s->state = MCP_SESSION_OPEN;
}

/* The new session is there: tell the remote what the client told the old. */
static void renewed(struct mcp_bridge_call *c, const struct mcp_json *result)
{
    struct mcp_bridge *b = c->b;
    struct mcp_bridge_session *s = &b->session;
    struct mcp_bridge_call *ready;

    mcp_bridge_session_opened(c, result);
    s->state = MCP_SESSION_RENEWING;
    mcp_log(MCP_LOG_INFO, "bridge", "the session was renewed");
    ready = s->initialized.len > 0
                ? mcp_bridge_call_new(b, MCP_BRIDGE_READY, s->initialized.data,
                                      s->initialized.len)
                : mcp_bridge_call_new(b, MCP_BRIDGE_READY, default_initialized,
                                      sizeof(default_initialized) - 1);
    if (ready == NULL)
        s->state = MCP_SESSION_OPEN;
    else
        ready->name = "notifications/initialized (to renew the session)";
}

static void renewal_ended(struct mcp_bridge_call *c, CURLcode code)
{
    struct mcp_json_error ignored;
    struct mcp_arena *arena = NULL;
    const struct mcp_json *result = NULL;

    if ((code == CURLE_OK || c->finished) && c->answer.len > 0)
        result = mcp_json_find(
            mcp_bridge_parse(c->answer.data, c->answer.len, &arena, &ignored),
            "result");
    if (result != NULL) {
        renewed(c, result);
    } else {
        mcp_log(MCP_LOG_WARNING, "bridge",
                "the session could not be renewed (HTTP %ld%s%s)", c->status,
                c->error[0] != '\0' ? ", " : "", c->error);
        give_up(c);
    }
    mcp_arena_free(arena);
    mcp_bridge_call_end(c);
}

/* ---- the stream --------------------------------------------------------- */

static void listen_to(struct mcp_bridge *b)
{
    struct mcp_bridge_session *s = &b->session;

    if (b->ending || s->state != MCP_SESSION_OPEN)
        return;
    if (s->stream != NULL)
        mcp_bridge_call_end(s->stream);
    s->stream = mcp_bridge_call_new(b, MCP_BRIDGE_STREAM, "", 0);
    if (s->stream != NULL)
        s->stream->name = "GET";
}

/* It broke off, or never began: open it again after a while. */
static void reopen(struct mcp_bridge_call *c)
{
    uint64_t ms = STREAM_MS;

    if (c->retry_ms != MCP_SSE_NO_RETRY)
        ms = (uint64_t)c->retry_ms;
    for (unsigned i = 1; i < c->attempts && ms < STREAM_MAX_MS; i++)
        ms = ms * 2 + 1;
    if (c->attempts <= STREAM_MAX_DOUBLINGS)
        c->attempts++;
    mcp_bridge_call_rest(c, ms < STREAM_MAX_MS ? ms : STREAM_MAX_MS);
}

static void stream_ended(struct mcp_bridge_call *c, CURLcode code)
{
    struct mcp_bridge *b = c->b;

    if (code == CURLE_OK && c->status == NOT_FOUND && c->session_serial > 0) {
        mcp_bridge_session_lost(c);
        mcp_bridge_call_end(c);
        if (b->session.state == MCP_SESSION_LOST)
            (void)renew(b);
        return;
    }
    if (c->failure != NULL || (code == CURLE_OK && c->form != MCP_BRIDGE_SSE &&
                               (c->status < 500 || c->status > 599))) {
        if (c->failure != NULL)
            mcp_log(MCP_LOG_WARNING, "bridge", "GET: %s", c->failure);
        mcp_bridge_call_end(c); /* 405 as a rule: it has no such stream */
        return;
    }
    if (c->form == MCP_BRIDGE_SSE)
        c->attempts = 0;
    reopen(c);
}

void mcp_bridge_session_ended(struct mcp_bridge_call *c, CURLcode code)
{
    struct mcp_bridge *b = c->b;

    if (c->role == MCP_BRIDGE_RENEW) {
        renewal_ended(c, code);
    } else if (c->role == MCP_BRIDGE_STREAM) {
        stream_ended(c, code);
    } else if (c->role == MCP_BRIDGE_REPEAT) {
        mcp_bridge_call_end(c);
    } else { /* READY: whatever came of it, the messages behind may go */
        mcp_bridge_call_end(c);
        b->session.state = MCP_SESSION_OPEN;
        listen_to(b);
        mcp_bridge_kept_repeat(b);
    }
}

void mcp_bridge_session_settling(struct mcp_bridge_call *c)
{
    keep(&c->b->session.initialized, c->body, c->body_len);
    c->b->session.settling = true;
}

void mcp_bridge_session_settled(struct mcp_bridge_call *c)
{
    if (!c->b->session.settling)
        return;
    c->b->session.settling = false;
    listen_to(c->b);
}

void mcp_bridge_session_close(struct mcp_bridge *b)
{
    struct mcp_bridge_session *s = &b->session;
    struct mcp_bridge_call *c;

    if (s->stream != NULL)
        mcp_bridge_call_end(s->stream);
    if (s->id == NULL || s->state != MCP_SESSION_OPEN)
        return;
    c = mcp_bridge_call_new(b, MCP_BRIDGE_DELETE, "", 0);
    if (c == NULL)
        return;
    c->name = "DELETE";
    c->rest_ns = mcp_clock_now_ns() + DELETE_MS * MCP_NS_PER_MS;
}

void mcp_bridge_session_free(struct mcp_bridge_session *s)
{
    free(s->id);
    free(s->version);
    mcp_buf_free(&s->initialize);
    mcp_buf_free(&s->initialized);
    mcp_bridge_kept_clear(s);
}
