/*
 * dispatch.h - the table of methods
 *
 * Layer:  protocol. Uses features/, protocol/handshake.
 * Thread: any.
 */
#ifndef MCP_PROTOCOL_DISPATCH_H
#define MCP_PROTOCOL_DISPATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "app/registry.h"
#include "base/call.h"
#include "features/request.h"

enum {
    MCP_M_FLIES = 1 << 0, /* may run on a worker, can be cancelled       */
    MCP_M_EARLY = 1 << 1, /* stdio: served before initialize             */
    MCP_M_ALONE = 1 << 2, /* never part of a batch                       */
};

struct mcp_method {
    const char *name;
    void (*run)(struct mcp_request *rq);
    enum mcp_revision since, until;
    unsigned needs; /* MCP_OFFER_*: exists when the app offers it */
    unsigned flags; /* MCP_M_* */
};

/* The method name[0..len) of this revision and generation, or NULL. */
const struct mcp_method *mcp_dispatch_find(const char *name, size_t len,
                                           enum mcp_revision revision,
                                           const struct mcp_generation *gen);

/* The nearest method that mcp_dispatch_find() would find, or NULL. */
const char *mcp_dispatch_nearest(const char *name, size_t len,
                                 enum mcp_revision revision,
                                 const struct mcp_generation *gen);

/* All rows, sorted by name. */
const struct mcp_method *mcp_dispatch_table(size_t *count);

#endif
