/*
 * http_load.c - tools/call over HTTP against the release binary, from one
 * thread by epoll on keep-alive connections
 *
 * Starts mcpluad with a small app on a free port, keeps every connection busy
 * with one request at a time, and prints per kind of request: calls, failures,
 * calls per second, and the time of the middle and of the slowest hundredth.
 * The machine is shared between server and load: only figures of one run
 * compare. `fixed` asks /healthz, which runs no Lua: the ceiling of that run.
 *
 *     bench_http_load [seconds [connections]]      default 3 and 32
 *
 * Layer:  none; a program of its own. Thread: one.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_CONNECTIONS 1024
#define MAX_SAMPLES     4000000
#define MAX_ANSWER      65536

struct conn {
    int fd;
    size_t have;      /* bytes of the answer so far */
    uint64_t sent_ns; /* CLOCK_MONOTONIC */
    char in[MAX_ANSWER];
};

struct run {
    const char *request;
    size_t request_len;
    uint64_t calls, failures;
    uint32_t *took_us; /* MAX_SAMPLES */
};

static const char app_text[] =
    "local mcp = require \"mcp\"\n"
    "mcp.server { name = \"bench\", version = \"1.0.0\" }\n"
    "mcp.tool(\"add\", { input_schema = { properties = {\n"
    "  { \"a\", { type = \"number\" } }, { \"b\", { type = \"number\" } } },\n"
    "  required = { \"a\", \"b\" } } },\n"
    "  function(a, b) return \"sum \" .. a + b end)\n";

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void die(const char *what)
{
    fprintf(stderr, "http_load: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* Starts the server; its pid, and its port from the banner. */
static pid_t start_server(const char *app, int *port)
{
    int err[2];
    if (pipe(err) != 0)
        die("pipe");
    pid_t pid = fork();
    if (pid == 0) {
        dup2(err[1], 2);
        close(err[0]);
        execl(MCP_BINARY_DIR "/mcpluad", "mcpluad", "--port", "0", app,
              (char *)NULL);
        _exit(127);
    }
    close(err[1]);
    char text[8192];
    size_t len = 0;
    for (;;) {
        ssize_t n = read(err[0], text + len, sizeof text - 1 - len);
        if (n <= 0)
            die("the server ended, or said too much, before its URL");
        len += (size_t)n;
        text[len] = '\0';
        const char *url = strstr(text, "http://127.0.0.1:");
        if (url && strchr(url, '\n')) {
            *port = (int)strtol(url + strlen("http://127.0.0.1:"), NULL, 10);
            return pid; /* err[0] stays open, or its log would fail */
        }
    }
}

static int connect_to(int port)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof at) != 0)
        die("connect");
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return fd;
}

static void send_request(struct conn *c, const struct run *r)
{
    c->have = 0;
    c->sent_ns = now_ns();
    if (send(c->fd, r->request, r->request_len, MSG_NOSIGNAL) !=
        (ssize_t)r->request_len)
        die("send");
}

/* True when `c->in` holds one whole answer with a Content-Length. */
static bool is_whole(struct conn *c)
{
    c->in[c->have] = '\0';
    const char *end = strstr(c->in, "\r\n\r\n");
    if (!end)
        return false;
    const char *length = strcasestr(c->in, "\r\nContent-Length:");
    if (!length || length > end)
        die("an answer without Content-Length");
    size_t body = strtoul(length + strlen("\r\nContent-Length:"), NULL, 10);
    return c->have >= (size_t)(end + 4 - c->in) + body;
}

static bool is_success(const struct conn *c)
{
    return strncmp(c->in, "HTTP/1.1 200", 12) == 0 &&
           !strstr(c->in, "\"error\"") && !strstr(c->in, "\"isError\":true");
}

static void on_readable(struct conn *c, struct run *r)
{
    ssize_t n = recv(c->fd, c->in + c->have, sizeof c->in - 1 - c->have, 0);
    if (n <= 0)
        die("the server hung up");
    c->have += (size_t)n;
    if (!is_whole(c))
        return;
    if (r->calls < MAX_SAMPLES)
        r->took_us[r->calls] = (uint32_t)((now_ns() - c->sent_ns) / 1000);
    r->calls++;
    if (!is_success(c))
        r->failures++;
    send_request(c, r);
}

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void measure(const char *name, int port, size_t connections,
                    double seconds, const char *request)
{
    static struct conn conns[MAX_CONNECTIONS];
    static uint32_t took_us[MAX_SAMPLES];
    struct run r = {
        .request = request, .request_len = strlen(request), .took_us = took_us};
    int ep = epoll_create1(0);
    for (size_t i = 0; i < connections; i++) {
        conns[i].fd = connect_to(port);
        struct epoll_event ev = {.events = EPOLLIN, .data.ptr = &conns[i]};
        epoll_ctl(ep, EPOLL_CTL_ADD, conns[i].fd, &ev);
        send_request(&conns[i], &r);
    }
    uint64_t begin = now_ns(), end = begin + (uint64_t)(seconds * 1e9);
    while (now_ns() < end) {
        struct epoll_event ready[64];
        int n = epoll_wait(ep, ready, 64, 5000);
        if (n == 0)
            die("no answer in 5 s");
        for (int i = 0; i < n; i++)
            on_readable(ready[i].data.ptr, &r);
    }
    double took = (double)(now_ns() - begin) / 1e9;
    for (size_t i = 0; i < connections; i++)
        close(conns[i].fd);
    close(ep);
    size_t samples = r.calls < MAX_SAMPLES ? (size_t)r.calls : MAX_SAMPLES;
    qsort(took_us, samples, sizeof *took_us, by_value);
    printf("http_load/%s n=%llu failures=%llu calls/s=%.0f p50_us=%u "
           "p99_us=%u\n",
           name, (unsigned long long)r.calls, (unsigned long long)r.failures,
           (double)r.calls / took, took_us[samples / 2],
           took_us[samples * 99 / 100]);
}

/* A POST with the routing headers of a modern request. OWNED: free(). */
static char *post(const char *method, const char *name, const char *params)
{
    static const char meta[] =
        "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
        "\"io.modelcontextprotocol/clientCapabilities\":{}}";
    char *body, *all;
    if (asprintf(&body,
                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\","
                 "\"params\":{%s%s}}",
                 method, params, meta) < 0 ||
        asprintf(&all,
                 "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                 "Content-Type: application/json\r\n"
                 "Accept: application/json, text/event-stream\r\n"
                 "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: %s\r\n"
                 "%s%s%sContent-Length: %zu\r\n\r\n%s",
                 method, name ? "Mcp-Name: " : "", name ? name : "",
                 name ? "\r\n" : "", strlen(body), body) < 0)
        die("out of memory");
    free(body);
    return all;
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 3;
    size_t connections = argc > 2 ? strtoul(argv[2], NULL, 10) : 32;
    if (!(seconds > 0 && seconds <= 600) || connections == 0 ||
        connections > MAX_CONNECTIONS) {
        fprintf(stderr, "usage: bench_http_load [seconds [connections]]\n");
        return 2;
    }
    static const char app[] = MCP_BINARY_DIR "/bench/http_load.lua";
    int port = 0;
    FILE *file = fopen(app, "w");
    if (!file || fputs(app_text, file) < 0 || fclose(file) != 0)
        die(app);
    pid_t server = start_server(app, &port);
    char *call = post("tools/call", "add",
                      "\"name\":\"add\",\"arguments\":{\"a\":1,\"b\":2},");
    char *list = post("tools/list", NULL, "");
    measure("fixed", port, connections, seconds,
            "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    measure("tools_list", port, connections, seconds, list);
    measure("tools_call", port, connections, seconds, call);
    free(call);
    free(list);
    kill(server, SIGTERM);
    waitpid(server, NULL, 0);
    return 0;
}
