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
    mcp_buf_printf(out, "\n%s   %zu tool%s   isolation: ", b->where,
                   b->tool_count, b->tool_count == 1 ? "" : "s");
    mcp_banner_put(out, b->isolation);
    mcp_buf_printf(out, "   ready in %.1f ms%s\n", (double)b->ready_ns / 1e6,
                   b->dev ? "   reloading on save" : "");
    if (b->connection_limit > 0)
        mcp_buf_printf(out, "warning: " LIMIT_FORMAT "\n", b->connection_limit,
                       b->max_connections);
}

void mcp_banner_log(const struct mcp_banner *b)
{
    mcp_log(MCP_LOG_INFO, "main",
            "mcpluad " MCP_VERSION " serves %s%s%s at %s: %zu tool%s, "
            "isolation: %s, ready in %.1f ms%s",
            b->name != NULL ? b->name : "an app without a name",
            b->version != NULL ? " " : "", b->version != NULL ? b->version : "",
            b->where, b->tool_count, b->tool_count == 1 ? "" : "s",
            b->isolation, (double)b->ready_ns / 1e6,
            b->dev ? ", reloading on save" : "");
    if (b->connection_limit > 0)
        mcp_log(MCP_LOG_WARNING, "main", LIMIT_FORMAT, b->connection_limit,
                b->max_connections);
}
