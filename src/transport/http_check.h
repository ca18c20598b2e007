/*
 * http_check.h - what the head of a request is allowed to say
 *
 * Pure functions on header values: Host and Origin against the names that this
 * server answers to (exactly, no prefix or suffix matching: a rebinding attack
 * lives on "localhost.evil.example"), Content-Type, Accept.
 *
 * Layer:  transport. Uses base/config.
 * Thread: any.
 */
#ifndef MCP_TRANSPORT_HTTP_CHECK_H
#define MCP_TRANSPORT_HTTP_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/config.h"

/* host[:port] of a Host header, of an Origin or of a URL. IPv6 keeps its
 * brackets. All BORROWED from the text that was parsed. */
struct mcp_http_host {
    const char *name;
    size_t name_len;
    int port; /* -1: none given */
};

/* Splits text[0..len) into host and port. False: malformed. */
bool mcp_http_parse_host(const char *text, size_t len,
                         struct mcp_http_host *out);

/* localhost, 127.0.0.1 or [::1], any case. */
bool mcp_http_is_loopback(const struct mcp_http_host *host);

/* May a request with this Host header be served? Yes for a loopback name with
 * any port, for an entry of allowed_hosts (with a port: that port only), and
 * for the host of public_url. */
bool mcp_http_host_allowed(const struct mcp_config *config, const char *value);

/* May a page of this Origin call us? Yes for http and https origins whose host
 * would be allowed as Host, and for entries of allowed_origins. */
bool mcp_http_origin_allowed(const struct mcp_config *config,
                             const char *value);

/* Is the value application/json, whatever its case and parameters? */
bool mcp_http_is_json(const char *content_type);

/* What the client takes. Start from MCP_HTTP_ACCEPT_INIT, add every Accept
 * header, then ask. Without any Accept header everything is taken. */
struct mcp_http_accept {
    bool seen;
    int rank[2];   /* how specific the best match is; JSON, SSE */
    bool taken[2]; /* its q is above 0                          */
    bool html;     /* text/html is named: a browser             */
};

#define MCP_HTTP_ACCEPT_INIT                                                   \
    {                                                                          \
        false, {0, 0}, {false, false}, false                                   \
    }

void mcp_http_accept_add(struct mcp_http_accept *a, const char *value);
bool mcp_http_accepts_json(const struct mcp_http_accept *a);
bool mcp_http_accepts_sse(const struct mcp_http_accept *a);

#endif
