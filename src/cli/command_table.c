/*
 * command_table.c - every command, in the order of --help
 */
#include "cli/command_table.h"

#include <stdio.h>
#include <string.h>

const char *const mcp_client_names[] = {
    "claude-desktop", "claude-code", "cursor", "vscode",
    "gemini-cli",     "mcp.json",    NULL};
const char *const mcp_shell_names[] = {"bash", "zsh", "fish", NULL};

static const char *const formats[] = {"text", "json", NULL};
static const char *const revisions[] = {"2026-07-28", "2025-11-25",
                                        "2025-06-18", "2025-03-26", NULL};
static const char *const templates[] = {"full", "minimal", NULL};

#define AT(field) .offset = offsetof(struct mcp_cli, field)
#define OPTIONS(list)                                                          \
    .options = (list), .option_count = sizeof(list) / sizeof((list)[0])
#define FORMAT                                                                 \
    {                                                                          \
        .name = "format", .type = MCP_WORD_SWITCH, AT(json), .words = formats, \
        .help = "For people, or as JSON for programs"                          \
    }
#define APP                                                                    \
    {                                                                          \
        .name = "app.lua", .noun = "app", .type = MCP_WORD_LUA, AT(app)        \
    }

// clang-format off
static const struct mcp_command_option of_check[] = {
    FORMAT,
    {.name = "strict", .type = MCP_WORD_FLAG, AT(strict),
     .help = "Warnings are failures too"},
};

static const struct mcp_command_option of_list[] = {FORMAT};

static const struct mcp_command_option of_call[] = {
    FORMAT,
    {.name = "json", .type = MCP_WORD_TEXT, AT(arguments), .value = "OBJECT",
     .help = "The arguments as a JSON object; a key=value beside it wins"},
};

static const struct mcp_command_option of_export[] = {
    {.name = "output", .letter = 'o', .type = MCP_WORD_FILE, AT(output),
     .value = "FILE",
     .help = "Write there, all or nothing, and not to stdout"},
    {.name = "revision", .type = MCP_WORD_TEXT, AT(revision),
     .words = revisions, .value = "REVISION",
     .help = "As clients of that revision of MCP see it"},
    {.name = "all", .type = MCP_WORD_FLAG, AT(all),
     .help = "Resources, resource templates, prompts and skills as well"},
};

static const struct mcp_command_option of_install[] = {
    {.name = "name", .type = MCP_WORD_TEXT, AT(name), .value = "NAME",
     .help = "What the client calls the server, else what the app says"},
    {.name = "env", .type = MCP_WORD_PAIR, .value = "KEY=VALUE",
     .help = "A variable of the server's environment; may be repeated"},
    {.name = "file", .type = MCP_WORD_FILE, AT(file), .value = "FILE",
     .help = "The configuration to change, else the client's own"},
    {.name = "print", .type = MCP_WORD_FLAG, AT(print),
     .help = "Print what would be added, and change nothing"},
};

static const struct mcp_command_option of_init[] = {
    {.name = "template", .type = MCP_WORD_TEXT, AT(template),
     .words = templates,
     .help = "All kinds of things, which is what comes unasked, or one tool"},
};

static const struct mcp_command_option of_bridge[] = {
    {.name = "app", .type = MCP_WORD_LUA, AT(app), .value = "app.lua",
     .help = "Instead of a URL: where this app says that it is served"},
    {.name = "header", .type = MCP_WORD_PAIR, .any = true,
     .value = "'NAME: VALUE'",
     .help = "A header of each request; may be repeated"},
    {.name = "bearer-env", .type = MCP_WORD_TEXT, AT(bridge.bearer_env),
     .value = "VARIABLE",
     .help = "The variable that has the token for Authorization"},
    {.name = "bearer-cmd", .type = MCP_WORD_TEXT, AT(bridge.bearer_cmd),
     .value = "COMMAND",
     .help = "A command that prints the token, run for each request, without "
             "a shell"},
    {.name = "header-name", .type = MCP_WORD_TEXT, AT(bridge.header_name),
     .value = "NAME",
     .help = "The header that takes the token [Authorization]"},
    {.name = "token-prefix", .type = MCP_WORD_TEXT, .any = true,
     AT(bridge.token_prefix), .value = "TEXT",
     .help = "What stands before the token ['Bearer ']"},
    {.name = "timeout", .type = MCP_WORD_TEXT, AT(bridge.timeout),
     .value = "SECONDS",
     .help = "To connect, to send, to get a token, and to finish at the end "
             "of input [30]"},
    {.name = "sse-read-timeout", .type = MCP_WORD_TEXT,
     AT(bridge.sse_read_timeout), .value = "SECONDS",
     .help = "Longest silence while an answer is waited for; 0: no limit "
             "[300]"},
    {.name = "max-message-size", .type = MCP_WORD_TEXT,
     AT(bridge.max_message_size), .value = "SIZE",
     .help = "Largest message either way; -1: no limit [16 MiB]"},
    {.name = "ca-file", .type = MCP_WORD_FILE, AT(bridge.ca_file),
     .value = "FILE",
     .help = "Certificates (PEM) that are trusted, instead of the system's"},
};

static const struct mcp_command commands[] = {
    {.name = NULL, .action = MCP_CLI_SERVE, .configured = true, .loads = true,
     .help = "Serves the app at http://127.0.0.1:8000/mcp, or with --stdio "
             "over stdin and stdout",
     .operands = {APP}},
    {.name = "check", .action = MCP_CLI_CHECK, .configured = true,
     .loads = true,
     .help = "Loads the app, says what it declares and what clients will mind",
     .operands = {APP}, OPTIONS(of_check)},
    {.name = "list", .action = MCP_CLI_LIST, .configured = true, .loads = true,
     .help = "What clients see of the app",
     .operands = {APP}, OPTIONS(of_list)},
    {.name = "call", .action = MCP_CLI_CALL, .configured = true, .loads = true,
     .help = "Runs a tool, reads a resource or gets a prompt, and prints the result",
     .operands = {APP,
                  {.name = "TOOL", .noun = "tool", .type = MCP_WORD_TEXT,
                   AT(tool)},
                  {.name = "key=value", .type = MCP_WORD_PAIR,
                   .optional = true}},
     OPTIONS(of_call)},
    {.name = "export-tool-spec", .action = MCP_CLI_EXPORT, .configured = true,
     .loads = true,
     .help = "Writes the tools of the app as clients get them, one on a line",
     .operands = {APP}, OPTIONS(of_export)},
    {.name = "install", .action = MCP_CLI_INSTALL, .loads = true,
     .help = "Adds the app to the configuration of a client on this machine",
     .operands = {{.name = "CLIENT", .noun = "client", .type = MCP_WORD_TEXT,
                   AT(client), .words = mcp_client_names},
                  APP},
     OPTIONS(of_install)},
    {.name = "bridge", .action = MCP_CLI_BRIDGE, .configured = true,
     .loads = true,
     .help = "Connects a client on stdin and stdout to a server at a URL",
     .operands = {{.name = "URL", .noun = "server", .type = MCP_WORD_TEXT,
                   .optional = true, AT(bridge.url)}},
     OPTIONS(of_bridge)},
    {.name = "test", .action = MCP_CLI_TEST,
     .help = "Runs the specs of an app by busted, whose arguments it takes",
     .operands = {{.name = "spec", .noun = "spec", .type = MCP_WORD_FILE,
                   .optional = true, AT(spec)}}},
    {.name = "init", .action = MCP_CLI_INIT,
     .help = "Writes a new project into a folder",
     .operands = {{.name = "DIR", .noun = "folder", .type = MCP_WORD_FOLDER,
                   AT(folder)}},
     OPTIONS(of_init)},
    {.name = "skills", .action = MCP_CLI_SKILLS,
     .help = "Lists the skills below a folder and says what is wrong with them",
     .operands = {{.name = "DIR", .noun = "folder", .type = MCP_WORD_FOLDER,
                   AT(folder)}},
     OPTIONS(of_check)},
    {.name = "types", .action = MCP_CLI_TYPES,
     .help = "Writes the definitions of the API for LuaLS into a folder, in "
             "the place of older ones",
     .operands = {{.name = "DIR", .noun = "folder", .type = MCP_WORD_FOLDER,
                   AT(folder)}}},
    {.name = "completions", .action = MCP_CLI_COMPLETIONS,
     .help = "Prints the completions for a shell",
     .operands = {{.name = "SHELL", .noun = "shell", .type = MCP_WORD_TEXT,
                   AT(shell), .words = mcp_shell_names}}},
    {.name = "man", .action = MCP_CLI_MAN,
     .help = "Prints the manual page, for man -l -"},
};
// clang-format on

static const struct mcp_command_verb verbs[] = {
    {"help", 'h', MCP_CLI_HELP, "Print this and exit"},
    {"version", 'V', MCP_CLI_VERSION, "Print the version and exit"},
    {"help-markdown", 0, MCP_CLI_HELP_MARKDOWN, NULL},
};

const struct mcp_command *mcp_commands(size_t *count)
{
    *count = sizeof(commands) / sizeof(commands[0]);
    return commands;
}

const struct mcp_command *mcp_command_find(const char *name)
{
    size_t count;
    const struct mcp_command *c = mcp_commands(&count);

    for (size_t i = 0; i < count; i++)
        if (c[i].name != NULL && strcmp(c[i].name, name) == 0)
            return &c[i];
    return NULL;
}

const struct mcp_command_verb *mcp_command_verbs(size_t *count)
{
    *count = sizeof(verbs) / sizeof(verbs[0]);
    return verbs;
}

void mcp_command_usage(const struct mcp_command *command, char *text,
                       size_t size)
{
    bool options = command->configured || command->option_count > 0;
    size_t at;

    at = (size_t)snprintf(text, size, "%s%s",
                          command->name != NULL ? command->name : "",
                          options && command->name != NULL ? " " : "");
    if (options && at < size)
        at += (size_t)snprintf(text + at, size - at, "[options]");
    for (size_t i = 0; i < MCP_OPERANDS_MAX; i++) {
        const struct mcp_operand *o = &command->operands[i];
        bool many = o->type == MCP_WORD_PAIR;

        if (o->name == NULL || at >= size)
            return;
        at += (size_t)snprintf(text + at, size - at, " %s%s%s%s",
                               o->optional ? "[" : "", o->name,
                               many ? " ..." : "", o->optional ? "]" : "");
    }
}
