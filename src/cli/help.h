/*
 * help.h - the option table as --help and as docs/options.md
 *
 * Layer:  cli. Uses base/buf, base/config_table.
 * Thread: main.
 */
#ifndef MCP_CLI_HELP_H
#define MCP_CLI_HELP_H

#include "base/buf.h"

/* For a terminal: grouped, at most 80 columns. */
void mcp_help_write(struct mcp_buf *out);

/* The whole of docs/options.md. */
void mcp_help_write_markdown(struct mcp_buf *out);

#endif
