/*
 * http_role.h - two threads for one io loop, one at a time
 *
 * The holder of the role turns the loop. It also runs quick handlers
 * (app/here.h), between two turns; the other thread, the spare, looks twice a
 * millisecond while that goes on, and when one handler runs during two looks it
 * takes the role. The holder finds out when its handler has ended, and is the
 * spare from then on. While there is no spare, nothing is run by the holder.
 *
 *     holder: begin --> handler --> end: still the holder?
 *     spare:  wait  --> the role is mine
 *
 * Layer:  transport; private to http*.c.
 * Thread: as said.
 */
#ifndef MCP_TRANSPORT_HTTP_ROLE_H
#define MCP_TRANSPORT_HTTP_ROLE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/err.h"

struct mcp_http_role {
    atomic_uint running; /* number of the present handler; 0: none, or taken */
    atomic_bool watched; /* the spare looks                                  */
    atomic_bool spare;   /* there is one, waiting                            */
    unsigned number;     /* of the last handler; the holder's                */
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool ended; /* under lock */
};

/* False: no memory for a lock. */
bool mcp_http_role_init(struct mcp_http_role *role) MCP_MUST_USE;
void mcp_http_role_destroy(struct mcp_http_role *role);

/* The holder is about to run a handler; its number. 0: not now, for nobody
 * would take over. */
unsigned mcp_http_role_begin(struct mcp_http_role *role) MCP_MUST_USE;

/* It has ended. False: the role is another's now. */
bool mcp_http_role_end(struct mcp_http_role *role,
                       unsigned number) MCP_MUST_USE;

/* On the spare: waits for the role. True: the caller holds it. False: it is of
 * no use to anybody any more. */
bool mcp_http_role_wait(struct mcp_http_role *role) MCP_MUST_USE;

/* The loop has ended: so does the wait of the spare. The holder. */
void mcp_http_role_close(struct mcp_http_role *role);

#endif
