/*
 * bridge_pipe.c - see bridge_pipe.h
 */
#include "transport/bridge_pipe.h"

#include <errno.h>
#include <stdint.h>
#include <unistd.h>

#include "transport/pipe_write.h"

enum { KEPT_BYTES = 64 * 1024 };

/* ---- out ---------------------------------------------------------------- */

void mcp_bridge_out_init(struct mcp_bridge_out *o, int fd)
{
    memset(o, 0, sizeof(*o));
    o->fd = fd;
    o->is_socket = mcp_pipe_is_socket(fd);
    mcp_buf_init(&o->queue, SIZE_MAX / 2);
}

void mcp_bridge_out_free(struct mcp_bridge_out *o)
{
    mcp_buf_free(&o->queue);
    o->pos = 0;
}

static void give_up(struct mcp_bridge_out *o, int error)
{
    o->broken = true;
    if (error != EPIPE && error != ECONNRESET)
        o->error = error;
    mcp_bridge_out_free(o);
}

void mcp_bridge_out_break(struct mcp_bridge_out *o)
{
    give_up(o, EPIPE);
}

void mcp_bridge_out_line(struct mcp_bridge_out *o, const char *text, size_t len)
{
    char *to;

    if (o->broken)
        return;
    to = mcp_buf_reserve(&o->queue, len + 1);
    if (to == NULL) {
        give_up(o, ENOMEM);
        return;
    }
    for (size_t i = 0; i < len; i++)
        to[i] = text[i] == '\n' || text[i] == '\r' ? ' ' : text[i];
    to[len] = '\n';
    o->queue.len += len + 1;
}

/* What is written is forgotten. */
static void shrink(struct mcp_bridge_out *o)
{
    struct mcp_buf *q = &o->queue;

    if (o->pos >= q->len) {
        if (q->cap > KEPT_BYTES)
            mcp_buf_free(q);
        mcp_buf_clear(q);
        o->pos = 0;
    } else if (o->pos > q->len / 2) {
        q->len -= o->pos;
        memmove(q->data, q->data + o->pos, q->len);
        o->pos = 0;
    }
}

void mcp_bridge_out_flush(struct mcp_bridge_out *o)
{
    while (!o->broken && o->pos < o->queue.len) {
        ssize_t n = mcp_pipe_write(o->fd, o->is_socket, o->queue.data + o->pos,
                                   o->queue.len - o->pos);

        if (n < 0)
            give_up(o, errno);
        if (n <= 0)
            break;
        o->pos += (size_t)n;
    }
    shrink(o);
}

/* ---- in ----------------------------------------------------------------- */

void mcp_bridge_in_init(struct mcp_bridge_in *in, int fd, size_t max_bytes)
{
    in->fd = fd;
    in->max_bytes = max_bytes;
    in->skipping = in->ended = false;
    in->pos = in->len = 0;
    mcp_buf_init(&in->line, max_bytes + 1); /* and a CR */
}

void mcp_bridge_in_free(struct mcp_bridge_in *in)
{
    mcp_buf_free(&in->line);
}

void mcp_bridge_in_read(struct mcp_bridge_in *in)
{
    ssize_t n = read(in->fd, in->chunk, sizeof(in->chunk));

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    in->pos = 0;
    in->len = n > 0 ? (size_t)n : 0;
    if (n > 0)
        return;
    in->ended = true;
    if (in->line.len > 0 || in->skipping) { /* the last line may lack its LF */
        in->chunk[0] = '\n';
        in->len = 1;
    }
}

/* A line is whole: it is in the buffer, or at `p` when the buffer is empty. */
static enum mcp_err end_line(struct mcp_bridge_in *in, const char *p, size_t n,
                             const char **text, size_t *len)
{
    const char *line = in->line.len > 0 ? in->line.data : p;
    size_t line_len = in->line.len > 0 ? in->line.len : n;

    in->line.len = 0; /* the bytes stay until the next call */
    if (line_len > 0 && line[line_len - 1] == '\r')
        line_len--;
    if (line_len > in->max_bytes) {
        memset(&in->scan, 0, sizeof(in->scan));
        mcp_bridge_scan_feed(&in->scan, line, line_len);
        *text = mcp_bridge_scan_id(&in->scan, len);
        return MCP_ELIMIT;
    }
    *text = line;
    *len = line_len;
    return MCP_OK;
}

/* A piece of a line that is too long. */
static enum mcp_err skip(struct mcp_bridge_in *in, const char *p, size_t n,
                         bool ends, const char **text, size_t *len)
{
    mcp_bridge_scan_feed(&in->scan, p, n);
    in->skipping = !ends;
    if (!ends)
        return MCP_ENOENT;
    *text = mcp_bridge_scan_id(&in->scan, len);
    return MCP_ELIMIT;
}

enum mcp_err mcp_bridge_in_take(struct mcp_bridge_in *in, const char **text,
                                size_t *len)
{
    const char *p = in->chunk + in->pos;
    size_t left = in->len - in->pos;
    const char *lf = left > 0 ? memchr(p, '\n', left) : NULL;
    size_t n = lf != NULL ? (size_t)(lf - p) : left;

    if (in->line.len == 0 && in->line.cap > KEPT_BYTES)
        mcp_buf_free(&in->line);
    in->pos += n + (lf != NULL);
    if (in->skipping)
        return skip(in, p, n, lf != NULL, text, len);
    if (lf != NULL && in->line.len == 0)
        return end_line(in, p, n, text, len); /* the usual case: no copy */
    mcp_buf_add(&in->line, p, n);
    if (in->line.failed) {
        memset(&in->scan, 0, sizeof(in->scan));
        mcp_bridge_scan_feed(&in->scan, in->line.data, in->line.len);
        mcp_buf_free(&in->line);
        mcp_buf_clear(&in->line);
        return skip(in, p, n, lf != NULL, text, len);
    }
    return lf != NULL ? end_line(in, p, n, text, len) : MCP_ENOENT;
}
