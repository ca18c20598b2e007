/*
 * modern.c - see modern.h
 */
#include "protocol/modern.h"

#include "features/discover.h"
#include "features/notify.h"
#include "features/shorten.h"
#include "protocol/headers.h"

#define META_PREFIX       "io.modelcontextprotocol/"
#define META_INFO         META_PREFIX "clientInfo"
#define META_CAPABILITIES META_PREFIX "clientCapabilities"
#define META_LEVEL        META_PREFIX "logLevel"

enum { DATA_MAX_BYTES = 4096, REQUESTED_MAX_BYTES = 256 };

bool mcp_progress_token_read(struct mcp_call *call)
{
    const struct mcp_json *v = mcp_json_find(call->meta, "progressToken");
    bool ok =
        v == NULL || v->type == MCP_JSON_STRING ||
        (v->type == MCP_JSON_NUMBER && (v->flags & MCP_JSON_F_INTEGER) != 0);

    call->progress_token = ok ? v : NULL;
    return ok;
}

static bool is_info(const struct mcp_json *info)
{
    const struct mcp_json *name = mcp_json_find(info, "name");
    const struct mcp_json *version = mcp_json_find(info, "version");

    return info->type == MCP_JSON_OBJECT &&
           (name == NULL || name->type == MCP_JSON_STRING) &&
           (version == NULL || version->type == MCP_JSON_STRING);
}

/* Reads the client's part of _meta. Returns what is wrong with it, or NULL. */
static const char *read_meta(struct mcp_exchange *x)
{
    struct mcp_call *call = x->rq.call;
    const struct mcp_json *meta = x->message.meta;
    const struct mcp_json *info = mcp_json_find(meta, META_INFO);
    const struct mcp_json *caps = mcp_json_find(meta, META_CAPABILITIES);
    const struct mcp_json *level = mcp_json_find(meta, META_LEVEL);

    if (meta == NULL)
        return "params._meta must be an object";
    if (!mcp_json_is(mcp_json_find(meta, MCP_META_VERSION), MCP_JSON_STRING))
        return "params._meta must have the string " MCP_META_VERSION;
    if (!mcp_json_is(caps, MCP_JSON_OBJECT))
        return "params._meta must have the object " META_CAPABILITIES;
    if (info != NULL && !is_info(info))
        return "params._meta: " META_INFO " must be an object with the strings "
               "name and version";
    if (level != NULL) {
        call->log_level = level->type == MCP_JSON_STRING
                              ? mcp_level_parse(level->u.text, level->count)
                              : -1;
        if (call->log_level < 0)
            return "params._meta: " META_LEVEL " is not a log level";
    }
    call->meta = meta;
    call->client.info = info;
    call->client.capabilities = caps;
    return mcp_progress_token_read(call)
               ? NULL
               : "params._meta: progressToken must be a string or an integer";
}

/* {"supported":[...],"requested":"..."} in the call's arena, or NULL. */
static const char *version_data(struct mcp_call *call,
                                const struct mcp_json *version)
{
    const char *text;
    struct mcp_buf b;

    mcp_buf_init(&b, DATA_MAX_BYTES);
    mcp_buf_puts(&b, "{\"supported\":");
    mcp_discover_write_versions(&b);
    mcp_buf_puts(&b, ",\"requested\":");
    mcp_json_write_string(&b, version->u.text,
                          mcp_shorten(version, REQUESTED_MAX_BYTES));
    mcp_buf_putc(&b, '}');
    text = b.failed ? NULL : mcp_arena_dup(call->arena, b.data, b.len);
    mcp_buf_free(&b);
    return text;
}

static const char *version_message(const struct mcp_json *version)
{
    return mcp_revision_parse(version->u.text, version->count) >= 0
               ? "Unsupported protocol version: this revision is spoken after "
                 "initialize, without " MCP_META_VERSION
               : "Unsupported protocol version";
}

/* What is wrong with _meta. Of a client that names in its header a revision
 * that we do not speak at all, that is the better news; the order of checks
 * leaves the code as it is. */
static void refuse_meta(struct mcp_exchange *x, const char *problem)
{
    struct mcp_call *call = x->rq.call;
    struct mcp_json named = {.type = MCP_JSON_STRING};
    const char *data = NULL;
    size_t len = 0, bad;

    if (call->transport == MCP_TRANSPORT_HTTP)
        named.u.text = mcp_headers_sole(call, "MCP-Protocol-Version", &len);
    named.count = (uint32_t)len;
    if (named.u.text != NULL && mcp_revision_parse(named.u.text, len) < 0 &&
        mcp_utf8_valid(named.u.text, len, &bad) &&
        mcp_json_find(x->message.meta, MCP_META_VERSION) == NULL) {
        data = version_data(call, &named);
        problem = "MCP-Protocol-Version is none of 2026-07-28, 2025-11-25, "
                  "2025-06-18, 2025-03-26";
    }
    mcp_exchange_refuse(x, MCP_REFUSE_META, problem, data);
}

bool mcp_modern_check(struct mcp_exchange *x)
{
    struct mcp_call *call = x->rq.call;
    bool http = call->transport == MCP_TRANSPORT_HTTP;
    const char *problem = read_meta(x);
    const struct mcp_json *version;

    if (problem != NULL) {
        refuse_meta(x, problem);
        return false;
    }
    version = mcp_json_find(x->message.meta, MCP_META_VERSION);
    problem = http ? mcp_headers_check_version(call, version) : NULL;
    if (problem != NULL) {
        mcp_exchange_refuse(x, MCP_REFUSE_MISMATCH, problem, NULL);
        return false;
    }
    if (mcp_revision_parse(version->u.text, version->count) != MCP_2026_07_28) {
        mcp_exchange_refuse(x, MCP_REFUSE_VERSION, version_message(version),
                            version_data(call, version));
        return false;
    }
    problem =
        http ? mcp_headers_check_message(call, &x->message, x->rq.gen) : NULL;
    if (problem != NULL) {
        mcp_exchange_refuse(x, MCP_REFUSE_MISMATCH, problem, NULL);
        return false;
    }
    return true;
}
