/*
 * http_listen.c - addresses and listening sockets
 */
#include "transport/http_listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { BACKLOG = 1024 };

/* ---- addresses ---------------------------------------------------------- */

static void set_port(struct sockaddr_storage *at, int port)
{
    if (at->ss_family == AF_INET6)
        ((struct sockaddr_in6 *)at)->sin6_port = htons((uint16_t)port);
    else
        ((struct sockaddr_in *)at)->sin_port = htons((uint16_t)port);
}

static int get_port(const struct sockaddr_storage *at)
{
    if (at->ss_family == AF_INET6)
        return ntohs(((const struct sockaddr_in6 *)at)->sin6_port);
    return ntohs(((const struct sockaddr_in *)at)->sin_port);
}

static socklen_t size_of(const struct sockaddr_storage *at)
{
    return at->ss_family == AF_INET6 ? sizeof(struct sockaddr_in6)
                                     : sizeof(struct sockaddr_in);
}

static bool is_loopback(const struct sockaddr_storage *at)
{
    if (at->ss_family == AF_INET6)
        return IN6_IS_ADDR_LOOPBACK(
            &((const struct sockaddr_in6 *)at)->sin6_addr);
    return (ntohl(((const struct sockaddr_in *)at)->sin_addr.s_addr) >> 24) ==
           127;
}

/* One address in digits; false: it is none. */
static bool read_address(const char *host, struct sockaddr_storage *at)
{
    char text[INET6_ADDRSTRLEN + 2];
    size_t len = strlen(host);

    memset(at, 0, sizeof(*at));
    if (len >= 2 && host[0] == '[' && host[len - 1] == ']') {
        host++;
        len -= 2;
    }
    if (len >= sizeof(text))
        return false;
    memcpy(text, host, len);
    text[len] = '\0';
    if (inet_pton(AF_INET, text, &((struct sockaddr_in *)at)->sin_addr) == 1) {
        at->ss_family = AF_INET;
        return true;
    }
    at->ss_family = AF_INET6;
    return inet_pton(AF_INET6, text, &((struct sockaddr_in6 *)at)->sin6_addr) ==
           1;
}

enum mcp_err mcp_http_resolve(const char *host, int port,
                              struct mcp_http_address *out)
{
    struct mcp_http_address a = {.count = 1};
    size_t i;

    if (strcasecmp(host, "localhost") == 0) {
        a.count = 2;
        (void)read_address("127.0.0.1", &a.at[0]);
        (void)read_address("::1", &a.at[1]);
    } else if (!read_address(host, &a.at[0])) {
        return MCP_EINVAL;
    }
    for (i = 0; i < a.count; i++)
        set_port(&a.at[i], port);
    a.loopback = is_loopback(&a.at[0]);
    *out = a;
    return MCP_OK;
}

int mcp_http_port(const struct mcp_http_address *a)
{
    return get_port(&a->at[0]);
}

/* ---- sockets ------------------------------------------------------------ */

/* A bound socket, or -1 and errno. */
static int bound_socket(const struct sockaddr_storage *at, bool shared)
{
    int one = 1, zero = 0, saved;
    int fd =
        socket(at->ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return -1;
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    if (shared)
        (void)setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &one, sizeof(one));
    if (at->ss_family == AF_INET6) /* "::" takes IPv4 too */
        (void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &zero, sizeof(zero));
    if (bind(fd, (const struct sockaddr *)at, size_of(at)) == 0)
        return fd;
    saved = errno;
    (void)close(fd);
    errno = saved;
    return -1;
}

static enum mcp_err error_of_errno(void)
{
    if (errno == EADDRINUSE)
        return MCP_EEXIST;
    return errno == EADDRNOTAVAIL ? MCP_EINVAL : MCP_EINTERNAL;
}

/* Binds once without SO_REUSEPORT, and tells the port. It does not listen: who
 * connects before the real ones do would be reset. */
static enum mcp_err probe_one(const struct sockaddr_storage *at, int *port)
{
    struct sockaddr_storage got;
    socklen_t len = sizeof(got);
    int fd = bound_socket(at, false);
    enum mcp_err err = MCP_OK;

    if (fd < 0)
        return error_of_errno();
    if (getsockname(fd, (struct sockaddr *)&got, &len) != 0)
        err = error_of_errno();
    else
        *port = get_port(&got);
    (void)close(fd);
    return err;
}

enum mcp_err mcp_http_probe(struct mcp_http_address *a)
{
    size_t i;
    int port = 0;
    enum mcp_err err = probe_one(&a->at[0], &port);

    if (err != MCP_OK)
        return err;
    for (i = 0; i < a->count; i++)
        set_port(&a->at[i], port);
    if (a->count < 2)
        return MCP_OK;
    err = probe_one(&a->at[1], &port);
    if (err == MCP_EEXIST)
        return err;
    if (err != MCP_OK)
        a->count = 1;
    return MCP_OK;
}

int mcp_http_listen(const struct mcp_http_address *a, size_t i)
{
    int fd = bound_socket(&a->at[i], true), one = 1, saved;

    if (fd < 0)
        return -1;
    /* accepted sockets inherit it */
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    if (listen(fd, BACKLOG) == 0)
        return fd;
    saved = errno;
    (void)close(fd);
    errno = saved;
    return -1;
}
