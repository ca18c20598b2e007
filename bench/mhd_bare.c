/*
 * mhd_bare.c - libmicrohttpd alone: the ceiling of everything over HTTP
 *
 * Answers every POST with fixed bytes, from the same external epoll loop and
 * the same way of accepting as the server, but without checks, endpoint, JSON
 * or Lua. The figures of http_load divide by these, measured in the same run.
 *
 *     bench_mhd_bare [seconds [connections]]   default 3 and 32
 *     bench_mhd_bare serve PORT [BYTES]        until a signal, for wrk; with
 *                                              answers of so many bytes
 *
 * Layer:  none; a program of its own. Thread: two that serve, one that loads.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { SERVERS = 2, MAX_CONNECTIONS = 1024, POOL_BYTES = 16 * 1024 };

/* As long as a real tools/call answer and request of http_load. */
static char answer[] =
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"complete\","
    "\"content\":[{\"type\":\"text\",\"text\":\"sum 3\"}],\"_meta\":{"
    "\"io.modelcontextprotocol/serverInfo\":{\"name\":\"bench\","
    "\"version\":\"1.0.0\"}}}}";
static char *sent = answer; /* what goes out */
static size_t sent_bytes = sizeof(answer) - 1;
static const char body[] =
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
    "\"name\":\"add\",\"arguments\":{\"a\":1,\"b\":2},\"_meta\":{"
    "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
    "\"io.modelcontextprotocol/clientCapabilities\":{}}}}";

static void die(const char *what)
{
    fprintf(stderr, "mhd_bare: %s: %s\n", what, strerror(errno));
    exit(1);
}

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- the server --------------------------------------------------------- */

static enum MHD_Result serve(void *arg, struct MHD_Connection *c,
                             const char *url, const char *method,
                             const char *version, const char *data,
                             size_t *size, void **context)
{
    static int seen;
    struct MHD_Response *r;
    enum MHD_Result result;

    (void)arg, (void)url, (void)method, (void)version, (void)data;
    if (*context == NULL) {
        *context = &seen;
        return MHD_YES;
    }
    if (*size > 0) {
        *size = 0;
        return MHD_YES;
    }
    r = MHD_create_response_from_buffer(sent_bytes, sent,
                                        MHD_RESPMEM_PERSISTENT);
    MHD_add_response_header(r, "Content-Type", "application/json");
    result = MHD_queue_response(c, 200, r);
    MHD_destroy_response(r);
    return result;
}

static int listen_on(int *port)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)*port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(at);
    int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &one, sizeof(one));
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    if (bind(fd, (struct sockaddr *)&at, sizeof(at)) != 0 ||
        listen(fd, 1024) != 0 ||
        getsockname(fd, (struct sockaddr *)&at, &len) != 0)
        die("listen");
    *port = ntohs(at.sin_port);
    return fd;
}

static void add(int epoll_fd, int fd)
{
    struct epoll_event e = {.events = EPOLLIN, .data.fd = fd};

    if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &e) != 0)
        die("epoll_ctl");
}

static void accept_all(struct MHD_Daemon *daemon, int listener)
{
    struct sockaddr_in at;
    socklen_t len = sizeof(at);
    int fd;

    while ((fd = accept4(listener, (struct sockaddr *)&at, &len,
                         SOCK_NONBLOCK)) >= 0)
        MHD_add_connection(daemon, fd, (struct sockaddr *)&at, len);
}

/* Thread function; `arg` is the listening socket. */
static void *run_server(void *arg)
{
    int listener = (int)(intptr_t)arg, loop = epoll_create1(0);
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET, 0,
        NULL, NULL, serve, NULL, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)POOL_BYTES, MHD_OPTION_CONNECTION_TIMEOUT, 60u, MHD_OPTION_END);

    if (daemon == NULL)
        die("MHD_start_daemon");
    add(loop, MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd);
    add(loop, listener);
    for (;;) {
        struct epoll_event ready[16];
        MHD_UNSIGNED_LONG_LONG ms;
        int timeout = MHD_get_timeout(daemon, &ms) == MHD_YES && ms < 1000
                          ? (int)ms
                          : 1000;
        int i, n = epoll_wait(loop, ready, 16, timeout);

        for (i = 0; i < n; i++)
            if (ready[i].data.fd == listener)
                accept_all(daemon, listener);
        MHD_run(daemon);
    }
    return NULL;
}

static void start_servers(int *port)
{
    int i;

    for (i = 0; i < SERVERS; i++) {
        pthread_t t;

        if (pthread_create(&t, NULL, run_server,
                           (void *)(intptr_t)listen_on(port)) != 0)
            die("pthread_create");
    }
}

/* ---- the load ----------------------------------------------------------- */

static char request[2048];

static void write_request(void)
{
    (void)snprintf(request, sizeof(request),
                   "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                   "Content-Type: application/json\r\n"
                   "Accept: application/json, text/event-stream\r\n"
                   "MCP-Protocol-Version: 2026-07-28\r\n"
                   "Mcp-Method: tools/call\r\nMcp-Name: add\r\n"
                   "Content-Length: %zu\r\n\r\n%s",
                   sizeof(body) - 1, body);
}

static void ask(int fd)
{
    size_t len = strlen(request);

    if (send(fd, request, len, MSG_NOSIGNAL) != (ssize_t)len)
        die("send");
}

/* Answers are small and sent at once: one read is one answer. */
static void load(int port, size_t connections, double seconds)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int loop = epoll_create1(0);
    uint64_t begin, end, n = 0;
    size_t i;

    for (i = 0; i < connections; i++) {
        int one = 1, fd = socket(AF_INET, SOCK_STREAM, 0);

        if (connect(fd, (struct sockaddr *)&at, sizeof(at)) != 0)
            die("connect");
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
        add(loop, fd);
        ask(fd);
    }
    begin = now_ns();
    end = begin + (uint64_t)(seconds * 1e9);
    while (now_ns() < end) {
        struct epoll_event ready[64];
        int j, got = epoll_wait(loop, ready, 64, 5000);

        for (j = 0; j < got; j++) {
            char in[4096];

            if (recv(ready[j].data.fd, in, sizeof(in), 0) <= 0)
                die("the server hung up");
            n++;
            ask(ready[j].data.fd);
        }
    }
    printf("mhd_bare/fixed n=%llu calls/s=%.0f\n", (unsigned long long)n,
           (double)n * 1e9 / (double)(now_ns() - begin));
}

int main(int argc, char **argv)
{
    int port = 0, serves = argc > 2 && strcmp(argv[1], "serve") == 0;
    double seconds = argc > 1 && !serves ? strtod(argv[1], NULL) : 3;
    size_t connections = argc > 2 && !serves ? strtoul(argv[2], NULL, 10) : 32;

    if (serves)
        port = (int)strtol(argv[2], NULL, 10);
    if (serves && argc > 3) {
        sent_bytes = strtoul(argv[3], NULL, 10);
        sent = malloc(sent_bytes + 1);
        if (sent == NULL)
            die("no memory");
        memset(sent, ' ', sent_bytes);
    }
    if (!(seconds > 0 && seconds <= 600) || connections == 0 ||
        connections > MAX_CONNECTIONS || port < 0 || port > 65535) {
        fprintf(stderr, "usage: bench_mhd_bare [seconds [connections]]\n"
                        "       bench_mhd_bare serve PORT [BYTES]\n");
        return 2;
    }
    write_request();
    start_servers(&port);
    if (serves)
        for (;;)
            pause();
    load(port, connections, seconds);
    return 0;
}
