/*
 * client_common.c - blocking sockets, no cleverness
 */
#include "client_common.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

int client_connect(int port)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port)};
    struct timeval limit = {.tv_sec = 10};
    int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;

    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(fd, (struct sockaddr *)&at, sizeof(at)) != 0) {
        close(fd);
        return -1;
    }
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    return fd;
}

void client_send(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t n = send(fd, bytes, len, MSG_NOSIGNAL);

        if (n <= 0)
            return;
        bytes += n;
        len -= (size_t)n;
    }
}

void client_puts(int fd, const char *text)
{
    client_send(fd, text, strlen(text));
}

void client_post(int fd, const char *extra, const char *body)
{
    char head[2048];

    (void)snprintf(head, sizeof(head),
                   "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                   "Content-Type: application/json\r\n%s"
                   "Content-Length: %zu\r\n\r\n",
                   extra, strlen(body));
    client_puts(fd, head);
    client_puts(fd, body);
}

/* 1: a byte came. */
static int read_byte(int fd, char *c)
{
    return recv(fd, c, 1, 0) == 1;
}

static int read_line(int fd, char *line, size_t size)
{
    size_t n = 0;
    char c;

    while (read_byte(fd, &c)) {
        if (n + 1 < size)
            line[n++] = c;
        if (c == '\n') {
            line[n] = '\0';
            return 1;
        }
    }
    line[n] = '\0';
    return 0;
}

static void read_exactly(int fd, struct answer *a, size_t len)
{
    a->body = realloc(a->body, a->len + len + 1);
    while (len > 0) {
        ssize_t n = recv(fd, a->body + a->len, len, 0);

        if (n <= 0)
            break;
        a->len += (size_t)n;
        len -= (size_t)n;
    }
    a->body[a->len] = '\0';
    a->whole = len == 0;
}

static void read_chunks(int fd, struct answer *a)
{
    char line[64];
    size_t n;

    a->chunked = 1;
    while (read_line(fd, line, sizeof(line))) {
        n = strtoul(line, NULL, 16);
        if (n > 0)
            read_exactly(fd, a, n);
        a->whole = 0;
        if (!read_line(fd, line, sizeof(line)))
            return;
        if (n == 0) {
            a->whole = 1;
            return;
        }
    }
}

const char *client_header(const struct answer *a, const char *name)
{
    static _Thread_local char value[512];
    const char *line = a->head;
    size_t n = strlen(name);

    while ((line = strstr(line, "\r\n")) != NULL) {
        line += 2;
        if (strncasecmp(line, name, n) == 0 && line[n] == ':') {
            const char *start = line + n + 1 + strspn(line + n + 1, " ");

            (void)snprintf(value, sizeof(value), "%.*s",
                           (int)strcspn(start, "\r"), start);
            return value;
        }
    }
    return NULL;
}

struct answer client_read(int fd)
{
    struct answer a = {0};
    char line[1024];
    size_t n = 0;

    do {
        n = 0;
        while (read_line(fd, line, sizeof(line)) &&
               n + strlen(line) < sizeof(a.head)) {
            memcpy(a.head + n, line, strlen(line) + 1);
            n += strlen(line);
            if (strcmp(line, "\r\n") == 0)
                break;
        }
        if (sscanf(a.head, "HTTP/1.%*d %d", &a.status) != 1)
            a.status = 0;
    } while (a.status == 100);
    a.body = calloc(1, 1);
    if (a.status == 0)
        return a;
    if (client_header(&a, "Transfer-Encoding") != NULL)
        read_chunks(fd, &a);
    else if (client_header(&a, "Content-Length") != NULL)
        read_exactly(fd, &a,
                     strtoul(client_header(&a, "Content-Length"), NULL, 10));
    return a;
}

int client_wait_for(int fd, const char *text)
{
    size_t matched = 0;
    char c;

    while (read_byte(fd, &c)) {
        matched = c == text[matched] ? matched + 1 : c == text[0];
        if (text[matched] == '\0')
            return 0;
    }
    return -1;
}

struct answer client_call(int port, const char *extra, const char *body)
{
    int fd = client_connect(port);
    struct answer a;

    client_post(fd, extra, body);
    a = client_read(fd);
    close(fd);
    return a;
}

int client_port(const char *url)
{
    const char *colon = strrchr(url, ':');

    return colon != NULL ? (int)strtol(colon + 1, NULL, 10) : -1;
}

int client_await(const void *counter, int n, int ms)
{
    const atomic_int *c = counter;

    for (; ms >= 0; ms -= 2) {
        if (atomic_load(c) >= n)
            return 0;
        usleep(2000);
    }
    return -1;
}
