/*
 * outcome.h - how a handler ended, as JSON text ready for a result
 *
 * The Lua side of the house (result.c) writes an outcome while the values are
 * still on the Lua stack; the feature above wraps it in the envelope of the
 * revision. Texts lie in one buffer; a span says where.
 *
 * Layer:  app. Uses base/buf.
 * Thread: one at a time.
 */
#ifndef MCP_APP_OUTCOME_H
#define MCP_APP_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum mcp_outcome_kind {
    MCP_OUTCOME_NONE,   /* not ended yet                                   */
    MCP_OUTCOME_RESULT, /* content, perhaps structured, meta, is_error; of a
                           route content, mime_type, headers, http_status  */
    MCP_OUTCOME_ERROR,  /* a JSON-RPC error: code, message, perhaps data    */
    MCP_OUTCOME_NOT_FOUND, /* a resource: there is none at this URI         */
    MCP_OUTCOME_CANCELED,  /* the peer took the call back: nothing to say    */
    MCP_OUTCOME_INPUT_REQUIRED, /* 2026-07-28: `content` are requests to the
                                   client (a JSON object), `state` comes back */
};

/* text->data[at .. at+len); len 0: not there. */
struct mcp_span {
    size_t at, len;
};

struct mcp_outcome {
    enum mcp_outcome_kind kind;
    struct mcp_buf text;
    struct mcp_span content;     /* JSON array: of content blocks (tool), of
                                    messages (prompt), of resource contents, of
                                    strings (completer); of a route the body,
                                    any bytes                                */
    struct mcp_span description; /* prompt: UTF-8, not JSON              */
    struct mcp_span structured;  /* any JSON value                           */
    struct mcp_span meta;        /* JSON object                              */
    struct mcp_span message;     /* UTF-8, not JSON: the error's text; of a
                                    failed RESULT the whole reason, for the
                                    log: `content` may say less              */
    struct mcp_span data;        /* any JSON value                           */
    struct mcp_span state;       /* INPUT_REQUIRED: the sealed requestState  */
    struct mcp_span reason;      /* UTF-8, not JSON: of a failed prompt,
                                    resource or completer the whole reason, for
                                    the log; not sent                        */
    struct mcp_span mime_type;   /* route: of the body                       */
    struct mcp_span headers;     /* route: "Name\0value\0" again and again   */
    int http_status;             /* route: 200 to 599; 0: 200, or 204 of no
                                    body                                     */
    size_t total;                /* completer: how many values there were, of
                                    which `content` has the first            */
    int code;                    /* JSON-RPC error code                      */
    bool is_error;               /* RESULT: the tool failed                  */
    bool structured_by_author;   /* set by mcp.result or error{structured=};
                                    is not validated when is_error           */
    bool timed_out;              /* the time limit ended it                  */
};

static inline void mcp_outcome_init(struct mcp_outcome *o, size_t max_bytes)
{
    memset(o, 0, sizeof(*o));
    mcp_buf_init(&o->text, max_bytes);
}

static inline void mcp_outcome_free(struct mcp_outcome *o)
{
    mcp_buf_free(&o->text);
}

/* Forgets what was written so far, keeps the memory. */
static inline void mcp_outcome_clear(struct mcp_outcome *o)
{
    struct mcp_buf text = o->text;

    memset(o, 0, sizeof(*o));
    o->text = text;
    mcp_buf_clear(&o->text);
}

/* RESULT with isError and one text block; `message` has the text too. `text`
 * need not be UTF-8: wrong bytes become U+FFFD. It may not lie in `o`. When it
 * has no room a shorter text is told; without any memory, none. */
void mcp_outcome_set_failure(struct mcp_outcome *o, const char *text,
                             size_t len);

/* The same, but the peer is told `shown` instead of the text. */
void mcp_outcome_set_failure_as(struct mcp_outcome *o, const char *shown,
                                const char *text, size_t len);

/* Adds a text block to what mcp_outcome_set_failure() told. `text` as there;
 * without room for it nothing is added. */
void mcp_outcome_add_failure(struct mcp_outcome *o, const char *text,
                             size_t len);

/* ERROR -32603 of a prompt or a resource: `message` (static), and as `data`
 * { "statusCode": status, "content": text } or, when it is not `shown`, the
 * status alone. `reason` has the text. Text that is no UTF-8 or has no room: as
 * above. */
void mcp_outcome_set_refusal(struct mcp_outcome *o, const char *message,
                             int status, bool shown, const char *text,
                             size_t len);

/* RESULT of a route that failed: a JSON body { "statusCode", "error": the name
 * of the status, "message": text }; without the last when it is not `shown`.
 * `message` has the text. No UTF-8, no room: as above. */
void mcp_outcome_set_http_failure(struct mcp_outcome *o, int status, bool shown,
                                  const char *text, size_t len);

/* RESULT of a completer that failed: no values; `reason` has the text. */
void mcp_outcome_set_no_values(struct mcp_outcome *o, const char *text,
                               size_t len);

/* ERROR with this code and message; `data` (JSON text) may be NULL. */
void mcp_outcome_set_error(struct mcp_outcome *o, int code, const char *message,
                           const char *data);

#endif
