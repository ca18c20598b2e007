/*
 * help.h - the tables of options and commands as --help and docs/options.md
 *
 * Layer:  cli. Uses base/buf, base/config_table, cli/command_table.
 * Thread: main.
 */
#ifndef MCP_CLI_HELP_H
#define MCP_CLI_HELP_H

#include <stddef.h>

#include "base/buf.h"
#include "base/config_table.h"
#include "cli/command_table.h"

/* For a terminal: grouped, at most 80 columns. */
void mcp_help_write(struct mcp_buf *out);

/* Of one command: `mcpluad call --help`. */
void mcp_help_write_command(struct mcp_buf *out, const struct mcp_command *c);

/* The whole of docs/options.md. */
void mcp_help_write_markdown(struct mcp_buf *out);

/* ---- the parts, for other writers ---- */

/* What stands for the value of an option: "SECONDS". */
const char *mcp_help_placeholder(const struct mcp_option *o);

/* The help, the words that may be chosen, and the default, cut to `size`. */
void mcp_help_describe(char *text, size_t size, const struct mcp_option *o);

/* "-o, --output FILE", with `before_value` in front of the value. */
void mcp_help_spell(struct mcp_buf *out, const struct mcp_command_option *o,
                    const char *before_value);

/* The help and the words that may be chosen, cut to `size`. */
void mcp_help_describe_option(char *text, size_t size,
                              const struct mcp_command_option *o);

#endif
