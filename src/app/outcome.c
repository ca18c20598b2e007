/*
 * outcome.c - failures and errors; their text is made valid UTF-8
 */
#include "app/outcome.h"

#include "base/http_status.h"
#include "base/json.h"

#define TOO_LONG "the error message is too long to be sent"

/* Appends text[0..len) with U+FFFD for each wrong byte, as the inside of a
 * JSON string or as it is. */
static void add_text(struct mcp_buf *out, const char *text, size_t len,
                     bool escaped)
{
    size_t bad;
    bool valid;

    for (;;) {
        valid = mcp_utf8_valid(text, len, &bad);
        if (valid)
            bad = len;
        if (escaped)
            mcp_json_write_escaped(out, text, bad);
        else
            mcp_buf_add(out, text, bad);
        if (valid)
            return;
        mcp_buf_add(out, "\xef\xbf\xbd", 3);
        text += bad + 1;
        len -= bad + 1;
    }
}

static struct mcp_span from(const struct mcp_outcome *o, size_t at)
{
    return (struct mcp_span){at, o->text.len - at};
}

static void write_failure(struct mcp_outcome *o, const char *shown,
                          size_t shown_len, const char *text, size_t len)
{
    size_t at;

    mcp_outcome_clear(o);
    o->kind = MCP_OUTCOME_RESULT;
    o->is_error = true;
    mcp_buf_puts(&o->text, "[{\"type\":\"text\",\"text\":\"");
    add_text(&o->text, shown, shown_len, true);
    mcp_buf_puts(&o->text, "\"}]");
    o->content = from(o, 0);
    at = o->text.len;
    add_text(&o->text, text, len, false);
    o->message = from(o, at);
}

/* Without memory an outcome says nothing, but stays a valid one. */
static void drop_spans(struct mcp_outcome *o)
{
    mcp_buf_clear(&o->text);
    o->content = o->message = o->data = o->reason = (struct mcp_span){0, 0};
}

/* As write_failure, with less text when it has no room. */
static void fail(struct mcp_outcome *o, const char *shown, size_t shown_len,
                 const char *text, size_t len)
{
    static const char less[] = TOO_LONG;
    const size_t n = sizeof(less) - 1;

    write_failure(o, shown, shown_len, text, len);
    if (o->text.failed && shown != text)
        write_failure(o, shown, shown_len, less, n);
    if (o->text.failed)
        write_failure(o, less, n, less, n);
    if (o->text.failed)
        drop_spans(o);
}

void mcp_outcome_set_failure(struct mcp_outcome *o, const char *text,
                             size_t len)
{
    fail(o, text, len, text, len);
}

void mcp_outcome_set_failure_as(struct mcp_outcome *o, const char *shown,
                                const char *text, size_t len)
{
    fail(o, shown, strlen(shown), text, len);
}

void mcp_outcome_add_failure(struct mcp_outcome *o, const char *text,
                             size_t len)
{
    const struct mcp_span told = o->content;
    struct mcp_buf *out = &o->text;
    size_t at = out->len;

    if (told.len == 0 || mcp_buf_reserve(out, told.len + 64) == NULL) {
        out->failed = false;
        return;
    }
    mcp_buf_add(out, out->data + told.at, told.len - 1); /* without the ] */
    mcp_buf_puts(out, ",{\"type\":\"text\",\"text\":\"");
    add_text(out, text, len, true);
    mcp_buf_puts(out, "\"}]");
    if (out->failed) {
        out->failed = false;
        out->len = at;
    } else {
        o->content = from(o, at);
    }
}

void mcp_outcome_set_error(struct mcp_outcome *o, int code, const char *message,
                           const char *data)
{
    size_t at;

    mcp_outcome_clear(o);
    o->kind = MCP_OUTCOME_ERROR;
    o->code = code;
    add_text(&o->text, message, strlen(message), false);
    o->message = from(o, 0);
    at = o->text.len;
    if (data != NULL)
        mcp_buf_puts(&o->text, data);
    o->data = from(o, at);
    if (o->text.failed)
        drop_spans(o);
}

static void write_refusal(struct mcp_outcome *o, const char *message,
                          int status, bool shown, const char *text, size_t len)
{
    size_t at;

    mcp_outcome_set_error(o, -32603, message, NULL);
    at = o->text.len;
    mcp_buf_printf(&o->text, "{\"statusCode\":%d", status);
    if (shown) {
        mcp_buf_puts(&o->text, ",\"content\":\"");
        add_text(&o->text, text, len, true);
        mcp_buf_putc(&o->text, '"');
    }
    mcp_buf_putc(&o->text, '}');
    o->data = from(o, at);
    at = o->text.len;
    add_text(&o->text, text, len, false);
    o->reason = from(o, at);
}

void mcp_outcome_set_refusal(struct mcp_outcome *o, const char *message,
                             int status, bool shown, const char *text,
                             size_t len)
{
    write_refusal(o, message, status, shown, text, len);
    if (o->text.failed)
        write_refusal(o, message, status, shown, TOO_LONG,
                      sizeof(TOO_LONG) - 1);
    if (o->text.failed)
        mcp_outcome_set_error(o, -32603, message, NULL);
}

static void write_http_failure(struct mcp_outcome *o, int status, bool shown,
                               const char *text, size_t len)
{
    size_t at;

    mcp_outcome_clear(o);
    o->kind = MCP_OUTCOME_RESULT;
    o->is_error = true;
    o->http_status = status;
    mcp_buf_printf(&o->text, "{\"statusCode\":%d,\"error\":\"%s\"", status,
                   mcp_http_phrase(status));
    if (shown) {
        mcp_buf_puts(&o->text, ",\"message\":\"");
        add_text(&o->text, text, len, true);
        mcp_buf_putc(&o->text, '"');
    }
    mcp_buf_putc(&o->text, '}');
    o->content = from(o, 0);
    at = o->text.len;
    mcp_buf_puts(&o->text, "application/json");
    o->mime_type = from(o, at);
    at = o->text.len;
    add_text(&o->text, text, len, false);
    o->message = from(o, at);
}

void mcp_outcome_set_http_failure(struct mcp_outcome *o, int status, bool shown,
                                  const char *text, size_t len)
{
    write_http_failure(o, status, shown, text, len);
    if (o->text.failed)
        write_http_failure(o, status, shown, TOO_LONG, sizeof(TOO_LONG) - 1);
    if (o->text.failed) {
        drop_spans(o);
        o->mime_type = (struct mcp_span){0, 0};
    }
}

static void write_no_values(struct mcp_outcome *o, const char *text, size_t len)
{
    size_t at;

    mcp_outcome_clear(o);
    o->kind = MCP_OUTCOME_RESULT;
    mcp_buf_puts(&o->text, "[]");
    o->content = from(o, 0);
    at = o->text.len;
    add_text(&o->text, text, len, false);
    o->reason = from(o, at);
}

void mcp_outcome_set_no_values(struct mcp_outcome *o, const char *text,
                               size_t len)
{
    write_no_values(o, text, len);
    if (o->text.failed)
        write_no_values(o, TOO_LONG, sizeof(TOO_LONG) - 1);
    if (o->text.failed)
        drop_spans(o);
}
