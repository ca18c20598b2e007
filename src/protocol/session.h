/*
 * session.h - legacy sessions: opened by initialize, found by their id
 *
 * A table with a hash index and a list in order of use. A session lives while
 * someone holds it; one that is held is neither evicted nor expired. Its idle
 * time starts when the last holder gives it back.
 *
 *     open --> find/release ... --> close, idle too long, or evicted
 *
 * Layer:  protocol. Uses protocol/flight, keep, replay;
 *         features/subscriptions, base.
 * Thread: any; one mutex, held for pointers and counts only.
 * Source: MCP 2025-11-25, basic/transports, "Session Management".
 */
#ifndef MCP_PROTOCOL_SESSION_H
#define MCP_PROTOCOL_SESSION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/call.h"
#include "base/err.h"
#include "features/subscriptions.h"
#include "protocol/flight.h"
#include "protocol/replay.h"

enum {
    MCP_SESSION_ID_LEN = 32,              /* 128 random bits as hex          */
    MCP_SESSION_CLIENT_MAX_BYTES = 16384, /* kept of each: info, capabilities */
};

struct mcp_session {
    char id[MCP_SESSION_ID_LEN + 1]; /* "" on stdio                     */
    enum mcp_revision revision;
    atomic_int log_level;         /* lowest to send, 0 debug          */
    struct mcp_client client;     /* copies, OWNED                    */
    char *principal;              /* who opened it, OWNED             */
    struct mcp_flights flights;   /* its calls on workers             */
    struct mcp_inbox inbox;       /* what it subscribed to            */
    struct mcp_replay_log replay; /* what its streams carried       */

    /* under the table's lock */
    unsigned refs;
    bool listed;
    uint64_t used_ns;
    struct mcp_session *newer, *older, *chain;
};

struct mcp_session_table;

void mcp_sessions_free(struct mcp_session_table *t);
struct mcp_session_table *mcp_sessions_new(void)
    MCP_OWNED(mcp_sessions_free) MCP_MUST_USE;

/* A new session as a REF. `client` is copied, without icons. `max` 0: the
 * session gets no id and stays outside of the table (stdio). Otherwise the
 * table holds at most `max`; beyond, the least recently used one that nobody
 * holds is ended.
 * Errors: MCP_EBUSY all of them are held; MCP_ELIMIT the client's information
 * is too large; MCP_ENOMEM; MCP_EINTERNAL no random bits. */
enum mcp_err mcp_session_open(struct mcp_session_table *t,
                              enum mcp_revision revision,
                              const struct mcp_client *client,
                              const char *principal, size_t max,
                              struct mcp_session **out) MCP_MUST_USE;

/* The session id[0..len) of this principal as a REF, or NULL: unknown, ended,
 * or idle for more than `idle_ns`. */
struct mcp_session *mcp_session_find(struct mcp_session_table *t,
                                     const char *id, size_t len,
                                     const char *principal, uint64_t idle_ns);

/* One more REF to a held session. */
void mcp_session_hold(struct mcp_session_table *t, struct mcp_session *s);

/* Gives a REF back. */
void mcp_session_release(struct mcp_session_table *t, struct mcp_session *s);

/* Ends a session that the caller holds: it will not be found again. */
void mcp_session_close(struct mcp_session_table *t, struct mcp_session *s);

/* Ends what has been idle for more than `idle_ns`. */
void mcp_sessions_sweep(struct mcp_session_table *t, uint64_t idle_ns);

/* Sessions in the table. */
size_t mcp_sessions_count(struct mcp_session_table *t);

#endif
