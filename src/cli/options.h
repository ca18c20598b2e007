/*
 * options.h - the command line
 *
 *     mcpluad [options] app.lua        --name value, --name=value, -- ends
 *     mcpluad check [options] [--format text|json] [--strict] app.lua
 *     mcpluad list [options] [--format text|json] app.lua
 *     mcpluad call [options] [--format text|json] [--json OBJECT] app.lua
 *             TOOL [key=value ...]
 *     mcpluad --help | -h | --version | -V
 *
 * Options may stand before and behind the app. A boolean needs no value and
 * takes one only behind '='. A script called check, list or call is served as
 * ./check.
 *
 * Layer:  cli. Uses base/config, base/suggest.
 * Thread: main.
 */
#ifndef MCP_CLI_OPTIONS_H
#define MCP_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/config.h"
#include "base/err.h"

enum mcp_cli_action {
    MCP_CLI_SERVE,
    MCP_CLI_CHECK, /* loads the app and reports */
    MCP_CLI_LIST,  /* loads the app and tells what clients see */
    MCP_CLI_CALL,  /* loads the app and runs one tool */
    MCP_CLI_HELP,
    MCP_CLI_HELP_MARKDOWN, /* --help-markdown: prints docs/options.md */
    MCP_CLI_VERSION,
};

struct mcp_cli {
    enum mcp_cli_action action;
    const char *app;  /* the script; as all texts here BORROWED from argv     */
    bool json;        /* CHECK, LIST, CALL: the form of what is written       */
    bool strict;      /* CHECK: warnings count                                */
    const char *tool; /* CALL */
    const char *arguments; /* CALL: of --json, or NULL                       */
    char **pairs;          /* CALL: "key=value", in argv, which is reordered */
    size_t pair_count;
};

/* Reads the arguments behind argv[0] into `out` and sets `config` from the
 * flags and, when there is an app, from the environment. --help and --version
 * win as soon as they are met.
 * Errors: MCP_EINVAL wrong usage, MCP_ENOMEM; `message` is one line. */
enum mcp_err mcp_cli_parse(int argc, char **argv, struct mcp_config *config,
                           struct mcp_cli *out, char *message,
                           size_t message_size) MCP_MUST_USE;

#endif
