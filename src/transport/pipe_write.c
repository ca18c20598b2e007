/*
 * pipe_write.c - see pipe_write.h
 */
#include "transport/pipe_write.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SOCKET_BYTES = 256 * 1024 };

bool mcp_pipe_is_socket(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode);
}

ssize_t mcp_pipe_write(int fd, bool is_socket, const char *bytes, size_t len)
{
    struct pollfd p = {.fd = fd, .events = POLLOUT};
    ssize_t n;

    if (is_socket) {
        n = send(fd, bytes, len < SOCKET_BYTES ? len : SOCKET_BYTES,
                 MSG_DONTWAIT | MSG_NOSIGNAL);
    } else {
        if (poll(&p, 1, 0) <= 0 || (p.revents & POLLOUT) == 0) {
            errno = EPIPE;
            return (p.revents & (POLLERR | POLLNVAL)) != 0 ? -1 : 0;
        }
        n = write(fd, bytes, len < PIPE_BUF ? len : PIPE_BUF);
    }
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
        return 0;
    return n < 0 ? -1 : n;
}
