/*
 * envelope.c - see envelope.h
 */
#include "features/envelope.h"

#include "features/prepared.h"

#define SERVER_INFO_KEY "io.modelcontextprotocol/serverInfo"

static void write_member(struct mcp_buf *out, const char *name,
                         const char *text)
{
    if (text == NULL)
        return;
    mcp_buf_puts(out, name);
    mcp_json_write_cstring(out, text);
}

void mcp_envelope_write_server_info(struct mcp_buf *out,
                                    const struct mcp_config *config,
                                    enum mcp_revision revision, bool whole)
{
    write_member(out,
                 "{\"name\":", config->name != NULL ? config->name : "mcpluad");
    write_member(out, ",\"version\":",
                 config->version != NULL ? config->version : MCP_VERSION);
    if (revision >= MCP_2025_06_18)
        write_member(out, ",\"title\":", config->title);
    if (revision >= MCP_2025_11_25 && whole) {
        write_member(out, ",\"websiteUrl\":", config->website_url);
        if (config->icons != NULL) {
            mcp_buf_puts(out, ",\"icons\":");
            mcp_buf_puts(out, config->icons);
        }
    }
    mcp_buf_putc(out, '}');
}

void mcp_envelope_write_cache(struct mcp_buf *out,
                              const struct mcp_config *config,
                              const struct mcp_cache_hint *hint, bool fresh)
{
    int64_t ttl_ms =
        hint != NULL && hint->ttl_ms >= 0 ? hint->ttl_ms : config->cache_ttl_ms;
    int64_t scope =
        hint != NULL && hint->scope >= 0 ? hint->scope : config->cache_scope;
    bool is_public = fresh && scope == MCP_CACHE_PUBLIC;

    mcp_buf_printf(out, "\"ttlMs\":%lld,\"cacheScope\":\"%s\"",
                   fresh ? (long long)ttl_ms : 0,
                   is_public ? "public" : "private");
}

bool mcp_envelope_is_retry(const struct mcp_call *call)
{
    return mcp_json_find(call->params, "inputResponses") != NULL ||
           mcp_json_find(call->params, "requestState") != NULL;
}

/* Has the author's meta[0..len) a serverInfo of its own? Unreadable text
 * counts as yes: then nothing is added that could come twice. */
static bool names_server(const struct mcp_call *call, const char *meta,
                         size_t len)
{
    const struct mcp_json *tree;

    if (mcp_json_parse(call->arena, meta, len, NULL, &tree, NULL) != MCP_OK)
        return true;
    return mcp_json_find(tree, SERVER_INFO_KEY) != NULL;
}

void mcp_envelope_write_meta(struct mcp_buf *out, const struct mcp_call *call,
                             const struct mcp_generation *gen, const char *meta,
                             size_t len)
{
    const struct mcp_prepared *prepared = gen->prepared;
    bool has_members = len > 2;
    bool sign = mcp_call_is_modern(call) &&
                !(has_members && names_server(call, meta, len));

    if (!has_members && !sign)
        return;
    mcp_buf_puts(out, ",\"_meta\":{");
    if (has_members)
        mcp_buf_add(out, meta + 1, len - 2);
    if (sign) {
        mcp_buf_puts(out, has_members ? "," : "");
        mcp_buf_puts(out, "\"" SERVER_INFO_KEY "\":");
        mcp_buf_add(out, prepared->server_info.text, prepared->server_info.len);
    }
    mcp_buf_putc(out, '}');
}
