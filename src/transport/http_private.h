/*
 * http_private.h - the structs that the http_*.c files share
 *
 * Who owns a request. A request object lives as long as one of two sides
 * needs it, and only the io thread counts them:
 *
 *   conn_live   libmicrohttpd may still call us for it: from the first call
 *               of the access handler until its completed callback
 *   call_live   the call was given to the endpoint and done() has not been
 *               seen by the io thread
 *
 * A client that leaves ends conn_live first; an answer ends call_live first;
 * whichever comes last gives the object back (mcp_http_request_settle()).
 *
 * What crosses threads. A worker touches, of a request object, only the call
 * itself, the stream under its lock, `left`, and `signals`. It says "there is
 * something to send" (MCP_HTTP_WAKE) or "done" (MCP_HTTP_DONE) by setting a bit
 * in `signals`; who sets the first bit pushes the object onto the mailbox of
 * the io thread and rings when that thread sleeps. The io thread takes the
 * whole stack, clears the bits of each object and acts. It therefore sees
 * done() only in its loop, after the access handler has returned: done() can
 * never overtake the suspension. done() on the io thread itself, while
 * mcp_endpoint_handle() runs (`in_handle`), is merely noted.
 *
 *   access handler --handle()--> worker --signals, mailbox--> io loop
 *        |  not done yet                                        |
 *        +--- MHD_suspend_connection       MHD_resume_connection+
 *
 * A client that leaves. libmicrohttpd does not watch suspended connections, so
 * the loop does (EPOLLRDHUP, one shot; `watched`) once a call is slow, and for
 * streams. A hang-up sets `left`, tells the endpoint, and resumes; the access
 * handler then refuses the connection, the content reader ends with an error,
 * and the completed callback ends conn_live. The watch is removed before the
 * object is given back, so an event can be stale only within one batch; its
 * generation number tells.
 *
 * The end of the server. Calls that outlive the grace period are orphaned: the
 * bit MCP_HTTP_ORPHAN in `signals` makes done() free the object on the spot.
 * Requests, connections and the mailbox live in the mailbox's arena, which
 * the last reference frees.
 *
 * Layer:  transport; private to http*.c.
 * Thread: io, unless a comment says otherwise.
 */
#ifndef MCP_TRANSPORT_HTTP_PRIVATE_H
#define MCP_TRANSPORT_HTTP_PRIVATE_H

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/here.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/call.h"
#include "base/config.h"
#include "transport/http.h"
#include "transport/http_check.h"
#include "transport/http_listen.h"
#include "transport/http_role.h"

struct mcp_http_io;
struct mcp_http_request;

/* Doubly linked, the head is a link of its own; an unlinked link points to
 * itself. */
struct mcp_http_link {
    struct mcp_http_link *prev, *next;
};

/* What mcp_http_start() takes from its constants; tests set smaller ones. */
struct mcp_http_limits {
    uint64_t slow_ns;    /* after it a suspended call is watched         */
    uint64_t wait_ns;    /* for a whole head, and again for a whole body */
    unsigned idle_s;     /* without any byte moved                       */
    uint64_t linger_ns;  /* reading on after a refused body              */
    size_t stream_bytes; /* unsent messages of one stream                */
    size_t body_bytes; /* of all large bodies at once, if 2 max_body is less */
    unsigned threads;  /* 0: one per core, at most 4                   */
};

/* Larger buffers go with their call. */
enum { MCP_HTTP_KEPT_BYTES = 64 * 1024 };

/* What libmicrohttpd keeps for a connection (connection_memory): the head of
 * its request, of which each header takes some bytes more, what came behind it,
 * and the head of the answer. An answer whose head has no room there would be
 * none at all. */
enum {
    MCP_HTTP_HEADER_BYTES = 64,
    MCP_HTTP_OWN_HEAD_BYTES = 1024,     /* of answers, what we write   */
    MCP_HTTP_APP_HEAD_BYTES = 6 * 1024, /* the same, what an app writes */
};

/* In our epoll: the tag of a connection that waits for long, beside its
 * descriptor. Of a descriptor that was closed no event is left, and none is
 * closed between the events of one turn. */
#define MCP_HTTP_TAG_IDLE (UINT64_C(1) << 31)

/* Unused requests of one io thread that keep their memory. */
enum { MCP_HTTP_KEPT_REQUESTS = 256 };

enum mcp_http_signal {
    MCP_HTTP_WAKE = 1,   /* the stream has something to send */
    MCP_HTTP_DONE = 2,   /* the call has ended               */
    MCP_HTTP_ORPHAN = 4, /* nobody waits for done() any more */
    MCP_HTTP_DETACH = 8, /* the stream ends before the call  */
};

/* Where workers leave requests for an io thread. Any thread. */
struct mcp_http_mailbox {
    _Atomic(struct mcp_http_request *) top;
    atomic_bool asleep; /* the io thread waits: ring */
    int event_fd;
    _Atomic(pthread_t) thread; /* the io thread: who holds the role        */
    struct mcp_http_role role; /* of it                                    */
    atomic_uint refs;          /* the io's threads, orphans, ringers       */
    struct mcp_arena *memory;  /* itself, connections, requests; used by the
                                  io thread only                            */
};

/* One TCP connection. */
struct mcp_http_connection {
    struct mcp_http_link link; /* in io->waiting or io->idle, or free */
    int fd;
    bool watched;         /* its socket is in our epoll */
    uint64_t since_ns;    /* a request is awaited since */
    struct mcp_buf query; /* of the present request      */
    struct mcp_buf path;  /* of the same, as it came      */
};

enum mcp_http_list {
    MCP_HTTP_YOUNG,   /* suspended, not watched yet             */
    MCP_HTTP_SLOW,    /* watched; becomes a stream at sse_after */
    MCP_HTTP_STREAMS, /* next comment                           */
    MCP_HTTP_LISTS,
};

/* The headers that the transport itself looks at, beside Accept. */
enum mcp_http_header {
    MCP_HTTP_HOST,
    MCP_HTTP_ORIGIN,
    MCP_HTTP_EXPECT,
    MCP_HTTP_CONTENT_TYPE,
    MCP_HTTP_CONTENT_LENGTH,
    MCP_HTTP_TRANSFER_ENCODING,
    MCP_HTTP_HEADERS,
};

enum mcp_http_route {
    MCP_HTTP_NOWHERE, /* not known yet                       */
    MCP_HTTP_ROUTES,  /* of the app: all that is none of these */
    MCP_HTTP_ENDPOINT,
    MCP_HTTP_HEALTH,
    MCP_HTTP_READY,
};

#define MCP_HTTP_ALLOWED "POST, GET, DELETE, OPTIONS"

struct mcp_http_request {
    struct mcp_call call; /* first: ops get a call and need the request */
    struct mcp_http_io *io;
    struct mcp_http_mailbox *mailbox;
    struct mcp_http_request *next; /* mailbox stack or free list */
    struct mcp_http_link link;     /* in one of io->lists        */
    struct mcp_http_link busy;     /* in io->busy: dispatched    */
    struct mcp_http_link poll;     /* in io->polls: a stream     */
    uint64_t stream_ns;            /* since when                 */
    atomic_uint signals;

    struct MHD_Connection *mhd; /* NULL once completed */
    struct mcp_http_connection *connection;
    uint32_t index, generation; /* of the watch          */
    uint64_t since_ns;          /* of its place in a list */
    bool conn_live, call_live;
    bool called;       /* given to the endpoint                          */
    bool in_handle;    /* mcp_endpoint_handle() runs on the io thread    */
    bool done;         /* the answer is there                            */
    bool suspended;    /* by us, not resumed                             */
    bool here;         /* its handler is about to run on this thread     */
    bool watched;      /* its socket is in our epoll                     */
    bool streaming;    /* the answer is an event stream                  */
    bool detached;     /* the stream ends, the call goes on              */
    bool told;         /* the endpoint knows that the peer left          */
    bool stopped;      /* the server ends: it is answered so, by the io thread;
                          written under `lock`                           */
    bool linger;       /* refused before its body was read: read on      */
    bool malformed;    /* a header cannot be trusted                     */
    bool emitted;      /* a message was sent while in_handle             */
    size_t tail_pos;   /* bytes of the last event that are sent          */
    size_t head_bytes; /* of the request, in the pool                  */

    struct mcp_buf body;
    size_t body_counted; /* in http->body_bytes, for the body */
    size_t more_counted; /* for the parsed message and for a large answer */
    int refusal;         /* HTTP status to refuse with, 0: none */
    const char *refusal_message;
    const char *allow;  /* Allow header of a 405, or NULL         */
    const char *origin; /* value of an allowed Origin, or NULL    */
    struct mcp_http_accept accept;
    bool takes_json, takes_sse;
    enum mcp_http_route route;
    struct {
        const char *value; /* of the first; NULL: none */
        unsigned count;
    } seen[MCP_HTTP_HEADERS];

    pthread_mutex_t lock; /* of the following, io and worker */
    struct mcp_buf stream;
    size_t stream_pos; /* bytes of `stream` that are sent */
    bool reserved;     /* counted in http->streams        */
    bool too_slow;     /* logged                          */
    atomic_bool left;  /* the peer is gone                */
};

/* One io thread. */
struct mcp_http_io {
    struct mcp_http *http;
    unsigned index;
    atomic_bool held; /* one of its threads turns the loop                   */
    bool started;
    struct mcp_here here; /* quick handlers, to be run between two turns     */
    struct MHD_Daemon *daemon;
    int epoll_fd;
    int listeners[MCP_HTTP_ADDRESSES]; /* -1: none */
    bool accepting;                    /* they are in the epoll */
    uint64_t accept_again_ns;          /* after EMFILE or the limit; 0: now */
    uint64_t tell_again_ns;            /* EMFILE, in the log */
    struct mcp_http_mailbox *mailbox;
    struct mcp_http_link waiting;               /* connections */
    struct mcp_http_link idle;                  /* those that wait for long */
    struct mcp_http_link lists[MCP_HTTP_LISTS]; /* requests    */
    struct mcp_http_link busy;
    struct mcp_http_link polls; /* streams that sse_poll_after may end */
    struct mcp_http_link free_connections;
    struct mcp_http_request *free_requests; /* at most MCP_HTTP_KEPT_REQUESTS */
    struct mcp_http_request *bare_requests; /* the same, without memory       */
    size_t free_count;                      /* in free_requests               */
    struct mcp_http_request **requests;     /* by index */
    uint32_t request_count, request_room;
    uint64_t next_sweep_ns;
    bool resumed;   /* since the last MHD_run, which alone sees it */
    bool progress;  /* a piece of a body came in the last turn             */
    unsigned spins; /* turns in a row that libmicrohttpd wanted for nothing */
    bool draining;
    uint64_t end_ns; /* of the grace, then of the wait for the cancelled */
    bool cancelled;  /* the grace is over */
    struct {
        int fd;
        uint64_t until_ns;
    } linger[32];
    size_t linger_count;
};

enum mcp_http_state { MCP_HTTP_SERVING, MCP_HTTP_DRAINING };

struct mcp_http {
    struct mcp_http_options options;
    struct mcp_http_limits limits;
    struct mcp_http_address address;
    char path[256]; /* of the endpoint, no slash at the end; "" is "/" */
    char url[512];
    size_t connection_limit;
    bool reduced;
    atomic_int state; /* enum mcp_http_state */
    _Atomic uint64_t end_ns;
    atomic_uint draining;         /* io threads that have seen the stop    */
    atomic_size_t draining_calls; /* under way when they saw it            */
    atomic_size_t stopped_calls;  /* that outlasted the grace              */
    atomic_size_t connections, streams;
    atomic_size_t body_bytes; /* held by bodies beyond MCP_HTTP_KEPT_BYTES */
    atomic_bool told_streams; /* in the log: there are too many            */
    unsigned io_count;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    /* under lock: io loops that have not ended; threads that have not begun */
    unsigned loops, starting;
    struct mcp_http_io io[4];
    struct mcp_arena *memory; /* holds this */
};

/* -- http.c --------------------------------------------------------------- */

/* mcp_http_start() with other limits than the usual. */
enum mcp_err mcp_http_start_with(const struct mcp_http_options *options,
                                 const struct mcp_http_limits *limits,
                                 struct mcp_http **out, char *message,
                                 size_t message_size) MCP_MUST_USE;
extern const struct mcp_http_limits mcp_http_default_limits;

/* -- http_io.c: the loop -------------------------------------------------- */

/* Prepares everything but the thread. Errors: MCP_ENOMEM, MCP_EINTERNAL. */
enum mcp_err mcp_http_io_open(struct mcp_http_io *io, struct mcp_http *http,
                              unsigned index) MCP_MUST_USE;
/* Thread function. Ends some time after http->state is MCP_HTTP_DRAINING. */
void mcp_http_io_run(void *io);
/* After the thread has ended, or if it never started. */
void mcp_http_io_close(struct mcp_http_io *io);
/* Reads on, for a while, what the peer sends on connection `fd`, which is about
 * to be closed: closing with unread bytes would reset the connection and take
 * the refusal with it. */
void mcp_http_io_linger(struct mcp_http_io *io, int fd);
/* Ends an unlucky start or begins the drain: wakes the loop. Any thread. */
void mcp_http_io_ring(struct mcp_http_io *io);

/* -- http_timer.c: watches and timed lists -------------------------------- */

/* Puts the request at the end of a list, its time starting now. */
void mcp_http_enlist(struct mcp_http_request *r, enum mcp_http_list list);
void mcp_http_delist(struct mcp_http_request *r);
/* The answer is a stream from now on, and the call has not ended. */
void mcp_http_begin_stream(struct mcp_http_request *r);
void mcp_http_watch(struct mcp_http_request *r);
void mcp_http_unwatch(struct mcp_http_request *r);
/* The peer of watch `id` hung up. */
void mcp_http_hung_up(struct mcp_http_io *io, uint64_t id);
/* Does what is due. */
void mcp_http_run_timers(struct mcp_http_io *io, uint64_t now_ns);
/* The connection that has waited longest for a request, or NULL. */
struct mcp_http_connection *
mcp_http_longest_waiting(const struct mcp_http_io *io);
/* When more is due; UINT64_MAX: never. */
uint64_t mcp_http_next_timer_ns(const struct mcp_http_io *io);
/* A connection waits for a request from now on, or no more. */
void mcp_http_await(struct mcp_http_io *io, struct mcp_http_connection *c);
void mcp_http_unawait(struct mcp_http_io *io, struct mcp_http_connection *c);

/* -- http_request.c: request objects -------------------------------------- */

struct mcp_http_mailbox *mcp_http_mailbox_new(void);
void mcp_http_mailbox_release(struct mcp_http_mailbox *mb);
/* Takes a request from the cache. NULL: out of memory. */
struct mcp_http_request *mcp_http_request_new(struct mcp_http_io *io);
/* Gives the request back when neither side needs it. */
void mcp_http_request_settle(struct mcp_http_request *r);
/* Acts on everything that lies in the mailbox. True: there was something. */
bool mcp_http_collect(struct mcp_http_io *io);
/* The peer is gone: tells the endpoint, wakes the connection. */
void mcp_http_request_left(struct mcp_http_request *r);
void mcp_http_request_suspend(struct mcp_http_request *r);
void mcp_http_request_resume(struct mcp_http_request *r);
/* Makes the request a stream if it may be one. With r->lock held.
 * False: the client takes none, or there are too many. */
bool mcp_http_request_stream(struct mcp_http_request *r);
/* The server ends before the call: cancels it and answers in its stead. */
void mcp_http_request_stop(struct mcp_http_request *r);
/* Sends a comment line on a stream that has nothing to say. */
void mcp_http_request_comment(struct mcp_http_request *r);
/* The end: calls that are still with the endpoint will free themselves, and no
 * connection stays suspended. */
void mcp_http_orphan_all(struct mcp_http_io *io);
void mcp_http_free_requests(struct mcp_http_io *io);

/* -- http_head.c: the head of a request ----------------------------------- */

/* Copies method, path, query and headers into the call. False: no memory. */
bool mcp_http_copy_head(struct mcp_http_request *r, const char *url,
                        const char *method) MCP_MUST_USE;
/* Sets the route, what the client takes, and perhaps a refusal. */
void mcp_http_check_head(struct mcp_http_request *r);
/* Does the client wait for "100 Continue"? */
bool mcp_http_expects_continue(const struct mcp_http_request *r);

/* -- http_serve.c: callbacks of libmicrohttpd ----------------------------- */

enum MHD_Result mcp_http_serve(void *io, struct MHD_Connection *mhd,
                               const char *url, const char *method,
                               const char *version, const char *data,
                               size_t *size, void **context);
void mcp_http_completed(void *io, struct MHD_Connection *mhd, void **context,
                        enum MHD_RequestTerminationCode code);
void mcp_http_connected(void *io, struct MHD_Connection *mhd, void **context,
                        enum MHD_ConnectionNotificationCode code);
void *mcp_http_uri(void *io, const char *uri, struct MHD_Connection *mhd);

/* -- http_reply.c: answers ------------------------------------------------ */

/* Adds `more` to what large messages and answers take in memory. False: that
 * would be too much, nothing was added. */
bool mcp_http_count_bytes(struct mcp_http *http, size_t more);

/* Queues the refusal r->refusal. */
enum MHD_Result mcp_http_reply_refusal(struct mcp_http_request *r);
/* Queues the finished answer of the call. */
enum MHD_Result mcp_http_reply_call(struct mcp_http_request *r);
/* Queues "the server is shutting down", whatever becomes of the call. */
enum MHD_Result mcp_http_reply_stopped(struct mcp_http_request *r);
/* Queues an event stream that the request feeds. */
enum MHD_Result mcp_http_reply_stream(struct mcp_http_request *r);
/* Queues a short text: health, 404. */
enum MHD_Result mcp_http_reply_text(struct mcp_http_request *r, int status,
                                    const char *text);
/* The answer to OPTIONS where the methods `allow` are. */
enum MHD_Result mcp_http_reply_options(struct mcp_http_request *r,
                                       const char *allow);
/* Sends a refusal past libmicrohttpd, which cannot answer within a body. The
 * connection must end after it. */
void mcp_http_send_refusal(struct mcp_http_request *r, int status,
                           const char *message);

/* Fills `end`, which has a buffer of its own afterwards, with the answer to a
 * request that the end of the server overtook; its call is left alone. */
void mcp_http_write_stopped(const struct mcp_http_request *r,
                            struct mcp_call *end);

static inline uint64_t mcp_http_watch_id(const struct mcp_http_request *r)
{
    return (uint64_t)r->generation << 32 | r->index;
}

static inline void mcp_http_link_init(struct mcp_http_link *l)
{
    l->prev = l->next = l;
}

static inline bool mcp_http_link_empty(const struct mcp_http_link *l)
{
    return l->next == l;
}

static inline void mcp_http_link_remove(struct mcp_http_link *l)
{
    l->prev->next = l->next;
    l->next->prev = l->prev;
    mcp_http_link_init(l);
}

static inline void mcp_http_link_append(struct mcp_http_link *head,
                                        struct mcp_http_link *l)
{
    l->prev = head->prev;
    l->next = head;
    head->prev->next = l;
    head->prev = l;
}

#define MCP_HTTP_OF(link_ptr, type, member)                                    \
    ((type *)(void *)((char *)(link_ptr)-offsetof(type, member)))

#endif
