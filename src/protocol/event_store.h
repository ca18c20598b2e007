/*
 * event_store.h - events of streams, kept for clients that come back for them
 *
 * Each legacy session has a log of what its streams carried, oldest first; all
 * logs share one store. An event goes when its time is over, when its session
 * or all sessions keep too much, or with its session: always the oldest first.
 *
 * Layer:  protocol, private to replay. Uses base.
 * Thread: under the lock of struct mcp_replay; mcp_event_new and mcp_event_free
 *         any.
 */
#ifndef MCP_PROTOCOL_EVENT_STORE_H
#define MCP_PROTOCOL_EVENT_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct mcp_event_log;

struct mcp_event {
    uint64_t stream, number; /* which one of which stream of its session */
    bool last;               /* the answer: nothing follows              */
    size_t len;

    /* the store's */
    struct mcp_event *older, *newer;         /* of all            */
    struct mcp_event *log_older, *log_newer; /* of its session    */
    struct mcp_event_log *log;
    uint64_t at_ns;
    char text[]; /* one message, not NUL-terminated */
};

/* Zeroed at first. */
struct mcp_event_log {
    struct mcp_event *oldest, *newest;
    size_t count, bytes;
};

struct mcp_event_limits {
    size_t log_events, log_bytes; /* of one session                      */
    size_t bytes;                 /* of all                              */
    uint64_t keep_ns;             /* for how long                        */
};

/* Counted for each event beside its text: what it takes here, and its frame
 * when it is sent again. */
enum { MCP_EVENT_OVERHEAD = 192 };

struct mcp_event_store {
    struct mcp_event_limits limits;
    struct mcp_event *oldest, *newest;
    size_t bytes;
};

void mcp_event_free(struct mcp_event *e);

/* A copy of text[0..len). NULL: out of memory. */
struct mcp_event *mcp_event_new(const char *text, size_t len)
    MCP_OWNED(mcp_event_free) MCP_MUST_USE;

/* Keeps `e`, which is TAKEN; others may have to go. False: it is larger than a
 * log may be, and still the caller's. */
bool mcp_event_add(struct mcp_event_store *store, struct mcp_event_log *log,
                   struct mcp_event *e, uint64_t now_ns) MCP_MUST_USE;

/* The first event of `stream` that comes after number `after`. NULL: none. */
const struct mcp_event *mcp_event_after(const struct mcp_event_log *log,
                                        uint64_t stream, uint64_t after);

/* The next one of the same stream. NULL: none. */
const struct mcp_event *mcp_event_next(const struct mcp_event *e);

/* Is anything of `stream` kept? */
bool mcp_event_knows(const struct mcp_event_log *log, uint64_t stream);

/* Drops what has been kept long enough. */
void mcp_event_expire(struct mcp_event_store *store, uint64_t now_ns);

/* Drops the whole log. */
void mcp_event_clear(struct mcp_event_store *store, struct mcp_event_log *log);

#endif
