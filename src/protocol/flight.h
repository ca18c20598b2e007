/*
 * flight.h - the calls of one peer that have not been answered yet
 *
 * notifications/cancelled names a request by its id. So the calls that run on
 * a worker are listed: one list per legacy session, one for the stdio pipe.
 *
 *     add --------> land: true  -> the owner sends the answer
 *       \          /
 *        cancel: marks, interrupts (without the lock, the call pinned)
 *                  \ land: false -> the canceller sends it on unpinning
 *
 * Layer:  protocol. Uses base/call.
 * Thread: any.
 */
#ifndef MCP_PROTOCOL_FLIGHT_H
#define MCP_PROTOCOL_FLIGHT_H

#include <pthread.h>
#include <stdbool.h>

#include "base/call.h"

struct mcp_flight {
    struct mcp_flight *next, **place; /* place NULL: not listed          */
    struct mcp_call *call;
    unsigned pins; /* cancellers at work                                 */
    bool landed;
    void (*late)(struct mcp_flight *f); /* sends an answer that had to wait */
};

struct mcp_flights {
    pthread_mutex_t lock;
    struct mcp_flight *first; /* under lock, with all that is in the list */
};

/* False: no memory for a lock. */
bool mcp_flights_init(struct mcp_flights *fs) MCP_MUST_USE;
void mcp_flights_destroy(struct mcp_flights *fs);

/* Lists `f`, whose `call` and `late` are set and whose rest is zero. BORROWED
 * until it lands. */
void mcp_flights_add(struct mcp_flights *fs, struct mcp_flight *f);

/* The answer of `f` is ready. True: send it. False: whoever is cancelling the
 * call right now will call `late` when done with it. */
bool mcp_flights_land(struct mcp_flights *fs,
                      struct mcp_flight *f) MCP_MUST_USE;

/* Cancels every listed call whose id is `id`: sets call->cancelled, then
 * interrupt(user, call). Returns how many there were. */
int mcp_flights_cancel(struct mcp_flights *fs, const struct mcp_json *id,
                       void (*interrupt)(void *user, struct mcp_call *call),
                       void *user);

#endif
