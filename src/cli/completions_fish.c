/*
 * completions_fish.c - one line of `complete` for each option and command
 */
#include <string.h>

#include "base/config_table.h"
#include "cli/command_table.h"
#include "cli/completions.h"

static void put_quoted(struct mcp_buf *out, const char *text)
{
    mcp_buf_putc(out, '\'');
    for (; *text != '\0'; text++) {
        if (*text == '\'' || *text == '\\')
            mcp_buf_putc(out, '\\');
        mcp_buf_putc(out, *text);
    }
    mcp_buf_putc(out, '\'');
}

/* " -x -a 'a b'", " -r": what the value is. */
static void write_value(struct mcp_buf *out, enum mcp_word_type type,
                        const char *const *words)
{
    if (words != NULL) {
        mcp_buf_puts(out, " -x -a '");
        for (size_t i = 0; words[i] != NULL; i++)
            mcp_buf_printf(out, "%s%s", i > 0 ? " " : "", words[i]);
        mcp_buf_putc(out, '\'');
    } else if (type == MCP_WORD_FILE) {
        mcp_buf_puts(out, " -r -F");
    } else if (type == MCP_WORD_FOLDER) {
        mcp_buf_puts(out, " -x -a '(__fish_complete_directories)'");
    } else if (type == MCP_WORD_LUA) {
        mcp_buf_puts(out, " -x -a '(__fish_complete_suffix .lua)'");
    } else {
        mcp_buf_puts(out, " -x");
    }
}

/* "complete -c mcpluad -n CONDITION" of command `name`, or of the shared
 * options when it is NULL. */
static void begin(struct mcp_buf *out, const char *name)
{
    mcp_buf_puts(out, "complete -c mcpluad -n ");
    if (name == NULL)
        mcp_buf_puts(out, "__mcpluad_is_configured");
    else
        mcp_buf_printf(out, "'__fish_seen_subcommand_from %s'", name);
}

static void end(struct mcp_buf *out, const char *help)
{
    mcp_buf_puts(out, " -d ");
    put_quoted(out, help);
    mcp_buf_putc(out, '\n');
}

static void write_shared(struct mcp_buf *out)
{
    size_t count;
    const struct mcp_option *o = mcp_config_options(&count);
    char flag[MCP_OPTION_MAX_NAME];

    for (size_t i = 0; i < count; i++) {
        if ((o[i].by & MCP_BY_FLAG) == 0)
            continue;
        mcp_option_spell(&o[i], MCP_FROM_FLAG, flag);
        begin(out, NULL);
        mcp_buf_printf(out, " -l %s", flag + 2);
        if (o[i].type != MCP_OPTION_BOOL)
            write_value(out, MCP_WORD_TEXT, o[i].words);
        end(out, o[i].help);
    }
}

static void write_command(struct mcp_buf *out, const struct mcp_command *c)
{
    mcp_buf_printf(out, "complete -c mcpluad -n __mcpluad_is_first -a %s",
                   c->name);
    end(out, c->help);
    for (size_t k = 0; k < c->option_count; k++) {
        const struct mcp_command_option *o = &c->options[k];

        begin(out, c->name);
        mcp_buf_printf(out, " -l %s", o->name);
        if (o->letter != 0)
            mcp_buf_printf(out, " -s %c", o->letter);
        if (o->type != MCP_WORD_FLAG)
            write_value(out, o->type, o->words);
        end(out, o->help);
    }
    for (size_t k = 0; k < MCP_OPERANDS_MAX && c->operands[k].name != NULL;
         k++) {
        const struct mcp_operand *o = &c->operands[k];

        if (o->words == NULL && o->type == MCP_WORD_TEXT)
            continue;
        begin(out, c->name);
        write_value(out, o->type, o->words);
        mcp_buf_putc(out, '\n');
    }
}

/* The names of the commands that have, or have not, the shared options. */
static void write_names(struct mcp_buf *out, bool all)
{
    size_t count;
    const struct mcp_command *c = mcp_commands(&count);

    for (size_t i = 1; i < count; i++)
        if (all || !c[i].configured)
            mcp_buf_printf(out, " %s", c[i].name);
}

void mcp_completions_write_fish(struct mcp_buf *out)
{
    size_t count;
    const struct mcp_command *c = mcp_commands(&count);

    mcp_buf_puts(out, "# Completions of mcpluad for fish.\n"
                      "# Written by `mcpluad completions fish`.\n"
                      "\n"
                      "function __mcpluad_is_first\n"
                      "    not __fish_seen_subcommand_from");
    write_names(out, true);
    mcp_buf_puts(out, "\nend\n\n"
                      "function __mcpluad_is_configured\n"
                      "    not __fish_seen_subcommand_from");
    write_names(out, false);
    mcp_buf_puts(out, "\nend\n\n"
                      "complete -c mcpluad -f\n"
                      "complete -c mcpluad -n __mcpluad_is_first -a "
                      "'(__fish_complete_suffix .lua)'\n"
                      "complete -c mcpluad -s h -l help -d 'Print help and "
                      "exit'\n"
                      "complete -c mcpluad -s V -l version -d 'Print the "
                      "version and exit'\n");
    write_shared(out);
    for (size_t i = 1; i < count; i++)
        write_command(out, &c[i]);
}
