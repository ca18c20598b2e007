/*
 * banner.c - what a person wants to see after the start
 */
#include "cli/banner.h"

#include <inttypes.h>

/* A name may hold what would move a terminal's cursor. */
static void put_name(struct mcp_buf *out, const char *text)
{
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;

        mcp_buf_putc(out, c < 0x20 || c == 0x7f ? '?' : *text);
    }
}

void mcp_banner_write(struct mcp_buf *out, const struct mcp_banner *b)
{
    mcp_buf_puts(out, "mcpluad " MCP_VERSION);
    if (b->name != NULL) {
        mcp_buf_puts(out, "  ");
        put_name(out, b->name);
    }
    if (b->version != NULL) {
        mcp_buf_putc(out, ' ');
        put_name(out, b->version);
    }
    mcp_buf_printf(out, "\n%s   %zu tool%s   isolation: ", b->where,
                   b->tool_count, b->tool_count == 1 ? "" : "s");
    put_name(out, b->isolation);
    mcp_buf_printf(out, "   ready in %.1f ms\n", (double)b->ready_ns / 1e6);
    if (b->connection_limit > 0)
        mcp_buf_printf(out,
                       "warning: %zu connections instead of %" PRId64
                       ": the limit of open files is too low (ulimit -n)\n",
                       b->connection_limit, b->max_connections);
}
