/*
 * bridge_kept.c - what the client told its session, for the next one
 *
 * Subscriptions to resources and the level of the log live in a session of the
 * remote. When that is renewed, the client does not know that it should say
 * them again.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "transport/bridge_private.h"

enum { KEPT_MAX = 1000, PARAMS_BYTES = 64 * 1024 };

#define SUBSCRIBE   "resources/subscribe"
#define UNSUBSCRIBE "resources/unsubscribe"
#define SET_LEVEL   "logging/setLevel"

struct mcp_bridge_kept {
    struct mcp_bridge_kept *next;
    const char *method; /* static                         */
    struct mcp_buf uri; /* as JSON text; empty: SET_LEVEL */
    struct mcp_buf params;
};

static void free_kept(struct mcp_bridge_kept *k)
{
    mcp_buf_free(&k->uri);
    mcp_buf_free(&k->params);
    free(k);
}

void mcp_bridge_kept_clear(struct mcp_bridge_session *s)
{
    while (s->kept != NULL) {
        struct mcp_bridge_kept *k = s->kept;

        s->kept = k->next;
        free_kept(k);
    }
    s->kept_count = 0;
}

bool mcp_bridge_is_kept(const struct mcp_bridge_message *m)
{
    return m->kind == MCP_BRIDGE_REQUEST &&
           (mcp_bridge_is(m, SUBSCRIBE) || mcp_bridge_is(m, UNSUBSCRIBE) ||
            mcp_bridge_is(m, SET_LEVEL));
}

/* Drops what is said again or taken back. */
static void forget(struct mcp_bridge_session *s, const char *method,
                   const struct mcp_buf *uri)
{
    struct mcp_bridge_kept **at = &s->kept;

    while (*at != NULL) {
        struct mcp_bridge_kept *k = *at;

        if (strcmp(k->method, method) == 0 && k->uri.len == uri->len &&
            (uri->len == 0 || memcmp(k->uri.data, uri->data, uri->len) == 0)) {
            *at = k->next;
            free_kept(k);
            s->kept_count--;
        } else {
            at = &k->next;
        }
    }
}

static void remember(struct mcp_bridge_session *s, const char *method,
                     const struct mcp_buf *uri, const struct mcp_json *params)
{
    struct mcp_bridge_kept *k = NULL, **end = &s->kept;

    if (s->kept_count < KEPT_MAX)
        k = mcp_memory_new(1, sizeof(*k));
    if (k == NULL)
        return;
    k->method = method;
    mcp_buf_init(&k->uri, PARAMS_BYTES);
    mcp_buf_init(&k->params, PARAMS_BYTES);
    mcp_buf_add(&k->uri, uri->data, uri->len);
    mcp_json_write(&k->params, params);
    if (k->uri.failed || k->params.failed) {
        free_kept(k);
        return;
    }
    while (*end != NULL)
        end = &(*end)->next;
    *end = k;
    s->kept_count++;
}

void mcp_bridge_keep(const struct mcp_bridge_call *c)
{
    struct mcp_bridge_session *s = &c->b->session;
    struct mcp_json_error ignored;
    struct mcp_arena *arena;
    const struct mcp_json *tree =
        mcp_bridge_parse(c->body, c->body_len, &arena, &ignored);
    const struct mcp_json *params = mcp_json_find(tree, "params");
    const struct mcp_json *uri = mcp_json_find(params, "uri");
    bool is_level = strcmp(c->name, SET_LEVEL) == 0;
    struct mcp_buf text;

    mcp_buf_init(&text, PARAMS_BYTES);
    if (!is_level && uri != NULL)
        mcp_json_write(&text, uri);
    if (params != NULL && !text.failed) {
        forget(s, is_level ? SET_LEVEL : SUBSCRIBE, &text);
        if (strcmp(c->name, UNSUBSCRIBE) != 0)
            remember(s, is_level ? SET_LEVEL : SUBSCRIBE, &text, params);
    }
    mcp_buf_free(&text);
    mcp_arena_free(arena);
}

void mcp_bridge_kept_repeat(struct mcp_bridge *b)
{
    for (struct mcp_bridge_kept *k = b->session.kept; k != NULL; k = k->next)
        (void)mcp_bridge_request_new(b, MCP_BRIDGE_REPEAT, k->method,
                                     &k->params);
}
