/*
 * banner.c - what a person wants to see after the start
 */
#include "cli/banner.h"

#include <inttypes.h>

#include "base/log.h"

#define LIMIT_FORMAT                                                           \
    "%zu connections instead of %" PRId64                                      \
    ": the limit of open files is too low (ulimit -n)"

static bool is_control(char c)
{
    return (unsigned char)c < 0x20 || c == 0x7f;
}

void mcp_banner_add(struct mcp_buf *out, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (!is_control(text[i]))
            mcp_buf_putc(out, text[i]);
        else if (i + 1 < len && !is_control(text[i + 1]))
            mcp_buf_putc(out, ' ');
    }
}

void mcp_banner_put(struct mcp_buf *out, const char *text)
{
    mcp_banner_add(out, text, strlen(text));
}

/* "3 tools, 1 prompt": what there is of each; tools always. */
static void write_counts(struct mcp_buf *out, const struct mcp_banner *b)
{
    mcp_buf_printf(out, "%zu tool%s", b->tool_count,
                   b->tool_count == 1 ? "" : "s");
    if (b->resource_count > 0)
        mcp_buf_printf(out, ", %zu resource%s", b->resource_count,
                       b->resource_count == 1 ? "" : "s");
    if (b->prompt_count > 0)
        mcp_buf_printf(out, ", %zu prompt%s", b->prompt_count,
                       b->prompt_count == 1 ? "" : "s");
    if (b->skill_count > 0)
        mcp_buf_printf(out, ", %zu skill%s", b->skill_count,
                       b->skill_count == 1 ? "" : "s");
    if (b->route_count > 0)
        mcp_buf_printf(out, ", %zu route%s", b->route_count,
                       b->route_count == 1 ? "" : "s");
}

void mcp_banner_write(struct mcp_buf *out, const struct mcp_banner *b)
{
    mcp_buf_puts(out, "mcpluad " MCP_VERSION);
    if (b->name != NULL) {
        mcp_buf_puts(out, "  ");
        mcp_banner_put(out, b->name);
    }
    if (b->version != NULL) {
        mcp_buf_putc(out, ' ');
        mcp_banner_put(out, b->version);
    }
    mcp_buf_printf(out, "\n%s   ", b->where);
    write_counts(out, b);
    mcp_buf_puts(out, "   isolation: ");
    mcp_banner_put(out, b->isolation);
    mcp_buf_printf(out, "   ready in %.1f ms%s\n", (double)b->ready_ns / 1e6,
                   b->dev ? "   reloading on save" : "");
    if (b->connection_limit > 0)
        mcp_buf_printf(out, "warning: " LIMIT_FORMAT "\n", b->connection_limit,
                       b->max_connections);
}

void mcp_banner_log(const struct mcp_banner *b)
{
    struct mcp_buf counts;

    mcp_buf_init(&counts, 256);
    write_counts(&counts, b);
    mcp_log(MCP_LOG_INFO, "main",
            "mcpluad " MCP_VERSION " serves %s%s%s at %s: %.*s, "
            "isolation: %s, ready in %.1f ms%s",
            b->name != NULL ? b->name : "an app without a name",
            b->version != NULL ? " " : "", b->version != NULL ? b->version : "",
            b->where, (int)counts.len, counts.data, b->isolation,
            (double)b->ready_ns / 1e6, b->dev ? ", reloading on save" : "");
    mcp_buf_free(&counts);
    if (b->connection_limit > 0)
        mcp_log(MCP_LOG_WARNING, "main", LIMIT_FORMAT, b->connection_limit,
                b->max_connections);
}
