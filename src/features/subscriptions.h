/*
 * subscriptions.h - who wants to hear of changes, and telling them
 *
 * A stream is a call that is never answered until it is closed: a request
 * subscriptions/listen, the GET of a legacy session, on stdio the pipe of a
 * legacy one. The set of all open streams is one list; whoever learns of a
 * change publishes it here, and each stream that asked for it gets a message.
 * Another source of changes (another process, later) only has to call the two
 * publishers.
 *
 *     open --> [ told of changes ] --> close --> end()
 *
 * Who owns a call that is a stream. The set does, from mcp_stream_open() until
 * end(). A publisher pins the stream, emits without the lock, and unpins it;
 * end() comes when the last pin is gone, so no message is emitted after the
 * owner has the call back. Several publishers may emit at once.
 *
 * Layer:  features. Uses features/offer, base.
 * Thread: any.
 * Source: MCP 2026-07-28, basic/patterns/subscriptions; MCP 2025-11-25,
 *         server/resources, "Subscriptions".
 */
#ifndef MCP_FEATURES_SUBSCRIPTIONS_H
#define MCP_FEATURES_SUBSCRIPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/call.h"
#include "base/err.h"
#include "features/offer.h"

enum {
    MCP_LISTS = MCP_OFFER_TOOLS | MCP_OFFER_RESOURCES | MCP_OFFER_PROMPTS,
    MCP_INBOX_MAX_URIS = 1000,
    MCP_INBOX_MAX_BYTES = 64 << 10, /* of all URIs of one session */
};

struct mcp_subscriptions;
struct mcp_stream;

/* What a legacy session wants to hear of, and where. Zeroed at first; guarded
 * by the set. */
struct mcp_inbox {
    struct mcp_stream *stream; /* open now, or NULL */
    struct mcp_inbox_uri *uris;
    size_t count, room, bytes;
};

/* Why a stream ended. */
enum mcp_stream_why {
    MCP_STREAM_LEFT,     /* the client closed or cancelled it      */
    MCP_STREAM_SLOW,     /* it read too slowly, or memory ran out  */
    MCP_STREAM_REPLACED, /* the session opened another one         */
    MCP_STREAM_ENDED,    /* its session has ended                  */
    MCP_STREAM_SHUTDOWN, /* the server ends                        */
};

/* Lies in the call's arena. The opener fills the first part, the rest is zero.
 */
struct mcp_stream {
    struct mcp_call *call;
    const char *id;               /* the request's id as JSON; NULL: legacy  */
    unsigned lists;               /* MCP_OFFER_*: of which lists             */
    const struct mcp_json *uris;  /* array of strings, of which resources;
                                     may be NULL                             */
    const struct mcp_json *tasks; /* array of ids of tasks; may be NULL      */
    struct mcp_inbox *inbox;      /* legacy: the session's; else NULL       */
    /* The stream is closed and the call the opener's again: to be answered.
     * Any thread. */
    void (*end)(struct mcp_stream *s, enum mcp_stream_why why);

    /* the set's, under its lock */
    struct mcp_stream *prev, *next;
    unsigned pins;
    enum { MCP_STREAM_NEW, MCP_STREAM_OPEN, MCP_STREAM_CLOSED } state;
    enum mcp_stream_why why;
};

/* All streams must have ended. */
void mcp_subscriptions_free(struct mcp_subscriptions *set);
struct mcp_subscriptions *mcp_subscriptions_new(void)
    MCP_OWNED(mcp_subscriptions_free) MCP_MUST_USE;

/* Opens `s`, BORROWED until end(): emits first[0..len) (len 0: only opens the
 * event stream), after which changes follow. A stream that the inbox already
 * has is closed. At most `max` streams are open at once.
 * Errors: MCP_EBUSY there are too many, or the server ends; those of emit.
 * After an error end() does not come. */
enum mcp_err mcp_stream_open(struct mcp_subscriptions *set,
                             struct mcp_stream *s, const char *first,
                             size_t len, size_t max) MCP_MUST_USE;

/* Closes `s` if it is open; otherwise nothing happens. The memory of `s` must
 * be valid, end() may come before this returns. */
void mcp_stream_close(struct mcp_subscriptions *set, struct mcp_stream *s,
                      enum mcp_stream_why why);

/* Closes every stream; no other can be opened any more. */
void mcp_subscriptions_close(struct mcp_subscriptions *set);

size_t mcp_subscriptions_count(struct mcp_subscriptions *set);

/* ---- publishers ---------------------------------------------------------
 */

/* The lists `lists` (MCP_OFFER_*) have changed. */
void mcp_publish_lists(struct mcp_subscriptions *set, unsigned lists);

/* The resource at uri[0..len) (UTF-8) has changed. */
void mcp_publish_resource(struct mcp_subscriptions *set, const char *uri,
                          size_t len);

/* The task `id` of this caller has changed: body[0..len) are the members of the
 * notification's params. */
void mcp_publish_task(struct mcp_subscriptions *set, const char *id,
                      const char *principal, const char *body, size_t len);

/* Would anybody hear of it? */
bool mcp_subscriptions_want_task(struct mcp_subscriptions *set, const char *id,
                                 const char *principal);

/* ---- legacy sessions ----------------------------------------------------
 */

/* Adds uri[0..len); it may be there already. Errors: MCP_ELIMIT
 * MCP_INBOX_MAX_URIS or MCP_INBOX_MAX_BYTES; MCP_ENOMEM. */
enum mcp_err mcp_inbox_add(struct mcp_subscriptions *set,
                           struct mcp_inbox *inbox, const char *uri,
                           size_t len) MCP_MUST_USE;

/* Removes it if it is there. */
void mcp_inbox_remove(struct mcp_subscriptions *set, struct mcp_inbox *inbox,
                      const char *uri, size_t len);

/* Closes its stream, if there is one. */
void mcp_inbox_close(struct mcp_subscriptions *set, struct mcp_inbox *inbox,
                     enum mcp_stream_why why);

/* Frees what it holds. Nobody else may have it; it has no stream. */
void mcp_inbox_free(struct mcp_inbox *inbox);

#endif
