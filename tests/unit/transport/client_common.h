/*
 * client_common.h - a client that sends exact bytes and reads one answer
 */
#ifndef CLIENT_COMMON_H
#define CLIENT_COMMON_H

#include <stddef.h>

struct answer {
    int status; /* 0: the connection ended first */
    char head[4096];
    char *body; /* NUL-terminated, free() */
    size_t len;
    int chunked, whole; /* whole: the framing says that it is complete */
};

/* A connection to 127.0.0.1:`port`, with a 10 s limit on each read. */
int client_connect(int port);
void client_send(int fd, const char *bytes, size_t len);
void client_puts(int fd, const char *text);
/* A POST to /mcp with `extra` header lines ("A: b\r\n"). */
void client_post(int fd, const char *extra, const char *body);
/* Reads one answer; bytes of a next one stay in the socket. */
struct answer client_read(int fd);
/* Reads until `text` has come, or the end. 0: it came. Reads bytewise. */
int client_wait_for(int fd, const char *text);
/* The value of header `name` in a static buffer; NULL: none. */
const char *client_header(const struct answer *a, const char *name);
/* connect, post, read, close. */
struct answer client_call(int port, const char *extra, const char *body);
/* The port of "http://host:port/path". */
int client_port(const char *url);
/* Polls every 2 ms until *counter >= n, at most `ms`. 0: it is. */
int client_await(const void *counter, int n, int ms);

#endif
