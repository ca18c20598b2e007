/*
 * command_table.h - what may stand on the command line
 *
 * One row per command: its operands and the options that only it has. Parsing
 * (options.c), --help (help.c), shell completions (completions.c) and the
 * manual page (man.c) read the rows; nothing else spells a command or one of
 * its options. The options that commands share are in base/config_table.h.
 *
 * Layer:  cli. Uses base.
 * Thread: any; the table is constant.
 */
#ifndef MCP_CLI_COMMAND_TABLE_H
#define MCP_CLI_COMMAND_TABLE_H

#include <stdbool.h>
#include <stddef.h>

enum mcp_cli_action {
    MCP_CLI_SERVE,
    MCP_CLI_CHECK,       /* loads the app and reports */
    MCP_CLI_LIST,        /* loads the app and tells what clients see */
    MCP_CLI_CALL,        /* loads the app and runs one tool */
    MCP_CLI_EXPORT,      /* loads the app and writes its lists */
    MCP_CLI_INSTALL,     /* loads the app and tells a client of it */
    MCP_CLI_TEST,        /* runs specs; cli/test.h */
    MCP_CLI_BRIDGE,      /* a stdio client to a remote server */
    MCP_CLI_INIT,        /* writes a new project */
    MCP_CLI_SKILLS,      /* reads a folder of skills */
    MCP_CLI_TYPES,       /* writes lua/meta into a folder */
    MCP_CLI_COMPLETIONS, /* prints a script for a shell */
    MCP_CLI_MAN,         /* prints the manual page */
    MCP_CLI_HELP,
    MCP_CLI_HELP_MARKDOWN, /* --help-markdown: prints docs/options.md */
    MCP_CLI_VERSION,
};

struct mcp_command;

/* BRIDGE: what is not set is NULL. */
struct mcp_cli_bridge {
    const char *url, *ca_file;
    const char *bearer_env, *bearer_cmd, *header_name, *token_prefix;
    const char *timeout, *sse_read_timeout, *max_message_size;
};

/* What a command line says; all texts BORROWED from argv. */
struct mcp_cli {
    enum mcp_cli_action action;
    const struct mcp_command *command; /* its row; HELP: of what is asked   */
    const char *app;       /* the script                                    */
    bool json;             /* CHECK, LIST, CALL, SKILLS: the form of output */
    bool strict;           /* CHECK, SKILLS: warnings count                 */
    const char *tool;      /* CALL                                          */
    const char *arguments; /* CALL: of --json, or NULL                      */
    char **pairs;          /* CALL, INSTALL: "key=value", BRIDGE: headers,
                              in argv, which is reordered                   */
    size_t pair_count;
    const char *output;   /* EXPORT: a file, or NULL                        */
    const char *revision; /* EXPORT: or NULL: the newest                    */
    bool all;             /* EXPORT: more than tools                        */
    const char *client;   /* INSTALL: one of mcp_client_names               */
    const char *name;     /* INSTALL: of the server, or NULL                */
    const char *file;     /* INSTALL: the configuration, or NULL            */
    bool print;           /* INSTALL: changes nothing                       */
    const char *spec;     /* TEST                                           */
    const char *folder;   /* INIT, SKILLS, TYPES                            */
    const char *template; /* INIT: or NULL: full                            */
    const char *shell;    /* COMPLETIONS                                    */
    struct mcp_cli_bridge bridge;
};

enum mcp_word_type {
    MCP_WORD_FLAG,   /* bool; takes no value                                */
    MCP_WORD_SWITCH, /* bool: the place of the value in two `words`         */
    MCP_WORD_TEXT,   /* const char *; one of `words` when there are any     */
    MCP_WORD_FILE,   /* const char *: a path                                */
    MCP_WORD_FOLDER, /* const char *: a path                                */
    MCP_WORD_LUA,    /* const char *: a Lua script                          */
    MCP_WORD_PAIR,   /* key=value, one or more, to `pairs`                  */
};

/* An option that only one command has. */
struct mcp_command_option {
    const char *name; /* without dashes                                     */
    char letter;      /* of the short form, "-o"; 0: none                   */
    enum mcp_word_type type;
    bool any;                 /* TEXT: also ""; PAIR: any text              */
    size_t offset;            /* of the field in struct mcp_cli             */
    const char *const *words; /* ends with NULL; NULL: any text             */
    const char *value;        /* placeholder; NULL: the words               */
    const char *help;         /* a sentence or two, no full stop at the end */
};

/* What stands without dashes, in its place. */
struct mcp_operand {
    const char *name; /* placeholder: "app.lua"                             */
    const char *noun; /* "which app?"                                       */
    enum mcp_word_type type;
    bool optional;
    size_t offset;
    const char *const *words;
};

enum { MCP_OPERANDS_MAX = 3 };

struct mcp_command {
    const char *name; /* NULL: serves the app                               */
    enum mcp_cli_action action;
    bool configured;  /* takes the options of base/config_table.h too        */
    bool loads;       /* runs with the loaded app                            */
    const char *help; /* sentences, no full stop at the end                 */
    struct mcp_operand operands[MCP_OPERANDS_MAX]; /* up to a NULL name     */
    const struct mcp_command_option *options;
    size_t option_count;
};

/* The rows, serving first; `*count` gets their number. */
const struct mcp_command *mcp_commands(size_t *count);

/* The row of `name`, or NULL. */
const struct mcp_command *mcp_command_find(const char *name);

/* "call [options] app.lua TOOL [key=value ...]", cut to `size`. */
void mcp_command_usage(const struct mcp_command *command, char *text,
                       size_t size);

/* Options that end the command line at once, whatever the command. */
struct mcp_command_verb {
    const char *name; /* without dashes                                     */
    char letter;      /* 0: none                                            */
    enum mcp_cli_action action;
    const char *help; /* NULL: not told                                     */
};
const struct mcp_command_verb *mcp_command_verbs(size_t *count);

/* The clients that `install` knows, and the shells of `completions`; each ends
 * with NULL. */
extern const char *const mcp_client_names[];
extern const char *const mcp_shell_names[];

#endif
