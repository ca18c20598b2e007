/*
 * init.h - `mcpluad init`: a new project that runs
 *
 * The files are those of templates/common and templates/NAME, which the binary
 * carries, and those of lua/meta in types/. {{name}} in them becomes the
 * name of the folder. Nothing is ever overwritten: when one of the files is
 * there, none is written.
 *
 * Layer:  cli. Uses cli/file, the embedded files.
 * Thread: main.
 */
#ifndef MCP_CLI_INIT_H
#define MCP_CLI_INIT_H

#include <stddef.h>

#include "base/err.h"
#include "cli/command_table.h"

/* Writes the project into `cli->folder` and tells on `fd` what it wrote.
 * Errors, each with a one-line `message`: MCP_EINVAL files are in the way, all
 * are named; MCP_EINTERNAL one cannot be written, and those before are removed;
 * MCP_ENOMEM. */
enum mcp_err mcp_init_run(const struct mcp_cli *cli, int fd, char *message,
                          size_t message_size) MCP_MUST_USE;

/* `mcpluad types`: writes the definitions below `cli->folder`, in the place of
 * older ones. Errors as above, but that no file is in the way. */
enum mcp_err mcp_init_write_types(const struct mcp_cli *cli, char *message,
                                  size_t message_size) MCP_MUST_USE;

#endif
