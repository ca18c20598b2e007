/*
 * bridge_message.h - a line of the client, and what the remote needs with it
 *
 * Layer:  transport; private to bridge*.c. Uses base, features/mirror.
 * Thread: any.
 * Source: MCP 2026-07-28, basic/index "_meta", basic/transports/
 *         streamable-http "Request Metadata".
 */
#ifndef MCP_TRANSPORT_BRIDGE_MESSAGE_H
#define MCP_TRANSPORT_BRIDGE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "features/mirror.h"

enum mcp_bridge_kind {
    MCP_BRIDGE_REQUEST,
    MCP_BRIDGE_NOTIFICATION,
    MCP_BRIDGE_RESPONSE, /* to a request of the remote */
    MCP_BRIDGE_BATCH,    /* of 2025-03-26              */
};

/* A parsed message; all is BORROWED from its arena and its text. */
struct mcp_bridge_message {
    enum mcp_bridge_kind kind;
    const struct mcp_json *tree;
    const struct mcp_json *method; /* a string, or NULL            */
    const struct mcp_json *id;     /* NULL: none, or a batch       */
    const struct mcp_json *params; /* NULL: none                   */
    const struct mcp_json *meta;   /* params._meta, or NULL        */
};

/* Reads text[0..len). On an error `*code` is that of JSON-RPC, `*why` a text
 * in `a` or static, and out->id is the id, if there is one.
 * Errors: MCP_EINVAL no JSON, or no message; MCP_ENOMEM. */
enum mcp_err mcp_bridge_read(struct mcp_arena *a, const char *text, size_t len,
                             struct mcp_bridge_message *out, int *code,
                             const char **why) MCP_MUST_USE;

/* Is the method `name`? */
bool mcp_bridge_is(const struct mcp_bridge_message *m, const char *name);

/* Is it of 2026-07-28: because _meta says so or, from a client that never sent
 * `initialize`, because a legacy client would have begun with that? */
bool mcp_bridge_is_modern(const struct mcp_bridge_message *m,
                          bool client_is_legacy);

/* Does a modern message lack a required member of _meta that can be added? */
bool mcp_bridge_lacks_meta(const struct mcp_bridge_message *m);

/* Writes the message with a complete _meta. */
void mcp_bridge_write_completed(struct mcp_buf *out,
                                const struct mcp_bridge_message *m);

/* Writes `meta` (may be NULL) with the members that it lacks; of members that
 * are for one request alone (progressToken) only if `whole`. */
void mcp_bridge_write_meta(struct mcp_buf *out, const struct mcp_json *meta,
                           bool whole);

/* ---- headers ------------------------------------------------------------ */

/* Appends text[0..len) as the value of a header: as it is, or as
 * "=?base64?...?=" when it could not come back the same. */
void mcp_bridge_write_value(struct mcp_buf *out, const char *text, size_t len);

/* Appends the headers of a modern message, each "Name: value" and a NUL:
 * MCP-Protocol-Version, Mcp-Method, Mcp-Name, and Mcp-Param-* by `mirrors`
 * (may be NULL). */
void mcp_bridge_write_headers(struct mcp_buf *out,
                              const struct mcp_bridge_message *m,
                              const struct mcp_mirrors *mirrors);

#endif
