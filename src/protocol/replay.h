/*
 * replay.h - streams of legacy sessions over HTTP that survive their connection
 *
 * Whatever such a stream carries has an id and is kept for a while. A client
 * that lost the connection, or whose connection the server closed to spare it
 * (sse_poll_after), gets the rest by a GET with Last-Event-ID: what is kept of
 * that stream, then what still comes, at last the answer.
 *
 * A stream is named by what writes it: each call of the session that says
 * something before its answer has a stream of its own; all GETs that listen for
 * changes are stream 0, one after the other. An end is the part of one exchange
 * in it: the call that writes, the GET that listens, or the GET that reads on
 * where the connection of the call broke off.
 *
 *     call --write--> [number, send to the reader, keep] --> finish
 *      its own connection reads at first; left or poll: nobody does;
 *      resume: that GET does, and whoever did ends
 *
 * Ids are "key-stream-number": the key is the session's, 64 random bits.
 *
 * Which revisions: ids and resuming for all legacy ones; the event without data
 * that primes the client, `retry`, and closing early from 2025-11-25 on, since
 * older clients take every event for a message.
 *
 * Layer:  protocol. Uses protocol/event_id, event_store; base/call.
 * Thread: any. One lock, held while an event is copied to the transport; the
 *         order is this lock, then the transport's.
 * Source: MCP 2025-11-25, basic/transports, "Sending Messages to the Server",
 *         "Resumability and Redelivery"; SEP-1699.
 */
#ifndef MCP_PROTOCOL_REPLAY_H
#define MCP_PROTOCOL_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/call.h"
#include "base/err.h"
#include "protocol/event_store.h"

enum {
    MCP_REPLAY_SESSION_EVENTS = 1000,
    MCP_REPLAY_SESSION_BYTES = 4 << 20, /* no more than one stream may have
                                           unsent, so all of it can be sent   */
    MCP_REPLAY_BYTES = 64 << 20,        /* of all sessions                    */
    MCP_REPLAY_KEEP_S = 300,
    MCP_REPLAY_AWAY_S = 30,     /* then a client that does not come back for
                                   a question has left                        */
    MCP_REPLAY_RETRY_MS = 1000, /* between two polls                          */
};

struct mcp_replay;
struct mcp_replay_end;

/* What a session keeps. Zeroed at first. */
struct mcp_replay_log {
    struct mcp_replay *replay; /* NULL: nothing so far        */
    struct mcp_event_log events;
    uint64_t key;
    uint64_t streams;  /* calls so far that had one           */
    uint64_t listened; /* last event of stream 0              */
    struct mcp_replay_end *listener;
};

enum mcp_replay_kind {
    MCP_REPLAY_CALL,     /* writes; reads until its connection ends     */
    MCP_REPLAY_LISTENER, /* writes and reads stream 0                   */
    MCP_REPLAY_READER,   /* reads the stream of a call                  */
};

/* In an exchange; zeroed at first. */
struct mcp_replay_end {
    struct mcp_replay *replay; /* NULL: this exchange keeps nothing */
    struct mcp_replay_log *log;
    struct mcp_call *call;
    const struct mcp_call_ops *ops; /* the transport's                      */
    bool polls;                     /* its client may be told to come again */

    /* under the lock */
    enum mcp_replay_kind kind;
    enum { MCP_REPLAY_NEW, MCP_REPLAY_OPEN, MCP_REPLAY_CLOSED } state;
    uint64_t stream, number;       /* of its last event                   */
    uint64_t after;                /* LISTENER: what the client has       */
    bool resumes;                  /* LISTENER: `after` counts            */
    struct mcp_replay_end *reader; /* CALL: who reads, or NULL            */
    struct mcp_replay_end *writer; /* READER: whom                        */
    uint64_t away_ns;              /* CALL: nobody reads since            */
    bool missed;                   /* CALL: the app heard that nobody will */
    struct mcp_replay_end *prev, *next; /* of all open calls */
};

void mcp_replay_free(struct mcp_replay *r);

/* `limits` NULL: the usual ones. OWNED. NULL: out of memory. */
struct mcp_replay *mcp_replay_new(const struct mcp_event_limits *limits)
    MCP_OWNED(mcp_replay_free) MCP_MUST_USE;

/* Begins an end, which must be finished: `call` is of a session with this
 * `log`. Its messages go through mcp_replay_write() from now on; call->ops is
 * the transport's still. `polls`: sse_poll_after is set. */
void mcp_replay_begin(struct mcp_replay *r, struct mcp_replay_log *log,
                      struct mcp_replay_end *end, struct mcp_call *call,
                      bool polls);

/* The end belongs to a GET that listens, not to a call. */
void mcp_replay_listen(struct mcp_replay_end *end);

/* Opens the stream if need be; then, if len > 0, sends msg[0..len) to whoever
 * reads and keeps it. Nobody reads, or no longer: that is no error.
 * Errors: those of emit. */
enum mcp_err mcp_replay_write(struct mcp_replay_end *end, const char *msg,
                              size_t len) MCP_MUST_USE;

/* The exchange is over, call->out holds the answer, if any. If a stream is
 * open the answer is kept too, and call->answer_event is set. Returns a GET
 * that was reading, whose call now has the answer: the caller finishes its
 * exchange. NULL: none. Harmless for an end that was never begun. */
struct mcp_replay_end *
mcp_replay_finish(struct mcp_replay_end *end) MCP_MUST_USE;

enum mcp_replay_left {
    MCP_REPLAY_LOST,    /* what it was to read is lost                     */
    MCP_REPLAY_KEPT,    /* a call that can be resumed                      */
    MCP_REPLAY_TO_END,  /* a GET: the caller finishes its exchange         */
    MCP_REPLAY_NOTHING, /* a GET that somebody else finishes, or no call  */
};

/* The connection of `end` is over. */
enum mcp_replay_left mcp_replay_left(struct mcp_replay_end *end) MCP_MUST_USE;

/* Its stream has been open for sse_poll_after: the connection of a call is
 * told to end; a GET is returned, whose exchange the caller finishes. NULL:
 * nothing to do. */
struct mcp_replay_end *mcp_replay_poll(struct mcp_replay_end *end) MCP_MUST_USE;

enum mcp_replay_resumed {
    MCP_REPLAY_READS,   /* it stays open                                     */
    MCP_REPLAY_LISTENS, /* a listener: it is opened by mcp_replay_write()    */
    MCP_REPLAY_ANSWERS, /* to be finished: call->out is the answer, or empty */
    MCP_REPLAY_OVER,    /* there was and will be nothing more                */
    MCP_REPLAY_UNKNOWN, /* the id is not one of this session                 */
    MCP_REPLAY_GONE,    /* it was one, and its stream is no longer kept      */
    MCP_REPLAY_FAILED,  /* see *err                                          */
};

/* The GET `end` wants what came after the event id[0..len). `*old`: another GET
 * that was reading, whose exchange the caller finishes; NULL: none. `*err` is
 * one of those of emit. */
enum mcp_replay_resumed mcp_replay_resume(struct mcp_replay_end *end,
                                          const char *id, size_t len,
                                          struct mcp_replay_end **old,
                                          enum mcp_err *err) MCP_MUST_USE;

/* Drops what has been kept long enough, and tells of each call whose stream
 * nobody has read for MCP_REPLAY_AWAY_S, once and with the lock held. */
void mcp_replay_sweep(struct mcp_replay *r,
                      void (*away)(void *user, struct mcp_call *call),
                      void *user);

/* The session ends: nobody has an end in it. */
void mcp_replay_forget(struct mcp_replay_log *log);

/* Bytes kept of all sessions. */
size_t mcp_replay_bytes(struct mcp_replay *r);

#endif
