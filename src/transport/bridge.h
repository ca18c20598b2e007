/*
 * bridge.h - a stdio client on one side, a remote HTTP server on the other
 *
 *     stdin  -> lines -> one POST each, all at once -> the remote endpoint
 *     stdout <- lines <- JSON answers and SSE streams <-
 *
 * A message with _meta of 2026-07-28, or one from a client that has never sent
 * `initialize`, is modern: what _meta lacks is added and the routing headers
 * are made from the body. After `initialize`, messages without it are those
 * of the 2025 revisions: the session, its GET stream, resuming and renewing
 * are done here, and the client does not see them.
 *
 * Whatever goes wrong with the remote becomes a JSON-RPC error with code
 * -32001 for the request that it struck, and a line in the log.
 *
 * Layer:  transport. Uses features/mirror, base; libcurl, loaded on first use.
 * Thread: one, the caller's; libcurl resolves names on threads of its own.
 * Source: MCP 2026-07-28 and 2025-11-25, basic/transports.
 */
#ifndef MCP_TRANSPORT_BRIDGE_H
#define MCP_TRANSPORT_BRIDGE_H

#include <stdatomic.h>
#include <stddef.h>

#include "base/err.h"

/* All BORROWED until mcp_bridge_run() returns. */
struct mcp_bridge_options {
    const char *url;            /* http:// or https://                     */
    const char *const *headers; /* "Name: value", checked                  */
    size_t header_count;
    const char *bearer_env;      /* NULL, or the variable of the token   */
    char *const *bearer_command; /* NULL, or an argv that prints it      */
    const char *header_name;     /* "Authorization"                      */
    const char *token_prefix;    /* "Bearer "                            */
    double timeout_s;            /* to connect, to send, to get a token  */
    double sse_read_timeout_s;   /* of silence while waiting; 0: none    */
    size_t max_message_bytes;    /* either way; SIZE_MAX / 2: no limit   */
    const char *ca_file;         /* NULL: the system's                   */
};

/* Serves lines from `in` until its end, or until `*stop` is not 0 (`wake_fd`
 * is readable then). At the end of input what is under way may finish for
 * `timeout_s`, a session is given up, and all is freed.
 * Errors, with a one-line `message`: MCP_ENOMEM; MCP_EINTERNAL no libcurl, or
 * stdout cannot be written (that the client closed it is none).
 */
enum mcp_err mcp_bridge_run(const struct mcp_bridge_options *options, int in,
                            int out, const atomic_int *stop, int wake_fd,
                            char *message, size_t message_size) MCP_MUST_USE;

#endif
