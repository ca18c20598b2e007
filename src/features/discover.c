/*
 * discover.c - see discover.h
 */
#include "features/discover.h"

#include "features/envelope.h"
#include "features/offer.h"
#include "features/prepared.h"

void mcp_discover_write_versions(struct mcp_buf *out)
{
    for (int r = MCP_REVISION_LAST; r >= (int)MCP_REVISION_FIRST; r--)
        mcp_buf_printf(out, "%c\"%s\"", r == MCP_REVISION_LAST ? '[' : ',',
                       mcp_revision_name((enum mcp_revision)r));
    mcp_buf_putc(out, ']');
}

static void write_instructions(struct mcp_buf *out,
                               const struct mcp_config *config)
{
    if (config->instructions == NULL)
        return;
    mcp_buf_puts(out, ",\"instructions\":");
    mcp_json_write_cstring(out, config->instructions);
}

static void write_modern(struct mcp_buf *out, const struct mcp_generation *gen,
                         bool fresh)
{
    mcp_buf_puts(out, "{\"resultType\":\"complete\",\"supportedVersions\":");
    mcp_discover_write_versions(out);
    mcp_buf_puts(out, ",\"capabilities\":");
    mcp_offer_write(out, mcp_offer_find(gen));
    write_instructions(out, gen->config);
    mcp_buf_putc(out, ',');
    mcp_envelope_write_cache(out, gen->config, NULL, fresh);
    mcp_buf_puts(out, ",\"_meta\":{\"io.modelcontextprotocol/serverInfo\":");
    mcp_envelope_write_server_info(out, gen->config, MCP_REVISION_LAST, true);
    mcp_buf_puts(out, "}}");
}

static void write_legacy(struct mcp_buf *out, const struct mcp_generation *gen,
                         enum mcp_revision revision)
{
    mcp_buf_printf(out, "{\"protocolVersion\":\"%s\",\"capabilities\":",
                   mcp_revision_name(revision));
    mcp_offer_write(out, mcp_offer_find(gen) & ~(unsigned)MCP_OFFER_EXTENSIONS);
    mcp_buf_puts(out, ",\"serverInfo\":");
    mcp_envelope_write_server_info(out, gen->config, revision, true);
    write_instructions(out, gen->config);
    mcp_buf_putc(out, '}');
}

void mcp_discover_write(struct mcp_buf *out, const struct mcp_generation *gen,
                        enum mcp_revision revision)
{
    if (revision >= MCP_2026_07_28)
        write_modern(out, gen, true);
    else
        write_legacy(out, gen, revision);
}

void mcp_discover(struct mcp_request *rq)
{
    const struct mcp_prepared *p = rq->gen->prepared;
    const struct mcp_text *t = &p->hello[rq->call->revision];

    if (mcp_envelope_is_retry(rq->call))
        write_modern(&rq->call->out, rq->gen, false);
    else
        mcp_buf_add(&rq->call->out, t->text, t->len);
    rq->end(rq);
}
