/*
 * completions_zsh.c - specifications of _arguments, a list for each command
 */
#include <string.h>

#include "base/config_table.h"
#include "cli/command_table.h"
#include "cli/completions.h"
#include "cli/help.h"

/* A text within '[...]' or behind ':' of a specification in quotes. */
static void put_escaped(struct mcp_buf *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (strchr("[]:\\", *text) != NULL)
            mcp_buf_putc(out, '\\');
        if (*text == '\'')
            mcp_buf_puts(out, "'\\''");
        else
            mcp_buf_putc(out, *text);
    }
}

/* ":NAME:(a b)", ":FILE:_files": what the value is. */
static void write_value(struct mcp_buf *out, const char *name,
                        enum mcp_word_type type, const char *const *words)
{
    mcp_buf_putc(out, ':');
    put_escaped(out, name);
    mcp_buf_putc(out, ':');
    if (words != NULL) {
        mcp_buf_putc(out, '(');
        for (size_t i = 0; words[i] != NULL; i++)
            mcp_buf_printf(out, "%s%s", i > 0 ? " " : "", words[i]);
        mcp_buf_putc(out, ')');
    } else if (type == MCP_WORD_FILE) {
        mcp_buf_puts(out, "_files");
    } else if (type == MCP_WORD_FOLDER) {
        mcp_buf_puts(out, "_files -/");
    } else if (type == MCP_WORD_LUA) {
        mcp_buf_puts(out, "_files -g \"*.lua\"");
    } else {
        mcp_buf_putc(out, ' ');
    }
}

static void write_shared(struct mcp_buf *out)
{
    size_t count;
    const struct mcp_option *o = mcp_config_options(&count);
    char flag[MCP_OPTION_MAX_NAME];

    mcp_buf_puts(out, "  shared=(\n");
    for (size_t i = 0; i < count; i++) {
        bool is_flag = o[i].type == MCP_OPTION_BOOL;

        if ((o[i].by & MCP_BY_FLAG) == 0)
            continue;
        mcp_option_spell(&o[i], MCP_FROM_FLAG, flag);
        is_flag = is_flag && strcmp(o[i].initial, "true") != 0;
        mcp_buf_printf(out, "    '%s%s%s[",
                       o[i].type == MCP_OPTION_LIST ? "*" : "", flag,
                       is_flag                        ? ""
                       : o[i].type == MCP_OPTION_BOOL ? "=-"
                                                      : "=");
        put_escaped(out, o[i].help);
        mcp_buf_putc(out, ']');
        if (!is_flag)
            write_value(out, mcp_help_placeholder(&o[i]), MCP_WORD_TEXT,
                        o[i].type == MCP_OPTION_BOOL
                            ? (const char *const[]){"true", "false", NULL}
                            : o[i].words);
        mcp_buf_puts(out, "'\n");
    }
    mcp_buf_puts(out, "  )\n");
}

static void write_option(struct mcp_buf *out,
                         const struct mcp_command_option *o)
{
    bool is_flag = o->type == MCP_WORD_FLAG;

    for (int is_long = o->letter == 0; is_long < 2; is_long++) {
        mcp_buf_printf(out, "        '%s", o->type == MCP_WORD_PAIR ? "*" : "");
        if (is_long)
            mcp_buf_printf(out, "--%s%s[", o->name, is_flag ? "" : "=");
        else
            mcp_buf_printf(out, "-%c%s[", o->letter, is_flag ? "" : "+");
        put_escaped(out, o->help);
        mcp_buf_putc(out, ']');
        if (!is_flag)
            write_value(out, o->value != NULL ? o->value : "WORD", o->type,
                        o->words);
        mcp_buf_puts(out, "'\n");
    }
}

/* The command itself is the first argument. */
static void write_command(struct mcp_buf *out, const struct mcp_command *c)
{
    mcp_buf_printf(out,
                   "    (%s)\n      _arguments -S %s\\\n        "
                   "'(- *)--help[Print help and exit]' \\\n",
                   c->name, c->configured ? "$shared " : "");
    mcp_buf_puts(out, "        '1: : '");
    for (size_t i = 0; i < MCP_OPERANDS_MAX && c->operands[i].name != NULL;
         i++) {
        const struct mcp_operand *o = &c->operands[i];
        bool many = o->type == MCP_WORD_PAIR;

        mcp_buf_puts(out, " \\\n        '");
        if (many)
            mcp_buf_putc(out, '*');
        else
            mcp_buf_printf(out, "%zu", i + 2);
        write_value(out, o->name, o->type, o->words);
        mcp_buf_putc(out, '\'');
    }
    for (size_t k = 0; k < c->option_count; k++) {
        mcp_buf_puts(out, " \\\n");
        write_option(out, &c->options[k]);
        out->len -= out->len > 0 && !out->failed; /* its line end */
    }
    mcp_buf_puts(out, "\n      ;;\n");
}

static void write_commands(struct mcp_buf *out)
{
    size_t count;
    const struct mcp_command *c = mcp_commands(&count);

    mcp_buf_puts(out, "  commands=(\n");
    for (size_t i = 1; i < count; i++) {
        mcp_buf_printf(out, "    '%s:", c[i].name);
        put_escaped(out, c[i].help);
        mcp_buf_puts(out, "'\n");
    }
    mcp_buf_puts(out, "  )\n");
}

void mcp_completions_write_zsh(struct mcp_buf *out)
{
    size_t count;
    const struct mcp_command *c = mcp_commands(&count);

    mcp_buf_puts(out, "#compdef mcpluad\n"
                      "# Completions of mcpluad for zsh.\n"
                      "# Written by `mcpluad completions zsh`.\n"
                      "\n"
                      "_mcpluad() {\n"
                      "  local -a shared commands\n"
                      "  local command= word\n");
    write_shared(out);
    write_commands(out);
    mcp_buf_puts(out, "  for word in ${words[2,CURRENT-1]}; do\n"
                      "    if (( ${commands[(I)$word:*]} )); then\n"
                      "      command=$word\n"
                      "      break\n"
                      "    fi\n"
                      "  done\n"
                      "  case $command in\n");
    for (size_t i = 1; i < count; i++)
        write_command(out, &c[i]);
    mcp_buf_puts(out,
                 "    (*)\n"
                 "      _arguments -S $shared \\\n"
                 "        '(- *)'{-h,--help}'[Print help and exit]' \\\n"
                 "        '(- *)'{-V,--version}'[Print the version and exit]' "
                 "\\\n"
                 "        '1: :_mcpluad_first'\n"
                 "      ;;\n"
                 "  esac\n"
                 "}\n"
                 "\n"
                 "_mcpluad_first() {\n"
                 "  _alternative \\\n"
                 "    'commands:command:{_describe command commands}' \\\n"
                 "    'files:app.lua:_files -g \"*.lua\"'\n"
                 "}\n"
                 "\n"
                 "if [[ ${funcstack[1]} == _mcpluad ]]; then\n"
                 "  _mcpluad \"$@\"\n"
                 "else\n"
                 "  compdef _mcpluad mcpluad\n"
                 "fi\n");
}
