/*
 * bridge_tools.h - which arguments of which tools go into headers
 *
 * Filled from the pages of a tools/list, the bridge's own or the client's. A
 * tool without mirrored parameters takes no room.
 *
 * Layer:  transport; private to bridge*.c. Uses features/mirror, base.
 * Thread: one.
 * Source: MCP 2026-07-28, basic/transports/streamable-http, "Custom Headers
 *         from Tool Parameters".
 */
#ifndef MCP_TRANSPORT_BRIDGE_TOOLS_H
#define MCP_TRANSPORT_BRIDGE_TOOLS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "features/mirror.h"

struct mcp_bridge_tool;

struct mcp_bridge_tools {
    struct mcp_arena *arena; /* NULL while nothing is known */
    struct mcp_bridge_tool *first;
};

/* Forgets every tool, and frees what they took. */
void mcp_bridge_tools_clear(struct mcp_bridge_tools *t);

/* Adds the tools of a page: the `result` of a tools/list. Those with a wrong
 * declaration are left out. Errors: MCP_ENOMEM; MCP_EINVAL there is no list. */
enum mcp_err mcp_bridge_tools_add(struct mcp_bridge_tools *t,
                                  const struct mcp_json *result) MCP_MUST_USE;

/* What is mirrored of the tool text[0..len), or NULL. Valid until the next
 * change. */
const struct mcp_mirrors *
mcp_bridge_tools_find(const struct mcp_bridge_tools *t, const char *text,
                      size_t len);

/* Writes `answer`, a response to tools/list, without the tools whose
 * x-mcp-header a client must not accept; each of them is told in the log.
 * False: there are none, and nothing was written. */
bool mcp_bridge_tools_filter(struct mcp_buf *out,
                             const struct mcp_json *answer);

#endif
