/*
 * stdio_channel.h - the way back to the client, and the calls under way
 *
 * A line leaves at once if the pipe has room, from whatever thread has it;
 * otherwise it waits in a queue that the reader's loop writes. No write ever
 * blocks: at most PIPE_BUF bytes go after poll() has said that there is room,
 * so the descriptor, which others may share, need not be made non-blocking. So
 * a client that writes without reading cannot stop the reading before the
 * queue is full.
 *
 * A channel lives until the last call is done, which may be after the server
 * has ended: done() then only frees.
 *
 * Layer:  transport; private to stdio*.c. Uses base.
 * Thread: any, unless a comment says otherwise.
 */
#ifndef MCP_TRANSPORT_STDIO_CHANNEL_H
#define MCP_TRANSPORT_STDIO_CHANNEL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/call.h"
#include "base/config.h"

struct mcp_endpoint;
struct mcp_stdio_channel;

/* One line under way. */
struct mcp_stdio_call {
    struct mcp_call call; /* first: ops get a call and need this */
    struct mcp_stdio_channel *channel;
    struct mcp_stdio_call *prev, *next; /* in channel->calls or ->free */
    struct mcp_buf body;
    unsigned refs; /* of done(), and of who tells it that the client left */
    bool told;
};

struct mcp_stdio_channel {
    const struct mcp_config *config; /* BORROWED, until closed */
    int out, event_fd;               /* event_fd: the loop should look again */
    bool is_socket;
    struct mcp_arena *memory; /* holds this and the calls */

    pthread_mutex_t lock; /* of all below; never held across a call down */
    struct mcp_buf queue;
    size_t queue_pos; /* bytes of `queue` that are written */
    bool broken;      /* the client does not read any more */
    int write_error;  /* errno when it broke for another reason, or 0 */
    bool stopping;    /* calls that were told end as "shutting down"  */
    bool closed;      /* the server has ended              */
    bool told_slow;
    bool waiting;                /* the loop wants to know when a call ends */
    struct mcp_stdio_call calls; /* head of the list of those under way */
    struct mcp_stdio_call *free;
    size_t call_count, refs;
};

/* A channel to descriptor `out`. NULL: out of memory or descriptors. */
struct mcp_stdio_channel *mcp_stdio_channel_new(const struct mcp_config *config,
                                                int out) MCP_MUST_USE;

/* The server has ended: nothing is written any more. The loop's reference is
 * given back. */
void mcp_stdio_channel_close(struct mcp_stdio_channel *ch);

/* A call for a message, counted as under way until done(). NULL: out of
 * memory. */
struct mcp_stdio_call *mcp_stdio_call_new(struct mcp_stdio_channel *ch,
                                          const char *body,
                                          size_t len) MCP_MUST_USE;

/* Cancels each call under way: the client left or, if `stopping`, the server
 * ends; then they are answered so. Returns how many there were. */
size_t mcp_stdio_cancel_all(struct mcp_stdio_channel *ch,
                            struct mcp_endpoint *endpoint, bool stopping);

/* What the loop needs to know, in one look. */
struct mcp_stdio_state {
    size_t calls;        /* under way                     */
    size_t unsent_bytes; /* in the queue                  */
    bool broken;
    int write_error; /* why, unless the client has closed its end: errno */
};

/* `wait`: ring event_fd when a call ends. */
struct mcp_stdio_state mcp_stdio_look(struct mcp_stdio_channel *ch, bool wait);

/* Writes of the queue what there is room for. The loop's. */
void mcp_stdio_flush(struct mcp_stdio_channel *ch);

/* The client has closed its end: what is queued will never be read. */
void mcp_stdio_break(struct mcp_stdio_channel *ch);

#endif
