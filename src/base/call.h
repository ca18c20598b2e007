/*
 * call.h - one request on its way down, and the road its answer takes back
 *
 * The transport makes a call, every layer below adds to it, and it ends where
 * it began: `ops->done`. Whatever a lower layer wants to say meanwhile
 * (progress, a log line) goes through function pointers that came down with
 * the call: lower layers never name an upper one. A call is location-free: it
 * runs on whatever thread has it, and nothing about it is thread-local.
 *
 * Layer:  base. Uses base/arena, base/buf, base/err, base/json.
 * Thread: one owner at a time (io -> worker -> io); only `cancelled` is
 *         touched from any thread.
 */
#ifndef MCP_BASE_CALL_H
#define MCP_BASE_CALL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

struct mcp_call;
struct mcp_here;
struct mcp_session;

/* Revisions, oldest first, so that `<` means "before". */
enum mcp_revision {
    MCP_2025_03_26,
    MCP_2025_06_18,
    MCP_2025_11_25, /* last one with the initialize handshake (legacy era)  */
    MCP_2026_07_28, /* stateless: version, capabilities in each _meta
                       (modern era)                                         */
    MCP_REVISION_FIRST = MCP_2025_03_26,
    MCP_REVISION_LAST = MCP_2026_07_28,
};

enum mcp_transport { MCP_TRANSPORT_HTTP, MCP_TRANSPORT_STDIO };

struct mcp_header {
    const char *name; /* as it came; compare without case */
    const char *value;
};

/* What the transport offers to the layers below it. */
struct mcp_call_ops {
    /* Sends msg[0..len), one JSON-RPC message without newline, ahead of the
     * answer; len 0 opens the event stream and sends none. Copied. Any thread,
     * also several at once, as long as the call has an owner: whoever lets
     * others emit answers for it that done() comes after the last of them.
     * Errors: MCP_ECANCELED the peer left; MCP_EINVAL this peer takes no
     * messages before the answer; MCP_ELIMIT the peer reads too slowly (the
     * message is dropped, the transport logs it); MCP_ENOMEM. */
    enum mcp_err (*emit)(struct mcp_call *call, const char *msg, size_t len);

    /* The answer is complete: `out`, `status`, `reply_headers`. Called exactly
     * once, on any thread; the call is TAKEN. */
    void (*done)(struct mcp_call *call);

    /* The same as emit, as an event with an `id` (visible ASCII) behind which
     * the client can resume, and with `retry` when retry_ms > 0. len 0: an
     * event without data. HTTP only, NULL elsewhere. */
    enum mcp_err (*emit_event)(struct mcp_call *call, const char *id,
                               unsigned retry_ms, const char *msg, size_t len);

    /* Ends the event stream of the call, after what was emitted, without the
     * answer: the call goes on as if the peer had left, done() still comes. Any
     * thread, as for emit. HTTP only, NULL elsewhere. */
    void (*detach)(struct mcp_call *call);
};

/* What the upper layers do for a handler's ctx; set before the call goes down
 * to app/. All strings are JSON text or UTF-8, BORROWED. */
struct mcp_call_notify {
    /* One log line at `level` ("debug" ... "emergency"); `data` is JSON. */
    void (*log)(struct mcp_call *call, const char *level, const char *logger,
                const char *data, size_t data_len);
    /* Progress; `total` NAN when unknown; `message` may be NULL. Not
     * increasing values and calls without a token are ignored. */
    void (*progress)(struct mcp_call *call, double progress, double total,
                     const char *message, size_t message_len);
};

/* What is known of the client; trees live in the call's arena or in its
 * session. NULL: not told. */
struct mcp_client {
    const struct mcp_json *info;         /* clientInfo, an object   */
    const struct mcp_json *capabilities; /* an object               */
};

struct mcp_call {
    /* -- by the transport ------------------------------------------------- */
    struct mcp_arena *arena; /* all memory of this call                    */
    const struct mcp_call_ops *ops;
    enum mcp_transport transport;
    const char *http_method;          /* "POST", ...; NULL on stdio       */
    const char *path, *query;         /* query without '?'; NULL on stdio */
    const char *raw_path;             /* before it was percent-decoded    */
    const struct mcp_header *headers; /* in arena                         */
    size_t header_count;
    const char *body; /* whole message, not NUL-terminated; lives as long as
                         the call                                          */
    size_t body_len;
    uint64_t started_ns;   /* CLOCK_MONOTONIC                                */
    struct mcp_here *here; /* takes quick handlers (app/here.h); NULL: none  */
    const char *principal; /* "anonymous" until there is authentication    */

    /* -- by the protocol -------------------------------------------------- */
    size_t parsed_bytes; /* of the arena that the parsed message takes       */
    enum mcp_revision revision;
    const struct mcp_json *id; /* string or number; NULL: none             */
    const char *method;        /* NUL-terminated, in arena                 */
    const struct mcp_json *params; /* object or NULL                       */
    const struct mcp_json *meta;   /* params._meta or NULL                 */
    struct mcp_client client;
    struct mcp_session *session; /* legacy with a session: a REF held by the
                                    protocol until the answer              */
    const struct mcp_call_notify *notify;
    const struct mcp_json *progress_token; /* string or number; NULL: none */
    double last_progress;                  /* -HUGE_VAL at first           */
    unsigned dropped;                      /* messages, for want of memory */
    int log_level; /* lowest MCP level to send, 0 debug .. 7 emergency; 8 =
                      none                                                 */
    bool cancel_on_disconnect; /* modern: the peer's leaving cancels       */

    /* -- the answer ------------------------------------------------------- */
    struct mcp_buf out; /* JSON text, one line; empty: no body             */
    int status;         /* HTTP status, 200 at first                       */
    struct mcp_header reply_headers[4]; /* in arena or static              */
    size_t reply_header_count;
    const char *reply_type; /* NULL: application/json            */
    const struct mcp_header *app_headers; /* the app's own; in arena        */
    size_t app_header_count;
    const char *allow; /* methods of this path: of a 405, and of an answer to
                          OPTIONS without a body; NULL: not told          */
    const char *answer_event; /* id of the event that carries the answer when
                                 it ends a stream; NULL: none            */

    atomic_bool cancelled; /* set by anyone, seen by who works on it       */
    atomic_bool unwanted;  /* the same, but the handler may still end well */
    void *transport_data;  /* the transport's own                          */
    void *protocol_data;   /* the protocol's own (batches)                 */
};

static inline bool mcp_call_is_modern(const struct mcp_call *call)
{
    return call->revision >= MCP_2026_07_28;
}

/* "2026-07-28", ... */
const char *mcp_revision_name(enum mcp_revision r);

/* The revision named text[0..len), or -1. */
int mcp_revision_parse(const char *text, size_t len);

/* The value of header `name` (any case), or NULL. Of several, the first. */
const char *mcp_call_header(const struct mcp_call *call, const char *name);

/* How many headers are called `name`. */
size_t mcp_call_header_count(const struct mcp_call *call, const char *name);

/* Adds a header to the answer. At most 4; more are an assertion. */
void mcp_call_reply_header(struct mcp_call *call, const char *name,
                           const char *value);

#endif
