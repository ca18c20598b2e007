/*
 * bridge_transfer.c - a call as a transfer of libcurl
 */
#include <stdlib.h>
#include <strings.h>

#include "base/memory.h"
#include "transport/bridge_private.h"

enum {
    HEADER_BYTES = 256 * 1024,
    SESSION_ID_BYTES = 4096,
    FINISHED_MS = 200, /* for the stream to end after its answer */
};

/* ---- what is sent ------------------------------------------------------- */

static enum mcp_err add_header(struct mcp_bridge_call *c, const char *line)
{
    struct curl_slist *list = c->b->curl.slist_append(c->headers, line);

    if (list == NULL)
        return MCP_ENOMEM;
    c->headers = list;
    return MCP_OK;
}

/* "Name: value", or "Name;", which is libcurl's for an empty value. */
static enum mcp_err add_pair(struct mcp_bridge_call *c, const char *name,
                             const char *value)
{
    struct mcp_buf b;
    enum mcp_err rc;

    mcp_buf_init(&b, HEADER_BYTES);
    mcp_buf_printf(&b, *value != '\0' ? "%s: %s" : "%s;", name, value);
    mcp_buf_putc(&b, '\0');
    rc = b.failed ? MCP_ENOMEM : add_header(c, b.data);
    mcp_buf_free(&b);
    return rc;
}

/* The lines of mcp_bridge_write_headers(). */
static enum mcp_err add_lines(struct mcp_bridge_call *c, struct mcp_buf *lines)
{
    enum mcp_err rc = lines->failed ? MCP_ENOMEM : MCP_OK;
    char *at = lines->data, *end = lines->data + lines->len;

    while (rc == MCP_OK && at < end) {
        size_t len = strlen(at);

        if (len > 2 && strcmp(at + len - 2, ": ") == 0)
            at[len - 2] = ';', at[len - 1] = '\0';
        rc = add_header(c, at);
        at += len + 1;
    }
    return rc;
}

static enum mcp_err add_modern(struct mcp_bridge_call *c)
{
    struct mcp_bridge *b = c->b;
    struct mcp_arena *arena = mcp_arena_new(c->body_len * 64 + 1024 * 1024);
    const struct mcp_mirrors *mirrors = NULL;
    struct mcp_bridge_message m;
    const struct mcp_json *name;
    enum mcp_err rc = MCP_ENOMEM;
    struct mcp_buf lines;
    const char *why;
    int code;

    mcp_buf_init(&lines, HEADER_BYTES);
    if (arena != NULL)
        rc = mcp_bridge_read(arena, c->body, c->body_len, &m, &code, &why);
    if (rc == MCP_OK) {
        name = mcp_json_find(m.params, "name");
        if (c->is_tool_call && mcp_json_is(name, MCP_JSON_STRING))
            mirrors =
                mcp_bridge_tools_find(&b->tools, name->u.text, name->count);
        mcp_bridge_write_headers(&lines, &m, mirrors);
        rc = add_lines(c, &lines);
    }
    c->tools_version = b->tools_version;
    mcp_buf_free(&lines);
    mcp_arena_free(arena);
    return rc;
}

static enum mcp_err add_legacy(struct mcp_bridge_call *c)
{
    const struct mcp_bridge_session *s = &c->b->session;
    enum mcp_err rc = MCP_OK;

    c->session_serial = 0;
    if (c->is_initialize || c->role == MCP_BRIDGE_RENEW)
        return MCP_OK;
    if (s->id != NULL) {
        rc = add_pair(c, "Mcp-Session-Id", s->id);
        c->session_serial = s->serial;
    }
    if (rc == MCP_OK && s->version != NULL)
        rc = add_pair(c, "MCP-Protocol-Version", s->version);
    if (rc == MCP_OK && c->last_id[0] != '\0' &&
        (c->resuming || c->role == MCP_BRIDGE_STREAM))
        rc = add_pair(c, "Last-Event-ID", c->last_id);
    return rc;
}

/* A GET, a DELETE or a POST? */
static const char *method_of(const struct mcp_bridge_call *c)
{
    if (c->role == MCP_BRIDGE_DELETE)
        return "DELETE";
    return c->role == MCP_BRIDGE_STREAM || c->resuming ? "GET" : "POST";
}

static enum mcp_err add_token(struct mcp_bridge_call *c)
{
    const struct mcp_bridge_options *o = c->b->o;
    struct mcp_buf value;
    enum mcp_err rc;

    if (!mcp_bridge_token_used(&c->b->token))
        return MCP_OK;
    mcp_buf_init(&value, HEADER_BYTES);
    mcp_buf_printf(&value, "%s%s", o->token_prefix, c->b->token.text);
    mcp_buf_putc(&value, '\0');
    rc = value.failed ? MCP_ENOMEM : add_pair(c, o->header_name, value.data);
    if (value.data != NULL)
        explicit_bzero(value.data, value.len);
    mcp_buf_free(&value);
    return rc;
}

static enum mcp_err add_headers(struct mcp_bridge_call *c)
{
    const struct mcp_bridge_options *o = c->b->o;
    bool posts = strcmp(method_of(c), "POST") == 0;
    enum mcp_err rc;

    rc = add_header(c, posts ? "Accept: application/json, text/event-stream"
                             : "Accept: text/event-stream");
    if (rc == MCP_OK && posts)
        rc = add_header(c, "Content-Type: application/json");
    if (rc == MCP_OK)
        rc = add_header(c, "Expect:"); /* no round trip before the body */
    if (rc == MCP_OK)
        rc = c->modern ? add_modern(c) : add_legacy(c);
    if (rc == MCP_OK)
        rc = add_token(c);
    for (size_t i = 0; rc == MCP_OK && i < o->header_count; i++)
        rc = add_header(c, o->headers[i]);
    return rc;
}

/* ---- what comes back ---------------------------------------------------- */

static void moved(struct mcp_bridge_call *c)
{
    c->active_ns = mcp_clock_now_ns();
}

/* Is line[0..len) header `name`? Its value without white space around it. */
static const char *value_of(const char *line, size_t len, const char *name,
                            size_t *value_len)
{
    size_t n = strlen(name);
    const char *v = line + n + 1;

    if (len <= n || strncasecmp(line, name, n) != 0 || line[n] != ':')
        return NULL;
    while (v < line + len && (*v == ' ' || *v == '\t'))
        v++;
    len -= (size_t)(v - line);
    while (len > 0 && (unsigned char)v[len - 1] <= ' ')
        len--;
    *value_len = len;
    return v;
}

static void keep_session_id(struct mcp_bridge_call *c, const char *v,
                            size_t len)
{
    if (len == 0 || len > SESSION_ID_BYTES)
        return;
    for (size_t i = 0; i < len; i++)
        if (v[i] <= ' ' || v[i] > '~')
            return; /* not what a session id may be */
    free(c->session_id);
    c->session_id = mcp_memory_new(1, len + 1);
    if (c->session_id != NULL)
        memcpy(c->session_id, v, len);
}

static size_t on_header(char *line, size_t size, size_t count, void *user)
{
    struct mcp_bridge_call *c = user;
    size_t len = size * count, value_len;
    const char *v;

    moved(c);
    c->sent_all = true;
    v = value_of(line, len, "Mcp-Session-Id", &value_len);
    if (v != NULL)
        keep_session_id(c, v, value_len);
    v = value_of(line, len, "Location", &value_len);
    if (v == NULL)
        v = value_of(line, len, "WWW-Authenticate", &value_len);
    if (v != NULL && value_len < sizeof(c->note)) {
        memcpy(c->note, v, value_len);
        c->note[value_len] = '\0';
    }
    return len;
}

static bool is_type(const char *text, const char *type)
{
    size_t n = strlen(type);

    return text != NULL && strncasecmp(text, type, n) == 0 &&
           (text[n] == '\0' || text[n] == ';' || text[n] == ' ');
}

static void on_event(void *user, const char *data, size_t len)
{
    struct mcp_bridge_call *c = user;

    if (!c->finished)
        (void)mcp_bridge_take_message(c, data, len);
    if (c->finished && c->role == MCP_BRIDGE_OF_CLIENT)
        c->rest_ns += FINISHED_MS * MCP_NS_PER_MS;
}

void mcp_bridge_transfer_find_form(struct mcp_bridge_call *c)
{
    const struct mcp_curl *curl = &c->b->curl;
    char *type = NULL;

    (void)curl->easy_getinfo(c->easy, CURLINFO_RESPONSE_CODE, &c->status);
    (void)curl->easy_getinfo(c->easy, CURLINFO_CONTENT_TYPE, &type);
    if (c->status < 200 || c->status > 299 || is_type(type, "application/json"))
        c->form = MCP_BRIDGE_JSON;
    else if (is_type(type, "text/event-stream"))
        c->form = MCP_BRIDGE_SSE;
    else
        c->form = MCP_BRIDGE_OTHER;
    if (c->form == MCP_BRIDGE_SSE) {
        mcp_sse_init(&c->sse, c->b->o->max_message_bytes, on_event, c);
        memcpy(c->sse.id, c->last_id, sizeof(c->last_id));
        memcpy(c->sse.next_id, c->last_id, sizeof(c->last_id));
        c->sse_open = true;
    }
    if (c->form == MCP_BRIDGE_OTHER)
        c->failure = mcp_arena_printf(
            c->arena, "Unexpected Streamable HTTP content type: %.100s",
            type != NULL ? type : "(none)");
}

static size_t held_by(const struct mcp_bridge_call *c)
{
    return c->answer.len + c->sse.line.len + c->sse.data.len;
}

/* Must this one wait, for the client to read or for others to finish? The
 * first with half an answer never waits for others. */
static bool must_wait(const struct mcp_bridge_call *c)
{
    const struct mcp_bridge *b = c->b;
    const struct mcp_bridge_call *first;

    if (mcp_bridge_out_waiting(&b->out) > MCP_BRIDGE_OUT_HIGH_BYTES)
        return true;
    if (b->held_bytes <= MCP_BRIDGE_HELD_BYTES)
        return false;
    for (first = b->calls.next; first != &b->calls; first = first->next)
        if (held_by(first) > 0)
            break;
    return first != c;
}

static bool take_bytes(struct mcp_bridge_call *c, const char *bytes, size_t len)
{
    bool taken = true;
    size_t before = held_by(c);

    if (c->form == MCP_BRIDGE_SSE) {
        taken = mcp_sse_feed(&c->sse, bytes, len) == MCP_OK;
        if (strcmp(c->last_id, c->sse.id) != 0)
            c->attempts = 0;
        memcpy(c->last_id, c->sse.id, sizeof(c->last_id));
        if (c->sse.retry_ms != MCP_SSE_NO_RETRY)
            c->retry_ms = c->sse.retry_ms;
    } else {
        mcp_buf_add(&c->answer, bytes, len);
        taken = !c->answer.failed;
    }
    c->b->held_bytes += held_by(c) - before;
    if (!taken)
        c->failure = mcp_arena_printf(
            c->arena,
            "A message of the endpoint exceeded the bridge limit of "
            "%zu bytes (--max-message-size)",
            c->b->o->max_message_bytes);
    return taken;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *user)
{
    struct mcp_bridge_call *c = user;
    size_t len = size * count;

    moved(c);
    if (c->finished)
        return len;
    if (must_wait(c)) {
        c->paused = true;
        return CURL_WRITEFUNC_PAUSE;
    }
    if (c->form == MCP_BRIDGE_UNKNOWN)
        mcp_bridge_transfer_find_form(c);
    if (c->form == MCP_BRIDGE_OTHER || !take_bytes(c, bytes, len))
        return 0; /* libcurl breaks it off */
    return len;
}

static int on_progress(void *user, curl_off_t down_total, curl_off_t down,
                       curl_off_t up_total, curl_off_t up)
{
    struct mcp_bridge_call *c = user;

    (void)down_total;
    (void)down;
    if (up != c->sent_bytes)
        moved(c);
    c->sent_bytes = up;
    if (up_total > 0 && up >= up_total)
        c->sent_all = true;
    return 0;
}

/* ---- the transfer ------------------------------------------------------- */

static bool is_loopback(const char *url)
{
    static const char *const hosts[] = {"127.0.0.1", "localhost", "[::1]"};
    const char *host = strstr(url, "://"), *user;

    host = host != NULL ? host + 3 : url;
    user = memrchr(host, '@', strcspn(host, "/?#"));
    host = user != NULL ? user + 1 : host;
    for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
        size_t n = strlen(hosts[i]);

        if (strncasecmp(host, hosts[i], n) == 0 &&
            (host[n] == '\0' || strchr(":/?#", host[n]) != NULL))
            return true;
    }
    return false;
}

static void set_callbacks(struct mcp_bridge_call *c)
{
    const struct mcp_curl *curl = &c->b->curl;
    CURL *e = c->easy;

    (void)curl->easy_setopt(e, CURLOPT_PRIVATE, c);
    (void)curl->easy_setopt(e, CURLOPT_ERRORBUFFER, c->error);
    (void)curl->easy_setopt(e, CURLOPT_WRITEFUNCTION, on_body);
    (void)curl->easy_setopt(e, CURLOPT_WRITEDATA, c);
    (void)curl->easy_setopt(e, CURLOPT_HEADERFUNCTION, on_header);
    (void)curl->easy_setopt(e, CURLOPT_HEADERDATA, c);
    (void)curl->easy_setopt(e, CURLOPT_XFERINFOFUNCTION, on_progress);
    (void)curl->easy_setopt(e, CURLOPT_XFERINFODATA, c);
    (void)curl->easy_setopt(e, CURLOPT_NOPROGRESS, 0L);
}

static CURLcode set_message(struct mcp_bridge_call *c)
{
    const struct mcp_curl *curl = &c->b->curl;
    const char *method = method_of(c);
    CURL *e = c->easy;
    CURLcode rc;

    if (strcmp(method, "POST") != 0) {
        if (strcmp(method, "GET") != 0)
            return curl->easy_setopt(e, CURLOPT_CUSTOMREQUEST, method);
        return curl->easy_setopt(e, CURLOPT_HTTPGET, 1L);
    }
    rc = curl->easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE,
                           (curl_off_t)c->body_len);
    if (rc == CURLE_OK)
        rc = curl->easy_setopt(e, CURLOPT_POSTFIELDS, c->body);
    return rc;
}

static CURLcode set_options(struct mcp_bridge_call *c)
{
    const struct mcp_bridge_options *o = c->b->o;
    const struct mcp_curl *curl = &c->b->curl;
    double ms = o->timeout_s * 1000.0;
    CURL *e = c->easy;
    CURLcode rc = curl->easy_setopt(e, CURLOPT_URL, o->url);

    if (rc == CURLE_OK)
        rc = set_message(c);
    if (rc == CURLE_OK)
        rc = curl->easy_setopt(e, CURLOPT_HTTPHEADER, c->headers);
    if (rc == CURLE_OK && o->ca_file != NULL)
        rc = curl->easy_setopt(e, CURLOPT_CAINFO, o->ca_file);
    if (rc == CURLE_OK && is_loopback(o->url))
        rc = curl->easy_setopt(e, CURLOPT_NOPROXY, "*");
    /* one exchange a connection, so that closing it ends that one alone */
    (void)curl->easy_setopt(e, CURLOPT_HTTP_VERSION,
                            (long)CURL_HTTP_VERSION_1_1);
    (void)curl->easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
    (void)curl->easy_setopt(e, CURLOPT_FOLLOWLOCATION, 0L);
    (void)curl->easy_setopt(e, CURLOPT_TCP_KEEPALIVE, 1L);
    (void)curl->easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS,
                            ms < 1e9 ? (long)ms + 1 : 1000000000L);
    (void)curl->easy_setopt(e, CURLOPT_USERAGENT,
                            "mcpluad-bridge/" MCP_VERSION);
    return rc;
}

/* Forgets what an earlier try has left. */
static void reset(struct mcp_bridge_call *c)
{
    c->headers = NULL;
    c->easy = NULL;
    c->error[0] = '\0';
    c->note[0] = '\0';
    c->status = 0;
    c->form = MCP_BRIDGE_UNKNOWN;
    c->paused = c->finished = c->sent_all = false;
    c->failure = NULL;
    c->sent_bytes = 0;
    mcp_buf_clear(&c->answer);
    moved(c);
}

enum mcp_err mcp_bridge_transfer_start(struct mcp_bridge_call *c)
{
    struct mcp_bridge *b = c->b;
    enum mcp_err rc;

    reset(c);
    rc = add_headers(c);
    c->sent_all = strcmp(method_of(c), "POST") != 0;
    if (rc == MCP_OK)
        c->easy = b->curl.easy_init();
    if (c->easy != NULL) {
        set_callbacks(c);
        if (set_options(c) == CURLE_OK &&
            b->curl.multi_add_handle(b->multi, c->easy) == CURLM_OK)
            return MCP_OK;
        b->curl.easy_cleanup(c->easy);
        c->easy = NULL;
        rc = MCP_EINTERNAL;
    }
    b->curl.slist_free_all(c->headers);
    c->headers = NULL;
    return rc != MCP_OK ? rc : MCP_ENOMEM;
}

void mcp_bridge_transfer_stop(struct mcp_bridge_call *c)
{
    struct mcp_bridge *b = c->b;

    if (c->easy == NULL)
        return;
    (void)b->curl.multi_remove_handle(b->multi, c->easy);
    b->curl.easy_cleanup(c->easy);
    b->curl.slist_free_all(c->headers);
    c->easy = NULL;
    c->headers = NULL;
    b->held_bytes -= held_by(c);
    if (c->sse_open)
        mcp_sse_free(&c->sse);
    memset(&c->sse, 0, sizeof(c->sse));
    c->sse_open = false;
    mcp_buf_free(&c->answer);
    mcp_buf_clear(&c->answer);
}

void mcp_bridge_transfers_resume(struct mcp_bridge *b)
{
    struct mcp_bridge_call *c;

    if (mcp_bridge_out_waiting(&b->out) > MCP_BRIDGE_OUT_LOW_BYTES)
        return;
    for (c = b->calls.next; c != &b->calls; c = c->next) {
        if (!c->paused || c->state != MCP_BRIDGE_ACTIVE || must_wait(c))
            continue;
        c->paused = false;
        moved(c);
        (void)b->curl.easy_pause(c->easy, CURLPAUSE_CONT);
    }
}
