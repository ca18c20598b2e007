/*
 * http_listen.h - addresses and listening sockets
 *
 * Every io thread listens on its own SO_REUSEPORT socket, and the kernel
 * spreads connections over them. "localhost" means both loopback addresses,
 * because clients try either first.
 *
 * Layer:  transport. Uses base/err.
 * Thread: the main thread.
 */
#ifndef MCP_TRANSPORT_HTTP_LISTEN_H
#define MCP_TRANSPORT_HTTP_LISTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "base/err.h"

enum { MCP_HTTP_ADDRESSES = 2 };

struct mcp_http_address {
    struct sockaddr_storage at[MCP_HTTP_ADDRESSES];
    size_t count;
    bool loopback;
};

/* Reads `host`: an IPv4 or IPv6 address (with or without brackets) or
 * "localhost". Errors: MCP_EINVAL anything else. */
enum mcp_err mcp_http_resolve(const char *host, int port,
                              struct mcp_http_address *out) MCP_MUST_USE;

/* Is the address free, for us alone? SO_REUSEPORT alone would silently share
 * it with another process of the same user. With port 0 the kernel's choice is
 * written to every address of `a`. A second address (::1 of localhost) that
 * the machine does not have is dropped.
 * Errors: MCP_EEXIST in use; MCP_EINVAL not an address of this machine;
 * MCP_EINTERNAL anything else (errno tells). */
enum mcp_err mcp_http_probe(struct mcp_http_address *a) MCP_MUST_USE;

/* A listening, non-blocking SO_REUSEPORT socket on address `i`; -1 and errno:
 * none. */
int mcp_http_listen(const struct mcp_http_address *a, size_t i);

/* The port of the first address. */
int mcp_http_port(const struct mcp_http_address *a);

#endif
