/*
 * bridge_end.c - a transfer has ended: retry, resume, answer, error
 */
#include <stdio.h>

#include "base/log.h"
#include "transport/bridge_private.h"

enum {
    HEADER_MISMATCH = -32020,
    UNAUTHORIZED = 401,
    NOT_FOUND = 404,
    RESUME_MS = 1000, /* when the remote does not say */
    RESUME_MAX_MS = 60 * 1000,
    RESUME_ATTEMPTS = 5, /* without anything new */
    SHOWN_BYTES = 200,
};

/* ---- why ---------------------------------------------------------------- */

static const char *reason(const struct mcp_bridge_call *c, CURLcode code)
{
    return c->error[0] != '\0' ? c->error : c->b->curl.easy_strerror(code);
}

static void fail_connection(struct mcp_bridge_call *c, CURLcode code)
{
    const char *url = c->b->shown_url;

    switch (code) {
    case CURLE_COULDNT_CONNECT:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_OPERATION_TIMEDOUT:
        mcp_bridge_call_fail(c,
                             "Could not connect to the MCP endpoint at %s: "
                             "%s. Make sure that the server is running and "
                             "that this is its URL.",
                             url, reason(c, code));
        break;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
        mcp_bridge_call_fail(c,
                             "The certificate of %s is not trusted: %s. "
                             "--ca-file names the certificates that are.",
                             url, reason(c, code));
        break;
    default:
        mcp_bridge_call_fail(c, "The connection to %s failed: %s", url,
                             reason(c, code));
    }
}

/* The beginning of a body that is a text for people; "" when it is none. */
static void shorten(const struct mcp_buf *body, char *out, size_t size)
{
    size_t len = body->len < SHOWN_BYTES ? body->len : SHOWN_BYTES, bad = 0;

    while (len > 0 && (unsigned char)body->data[len - 1] <= ' ')
        len--;
    if (len > 0 && !mcp_utf8_valid(body->data, len, &bad))
        len = bad;
    out[0] = '\0';
    if (len == 0)
        return;
    (void)snprintf(out, size, ": %.*s", (int)len, body->data);
    for (char *p = out; *p != '\0'; p++)
        if ((unsigned char)*p < ' ')
            *p = ' ';
}

static void fail_status(struct mcp_bridge_call *c)
{
    char text[SHOWN_BYTES + 16];

    shorten(&c->answer, text, sizeof(text));
    if (c->status >= 300 && c->status < 400 && c->note[0] != '\0')
        mcp_bridge_call_fail(c,
                             "The MCP endpoint answered HTTP %ld: it redirects "
                             "to %s. Redirects are not followed: give that URL "
                             "to the bridge.",
                             c->status, c->note);
    else if (c->status == UNAUTHORIZED)
        mcp_bridge_call_fail(c,
                             "The MCP endpoint answered HTTP 401: it wants "
                             "other credentials (%s)%s",
                             c->note[0] != '\0' ? c->note
                                                : "it does not say "
                                                  "which",
                             text);
    else
        mcp_bridge_call_fail(c, "The MCP endpoint answered HTTP %ld%s",
                             c->status, text);
}

/* ---- once more ---------------------------------------------------------- */

/* 401, once, with a token that is newer than the one it had. */
static bool retry_token(struct mcp_bridge_call *c)
{
    if (c->status != UNAUTHORIZED || c->token_retried ||
        !mcp_bridge_token_used(&c->b->token))
        return false;
    c->token_retried = true;
    c->token_run = 0;
    mcp_bridge_call_again(c);
    return true;
}

static bool retry_session(struct mcp_bridge_call *c)
{
    if (c->status != NOT_FOUND || c->session_serial == 0)
        return false;
    mcp_bridge_session_lost(c);
    if (c->session_retried || c->resuming)
        return false; /* what is being resumed may have been done already */
    c->session_retried = true;
    mcp_bridge_call_again(c);
    return true;
}

static bool is_header_mismatch(const struct mcp_bridge_call *c)
{
    struct mcp_json_error ignored;
    struct mcp_arena *arena;
    const struct mcp_json *code = mcp_json_find(
        mcp_json_find(
            mcp_bridge_parse(c->answer.data, c->answer.len, &arena, &ignored),
            "error"),
        "code");
    bool is =
        mcp_json_is(code, MCP_JSON_NUMBER) && code->number == HEADER_MISMATCH;

    mcp_arena_free(arena);
    return is;
}

/* -32020 to a tools/call: the list that we know may be an old one. */
static bool retry_tools(struct mcp_bridge_call *c)
{
    if (!c->modern || !c->is_tool_call || c->tools_retried ||
        c->form != MCP_BRIDGE_JSON || c->answer.len == 0 ||
        !is_header_mismatch(c))
        return false;
    c->tools_retried = true;
    c->tools_tried = false;
    if (c->tools_version == c->b->tools_version)
        mcp_bridge_tools_changed(c->b);
    mcp_bridge_call_again(c);
    return true;
}

/* A legacy stream that broke off behind an event with an id goes on with a
 * GET. */
static bool resume(struct mcp_bridge_call *c)
{
    uint64_t ms =
        c->retry_ms != MCP_SSE_NO_RETRY ? (uint64_t)c->retry_ms : RESUME_MS;
    bool streams = c->form == MCP_BRIDGE_SSE || c->resuming;

    if (c->modern || !streams || c->last_id[0] == '\0' || c->cancelled ||
        c->failure != NULL || c->attempts >= RESUME_ATTEMPTS ||
        (c->status >= 300 && c->form != MCP_BRIDGE_SSE))
        return false;
    ms <<= c->attempts++;
    c->resuming = true;
    mcp_bridge_call_rest(c, ms < RESUME_MAX_MS ? ms : RESUME_MAX_MS);
    return true;
}

/* ---- the end ------------------------------------------------------------ */

/* A JSON body is there, for the ids that are waited for. */
static void take_json(struct mcp_bridge_call *c)
{
    bool is_json = mcp_bridge_take_message(c, c->answer.data, c->answer.len);

    if (c->unanswered == 0) {
        mcp_bridge_call_end(c);
        return;
    }
    if (c->status < 200 || c->status > 299)
        fail_status(c);
    else
        mcp_bridge_call_fail(c, is_json ? "The MCP endpoint gave no answer to "
                                          "this request"
                                        : "The answer of the MCP endpoint is "
                                          "no JSON");
}

/* Nobody waits: what the remote says to a notification is for the log. */
static void end_unasked(struct mcp_bridge_call *c)
{
    if (c->status >= 300)
        fail_status(c);
    else
        mcp_bridge_call_end(c);
}

static void end_stream(struct mcp_bridge_call *c)
{
    if (resume(c))
        return;
    if (c->cancelled)
        mcp_bridge_call_end(c);
    else
        mcp_bridge_call_fail(c, "The MCP endpoint ended the stream before its "
                                "answer");
}

static void end_client(struct mcp_bridge_call *c)
{
    if (retry_token(c) || retry_session(c) || retry_tools(c))
        return;
    if (c->unanswered == 0)
        end_unasked(c);
    else if (c->form == MCP_BRIDGE_SSE)
        end_stream(c);
    else if (c->answer.len > 0)
        take_json(c);
    else if (c->status >= 300)
        fail_status(c);
    else if (c->cancelled)
        mcp_bridge_call_end(c);
    else
        mcp_bridge_call_fail(c,
                             "The MCP endpoint answered HTTP %ld without a "
                             "body",
                             c->status);
}

static void end_broken(struct mcp_bridge_call *c, CURLcode code)
{
    if (c->failure != NULL)
        mcp_bridge_call_fail(c, "%s", c->failure);
    else if (c->cancelled)
        mcp_bridge_call_end(c);
    else if (!resume(c))
        fail_connection(c, code);
}

void mcp_bridge_transfer_ended(struct mcp_bridge_call *c, CURLcode code)
{
    (void)c->b->curl.easy_getinfo(c->easy, CURLINFO_RESPONSE_CODE, &c->status);
    if (c->form == MCP_BRIDGE_UNKNOWN && code == CURLE_OK)
        mcp_bridge_transfer_find_form(c); /* there was no body */
    if (c->finished && c->role == MCP_BRIDGE_OF_CLIENT) {
        mcp_bridge_call_end(c);
        return;
    }
    switch (c->role) {
    case MCP_BRIDGE_OF_CLIENT:
        if (code == CURLE_OK)
            end_client(c);
        else
            end_broken(c, code);
        break;
    case MCP_BRIDGE_FETCH:
        if (!retry_token(c))
            mcp_bridge_fetch_ended(c, code);
        break;
    case MCP_BRIDGE_DELETE:
        mcp_bridge_call_end(c);
        break;
    default:
        if (!retry_token(c))
            mcp_bridge_session_ended(c, code);
    }
}

void mcp_bridge_call_refuse(struct mcp_bridge_call *c, const char *why)
{
    if (c->role == MCP_BRIDGE_OF_CLIENT || c->role == MCP_BRIDGE_DELETE) {
        mcp_bridge_call_fail(c, "%s", why);
        return;
    }
    mcp_log(MCP_LOG_WARNING, "bridge", "%s: %s", c->name, why);
    if (c->role == MCP_BRIDGE_FETCH)
        mcp_bridge_fetch_ended(c, CURLE_FAILED_INIT);
    else
        mcp_bridge_session_ended(c, CURLE_FAILED_INIT);
}

void mcp_bridge_transfer_late(struct mcp_bridge_call *c)
{
    double silence_s =
        c->sent_all ? c->b->o->sse_read_timeout_s : c->b->o->timeout_s;

    switch (c->role) {
    case MCP_BRIDGE_OF_CLIENT:
        mcp_bridge_call_fail(c, "Nothing came from %s for %g s (%s)",
                             c->b->shown_url, silence_s,
                             c->sent_all ? "--sse-read-timeout" : "--timeout");
        break;
    case MCP_BRIDGE_FETCH:
        mcp_bridge_fetch_ended(c, CURLE_OPERATION_TIMEDOUT);
        break;
    case MCP_BRIDGE_DELETE:
        mcp_bridge_call_end(c);
        break;
    default:
        mcp_bridge_session_ended(c, CURLE_OPERATION_TIMEDOUT);
    }
}
