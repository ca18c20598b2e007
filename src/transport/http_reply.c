/*
 * http_reply.c - answers as libmicrohttpd wants them
 *
 * Bodies are not copied: they stay in the request object, which outlives the
 * response's last use (the completed callback comes after it).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "base/log.h"
#include "protocol/endpoint.h"
#include "protocol/routes.h"
#include "transport/http_private.h"

#define EXPOSED "Mcp-Session-Id, WWW-Authenticate, MCP-Protocol-Version"

static const char event_start[] = "data: ", event_end[] = "\n\n";
enum { EVENT_START = 6, EVENT_END = 2 };

/* ---- common parts ------------------------------------------------------- */

static void add(struct MHD_Response *response, const char *name,
                const char *value)
{
    (void)MHD_add_response_header(response, name, value);
}

static void add_common(struct mcp_http_request *r,
                       struct MHD_Response *response)
{
    if (r->origin != NULL) {
        add(response, "Access-Control-Allow-Origin", r->origin);
        add(response, "Access-Control-Expose-Headers", EXPOSED);
        add(response, "Vary", "Origin");
    }
    if (r->allow != NULL)
        add(response, "Allow", r->allow);
    if (atomic_load_explicit(&r->io->http->state, memory_order_relaxed) !=
        MCP_HTTP_SERVING)
        add(response, "Connection", "close");
}

static enum MHD_Result queue(struct mcp_http_request *r, int status,
                             struct MHD_Response *response)
{
    enum MHD_Result result;

    result = MHD_queue_response(r->mhd, (unsigned)status, response);
    MHD_destroy_response(response); /* the connection holds it now */
    return result;
}

/* A response of body[0..len), which must live as long as the request. */
static enum MHD_Result queue_body(struct mcp_http_request *r, int status,
                                  const char *type, const char *body,
                                  size_t len)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(
        len, (void *)(uintptr_t)body, MHD_RESPMEM_PERSISTENT);
    size_t i;

    if (response == NULL)
        return MHD_NO;
    if (len > 0)
        add(response, "Content-Type", type);
    for (i = 0; i < r->call.reply_header_count; i++)
        add(response, r->call.reply_headers[i].name,
            r->call.reply_headers[i].value);
    for (i = 0; i < r->call.app_header_count; i++)
        add(response, r->call.app_headers[i].name,
            r->call.app_headers[i].value);
    add_common(r, response);
    return queue(r, status, response);
}

/* A refusal in the form of who would have answered. */
static void refuse(const struct mcp_http_request *r, struct mcp_call *call,
                   int status, const char *message)
{
    if (r->route == MCP_HTTP_ROUTES)
        mcp_routes_refuse(call, status, message);
    else
        mcp_endpoint_refuse(call, status, message);
}

/* ---- whole answers ------------------------------------------------------ */

enum MHD_Result mcp_http_reply_text(struct mcp_http_request *r, int status,
                                    const char *text)
{
    return queue_body(r, status, "text/plain; charset=utf-8", text,
                      strlen(text));
}

enum MHD_Result mcp_http_reply_refusal(struct mcp_http_request *r)
{
    if (r->accept.html && r->refusal == MHD_HTTP_METHOD_NOT_ALLOWED)
        return mcp_http_reply_text(
            r, r->refusal,
            "This is an MCP endpoint for programs, not a web page: give its "
            "URL to an MCP client.\n");
    refuse(r, &r->call, r->refusal, r->refusal_message);
    return queue_body(r, r->refusal, "application/json", r->call.out.data,
                      r->call.out.len);
}

void mcp_http_write_stopped(const struct mcp_http_request *r,
                            struct mcp_call *end)
{
    memset(end, 0, sizeof(*end));
    end->id = r->call.id;
    mcp_buf_init(&end->out, 4096);
    refuse(r, end, MHD_HTTP_SERVICE_UNAVAILABLE, "The server is shutting down");
}

enum MHD_Result mcp_http_reply_stopped(struct mcp_http_request *r)
{
    struct MHD_Response *response;
    struct mcp_call end;

    mcp_http_write_stopped(r, &end);
    response = MHD_create_response_from_buffer(end.out.len, end.out.data,
                                               MHD_RESPMEM_MUST_COPY);
    mcp_buf_free(&end.out);
    if (response == NULL)
        return MHD_NO;
    add(response, "Content-Type", "application/json");
    add_common(r, response);
    return queue(r, MHD_HTTP_SERVICE_UNAVAILABLE, response);
}

static void add_stream_headers(struct MHD_Response *response)
{
    add(response, "Content-Type", "text/event-stream");
    add(response, "Cache-Control", "no-store");
    add(response, "X-Accel-Buffering", "no");
}

/* Counts a large answer, which its client may read as slowly as it likes.
 * False: those that wait take too much already. */
static bool count_answer(struct mcp_http_request *r)
{
    size_t more = r->call.out.cap;

    if (more <= MCP_HTTP_KEPT_BYTES)
        return true;
    if (!mcp_http_count_bytes(r->io->http, more))
        return false;
    r->more_counted += more;
    return true;
}

/* Headers that the app writes may take so much: what the request has left, and
 * half of the memory may be full of further ones. */
static size_t room_for_headers(const struct mcp_http_request *r)
{
    size_t memory = (size_t)r->io->http->options.config->connection_memory;
    size_t left = memory - MCP_HTTP_OWN_HEAD_BYTES - r->head_bytes;
    size_t most = memory / 8 * 3;

    if (most > MCP_HTTP_APP_HEAD_BYTES)
        most = MCP_HTTP_APP_HEAD_BYTES;
    return most < left ? most : left;
}

static bool fits(const struct mcp_http_request *r)
{
    const struct mcp_call *call = &r->call;
    size_t i, n = call->reply_type != NULL ? strlen(call->reply_type) : 0;

    for (i = 0; i < call->app_header_count; i++)
        n += strlen(call->app_headers[i].name) +
             strlen(call->app_headers[i].value) + 4;
    return n == 0 || n <= room_for_headers(r);
}

static void refuse_headers(struct mcp_http_request *r)
{
    char text[128];

    (void)snprintf(text, sizeof(text),
                   "The headers of the answer are larger than %zu bytes",
                   room_for_headers(r));
    mcp_log(MCP_LOG_ERROR, "http", "%s %s: %s", r->call.http_method,
            r->call.path, text);
    mcp_buf_free(&r->call.out);
    refuse(r, &r->call, MHD_HTTP_INTERNAL_SERVER_ERROR, text);
}

enum MHD_Result mcp_http_reply_call(struct mcp_http_request *r)
{
    struct mcp_call *call = &r->call;

    if (call->out.failed) {
        mcp_buf_free(&call->out);
        refuse(r, call, MHD_HTTP_SERVICE_UNAVAILABLE,
               "The answer is too large");
    } else if (!count_answer(r)) {
        mcp_buf_free(&call->out);
        refuse(r, call, MHD_HTTP_SERVICE_UNAVAILABLE,
               "Too many large answers wait to be read");
    } else if (!fits(r)) {
        refuse_headers(r);
    }
    if (!r->takes_json && call->status == MHD_HTTP_OK && call->out.len > 0)
        return mcp_http_reply_stream(r);
    if (call->allow != NULL && call->status == MHD_HTTP_NO_CONTENT)
        return mcp_http_reply_options(r, call->allow);
    r->allow = call->allow;
    return queue_body(r, call->status,
                      call->reply_type != NULL ? call->reply_type
                                               : "application/json",
                      call->out.data, call->out.len);
}

/* ---- streams ------------------------------------------------------------ */

/* Moves up to `max` bytes from part[*pos..len) and tells how many. */
static size_t take(char *to, size_t max, const char *part, size_t len,
                   size_t *pos)
{
    size_t n = len - *pos < max ? len - *pos : max;

    if (n > 0)
        memcpy(to, part + *pos, n);
    *pos += n;
    return n;
}

static size_t take_messages(struct mcp_http_request *r, char *to, size_t max)
{
    size_t n;

    (void)pthread_mutex_lock(&r->lock);
    n = take(to, max, r->stream.data, r->stream.len, &r->stream_pos);
    if (r->stream_pos == r->stream.len) {
        mcp_buf_clear(&r->stream);
        r->stream_pos = 0;
    }
    (void)pthread_mutex_unlock(&r->lock);
    return n;
}

/* The answer as the last event: its parts seen as one. */
static size_t take_answer(struct mcp_http_request *r, char *to, size_t max)
{
    const struct mcp_buf *out = &r->call.out;
    const char *id = r->call.answer_event;
    const char *parts[] = {"id: ", id, "\n", event_start, out->data, event_end};
    size_t lens[] = {4, 0, 1, EVENT_START, out->len, EVENT_END};
    size_t n = 0, before = 0;
    int i;

    if (out->len == 0)
        return 0;
    if (id != NULL)
        lens[1] = strlen(id);
    else
        lens[0] = lens[2] = 0;
    for (i = 0; i < 6; i++) {
        if (r->tail_pos < before + lens[i] && n < max) {
            size_t pos = r->tail_pos - before;
            size_t got = take(to + n, max - n, parts[i], lens[i], &pos);

            n += got;
            r->tail_pos += got;
        }
        before += lens[i];
    }
    return n;
}

/* Content reader: on the io thread, within MHD_run. */
static ssize_t read_stream(void *arg, uint64_t pos, char *to, size_t max)
{
    struct mcp_http_request *r = arg;
    size_t n;

    (void)pos;
    if (atomic_load(&r->left))
        return MHD_CONTENT_READER_END_WITH_ERROR;
    n = take_messages(r, to, max);
    if (r->done && !r->stopped && !r->detached)
        n += take_answer(r, to + n, max - n);
    if (n > 0)
        return (ssize_t)n;
    if (r->done || r->stopped || r->detached)
        return MHD_CONTENT_READER_END_OF_STREAM;
    mcp_http_request_suspend(r);
    return 0;
}

enum MHD_Result mcp_http_reply_stream(struct mcp_http_request *r)
{
    enum { HTTP_1_0_BLOCK = 4096 };
    struct MHD_Response *response = MHD_create_response_from_callback(
        MHD_SIZE_UNKNOWN, HTTP_1_0_BLOCK, read_stream, r, NULL);
    size_t i;

    if (response == NULL)
        return MHD_NO;
    add_stream_headers(response);
    if (r->done)
        for (i = 0; i < r->call.reply_header_count; i++)
            add(response, r->call.reply_headers[i].name,
                r->call.reply_headers[i].value);
    add_common(r, response);
    return queue(r, MHD_HTTP_OK, response);
}

/* ---- CORS --------------------------------------------------------------- */

static bool is_known_header(const char *name, size_t len)
{
    static const char *const known[] = {
        "accept",     "authorization", "content-type",         "last-event-id",
        "mcp-method", "mcp-name",      "mcp-protocol-version", "mcp-session-id",
    };
    static const char param[] = "mcp-param-";
    size_t i;

    for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (len == strlen(known[i]) && strncasecmp(name, known[i], len) == 0)
            return true;
    return len > sizeof(param) - 1 &&
           strncasecmp(name, param, sizeof(param) - 1) == 0;
}

/* The requested headers that we know, comma-separated, into r->body. */
static const char *allowed_headers(struct mcp_http_request *r)
{
    const char *p = mcp_call_header(&r->call, "Access-Control-Request-Headers");

    mcp_buf_clear(&r->body);
    while (p != NULL && *p != '\0') {
        size_t len;

        p += strspn(p, ", \t");
        len = strcspn(p, ", \t");
        if (is_known_header(p, len)) {
            if (r->body.len > 0)
                mcp_buf_puts(&r->body, ", ");
            mcp_buf_add(&r->body, p, len);
        }
        p += len;
    }
    if (r->body.len == 0)
        mcp_buf_puts(&r->body,
                     "Content-Type, Accept, Authorization, "
                     "MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method, "
                     "Mcp-Name, Last-Event-ID");
    mcp_buf_putc(&r->body, '\0');
    return r->body.failed ? "Content-Type" : r->body.data;
}

enum MHD_Result mcp_http_reply_options(struct mcp_http_request *r,
                                       const char *allow)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);

    if (response == NULL)
        return MHD_NO;
    r->allow = allow;
    if (r->origin != NULL) {
        add(response, "Access-Control-Allow-Methods", r->allow);
        add(response, "Access-Control-Allow-Headers", allowed_headers(r));
        add(response, "Access-Control-Max-Age", "7200");
    }
    add_common(r, response);
    return queue(r, MHD_HTTP_NO_CONTENT, response);
}

/* ---- past libmicrohttpd ------------------------------------------------- */

void mcp_http_send_refusal(struct mcp_http_request *r, int status,
                           const char *message)
{
    struct mcp_buf head;
    size_t i;

    refuse(r, &r->call, status, message);
    mcp_buf_init(&head, 4096);
    mcp_buf_printf(&head,
                   "HTTP/1.1 %d %s\r\n"
                   "Connection: close\r\n"
                   "Content-Type: application/json\r\n"
                   "Content-Length: %zu\r\n",
                   status, MHD_get_reason_phrase_for((unsigned)status),
                   r->call.out.len);
    for (i = 0; i < r->call.reply_header_count; i++)
        mcp_buf_printf(&head, "%s: %s\r\n", r->call.reply_headers[i].name,
                       r->call.reply_headers[i].value);
    if (r->origin != NULL)
        mcp_buf_printf(&head,
                       "Access-Control-Allow-Origin: %s\r\nVary: Origin\r\n",
                       r->origin);
    mcp_buf_puts(&head, "\r\n");
    mcp_buf_add(&head, r->call.out.data, r->call.out.len);
    if (!head.failed)
        (void)!send(r->connection->fd, head.data, head.len,
                    MSG_DONTWAIT | MSG_NOSIGNAL);
    mcp_buf_free(&head);
    r->linger = true;
}
