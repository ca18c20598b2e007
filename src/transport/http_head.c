/*
 * http_head.c - the head of a request: copied in one pass, then checked
 *
 * The checks run in the order of the specification: Host and Origin, method,
 * Content-Type, Accept, size. The first that fails decides.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "transport/http_private.h"

/* ---- copying ------------------------------------------------------------ */

/* The headers that we look at ourselves. */
static void note(struct mcp_http_request *r, const struct mcp_header *h,
                 size_t name_len)
{
    static const struct {
        const char *name;
        size_t len;
    } known[MCP_HTTP_HEADERS] = {
        [MCP_HTTP_HOST] = {"Host", 4},
        [MCP_HTTP_ORIGIN] = {"Origin", 6},
        [MCP_HTTP_EXPECT] = {"Expect", 6},
        [MCP_HTTP_CONTENT_TYPE] = {"Content-Type", 12},
        [MCP_HTTP_CONTENT_LENGTH] = {"Content-Length", 14},
        [MCP_HTTP_TRANSFER_ENCODING] = {"Transfer-Encoding", 17},
    };
    int i;

    if (name_len == 6 && strcasecmp(h->name, "Accept") == 0)
        mcp_http_accept_add(&r->accept, h->value);
    for (i = 0; i < MCP_HTTP_HEADERS; i++)
        if (known[i].len == name_len &&
            strcasecmp(h->name, known[i].name) == 0) {
            if (r->seen[i].count++ == 0)
                r->seen[i].value = h->value;
            return;
        }
}

/* A name that is no token, like "Content-Length " with its space before the
 * colon, and a value with a line end or a NUL are read differently by different
 * servers (RFC 9112 section 5.1, RFC 9110 section 5.5). */
static bool is_well_formed(const char *name, size_t name_len, const char *value,
                           size_t value_len)
{
    static const char others[] = "!#$%&'*+-.^_`|~";
    size_t i;

    for (i = 0; i < name_len; i++) {
        char c = name[i];
        bool is_alnum = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        (c >= '0' && c <= '9');

        if (!is_alnum && memchr(others, c, sizeof(others) - 1) == NULL)
            return false;
    }
    return name_len > 0 && memchr(value, '\r', value_len) == NULL &&
           memchr(value, '\n', value_len) == NULL &&
           memchr(value, '\0', value_len) == NULL;
}

struct header_list {
    struct mcp_http_request *r;
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
    struct mcp_arena *arena = list->r->call.arena;
    struct mcp_header *h;

    (void)kind;
    if (list->count == list->room)
        return MHD_NO;
    while (value_len > 0 &&
           (value[value_len - 1] == ' ' || value[value_len - 1] == '\t'))
        value_len--; /* libmicrohttpd trims the front only */
    h = &list->items[list->count];
    h->name = mcp_arena_dup(arena, key, key_len);
    h->value = mcp_arena_dup(arena, value, value_len);
    if (h->name == NULL || h->value == NULL)
        return MHD_NO;
    list->count++;
    if (!is_well_formed(key, key_len, value, value_len))
        list->r->malformed = true;
    note(list->r, h, key_len);
    return MHD_YES;
}

static bool copy_headers(struct mcp_http_request *r)
{
    int n = MHD_get_connection_values(r->mhd, MHD_HEADER_KIND, NULL, NULL);
    struct header_list list = {r, NULL, 0, n > 0 ? (size_t)n : 0};

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

/* Of the pool, what the request takes. */
static void measure(struct mcp_http_request *r)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(
        r->mhd, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);

    r->head_bytes = (info != NULL ? info->header_size : 0) +
                    r->call.header_count * MCP_HTTP_HEADER_BYTES;
}

/* Where the path begins in a target that is a whole URL, as proxies send it
 * ("http://host/path"; without a path: at its end); 0: it is a path. */
static size_t path_start(const char *target, size_t len)
{
    static const char scheme[] = "http://";
    size_t at = sizeof(scheme) - 1;

    if (len < at || strncasecmp(target, scheme, at) != 0)
        return 0;
    while (at < len && target[at] != '/')
        at++;
    return at;
}

/* A copy of the path of target[0..len), or NULL. */
static const char *copy_path(struct mcp_arena *arena, const char *target,
                             size_t len)
{
    size_t start = path_start(target, len);

    return start < len || len == 0
               ? mcp_arena_dup(arena, target + start, len - start)
               : "/";
}

/* The host in a target goes before that in the header (RFC 9112, section
 * 3.2.2), which must be there nevertheless. False: no memory. */
static bool take_host(struct mcp_http_request *r, const char *target)
{
    size_t start = path_start(target, strlen(target)), scheme = 7;
    const char *host;

    if (start == 0 || r->seen[MCP_HTTP_HOST].count != 1)
        return true;
    host = mcp_arena_dup(r->call.arena, target + scheme, start - scheme);
    r->seen[MCP_HTTP_HOST].value = host;
    return host != NULL;
}

bool mcp_http_copy_head(struct mcp_http_request *r, const char *url,
                        const char *method)
{
    const struct mcp_buf *query = &r->connection->query;
    const struct mcp_buf *path = &r->connection->path;
    struct mcp_arena *arena = r->call.arena;

    r->call.raw_path = copy_path(arena, path->data, path->len);
    r->call.path = copy_path(arena, url, strlen(url));
    r->call.http_method = mcp_arena_dup(arena, method, strlen(method));
    if (query->len > 0) {
        r->call.query = mcp_arena_dup(arena, query->data, query->len);
        if (r->call.query == NULL)
            return false;
    }
    if (r->call.path == NULL || r->call.raw_path == NULL ||
        r->call.http_method == NULL || !copy_headers(r))
        return false;
    measure(r);
    return take_host(r, url);
}

/* ---- where to ----------------------------------------------------------- */

static bool is_endpoint(const struct mcp_http_request *r)
{
    const char *path = r->io->http->path, *url = r->call.path;
    size_t n = strlen(path);

    return strncmp(url, path, n) == 0 &&
           (url[n] == '\0' || (url[n] == '/' && url[n + 1] == '\0'));
}

static enum mcp_http_route route_of(const struct mcp_http_request *r)
{
    if (is_endpoint(r))
        return MCP_HTTP_ENDPOINT;
    if (strcmp(r->call.path, "/healthz") == 0)
        return MCP_HTTP_HEALTH;
    return strcmp(r->call.path, "/readyz") == 0 ? MCP_HTTP_READY
                                                : MCP_HTTP_ROUTES;
}

/* ---- checks ------------------------------------------------------------- */

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
    const char *origin = r->seen[MCP_HTTP_ORIGIN].value;

    if (r->seen[MCP_HTTP_HOST].count != 1 ||
        !mcp_http_host_allowed(config, r->seen[MCP_HTTP_HOST].value))
        refuse(r, MHD_HTTP_FORBIDDEN,
               "Host not allowed: the server answers to localhost, 127.0.0.1, "
               "[::1] and the names in allowed_hosts");
    if (origin == NULL)
        return;
    if (r->seen[MCP_HTTP_ORIGIN].count == 1 &&
        mcp_http_origin_allowed(config, origin))
        r->origin = origin;
    else
        refuse(r, MHD_HTTP_FORBIDDEN,
               "Origin not allowed: add it to allowed_origins if this page "
               "may call the server");
}

static void check_method(struct mcp_http_request *r)
{
    const char *m = r->call.http_method;
    bool known = strcmp(m, "POST") == 0 || strcmp(m, "GET") == 0 ||
                 strcmp(m, "DELETE") == 0 || strcmp(m, "OPTIONS") == 0;

    if (known && !(strcmp(m, "GET") == 0 && r->accept.html))
        return;
    r->allow = MCP_HTTP_ALLOWED;
    refuse(r, MHD_HTTP_METHOD_NOT_ALLOWED,
           "Method not allowed: messages are sent with POST");
}

static void check_media(struct mcp_http_request *r)
{
    if (strcmp(r->call.http_method, "POST") != 0)
        return;
    if (r->seen[MCP_HTTP_CONTENT_TYPE].count != 1 ||
        !mcp_http_is_json(r->seen[MCP_HTTP_CONTENT_TYPE].value))
        refuse(r, MHD_HTTP_UNSUPPORTED_MEDIA_TYPE,
               "Content-Type must be application/json");
    if (!r->takes_json && !r->takes_sse)
        refuse(r, MHD_HTTP_NOT_ACCEPTABLE,
               "Accept must allow application/json or text/event-stream");
}

/* Before all else: who cannot tell where this request ends cannot tell where
 * the next one begins either. libmicrohttpd looks at the first
 * Transfer-Encoding only, and takes what it does not know for a body that ends
 * with the connection. */
static void check_frame(struct mcp_http_request *r)
{
    const char *coding = MHD_lookup_connection_value(r->mhd, MHD_HEADER_KIND,
                                                     "Transfer-Encoding");

    if (r->malformed ||
        (coding != NULL && (r->seen[MCP_HTTP_TRANSFER_ENCODING].count > 1 ||
                            strcasecmp(coding, "chunked") != 0))) {
        r->linger = true;
        refuse(r, MHD_HTTP_BAD_REQUEST,
               r->malformed ? "A header is malformed"
                            : "Transfer-Encoding must be chunked");
    }
}

/* Refuses a body that is too large before it is read, and one whose length is
 * told twice, which a proxy might read differently. */
static void check_length(struct mcp_http_request *r)
{
    const char *length = r->seen[MCP_HTTP_CONTENT_LENGTH].value;
    int64_t max = r->io->http->options.config->max_body;
    char *end;
    unsigned long long n;

    if (length == NULL)
        return;
    if (r->seen[MCP_HTTP_CONTENT_LENGTH].count > 1 ||
        r->seen[MCP_HTTP_TRANSFER_ENCODING].count > 0) {
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

void mcp_http_check_head(struct mcp_http_request *r)
{
    r->route = route_of(r);
    if (r->route == MCP_HTTP_ENDPOINT) {
        r->takes_json = mcp_http_accepts_json(&r->accept);
        r->takes_sse = mcp_http_accepts_sse(&r->accept);
    } else {
        r->takes_sse = false;
    }
    check_frame(r);
    if (r->route != MCP_HTTP_HEALTH && r->route != MCP_HTTP_READY)
        check_host(r);
    if (r->route == MCP_HTTP_ENDPOINT) {
        check_method(r);
        check_media(r);
    }
    check_length(r);
}

bool mcp_http_expects_continue(const struct mcp_http_request *r)
{
    const char *expect = r->seen[MCP_HTTP_EXPECT].value;

    return expect != NULL && strcasecmp(expect, "100-continue") == 0;
}
