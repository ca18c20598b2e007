/*
 * options.h - the command line
 *
 *     mcpluad [options] app.lua        --name value, --name=value, -- ends
 *     mcpluad check [options] [--format text|json] [--strict] app.lua
 *     mcpluad --help | -h | --version | -V
 *
 * Options may stand before and behind the app. A boolean needs no value and
 * takes one only behind '='. A script called check is served as ./check.
 *
 * Layer:  cli. Uses base/config, base/suggest.
 * Thread: main.
 */
#ifndef MCP_CLI_OPTIONS_H
#define MCP_CLI_OPTIONS_H

#include <stdbool.h>

#include "base/config.h"
#include "base/err.h"

enum mcp_cli_action {
    MCP_CLI_SERVE,
    MCP_CLI_CHECK, /* loads the app and reports */
    MCP_CLI_HELP,
    MCP_CLI_HELP_MARKDOWN, /* --help-markdown: prints docs/options.md */
    MCP_CLI_VERSION,
};

struct mcp_cli {
    enum mcp_cli_action action;
    const char *app;   /* SERVE, CHECK: the script; BORROWED from argv */
    bool json, strict; /* CHECK: the report's form; warnings count    */
};

/* Reads the arguments behind argv[0] into `out` and sets `config` from the
 * flags and, when there is an app, from the environment. --help and --version
 * win as soon as they are met.
 * Errors: MCP_EINVAL wrong usage, MCP_ENOMEM; `message` is one line. */
enum mcp_err mcp_cli_parse(int argc, char **argv, struct mcp_config *config,
                           struct mcp_cli *out, char *message,
                           size_t message_size) MCP_MUST_USE;

#endif
