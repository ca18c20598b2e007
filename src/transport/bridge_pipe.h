/*
 * bridge_pipe.h - the two ends towards the client: lines in, lines out
 *
 * No read and no write blocks, and neither descriptor is changed (others may
 * share it): reads and writes happen when poll() has said that they can.
 *
 * Layer:  transport; private to bridge*.c. Uses base/buf.
 * Thread: one.
 */
#ifndef MCP_TRANSPORT_BRIDGE_PIPE_H
#define MCP_TRANSPORT_BRIDGE_PIPE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "transport/bridge_scan.h"

struct mcp_bridge_out {
    int fd;
    bool is_socket;
    bool broken; /* nobody reads any more                            */
    int error;   /* errno when it broke for another reason, or 0     */
    struct mcp_buf queue;
    size_t pos; /* bytes of `queue` that are written                */
};

void mcp_bridge_out_init(struct mcp_bridge_out *o, int fd);
void mcp_bridge_out_free(struct mcp_bridge_out *o);

/* Queues a message as one line: line breaks in it, which are white space of
 * JSON, become blanks. */
void mcp_bridge_out_line(struct mcp_bridge_out *o, const char *text,
                         size_t len);

/* Nobody reads any more: what waits is forgotten. */
void mcp_bridge_out_break(struct mcp_bridge_out *o);

/* Writes what there is room for. */
void mcp_bridge_out_flush(struct mcp_bridge_out *o);

/* Bytes that wait. */
static inline size_t mcp_bridge_out_waiting(const struct mcp_bridge_out *o)
{
    return o->queue.len - o->pos;
}

enum { MCP_BRIDGE_CHUNK_BYTES = 64 * 1024 };

struct mcp_bridge_in {
    int fd;
    size_t max_bytes;
    struct mcp_buf line;         /* what has come of the present line */
    bool skipping;               /* the present line is too long      */
    struct mcp_bridge_scan scan; /* of that line */
    bool ended;                  /* no more input                     */
    size_t pos, len;             /* of the chunk                      */
    char chunk[MCP_BRIDGE_CHUNK_BYTES];
};

void mcp_bridge_in_init(struct mcp_bridge_in *in, int fd, size_t max_bytes);
void mcp_bridge_in_free(struct mcp_bridge_in *in);

/* Reads once; poll() has said that it will not block. */
void mcp_bridge_in_read(struct mcp_bridge_in *in);

/* Is there something in the chunk that has not been taken? */
static inline bool mcp_bridge_in_has(const struct mcp_bridge_in *in)
{
    return in->pos < in->len;
}

/* Takes from the chunk up to the end of a line. MCP_OK: `*text`, `*len` is a
 * line without its end, valid until the next call. Errors: MCP_ENOENT no line
 * has ended yet; MCP_ELIMIT a line with more than max_bytes has ended: `*text`
 * is the id in it as JSON text, or NULL. */
enum mcp_err mcp_bridge_in_take(struct mcp_bridge_in *in, const char **text,
                                size_t *len) MCP_MUST_USE;

#endif
