/*
 * options.h - the command line
 *
 *     mcpluad [options] app.lua        --name value, --name=value, -- ends
 *     mcpluad COMMAND [options] ...    as command_table.h has it
 *     mcpluad --help | -h | --version | -V
 *
 * Options may stand before and behind the app; those that only a command has
 * stand behind the command. A boolean needs no value and takes one only behind
 * '='. A script called like a command is served as ./check.
 *
 * Layer:  cli. Uses cli/command_table, base/config, base/suggest.
 * Thread: main.
 */
#ifndef MCP_CLI_OPTIONS_H
#define MCP_CLI_OPTIONS_H

#include <stddef.h>

#include "base/config.h"
#include "base/err.h"
#include "cli/command_table.h"

/* Reads the arguments behind argv[0] into `out` and sets `config` from the
 * flags and, when an app is loaded, from the environment. --help and --version
 * win as soon as they are met.
 * Errors: MCP_EINVAL wrong usage, MCP_ENOMEM; `message` is one line. */
enum mcp_err mcp_cli_parse(int argc, char **argv, struct mcp_config *config,
                           struct mcp_cli *out, char *message,
                           size_t message_size) MCP_MUST_USE;

#endif
