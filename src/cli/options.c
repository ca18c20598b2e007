/*
 * options.c - arguments one by one, from left to right
 */
#include "cli/options.h"

#include <stdio.h>
#include <string.h>

#include "base/config_table.h"
#include "base/suggest.h"

struct parser {
    int argc, at; /* at: the next argument */
    char **argv;
    struct mcp_config *config;
    struct mcp_cli *out;
    char *message;
    size_t message_size;
};

/* What ends the command line at once: name, action. */
static const struct {
    const char *name;
    enum mcp_cli_action action;
} verbs[] = {
    {"--help", MCP_CLI_HELP},
    {"-h", MCP_CLI_HELP},
    {"--version", MCP_CLI_VERSION},
    {"-V", MCP_CLI_VERSION},
    {"--help-markdown", MCP_CLI_HELP_MARKDOWN},
};

static enum mcp_err parse_strict(struct parser *p, const char *argument);
static enum mcp_err parse_format(struct parser *p, const char *argument);
static enum mcp_err parse_json(struct parser *p, const char *argument);

/* The options that only a verb has. */
static const struct {
    enum mcp_cli_action action;
    const char *name;
    enum mcp_err (*parse)(struct parser *p, const char *argument);
} of_verbs[] = {
    {MCP_CLI_CHECK, "format", parse_format},
    {MCP_CLI_CHECK, "strict", parse_strict},
    {MCP_CLI_LIST, "format", parse_format},
    {MCP_CLI_CALL, "format", parse_format},
    {MCP_CLI_CALL, "json", parse_json},
};

enum { OF_VERBS_COUNT = sizeof(of_verbs) / sizeof(of_verbs[0]) };

static const char try_help[] = "; mcpluad --help lists the options";

/* What stands before the app, and what usage says stands behind. */
static const struct {
    const char *name, *usage;
    enum mcp_cli_action action;
} commands[] = {
    {"check", "check [options] app.lua", MCP_CLI_CHECK},
    {"list", "list [options] app.lua", MCP_CLI_LIST},
    {"call", "call [options] app.lua TOOL [key=value ...]", MCP_CLI_CALL},
};

static const char *usage_of(enum mcp_cli_action action)
{
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        if (commands[i].action == action)
            return commands[i].usage;
    return "[options] app.lua";
}

static bool is_word(const char *argument, enum mcp_cli_action *action)
{
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        if (strcmp(argument, commands[i].name) == 0) {
            *action = commands[i].action;
            return true;
        }
    return false;
}

static bool is_verb(const char *argument, enum mcp_cli_action *action)
{
    size_t i;

    for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
        if (strcmp(argument, verbs[i].name) == 0) {
            *action = verbs[i].action;
            return true;
        }
    return false;
}

/* `name` is no option; mcp_config_set() says so with the nearest one. Verbs
 * are near names as well, and without any --help is the hint. */
static enum mcp_err unknown_option(struct parser *p, const char *name)
{
    const char *words[2 + OF_VERBS_COUNT] = {"help", "version"}, *near;
    size_t count = 2;

    for (size_t i = 0; i < OF_VERBS_COUNT; i++)
        if (of_verbs[i].action == p->out->action)
            words[count++] = of_verbs[i].name;
    near = mcp_suggest(name, strlen(name), words, count);

    if (near != NULL)
        (void)snprintf(p->message, p->message_size,
                       "unknown option --%s; did you mean --%s?", name, near);
    else if (mcp_config_set(p->config, name, "", MCP_FROM_FLAG, p->message,
                            p->message_size) == MCP_ENOENT &&
             strchr(p->message, ';') == NULL)
        (void)snprintf(p->message, p->message_size, "unknown option --%s%s",
                       name, try_help);
    return MCP_EINVAL;
}

/* The value of option `o`: behind '=', or "true", or the next argument. NULL:
 * there is none. */
static const char *find_value(struct parser *p, const struct mcp_option *o,
                              const char *equals)
{
    if (equals != NULL)
        return equals + 1;
    if (o->type == MCP_OPTION_BOOL)
        return "true";
    if (p->at == p->argc || strncmp(p->argv[p->at], "--", 2) == 0)
        return NULL;
    return p->argv[p->at++];
}

/* The value of an option that only a verb has; "" when there is none. */
static const char *take_value(struct parser *p, const char *argument)
{
    const char *equals = strchr(argument, '=');

    if (equals != NULL)
        return equals + 1;
    return p->at < p->argc ? p->argv[p->at++] : "";
}

static enum mcp_err parse_strict(struct parser *p, const char *argument)
{
    if (strchr(argument, '=') != NULL)
        return unknown_option(p, argument + 2);
    p->out->strict = true;
    return MCP_OK;
}

/* --format text|json or --format=... */
static enum mcp_err parse_format(struct parser *p, const char *argument)
{
    const char *value = take_value(p, argument);

    p->out->json = strcmp(value, "json") == 0;
    if (p->out->json || strcmp(value, "text") == 0)
        return MCP_OK;
    (void)snprintf(p->message, p->message_size,
                   "--format must be text or json");
    return MCP_EINVAL;
}

/* --json OBJECT or --json=... */
static enum mcp_err parse_json(struct parser *p, const char *argument)
{
    p->out->arguments = take_value(p, argument);
    return MCP_OK;
}

/* An option that only a verb has. True: `*rc` is the outcome. */
static bool is_option_of_verb(struct parser *p, const char *argument,
                              enum mcp_err *rc)
{
    size_t len = strcspn(argument, "=");

    for (size_t i = 0; i < OF_VERBS_COUNT; i++)
        if (of_verbs[i].action == p->out->action &&
            len == strlen(of_verbs[i].name) + 2 &&
            strncmp(argument, "--", 2) == 0 &&
            memcmp(argument + 2, of_verbs[i].name, len - 2) == 0) {
            *rc = of_verbs[i].parse(p, argument);
            return true;
        }
    return false;
}

/* One argument that begins with "--". */
static enum mcp_err parse_option(struct parser *p, const char *argument)
{
    const char *equals = strchr(argument, '=');
    size_t len =
        equals != NULL ? (size_t)(equals - argument) - 2 : strlen(argument) - 2;
    char name[MCP_OPTION_MAX_NAME], right[128];
    const struct mcp_option *o;
    const char *value;
    enum mcp_err rc;

    (void)snprintf(name, sizeof(name), "%.*s", (int)(len < 60 ? len : 60),
                   argument + 2);
    o = mcp_config_find(argument + 2, len);
    if (o == NULL)
        return unknown_option(p, name);
    value = find_value(p, o, equals);
    if (value == NULL) {
        mcp_option_describe(o, right, sizeof(right));
        (void)snprintf(p->message, p->message_size, "--%s needs a value: %s",
                       name, right);
        return MCP_EINVAL;
    }
    rc = mcp_config_set(p->config, o->name, value, MCP_FROM_FLAG, p->message,
                        p->message_size);
    return rc == MCP_OK || rc == MCP_ENOMEM ? rc : MCP_EINVAL;
}

/* Behind the app of a call: the tool, then key=value. */
static enum mcp_err take_argument(struct parser *p, const char *argument)
{
    const char *equals = strchr(argument, '=');

    if (p->out->tool == NULL) {
        p->out->tool = argument;
        return MCP_OK;
    }
    if (equals != NULL && equals != argument) {
        /* in the place of an argument that has been read */
        p->out->pairs[p->out->pair_count++] = (char *)argument;
        return MCP_OK;
    }
    (void)snprintf(p->message, p->message_size,
                   "an argument of the tool is key=value, not \"%.100s\"",
                   argument);
    return MCP_EINVAL;
}

static enum mcp_err take_app(struct parser *p, const char *argument)
{
    if (p->out->app == NULL) {
        p->out->app = argument;
        return MCP_OK;
    }
    if (p->out->action == MCP_CLI_CALL)
        return take_argument(p, argument);
    (void)snprintf(p->message, p->message_size,
                   "one app at a time: %.100s or %.100s?", p->out->app,
                   argument);
    return MCP_EINVAL;
}

static enum mcp_err parse_argument(struct parser *p, const char *argument,
                                   bool *options_ended)
{
    enum mcp_err rc;

    if (!*options_ended && p->out->app == NULL &&
        p->out->action == MCP_CLI_SERVE && is_word(argument, &p->out->action))
        return MCP_OK;
    if (*options_ended || argument[0] != '-')
        return take_app(p, argument);
    if (strcmp(argument, "--") == 0) {
        *options_ended = true;
        return MCP_OK;
    }
    if (is_option_of_verb(p, argument, &rc))
        return rc;
    if (strncmp(argument, "--", 2) == 0)
        return parse_option(p, argument);
    (void)snprintf(p->message, p->message_size, "unknown option %.60s%s",
                   argument, try_help);
    return MCP_EINVAL;
}

enum mcp_err mcp_cli_parse(int argc, char **argv, struct mcp_config *config,
                           struct mcp_cli *out, char *message,
                           size_t message_size)
{
    struct mcp_cli cli = {.action = MCP_CLI_SERVE, .pairs = argv + 1};
    struct parser p = {argc, 1, argv, config, &cli, message, message_size};
    bool options_ended = false;
    enum mcp_err rc = MCP_OK;

    while (rc == MCP_OK && p.at < argc) {
        const char *argument = argv[p.at++];

        if (!options_ended && is_verb(argument, &cli.action)) {
            *out = cli;
            return MCP_OK;
        }
        rc = parse_argument(&p, argument, &options_ended);
    }
    if (rc != MCP_OK)
        return rc;
    if (cli.app == NULL || *cli.app == '\0') {
        (void)snprintf(message, message_size, "which app? usage: mcpluad %s",
                       usage_of(cli.action));
        return MCP_EINVAL;
    }
    if (cli.action == MCP_CLI_CALL && cli.tool == NULL) {
        (void)snprintf(message, message_size,
                       "which tool? mcpluad list %.200s tells which there are",
                       cli.app);
        return MCP_EINVAL;
    }
    rc = mcp_config_read_env(config, message, message_size);
    if (rc != MCP_OK)
        return rc == MCP_ENOMEM ? rc : MCP_EINVAL;
    *out = cli;
    return MCP_OK;
}
