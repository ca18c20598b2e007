/*
 * http_serve.c - a request from its head to the endpoint
 *
 * libmicrohttpd calls the access handler when the head is there, for each
 * piece of the body, and when all is there; after a resume the last of these
 * again. The checks happen at the head, in the order of the specification. A
 * refusal waits for the body, so that the connection can go on, unless the
 * client waits for "100 Continue" or the body is too large.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "protocol/endpoint.h"
#include "transport/http_private.h"

#define ALLOWED "POST, GET, DELETE, OPTIONS"

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
    mcp_buf_init(&c->query, 64 * 1024);
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
    mcp_http_unawait(c);
    mcp_http_link_append(&io->free_connections, &c->link);
}

void *mcp_http_uri(void *io, const char *uri, struct MHD_Connection *mhd)
{
    struct mcp_http_connection *c = connection_of(mhd);
    const char *query = strchr(uri, '?');

    (void)io;
    if (c == NULL)
        return NULL;
    mcp_buf_clear(&c->query);
    if (query != NULL)
        mcp_buf_puts(&c->query, query + 1);
    return NULL;
}

/* ---- the head ----------------------------------------------------------- */

struct header_list {
    struct mcp_arena *arena;
    struct mcp_header *items;
    size_t count, room;
};

/* The strings are copied: libmicrohttpd frees them with the connection, which
 * may end before the call does. */
static enum MHD_Result copy_header(void *arg, enum MHD_ValueKind kind,
                                   const char *key, size_t key_len,
                                   const char *value, size_t value_len)
{
    struct header_list *list = arg;
    struct mcp_header *h;

    (void)kind;
    if (list->count == list->room)
        return MHD_NO;
    while (value_len > 0 &&
           (value[value_len - 1] == ' ' || value[value_len - 1] == '\t'))
        value_len--; /* libmicrohttpd trims the front only */
    h = &list->items[list->count];
    h->name = mcp_arena_dup(list->arena, key, key_len);
    h->value = mcp_arena_dup(list->arena, value != NULL ? value : "",
                             value != NULL ? value_len : 0);
    if (h->name == NULL || h->value == NULL)
        return MHD_NO;
    list->count++;
    return MHD_YES;
}

static bool copy_headers(struct mcp_http_request *r)
{
    int n = MHD_get_connection_values(r->mhd, MHD_HEADER_KIND, NULL, NULL);
    struct header_list list = {r->call.arena, NULL, 0, n > 0 ? (size_t)n : 0};

    if (n <= 0)
        return true;
    list.items =
        mcp_arena_alloc(r->call.arena, list.room * sizeof(*list.items));
    if (list.items == NULL)
        return false;
    (void)MHD_get_connection_values_n(r->mhd, MHD_HEADER_KIND, copy_header,
                                      &list);
    r->call.headers = list.items;
    r->call.header_count = list.count;
    return list.count == list.room;
}

static void refuse(struct mcp_http_request *r, int status, const char *message)
{
    if (r->refusal != 0)
        return;
    r->refusal = status;
    r->refusal_message = message;
}

static void check_host(struct mcp_http_request *r)
{
    const struct mcp_config *config = r->io->http->options.config;
    const char *host = mcp_call_header(&r->call, "Host");
    const char *origin = mcp_call_header(&r->call, "Origin");

    if (host == NULL || mcp_call_header_count(&r->call, "Host") != 1 ||
        !mcp_http_host_allowed(config, host))
        refuse(r, MHD_HTTP_FORBIDDEN,
               "Host not allowed: the server answers to localhost, 127.0.0.1, "
               "[::1] and the names in allowed_hosts");
    if (origin == NULL)
        return;
    if (mcp_call_header_count(&r->call, "Origin") == 1 &&
        mcp_http_origin_allowed(config, origin))
        r->origin = origin;
    else
        refuse(r, MHD_HTTP_FORBIDDEN,
               "Origin not allowed: add it to allowed_origins if this page "
               "may call the server");
}

static void read_accept(struct mcp_http_request *r)
{
    size_t i;

    for (i = 0; i < r->call.header_count; i++)
        if (strcasecmp(r->call.headers[i].name, "Accept") == 0)
            mcp_http_accept_add(&r->accept, r->call.headers[i].value);
    r->takes_json = mcp_http_accepts_json(&r->accept);
    r->takes_sse = mcp_http_accepts_sse(&r->accept);
}

static void check_method(struct mcp_http_request *r)
{
    const char *m = r->call.http_method;
    bool known = strcmp(m, "POST") == 0 || strcmp(m, "GET") == 0 ||
                 strcmp(m, "DELETE") == 0 || strcmp(m, "OPTIONS") == 0;

    if (known && !(strcmp(m, "GET") == 0 && r->accept.html))
        return;
    r->allow = ALLOWED;
    refuse(r, MHD_HTTP_METHOD_NOT_ALLOWED,
           "Method not allowed: messages are sent with POST");
}

static void check_media(struct mcp_http_request *r)
{
    const char *type = mcp_call_header(&r->call, "Content-Type");

    if (strcmp(r->call.http_method, "POST") != 0)
        return;
    if (type == NULL || mcp_call_header_count(&r->call, "Content-Type") != 1 ||
        !mcp_http_is_json(type))
        refuse(r, MHD_HTTP_UNSUPPORTED_MEDIA_TYPE,
               "Content-Type must be application/json");
    if (!r->takes_json && !r->takes_sse)
        refuse(r, MHD_HTTP_NOT_ACCEPTABLE,
               "Accept must allow application/json or text/event-stream");
}

/* Refuses a body that is too large before it is read, and one whose length is
 * told twice, which a proxy might read differently. */
static void check_length(struct mcp_http_request *r)
{
    const char *length = mcp_call_header(&r->call, "Content-Length");
    int64_t max = r->io->http->options.config->max_body;
    char *end;
    unsigned long long n;

    if (length == NULL)
        return;
    if (mcp_call_header_count(&r->call, "Content-Length") > 1 ||
        mcp_call_header(&r->call, "Transfer-Encoding") != NULL) {
        r->linger = true;
        refuse(r, MHD_HTTP_BAD_REQUEST, "The length of the body is told twice");
        return;
    }
    n = strtoull(length, &end, 10);
    if (*end != '\0' || n > (unsigned long long)max) {
        r->linger = true;
        refuse(r, MHD_HTTP_CONTENT_TOO_LARGE,
               "The message is larger than max_body");
    }
}

static bool is_endpoint(const struct mcp_http_request *r)
{
    const char *path = r->io->http->path, *url = r->call.path;
    size_t n = strlen(path);

    return strncmp(url, path, n) == 0 &&
           (url[n] == '\0' || (url[n] == '/' && url[n + 1] == '\0'));
}

static bool is_health(const struct mcp_http_request *r)
{
    return strcmp(r->call.path, "/healthz") == 0 ||
           strcmp(r->call.path, "/readyz") == 0;
}

static void check_head(struct mcp_http_request *r)
{
    if (!is_health(r)) {
        check_host(r);
        if (is_endpoint(r)) {
            read_accept(r);
            check_method(r);
            check_media(r);
        }
    }
    check_length(r);
}

static bool expects_continue(const struct mcp_http_request *r)
{
    const char *expect = mcp_call_header(&r->call, "Expect");

    return expect != NULL && strcasecmp(expect, "100-continue") == 0;
}

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
    r->call.path = mcp_arena_dup(r->call.arena, url, strlen(url));
    r->call.http_method = mcp_arena_dup(r->call.arena, method, strlen(method));
    if (c->query.len > 0)
        r->call.query =
            mcp_arena_dup(r->call.arena, c->query.data, c->query.len);
    if (r->call.path == NULL || r->call.http_method == NULL ||
        !copy_headers(r)) {
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
    check_head(r);
    if (r->refusal != 0 && (r->linger || expects_continue(r))) {
        mcp_http_unawait(r->connection);
        return mcp_http_reply_refusal(r);
    }
    mcp_http_await(io, r->connection); /* now the body */
    return MHD_YES;
}

/* ---- the body ----------------------------------------------------------- */

static enum MHD_Result piece(struct mcp_http_request *r, const char *data,
                             size_t *size)
{
    size_t n = *size;

    *size = 0;
    if (n > r->body.max - r->body.len) {
        r->linger = true;
        mcp_http_send_too_large(r);
        return MHD_NO;
    }
    if (r->refusal == 0) {
        mcp_buf_add(&r->body, data, n);
        return r->body.failed ? MHD_NO : MHD_YES;
    }
    r->body.len += n; /* dropped, but the connection goes on */
    return MHD_YES;
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
    if (strcmp(r->call.path, "/readyz") == 0)
        ready = atomic_load(&http->state) == MCP_HTTP_SERVING &&
                (http->options.ready == NULL ||
                 http->options.ready(http->options.user));
    return ready ? mcp_http_reply_text(r, MHD_HTTP_OK, "ok\n")
                 : mcp_http_reply_text(r, MHD_HTTP_SERVICE_UNAVAILABLE,
                                       "not ready\n");
}

/* Queues what there is, or waits. */
static enum MHD_Result reply_or_suspend(struct mcp_http_request *r)
{
    if (atomic_load(&r->left))
        return MHD_NO;
    if (r->streaming)
        return mcp_http_reply_stream(r);
    if (r->done)
        return mcp_http_reply_call(r);
    mcp_http_request_suspend(r);
    return MHD_YES;
}

static enum MHD_Result dispatch(struct mcp_http_request *r)
{
    struct mcp_http_io *io = r->io;

    if (io->cancelled)
        return MHD_NO; /* the grace is over */
    r->called = r->call_live = true;
    r->call.body = r->body.len > 0 ? r->body.data : "";
    r->call.body_len = r->body.len;
    r->in_handle = true;
    mcp_endpoint_handle(io->http->options.endpoint, &r->call);
    r->in_handle = false;
    r->streaming = r->emitted;
    if (r->done) {
        r->call_live = false;
    } else if (r->streaming) {
        mcp_http_enlist(r, MCP_HTTP_STREAMS);
        mcp_http_watch(r);
    } else {
        mcp_http_enlist(r, MCP_HTTP_YOUNG);
    }
    return reply_or_suspend(r);
}

static enum MHD_Result whole(struct mcp_http_request *r)
{
    mcp_http_unawait(r->connection);
    if (r->called)
        return reply_or_suspend(r);
    mcp_http_link_append(&r->io->busy, &r->busy);
    if (r->refusal != 0)
        return mcp_http_reply_refusal(r);
    if (is_health(r))
        return reply_health(r);
    if (!is_endpoint(r))
        return mcp_http_reply_text(r, MHD_HTTP_NOT_FOUND, "not found\n");
    if (strcmp(r->call.http_method, "OPTIONS") == 0)
        return mcp_http_reply_options(r);
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
