/*
 * bridge_sse.c - see bridge_sse.h
 */
#include "transport/bridge_sse.h"

#include <string.h>

enum { FIELD_BYTES = 64, KEPT_BYTES = 64 * 1024, RETRY_MAX_DIGITS = 9 };

void mcp_sse_init(struct mcp_sse *s, size_t max_bytes,
                  void (*event)(void *user, const char *data, size_t len),
                  void *user)
{
    memset(s, 0, sizeof(*s));
    /* "data: " stands before what counts */
    mcp_buf_init(&s->line, max_bytes + FIELD_BYTES);
    mcp_buf_init(&s->data, max_bytes + 1); /* each line ends with an LF */
    s->retry_ms = MCP_SSE_NO_RETRY;
    s->event = event;
    s->user = user;
}

void mcp_sse_free(struct mcp_sse *s)
{
    mcp_buf_free(&s->line);
    mcp_buf_free(&s->data);
}

/* A large buffer is not kept for the small events behind it. */
static void empty(struct mcp_buf *b)
{
    if (b->cap > KEPT_BYTES)
        mcp_buf_free(b);
    mcp_buf_clear(b);
}

static void end_event(struct mcp_sse *s)
{
    memcpy(s->id, s->next_id, sizeof(s->id));
    if (s->has_data && !s->other_type && s->data.len > 1)
        s->event(s->user, s->data.data, s->data.len - 1);
    empty(&s->data);
    s->has_data = false;
    s->other_type = false;
}

static void take_id(struct mcp_sse *s, const char *value, size_t len)
{
    /* one that is too long to be sent back as a header is no use */
    if (len >= sizeof(s->next_id) || memchr(value, '\0', len) != NULL)
        return;
    memcpy(s->next_id, value, len);
    s->next_id[len] = '\0';
}

static void take_retry(struct mcp_sse *s, const char *value, size_t len)
{
    int64_t ms = 0;

    if (len == 0 || len > RETRY_MAX_DIGITS)
        return;
    for (size_t i = 0; i < len; i++) {
        if (value[i] < '0' || value[i] > '9')
            return;
        ms = ms * 10 + (value[i] - '0');
    }
    s->retry_ms = ms;
}

static bool is_field(const char *line, size_t len, const char *name)
{
    return len == strlen(name) && memcmp(line, name, len) == 0;
}

/* A line without its end. */
static void take_line(struct mcp_sse *s, const char *line, size_t len)
{
    const char *colon = len > 0 ? memchr(line, ':', len) : NULL;
    size_t name = colon != NULL ? (size_t)(colon - line) : len;
    const char *value = line + name + (colon != NULL);
    size_t value_len = len - name - (colon != NULL);

    if (len == 0) {
        end_event(s);
        return;
    }
    if (value_len > 0 && *value == ' ') {
        value++;
        value_len--;
    }
    if (is_field(line, name, "data")) {
        mcp_buf_add(&s->data, value, value_len);
        mcp_buf_putc(&s->data, '\n');
        s->has_data = true;
    } else if (is_field(line, name, "event")) {
        s->other_type = value_len > 0 && !is_field(value, value_len, "message");
    } else if (is_field(line, name, "id")) {
        take_id(s, value_len > 0 ? value : "", value_len);
    } else if (is_field(line, name, "retry")) {
        take_retry(s, value, value_len);
    }
}

static void end_line(struct mcp_sse *s)
{
    static const char mark[] = "\xef\xbb\xbf";
    size_t skip = 0;

    if (!s->begun && s->line.len >= 3 && memcmp(s->line.data, mark, 3) == 0)
        skip = 3;
    s->begun = true;
    if (s->line.len == skip)
        take_line(s, "", 0);
    else
        take_line(s, s->line.data + skip, s->line.len - skip);
    empty(&s->line);
}

/* The first CR or LF of [p, end), or `end`. */
static const char *find_end(const char *p, const char *end)
{
    const char *lf = memchr(p, '\n', (size_t)(end - p));
    const char *cr = memchr(p, '\r', (size_t)((lf != NULL ? lf : end) - p));

    return cr != NULL ? cr : lf != NULL ? lf : end;
}

enum mcp_err mcp_sse_feed(struct mcp_sse *s, const char *bytes, size_t len)
{
    const char *p = bytes, *end = bytes + len;

    while (p < end) {
        const char *stop;

        if (s->after_cr && *p == '\n') {
            s->after_cr = false;
            p++;
            continue;
        }
        s->after_cr = false;
        stop = find_end(p, end);
        mcp_buf_add(&s->line, p, (size_t)(stop - p));
        if (s->line.failed)
            return MCP_ELIMIT;
        if (stop == end)
            return MCP_OK;
        s->after_cr = *stop == '\r';
        end_line(s);
        if (s->data.failed)
            return MCP_ELIMIT;
        p = stop + 1;
    }
    return MCP_OK;
}
