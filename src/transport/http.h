/*
 * http.h - Streamable HTTP on libmicrohttpd
 *
 * One io thread per core (at most 4), each with its own daemon on a
 * SO_REUSEPORT socket and its own epoll loop around it. A call that needs Lua
 * is suspended; its answer is posted to the io thread that owns the
 * connection, which alone touches libmicrohttpd.
 *
 * An answer becomes an event stream with the first message that is emitted
 * before it (an emit of no bytes only opens the stream), or when the call has
 * lasted sse_after, if the client takes streams.
 *
 * Layer:  transport. Uses protocol/endpoint, base.
 * Thread: start and stop: the main thread.
 */
#ifndef MCP_TRANSPORT_HTTP_H
#define MCP_TRANSPORT_HTTP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/config.h"
#include "base/err.h"

struct mcp_app;
struct mcp_endpoint;
struct mcp_http;

struct mcp_http_options {
    const struct mcp_config *config; /* BORROWED                           */
    struct mcp_endpoint *endpoint;   /* BORROWED                           */
    struct mcp_app *app; /* BORROWED; its quick handlers run on io threads;
                            NULL: none do                                  */
    bool (*ready)(void *user); /* for /readyz                        */
    void *user;
};

/* Listens and serves. `*out` is OWNED: mcp_http_stop(). Errors, with a
 * one-line `message`: MCP_EEXIST the port is in use; MCP_EINVAL the host is no
 * address, or not loopback while neither allowed_hosts nor public_url is set
 * (the message names the options); MCP_ENOMEM; MCP_EINTERNAL. */
enum mcp_err mcp_http_start(const struct mcp_http_options *options,
                            struct mcp_http **out, char *message,
                            size_t message_size) MCP_MUST_USE;

/* "http://127.0.0.1:8000/mcp", with the port really bound. BORROWED. */
const char *mcp_http_url(const struct mcp_http *http);

/* Connections that the process can hold (after raising RLIMIT_NOFILE), and
 * whether that is fewer than max_connections. */
size_t mcp_http_connection_limit(const struct mcp_http *http, bool *reduced);

/* Stops accepting; calls in flight may finish within `grace_s` seconds; then
 * everything is closed and freed. /readyz answers 503 meanwhile. */
void mcp_http_stop(struct mcp_http *http, double grace_s);

#endif
