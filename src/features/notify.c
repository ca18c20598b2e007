/*
 * notify.c - see notify.h
 */
#include "features/notify.h"

#include <math.h>

#include "base/log.h"

enum { NOTIFICATION_MAX_BYTES = 64 << 20 };

int mcp_level_parse(const char *text, size_t len)
{
    static const char *const names[] = {"debug",   "info",     "notice",
                                        "warning", "error",    "critical",
                                        "alert",   "emergency"};

    for (int i = 0; i < 8; i++)
        if (strlen(names[i]) == len && memcmp(names[i], text, len) == 0)
            return i;
    return -1;
}

/* Sends what `b` holds and frees it. A peer that takes no messages or has left
 * is no fault of the handler; a message that did not fit is told in the log. */
static void send(struct mcp_call *call, struct mcp_buf *b, const char *what)
{
    enum mcp_err err =
        b->failed ? MCP_ENOMEM : call->ops->emit(call, b->data, b->len);

    if (err == MCP_ENOMEM && call->dropped++ == 0)
        mcp_log(MCP_LOG_WARNING, "notify", "%s dropped: out of memory", what);
    mcp_buf_free(b);
}

static bool is_cancelled(struct mcp_call *call)
{
    return atomic_load_explicit(&call->cancelled, memory_order_relaxed);
}

static void notify_log(struct mcp_call *call, const char *level,
                       const char *logger, const char *data, size_t data_len)
{
    int number = mcp_level_parse(level, strlen(level));
    struct mcp_buf b;

    if (number < call->log_level || is_cancelled(call))
        return;
    mcp_buf_init(&b, NOTIFICATION_MAX_BYTES);
    mcp_buf_printf(&b,
                   "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\","
                   "\"params\":{\"level\":\"%s\",",
                   level);
    if (logger != NULL) {
        mcp_buf_puts(&b, "\"logger\":");
        mcp_json_write_cstring(&b, logger);
        mcp_buf_putc(&b, ',');
    }
    mcp_buf_puts(&b, "\"data\":");
    mcp_buf_add(&b, data, data_len);
    mcp_buf_puts(&b, "}}");
    send(call, &b, "a log message");
}

static void notify_progress(struct mcp_call *call, double progress,
                            double total, const char *message,
                            size_t message_len)
{
    struct mcp_buf b;

    if (call->progress_token == NULL || !isfinite(progress) ||
        !(progress > call->last_progress) || is_cancelled(call))
        return;
    call->last_progress = progress;
    mcp_buf_init(&b, NOTIFICATION_MAX_BYTES);
    mcp_buf_puts(&b, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
                     "progress\",\"params\":{\"progressToken\":");
    mcp_json_write(&b, call->progress_token);
    mcp_buf_puts(&b, ",\"progress\":");
    mcp_json_write_number(&b, progress);
    if (isfinite(total)) {
        mcp_buf_puts(&b, ",\"total\":");
        mcp_json_write_number(&b, total);
    }
    if (message != NULL) {
        mcp_buf_puts(&b, ",\"message\":");
        mcp_json_write_string(&b, message, message_len);
    }
    mcp_buf_puts(&b, "}}");
    send(call, &b, "progress");
}

void mcp_notify_end(const struct mcp_call *call)
{
    if (call->dropped > 1)
        mcp_log(MCP_LOG_WARNING, "notify",
                "%u messages of one call dropped: out of memory",
                call->dropped);
}

const struct mcp_call_notify mcp_notify = {.log = notify_log,
                                           .progress = notify_progress};
