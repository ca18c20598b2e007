/*
 * completions.h - `mcpluad completions`: what a shell needs to complete us
 *
 * Written from the table of commands and the table of options, so a new row is
 * completed at once. Nothing is run while somebody types: tools of an app are
 * not completed.
 *
 * Layer:  cli. Uses cli/command_table, cli/help, base/config_table.
 * Thread: main.
 */
#ifndef MCP_CLI_COMPLETIONS_H
#define MCP_CLI_COMPLETIONS_H

#include "base/buf.h"

/* The script for `shell`, one of mcp_shell_names. */
void mcp_completions_write(struct mcp_buf *out, const char *shell);

/* ---- the parts, one a shell ---- */

void mcp_completions_write_bash(struct mcp_buf *out);
void mcp_completions_write_zsh(struct mcp_buf *out);
void mcp_completions_write_fish(struct mcp_buf *out);

#endif
