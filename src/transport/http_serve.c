/*
 * http_serve.c - a request from its head to the endpoint
 *
 * libmicrohttpd calls the access handler when the head is there, for each
 * piece of the body, and when all is there; after a resume the last of these
 * again. The checks happen at the head, in the order of the specification. A
 * refusal waits for the body, so that the connection can go on, unless the
 * client waits for "100 Continue" or the body is too large.
 */
#include <string.h>

#include "base/clock.h"
#include "protocol/endpoint.h"
#include "protocol/routes.h"
#include "transport/http_private.h"

/* ---- connections -------------------------------------------------------- */

static struct mcp_http_connection *new_connection(struct mcp_http_io *io)
{
    struct mcp_http_link *first = io->free_connections.next;
    struct mcp_http_connection *c;

    if (!mcp_http_link_empty(&io->free_connections)) {
        mcp_http_link_remove(first);
        return MCP_HTTP_OF(first, struct mcp_http_connection, link);
    }
    c = mcp_arena_alloc(io->mailbox->memory, sizeof(*c));
    if (c == NULL)
        return NULL;
    mcp_http_link_init(&c->link);
    c->watched = false;
    mcp_buf_init(&c->query, 64 * 1024);
    mcp_buf_init(&c->path, 64 * 1024);
    return c;
}

static struct mcp_http_connection *connection_of(struct MHD_Connection *mhd)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

    return info != NULL ? info->socket_context : NULL;
}

void mcp_http_connected(void *arg, struct MHD_Connection *mhd, void **context,
                        enum MHD_ConnectionNotificationCode code)
{
    struct mcp_http_io *io = arg;
    struct mcp_http_connection *c = *context;

    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        atomic_fetch_add(&io->http->connections, 1);
        c = *context = new_connection(io);
        if (c == NULL)
            return;
        c->fd = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD)
                    ->connect_fd;
        mcp_http_await(io, c);
        return;
    }
    atomic_fetch_sub(&io->http->connections, 1);
    if (c == NULL)
        return;
    mcp_buf_free(&c->query);
    mcp_buf_free(&c->path);
    mcp_http_unawait(io, c);
    mcp_http_link_append(&io->free_connections, &c->link);
}

void *mcp_http_uri(void *io, const char *uri, struct MHD_Connection *mhd)
{
    struct mcp_http_connection *c = connection_of(mhd);
    char *query = strchr((char *)(uintptr_t)uri, '?');

    (void)io;
    if (c == NULL)
        return NULL;
    mcp_buf_clear(&c->query);
    mcp_buf_clear(&c->path);
    mcp_buf_add(&c->path, uri,
                query != NULL ? (size_t)(query - uri) : strlen(uri));
    if (query == NULL)
        return NULL;
    mcp_buf_puts(&c->query, query + 1);
    query[1] = '\0'; /* in the pool, which a list of many arguments overflows */
    return NULL;
}

/* ---- the head ----------------------------------------------------------- */

static struct mcp_http_request *begin(struct mcp_http_io *io,
                                      struct MHD_Connection *mhd,
                                      const char *url, const char *method)
{
    struct mcp_http_connection *c = connection_of(mhd);
    struct mcp_http_request *r = c != NULL ? mcp_http_request_new(io) : NULL;

    if (r == NULL)
        return NULL;
    r->mhd = mhd;
    r->connection = c;
    r->conn_live = true;
    if (!mcp_http_copy_head(r, url, method)) {
        r->conn_live = false;
        mcp_http_request_settle(r);
        return NULL;
    }
    return r;
}

/* First call: the head. */
static enum MHD_Result head(struct mcp_http_io *io, struct MHD_Connection *mhd,
                            const char *url, const char *method, void **context)
{
    struct mcp_http_request *r = begin(io, mhd, url, method);

    if (r == NULL)
        return MHD_NO;
    *context = r;
    mcp_http_check_head(r);
    if (r->head_bytes > (size_t)io->http->options.config->connection_memory -
                            MCP_HTTP_OWN_HEAD_BYTES) {
        mcp_http_unawait(io, r->connection);
        mcp_http_send_refusal(r, MHD_HTTP_REQUEST_HEADER_FIELDS_TOO_LARGE,
                              "The head of the request is too large");
        return MHD_NO;
    }
    if (r->refusal != 0 && (r->linger || mcp_http_expects_continue(r))) {
        mcp_http_unawait(r->io, r->connection);
        return mcp_http_reply_refusal(r);
    }
    mcp_http_await(io, r->connection); /* now the body */
    return MHD_YES;
}

/* ---- the body ----------------------------------------------------------- */

bool mcp_http_count_bytes(struct mcp_http *http, size_t more)
{
    size_t max = 2 * (size_t)http->options.config->max_body;

    if (max < http->limits.body_bytes)
        max = http->limits.body_bytes;
    if (atomic_fetch_add(&http->body_bytes, more) + more <= max)
        return true;
    atomic_fetch_sub(&http->body_bytes, more);
    return false;
}

/* Counts the memory of a large body. False: all of them take too much. */
static bool count_body(struct mcp_http_request *r)
{
    size_t more = r->body.cap - r->body_counted;

    if (r->body.cap <= MCP_HTTP_KEPT_BYTES || more == 0)
        return true;
    if (!mcp_http_count_bytes(r->io->http, more))
        return false;
    r->body_counted += more;
    return true;
}

static enum MHD_Result piece(struct mcp_http_request *r, const char *data,
                             size_t *size)
{
    size_t n = *size;

    r->io->progress = true;
    *size = 0;
    if (n > r->body.max - r->body.len) {
        mcp_http_send_refusal(r, MHD_HTTP_CONTENT_TOO_LARGE,
                              "The message is larger than max_body");
        return MHD_NO;
    }
    if (r->refusal != 0) {
        r->body.len += n; /* dropped, but the connection goes on */
        return MHD_YES;
    }
    mcp_buf_add(&r->body, data, n);
    if (!r->body.failed && count_body(r))
        return MHD_YES;
    mcp_http_send_refusal(r, MHD_HTTP_SERVICE_UNAVAILABLE,
                          "Too many large messages at once");
    return MHD_NO;
}

/* ---- the whole ---------------------------------------------------------- */

static enum MHD_Result reply_health(struct mcp_http_request *r)
{
    struct mcp_http *http = r->io->http;
    bool ready = true;

    if (strcmp(r->call.http_method, "GET") != 0 &&
        strcmp(r->call.http_method, "HEAD") != 0) {
        r->allow = "GET, HEAD";
        return mcp_http_reply_text(r, MHD_HTTP_METHOD_NOT_ALLOWED,
                                   "method not allowed\n");
    }
    if (r->route == MCP_HTTP_READY)
        ready = atomic_load(&http->state) == MCP_HTTP_SERVING &&
                (http->options.ready == NULL ||
                 http->options.ready(http->options.user));
    return ready ? mcp_http_reply_text(r, MHD_HTTP_OK, "ok\n")
                 : mcp_http_reply_text(r, MHD_HTTP_SERVICE_UNAVAILABLE,
                                       "not ready\n");
}

/* Queues what there is, or waits. A handler that is about to run on this thread
 * is waited for without suspension, which costs two system calls: libmicrohttpd
 * asks again in its next turn. */
static enum MHD_Result reply_or_suspend(struct mcp_http_request *r)
{
    if (atomic_load(&r->left))
        return MHD_NO;
    if (r->streaming)
        return mcp_http_reply_stream(r);
    if (r->stopped)
        return mcp_http_reply_stopped(r);
    if (r->done)
        return mcp_http_reply_call(r);
    if (r->here)
        r->here = false;
    else
        mcp_http_request_suspend(r);
    return MHD_YES;
}

static enum MHD_Result dispatch(struct mcp_http_request *r)
{
    struct mcp_http_io *io = r->io;
    size_t here = io->here.count;

    if (io->cancelled)
        return mcp_http_reply_stopped(r); /* the grace is over */
    if (r->body_counted > 0 && !mcp_http_count_bytes(io->http, 0)) {
        r->refusal = MHD_HTTP_SERVICE_UNAVAILABLE;
        r->refusal_message = "Too many large messages at once";
        return mcp_http_reply_refusal(r);
    }
    r->called = r->call_live = true;
    r->call.body = r->body.len > 0 ? r->body.data : "";
    r->call.body_len = r->body.len;
    if (atomic_load(&r->mailbox->role.spare))
        r->call.here = &io->here;
    r->in_handle = true;
    if (r->route == MCP_HTTP_ROUTES)
        mcp_routes_handle(io->http->options.endpoint, &r->call);
    else
        mcp_endpoint_handle(io->http->options.endpoint, &r->call);
    r->in_handle = false;
    if (r->call.parsed_bytes > MCP_HTTP_KEPT_BYTES) {
        r->more_counted =
            r->call.parsed_bytes; /* what is refused is the next */
        atomic_fetch_add(&io->http->body_bytes, r->more_counted);
    }
    r->streaming = r->emitted;
    if (r->done) {
        r->call_live = false;
    } else if (r->streaming) {
        mcp_http_begin_stream(r);
        mcp_http_watch(r);
    } else {
        r->here = io->here.count > here;
        mcp_http_enlist(r, MCP_HTTP_YOUNG);
    }
    return reply_or_suspend(r);
}

static enum MHD_Result whole(struct mcp_http_request *r)
{
    mcp_http_unawait(r->io, r->connection);
    if (r->called)
        return reply_or_suspend(r);
    mcp_http_link_append(&r->io->busy, &r->busy);
    if (r->refusal != 0)
        return mcp_http_reply_refusal(r);
    if (r->route == MCP_HTTP_HEALTH || r->route == MCP_HTTP_READY)
        return reply_health(r);
    if (r->route == MCP_HTTP_ENDPOINT &&
        strcmp(r->call.http_method, "OPTIONS") == 0)
        return mcp_http_reply_options(r, MCP_HTTP_ALLOWED);
    return dispatch(r);
}

enum MHD_Result mcp_http_serve(void *arg, struct MHD_Connection *mhd,
                               const char *url, const char *method,
                               const char *version, const char *data,
                               size_t *size, void **context)
{
    struct mcp_http_request *r = *context;

    (void)version;
    if (r == NULL)
        return head(arg, mhd, url, method, context);
    if (*size > 0)
        return piece(r, data, size);
    return whole(r);
}

void mcp_http_completed(void *arg, struct MHD_Connection *mhd, void **context,
                        enum MHD_RequestTerminationCode code)
{
    struct mcp_http_io *io = arg;
    struct mcp_http_request *r = *context;

    (void)mhd;
    (void)code;
    *context = NULL;
    if (r == NULL)
        return;
    if (r->linger)
        mcp_http_io_linger(io, r->connection->fd);
    mcp_http_unwatch(r);
    mcp_http_delist(r);
    mcp_http_await(io, r->connection);
    r->conn_live = false;
    r->mhd = NULL;
    if (r->call_live)
        mcp_http_request_left(r);
    mcp_http_request_settle(r);
}
