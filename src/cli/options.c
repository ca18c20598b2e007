/*
 * options.c - arguments one by one, from left to right
 */
#include "cli/options.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/config_table.h"
#include "base/suggest.h"

struct parser {
    int argc, at; /* at: the next argument */
    char **argv;
    struct mcp_config *config;
    struct mcp_cli *out;
    size_t operand; /* place of the next one */
    char *message;
    size_t message_size;
};

enum { WORDS_MAX = 16 };

static const char try_help[] = "; mcpluad --help lists the options";

static enum mcp_err refuse(struct parser *p, const char *fmt, ...)
    MCP_PRINTF(2, 3);

static enum mcp_err refuse(struct parser *p, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(p->message, p->message_size, fmt, ap);
    va_end(ap);
    return MCP_EINVAL;
}

static void *field(struct parser *p, size_t offset)
{
    return (char *)p->out + offset;
}

/* Is `argument` the name of a command? */
static bool is_command(struct parser *p, const char *argument)
{
    const struct mcp_command *command = mcp_command_find(argument);

    if (command == NULL)
        return false;
    p->out->command = command;
    p->out->action = command->action;
    return true;
}

/* Does `argument` end the command line at once? */
static bool is_verb(struct parser *p, const char *argument)
{
    size_t count;
    const struct mcp_command_verb *verbs = mcp_command_verbs(&count);

    for (size_t i = 0; i < count; i++) {
        char letter[] = {'-', verbs[i].letter, '\0'};

        if ((strncmp(argument, "--", 2) == 0 &&
             strcmp(argument + 2, verbs[i].name) == 0) ||
            (verbs[i].letter != 0 && strcmp(argument, letter) == 0)) {
            p->out->action = verbs[i].action;
            return true;
        }
    }
    return false;
}

/* "a, b or c" */
static void join_words(const char *const *words, char *text, size_t size)
{
    size_t at = 0;

    text[0] = '\0';
    for (size_t i = 0; words[i] != NULL && at < size; i++)
        at += (size_t)snprintf(text + at, size - at, "%s%s",
                               i == 0                 ? ""
                               : words[i + 1] == NULL ? " or "
                                                      : ", ",
                               words[i]);
}

/* The place of `value` in `words`, or -1. */
static int find_word(const char *const *words, const char *value)
{
    for (int i = 0; words[i] != NULL; i++)
        if (strcmp(words[i], value) == 0)
            return i;
    return -1;
}

static const char *nearest_word(const char *const *words, const char *value)
{
    size_t count = 0;

    while (words[count] != NULL)
        count++;
    return mcp_suggest(value, strlen(value), words, count);
}

/* `name` is no option; mcp_config_set() says so with the nearest one. Verbs
 * are near names as well, and without any --help is the hint. */
static enum mcp_err unknown_option(struct parser *p, const char *name)
{
    const struct mcp_command *command = p->out->command;
    const char *words[2 + WORDS_MAX] = {"help", "version"}, *near;
    size_t count = 2;

    for (size_t i = 0; i < command->option_count && i < WORDS_MAX; i++)
        words[count++] = command->options[i].name;
    near = mcp_suggest(name, strlen(name), words, count);
    if (near != NULL)
        return refuse(p, "unknown option --%s; did you mean --%s?", name, near);
    if (!command->configured ||
        (mcp_config_set(p->config, name, "", MCP_FROM_FLAG, p->message,
                        p->message_size) == MCP_ENOENT &&
         strchr(p->message, ';') == NULL))
        return refuse(p, "unknown option --%s%s", name, try_help);
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

/* In the place of an argument that has been read. */
static enum mcp_err add_pair(struct parser *p, const char *what,
                             const char *value)
{
    const char *equals = strchr(value, '=');

    if (equals == NULL || equals == value)
        return refuse(p, "%s, not \"%.100s\"", what, value);
    p->out->pairs[p->out->pair_count++] = (char *)value;
    return MCP_OK;
}

/* ---- options that only one command has ---- */

/* The option of the command that `argument` begins with, or NULL; `*value`
 * gets what stands behind it in the same argument, or NULL. */
static const struct mcp_command_option *
find_option(struct parser *p, const char *argument, const char **value)
{
    const struct mcp_command *command = p->out->command;
    size_t len = strcspn(argument, "=");

    for (size_t i = 0; i < command->option_count; i++) {
        const struct mcp_command_option *o = &command->options[i];

        if (o->letter != 0 && argument[0] == '-' && argument[1] == o->letter) {
            *value = argument[2] != '\0' ? argument + 2 : NULL;
            return o;
        }
        if (len == strlen(o->name) + 2 && strncmp(argument, "--", 2) == 0 &&
            memcmp(argument + 2, o->name, len - 2) == 0) {
            *value = argument[len] == '=' ? argument + len + 1 : NULL;
            return o;
        }
    }
    return NULL;
}

static enum mcp_err take_word(struct parser *p,
                              const struct mcp_command_option *o,
                              const char *value)
{
    int place = find_word(o->words, value);
    char right[128];

    if (place < 0) {
        join_words(o->words, right, sizeof(right));
        return refuse(p, "--%s must be %s", o->name, right);
    }
    if (o->type == MCP_WORD_SWITCH)
        *(bool *)field(p, o->offset) = place == 1;
    else
        *(const char **)field(p, o->offset) = o->words[place];
    return MCP_OK;
}

/* `value`: what stood in the same argument, or NULL. */
static enum mcp_err take_option(struct parser *p,
                                const struct mcp_command_option *o,
                                const char *argument, const char *value)
{
    if (o->type == MCP_WORD_FLAG) {
        if (value != NULL)
            return unknown_option(p, argument + 2);
        *(bool *)field(p, o->offset) = true;
        return MCP_OK;
    }
    if (value == NULL)
        value = p->at < p->argc ? p->argv[p->at++] : "";
    if (o->words != NULL)
        return take_word(p, o, value);
    if (*value == '\0' && !o->any)
        return refuse(p, "--%s needs a value: %s", o->name, o->value);
    if (o->type == MCP_WORD_PAIR && !o->any)
        return add_pair(p, "--env is KEY=VALUE", value);
    if (o->type == MCP_WORD_PAIR) {
        p->out->pairs[p->out->pair_count++] = (char *)value;
        return MCP_OK;
    }
    *(const char **)field(p, o->offset) = value;
    return MCP_OK;
}

/* ---- options that commands share ---- */

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
    o = p->out->command->configured ? mcp_config_find(argument + 2, len) : NULL;
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

/* ---- what stands in its place ---- */

/* The command that `word` is a slip of, or NULL. */
static const char *near_command(const char *word)
{
    const char *names[WORDS_MAX];
    size_t count, n = 0;
    const struct mcp_command *commands = mcp_commands(&count);

    for (size_t i = 1; i < count && n < WORDS_MAX; i++)
        names[n++] = commands[i].name;
    return mcp_suggest(word, strlen(word), names, n);
}

/* What other programs have commands for, and how it is said here; NULL: none
 * of these. */
static const char *other_way(const char *word)
{
    static const char *const words[][2] = {
        {"serve", "mcpluad app.lua serves it"},
        {"run", "mcpluad app.lua runs it"},
        {"start", "mcpluad app.lua starts it"},
        {"dev", "mcpluad --dev app.lua reloads on every save"},
        {"stdio", "mcpluad --stdio app.lua serves over stdin and stdout"},
        {"new", "mcpluad init DIR writes a new project"},
        {"help", "mcpluad --help lists the options"},
        {"version", "mcpluad --version tells it"},
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(word, words[i][0]) == 0)
            return words[i][1];
    return NULL;
}

/* One more than there are places for. */
static enum mcp_err refuse_operand(struct parser *p, const char *argument)
{
    const struct mcp_command *command = p->out->command;
    const struct mcp_operand *last;
    const char *near = NULL, *other, *value;

    if (p->operand == 0)
        return refuse(p, "mcpluad %s takes no \"%.100s\"", command->name,
                      argument);
    last = &command->operands[p->operand - 1];
    value = *(const char **)field(p, last->offset);
    other = command->name == NULL && access(value, F_OK) != 0 ? other_way(value)
                                                              : NULL;
    if (other != NULL)
        return refuse(p, "there is no command %s: %s", value, other);
    if (command->name == NULL)
        near = near_command(value);
    return refuse(p, "one %s at a time: %.100s or %.100s?%s%s%s", last->noun,
                  value, argument,
                  near != NULL ? " did you mean the command " : "",
                  near != NULL ? near : "", near != NULL ? "?" : "");
}

/* `argument` is none of the words of operand `o`. */
static enum mcp_err refuse_word(struct parser *p, const struct mcp_operand *o,
                                const char *argument)
{
    const char *near = nearest_word(o->words, argument);
    char right[128];

    if (near != NULL)
        return refuse(p, "unknown %s \"%.100s\"; did you mean %s?", o->noun,
                      argument, near);
    join_words(o->words, right, sizeof(right));
    return refuse(p, "unknown %s \"%.100s\"; there is %s", o->noun, argument,
                  right);
}

static enum mcp_err take_operand(struct parser *p, const char *argument)
{
    const struct mcp_operand *o = &p->out->command->operands[p->operand];

    if (p->operand == MCP_OPERANDS_MAX || o->name == NULL)
        return refuse_operand(p, argument);
    if (o->type == MCP_WORD_PAIR)
        return add_pair(p, "an argument of the tool is key=value", argument);
    if (o->words != NULL && find_word(o->words, argument) < 0)
        return refuse_word(p, o, argument);
    *(const char **)field(p, o->offset) = argument;
    p->operand++;
    return MCP_OK;
}

/* Is there something in each place? */
static enum mcp_err check_operands(struct parser *p)
{
    const struct mcp_command *command = p->out->command;
    const struct mcp_operand *o;
    char usage[128], words[128];

    for (size_t i = 0; i < MCP_OPERANDS_MAX; i++) {
        o = &command->operands[i];
        if (o->name == NULL || o->optional)
            return MCP_OK;
        if (i < p->operand && **(const char **)field(p, o->offset) != '\0')
            continue;
        if (o->offset == offsetof(struct mcp_cli, tool))
            return refuse(p,
                          "which tool? mcpluad list %.200s tells which there "
                          "are",
                          p->out->app);
        mcp_command_usage(command, usage, sizeof(usage));
        join_words(o->words != NULL ? o->words : (const char *const[]){NULL},
                   words, sizeof(words));
        return refuse(p, "which %s? %s%susage: mcpluad %s", o->noun, words,
                      o->words != NULL ? "; " : "", usage);
    }
    return MCP_OK;
}

/* A bare word that is no script may be a command with a slip in it; behind
 * "--" it is meant as a script. */
static enum mcp_err check_app(struct parser *p)
{
    const char *app = p->out->app, *near, *other;

    if (p->out->command->name != NULL || strpbrk(app, "./") != NULL ||
        access(app, F_OK) == 0)
        return MCP_OK;
    other = other_way(app);
    if (other != NULL)
        return refuse(p, "there is no command %s: %s", app, other);
    near = near_command(app);
    if (near == NULL)
        return MCP_OK;
    return refuse(p,
                  "there is no script \"%.100s\"; did you mean the command "
                  "%s?",
                  app, near);
}

static enum mcp_err parse_argument(struct parser *p, const char *argument,
                                   bool *options_ended)
{
    const struct mcp_command_option *o;
    const char *value;

    if (!*options_ended && p->operand == 0 && p->out->action == MCP_CLI_SERVE &&
        is_command(p, argument))
        return MCP_OK;
    if (*options_ended || argument[0] != '-')
        return take_operand(p, argument);
    if (strcmp(argument, "--") == 0) {
        *options_ended = true;
        return MCP_OK;
    }
    o = find_option(p, argument, &value);
    if (o != NULL)
        return take_option(p, o, argument, value);
    if (strncmp(argument, "--", 2) == 0)
        return parse_option(p, argument);
    return refuse(p, "unknown option %.60s%s", argument, try_help);
}

enum mcp_err mcp_cli_parse(int argc, char **argv, struct mcp_config *config,
                           struct mcp_cli *out, char *message,
                           size_t message_size)
{
    size_t count;
    struct mcp_cli cli = {.action = MCP_CLI_SERVE,
                          .command = mcp_commands(&count),
                          .pairs = argv + 1};
    struct parser p = {argc, 1, argv, config, &cli, 0, message, message_size};
    bool options_ended = false;
    enum mcp_err rc = MCP_OK;

    while (rc == MCP_OK && p.at < argc) {
        const char *argument = argv[p.at++];

        if (!options_ended && is_verb(&p, argument)) {
            *out = cli;
            return MCP_OK;
        }
        rc = parse_argument(&p, argument, &options_ended);
    }
    if (rc == MCP_OK)
        rc = check_operands(&p);
    if (rc == MCP_OK && !options_ended)
        rc = check_app(&p);
    if (rc == MCP_OK && cli.command->loads)
        rc = mcp_config_read_env(config, message, message_size);
    if (rc != MCP_OK)
        return rc == MCP_ENOMEM ? rc : MCP_EINVAL;
    *out = cli;
    return MCP_OK;
}
