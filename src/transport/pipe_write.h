/*
 * pipe_write.h - writing to a pipe, a socket or a file without ever blocking
 *
 * The descriptor itself may be shared with others, so it is not made
 * non-blocking: at most PIPE_BUF bytes go after poll() has said that there is
 * room.
 *
 * Layer:  transport. Uses nothing.
 * Thread: one at a time for each descriptor.
 */
#ifndef MCP_TRANSPORT_PIPE_WRITE_H
#define MCP_TRANSPORT_PIPE_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Is `fd` a socket? */
bool mcp_pipe_is_socket(int fd);

/* Writes some of bytes[0..len). The count; 0: no room; -1: it failed, see
 * errno, which is EPIPE or ECONNRESET when nobody reads any more. */
ssize_t mcp_pipe_write(int fd, bool is_socket, const char *bytes, size_t len);

#endif
