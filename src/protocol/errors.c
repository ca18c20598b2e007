/*
 * errors.c - see errors.h
 */
#include "protocol/errors.h"

#include "base/log.h"

enum { MISSING_CAPABILITY = -32021 };

struct refusal {
    int code;
    int modern, legacy; /* HTTP status */
};

/* clang-format off */
static const struct refusal refusals[] = {
    [MCP_REFUSE_PARSE]        = {-32700, 400, 400},
    [MCP_REFUSE_ENVELOPE]     = {-32600, 400, 400},
    [MCP_REFUSE_SIZE]         = {-32600, 413, 413},
    [MCP_REFUSE_META]         = {-32602, 400, 400},
    [MCP_REFUSE_MISMATCH]     = {-32020, 400, 400},
    [MCP_REFUSE_VERSION]      = {-32022, 400, 400},
    [MCP_REFUSE_METHOD]       = {-32601, 404, 200},
    [MCP_REFUSE_PARAMS]       = {-32602, 200, 200},
    [MCP_REFUSE_SESSION]      = {-32600, 404, 404},
    [MCP_REFUSE_NO_SESSION]   = {-32600, 400, 400},
    [MCP_REFUSE_EARLY]        = {-32600, 400, 400},
    [MCP_REFUSE_ACCEPT]       = {-32600, 406, 406},
    [MCP_REFUSE_EVENT]        = {-32600, 400, 400},
    [MCP_REFUSE_HTTP_METHOD]  = {-32600, 405, 405},
    [MCP_REFUSE_HTTP_VERSION] = {-32600, 400, 400},
    [MCP_REFUSE_BUSY]         = {-32603, 503, 503},
    [MCP_REFUSE_TOO_LARGE]    = {-32603, 200, 200},
    [MCP_REFUSE_INTERNAL]     = {-32603, 200, 200},
    [MCP_REFUSE_MEMORY]       = {-32603, 500, 500},
};
/* clang-format on */

void mcp_error_write(struct mcp_call *call, int code, const char *message,
                     size_t len, const char *data, size_t data_len)
{
    struct mcp_buf *out = &call->out;

    mcp_buf_clear(out);
    mcp_buf_puts(out, "{\"jsonrpc\":\"2.0\",");
    if (call->id != NULL) {
        mcp_buf_puts(out, "\"id\":");
        mcp_json_write(out, call->id);
        mcp_buf_putc(out, ',');
    }
    mcp_buf_printf(out, "\"error\":{\"code\":%d,\"message\":", code);
    mcp_json_write_string(out, message, len);
    if (data != NULL) {
        mcp_buf_puts(out, ",\"data\":");
        mcp_buf_add(out, data, data_len);
    }
    mcp_buf_puts(out, "}}");
}

static void log_internal(const struct mcp_call *call)
{
    const struct mcp_json *id = call->id;

    mcp_log(MCP_LOG_ERROR, "protocol", "internal error in %s (request %.*s)",
            call->method != NULL ? call->method : "a message",
            id == NULL ? 1 : (int)(id->count < 64 ? id->count : 64),
            id == NULL ? "-" : id->u.text);
}

static void refuse(struct mcp_call *call, enum mcp_refusal why,
                   const char *message, size_t len, const char *data,
                   size_t data_len)
{
    const struct refusal *r = &refusals[why];

    call->status = mcp_call_is_modern(call) ? r->modern : r->legacy;
    if (why == MCP_REFUSE_INTERNAL || why == MCP_REFUSE_MEMORY)
        log_internal(call);
    if (why == MCP_REFUSE_TOO_LARGE)
        mcp_log(MCP_LOG_WARNING, "protocol", "%s: %s",
                call->method != NULL ? call->method : "a batch", message);
    if (why == MCP_REFUSE_BUSY && call->transport == MCP_TRANSPORT_HTTP)
        mcp_call_reply_header(call, "Retry-After", "1");
    mcp_error_write(call, r->code, message, len, data, data_len);
    if (call->out.failed && why != MCP_REFUSE_INTERNAL)
        refuse(call, MCP_REFUSE_INTERNAL, "Internal error", 14, NULL, 0);
}

void mcp_error_refuse(struct mcp_call *call, enum mcp_refusal why,
                      const char *message, const char *data)
{
    if (message == NULL)
        message = "Internal error";
    refuse(call, why, message, strlen(message), data,
           data == NULL ? 0 : strlen(data));
}

/* The peer's mistakes and ours, as codes. */
static enum mcp_refusal refusal_of(enum mcp_err err)
{
    switch (err) {
    case MCP_EINVAL:
    case MCP_ENOENT:
        return MCP_REFUSE_PARAMS;
    case MCP_EBUSY:
        return MCP_REFUSE_BUSY;
    default:
        return MCP_REFUSE_INTERNAL;
    }
}

void mcp_error_fault(struct mcp_call *call, const struct mcp_fault *fault)
{
    enum mcp_refusal why = refusal_of(fault->err);
    const char *message = fault->message;
    size_t len = fault->message_len;

    if (fault->code != 0) {
        if (fault->code == MISSING_CAPABILITY && mcp_call_is_modern(call))
            call->status = 400;
        mcp_error_write(call, fault->code, message, len, fault->data,
                        fault->data_len);
        return;
    }
    if (why == MCP_REFUSE_BUSY)
        message = message != NULL ? message : "busy";
    else if (why == MCP_REFUSE_INTERNAL)
        message = "Internal error";
    else if (message == NULL)
        message = "Invalid params";
    if (message != fault->message)
        len = strlen(message);
    refuse(call, why, message, len, fault->data, fault->data_len);
}
