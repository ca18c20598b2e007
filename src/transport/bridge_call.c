/*
 * bridge_call.c - calls: made, queued, started when they may, ended
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/memory.h"
#include "transport/bridge_private.h"

enum {
    ARENA_EXTRA = 64 * 1024, /* names, failures, headers             */
    ID_FACTOR = 8,           /* a batch has an id in 8 bytes or more */
    FIRST_IDS = 1,
};

struct mcp_bridge_call *mcp_bridge_call_new(struct mcp_bridge *b,
                                            enum mcp_bridge_role role,
                                            const char *body, size_t len)
{
    struct mcp_bridge_call *c = mcp_memory_new(1, sizeof(*c));

    if (c == NULL)
        return NULL;
    c->arena = mcp_arena_new(len * (1 + ID_FACTOR) + ARENA_EXTRA);
    c->body = c->arena != NULL ? mcp_arena_dup(c->arena, body, len) : NULL;
    if (c->body == NULL) {
        mcp_arena_free(c->arena);
        free(c);
        return NULL;
    }
    c->body_len = len;
    c->b = b;
    c->role = role;
    c->name = "";
    c->retry_ms = MCP_SSE_NO_RETRY;
    mcp_buf_init(&c->answer, b->o->max_message_bytes);
    c->prev = b->calls.prev;
    c->next = &b->calls;
    c->prev->next = c->next->prev = c;
    b->call_count++;
    b->body_bytes += len;
    return c;
}

enum mcp_err mcp_bridge_call_add_id(struct mcp_bridge_call *c,
                                    const struct mcp_json *id)
{
    struct mcp_bridge_id *ids = c->ids;
    struct mcp_buf text;

    /* grows when the count is a power of two: 1, 2, 4, ... */
    if ((c->id_count & (c->id_count - 1)) == 0 || c->id_count == 0) {
        size_t room = c->id_count > 0 ? c->id_count * 2 : FIRST_IDS;

        ids = mcp_arena_alloc(c->arena, room * sizeof(*ids));
        if (ids == NULL)
            return MCP_ENOMEM;
        if (c->id_count > 0)
            memcpy(ids, c->ids, c->id_count * sizeof(*ids));
    }
    mcp_buf_init(&text, c->body_len + ARENA_EXTRA);
    mcp_json_write(&text, id);
    c->ids = ids;
    ids[c->id_count].len = text.len;
    ids[c->id_count].answered = false;
    ids[c->id_count].text =
        text.failed ? NULL : mcp_arena_dup(c->arena, text.data, text.len);
    mcp_buf_free(&text);
    if (ids[c->id_count].text == NULL)
        return MCP_ENOMEM;
    c->id_count++;
    c->unanswered++;
    return MCP_OK;
}

struct mcp_bridge_call *mcp_bridge_request_new(struct mcp_bridge *b,
                                               enum mcp_bridge_role role,
                                               const char *method,
                                               const struct mcp_buf *params)
{
    struct mcp_bridge_call *c = NULL;
    struct mcp_json id = {.type = MCP_JSON_STRING};
    struct mcp_buf body;
    char text[64];

    id.count = (uint32_t)snprintf(text, sizeof(text), "mcpluad-bridge-%llu",
                                  (unsigned long long)++b->next_id);
    id.u.text = text;
    mcp_buf_init(&body, params->len + ARENA_EXTRA);
    mcp_buf_printf(&body,
                   "{\"jsonrpc\":\"2.0\",\"id\":\"%s\",\"method\":\"%s\","
                   "\"params\":",
                   text, method);
    mcp_buf_add(&body, params->data, params->len);
    mcp_buf_putc(&body, '}');
    if (!body.failed && !params->failed)
        c = mcp_bridge_call_new(b, role, body.data, body.len);
    mcp_buf_free(&body);
    if (c == NULL)
        return NULL;
    c->name = method;
    if (mcp_bridge_call_add_id(c, &id) == MCP_OK)
        return c;
    mcp_bridge_call_end(c);
    return NULL;
}

/* ---- states ------------------------------------------------------------- */

static void leave(struct mcp_bridge_call *c)
{
    if (c->state != MCP_BRIDGE_ACTIVE)
        return;
    mcp_bridge_transfer_stop(c);
    if (c->is_listen)
        c->b->listen_count--;
    else
        c->b->active_count--;
}

void mcp_bridge_call_end(struct mcp_bridge_call *c)
{
    if (c->state == MCP_BRIDGE_DONE)
        return;
    leave(c);
    c->state = MCP_BRIDGE_DONE;
    c->b->reap = true;
    if (c->b->session.stream == c)
        c->b->session.stream = NULL;
    if (c->is_initialized)
        mcp_bridge_session_settled(c);
    /* whoever made it did not get what it was for */
    if (c->is_initialize && c->b->session.state == MCP_SESSION_OPENING)
        mcp_bridge_session_opened(c, NULL);
}

void mcp_bridge_call_again(struct mcp_bridge_call *c)
{
    leave(c);
    c->state = MCP_BRIDGE_QUEUED;
}

void mcp_bridge_call_rest(struct mcp_bridge_call *c, uint64_t ms)
{
    leave(c);
    c->state = MCP_BRIDGE_RESTING;
    c->rest_ns = mcp_clock_now_ns() + ms * MCP_NS_PER_MS;
}

static void free_call(struct mcp_bridge_call *c)
{
    struct mcp_bridge *b = c->b;

    leave(c);
    c->prev->next = c->next;
    c->next->prev = c->prev;
    b->call_count--;
    b->body_bytes -= c->body_len;
    free(c->session_id);
    mcp_buf_free(&c->answer);
    mcp_arena_free(c->arena);
    free(c);
}

void mcp_bridge_calls_reap(struct mcp_bridge *b, bool every)
{
    struct mcp_bridge_call *next;

    if (!b->reap && !every)
        return;
    b->reap = false;
    for (struct mcp_bridge_call *c = b->calls.next; c != &b->calls; c = next) {
        next = c->next;
        if (every || c->state == MCP_BRIDGE_DONE)
            free_call(c);
    }
}

/* ---- starting ----------------------------------------------------------- */

static bool has_room(const struct mcp_bridge_call *c)
{
    const struct mcp_bridge *b = c->b;

    return c->role != MCP_BRIDGE_OF_CLIENT || c->is_listen ||
           b->active_count < MCP_BRIDGE_ACTIVE_MAX;
}

/* One stream too many: it would wait for as long as the others last. */
static bool is_too_many(struct mcp_bridge_call *c)
{
    if (!c->is_listen || c->b->listen_count < MCP_BRIDGE_LISTEN_MAX)
        return false;
    mcp_bridge_call_fail(c, "%d subscriptions are open already: cancel one",
                         (int)MCP_BRIDGE_LISTEN_MAX);
    return true;
}

/* Has it a token, or needs none? */
static bool token_ready(struct mcp_bridge_call *c)
{
    struct mcp_bridge_token *t = &c->b->token;

    if (!mcp_bridge_token_used(t))
        return true;
    if (c->token_run == 0)
        c->token_run = mcp_bridge_token_want(t);
    return t->ended >= c->token_run;
}

static bool may_start(struct mcp_bridge_call *c)
{
    if (!has_room(c))
        return false;
    if (c->role == MCP_BRIDGE_OF_CLIENT && !c->modern &&
        !mcp_bridge_session_admits(c))
        return false;
    if (c->modern && c->is_tool_call && !mcp_bridge_tools_ready(c))
        return false;
    return token_ready(c);
}

static void start(struct mcp_bridge_call *c)
{
    struct mcp_bridge *b = c->b;

    if (mcp_bridge_token_used(&b->token) && b->token.text[0] == '\0') {
        mcp_bridge_call_refuse(c, b->token.why);
        return;
    }
    if (c->is_initialize)
        mcp_bridge_session_opening(c);
    if (c->is_initialized)
        mcp_bridge_session_settling(c);
    if (mcp_bridge_transfer_start(c) != MCP_OK) {
        mcp_bridge_call_refuse(c, "The bridge cannot send the message");
        return;
    }
    c->state = MCP_BRIDGE_ACTIVE;
    if (c->is_listen)
        b->listen_count++;
    else
        b->active_count++;
}

void mcp_bridge_calls_start(struct mcp_bridge *b)
{
    struct mcp_bridge_call *c;

    /* calls that this makes are behind and have their turn */
    for (c = b->calls.next; c != &b->calls; c = c->next)
        if (c->state == MCP_BRIDGE_QUEUED && !is_too_many(c) && may_start(c))
            start(c);
}

/* ---- time --------------------------------------------------------------- */

/* When the call must have moved; UINT64_MAX: never. */
static uint64_t deadline_of(const struct mcp_bridge_call *c)
{
    const struct mcp_bridge_options *o = c->b->o;
    double silence_s = c->sent_all ? o->sse_read_timeout_s : o->timeout_s;

    if (c->state == MCP_BRIDGE_RESTING ||
        (c->state == MCP_BRIDGE_ACTIVE &&
         (c->finished || c->role == MCP_BRIDGE_DELETE)))
        return c->rest_ns;
    if (c->state != MCP_BRIDGE_ACTIVE || c->paused || !(silence_s > 0))
        return UINT64_MAX;
    return c->active_ns + mcp_clock_from_seconds(silence_s);
}

void mcp_bridge_calls_check(struct mcp_bridge *b)
{
    uint64_t now = mcp_clock_now_ns();
    struct mcp_bridge_call *c;

    for (c = b->calls.next; c != &b->calls; c = c->next) {
        if (deadline_of(c) > now)
            continue;
        if (c->state == MCP_BRIDGE_RESTING)
            c->state = MCP_BRIDGE_QUEUED;
        else if (c->finished)
            mcp_bridge_transfer_ended(c, CURLE_OK);
        else
            mcp_bridge_transfer_late(c);
    }
}

uint64_t mcp_bridge_calls_wait_ns(const struct mcp_bridge *b, uint64_t most)
{
    uint64_t now = mcp_clock_now_ns(), first = now + most;
    const struct mcp_bridge_call *c;

    for (c = b->calls.next; c != &b->calls; c = c->next) {
        uint64_t d = deadline_of(c);

        if (d < first)
            first = d;
    }
    return first > now ? first - now : 0;
}
