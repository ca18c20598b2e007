/*
 * man.h - `mcpluad man`: the manual page, section 1
 *
 * Layer:  cli. Uses cli/command_table, cli/help, base/config_table.
 * Thread: main.
 */
#ifndef MCP_CLI_MAN_H
#define MCP_CLI_MAN_H

#include "base/buf.h"

/* The page in the man macros of roff. */
void mcp_man_write(struct mcp_buf *out);

#endif
