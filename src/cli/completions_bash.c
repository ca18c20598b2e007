/*
 * completions_bash.c - one function, and the tables as case statements
 *
 * bash splits words at '=': "--format=te" comes as three words.
 */
#include <string.h>

#include "base/config_table.h"
#include "cli/command_table.h"
#include "cli/completions.h"

static const char head[] = "# Completions of mcpluad for bash.\n"
                           "# Written by `mcpluad completions bash`.\n"
                           "\n";

/* Behind the tables. `kind` is "words a b", "file", "folder", "lua", "text". */
static const char body[] =
    "_mcpluad_reply() {\n"
    "  local kind=$1 cur=$2\n"
    "  case $kind in\n"
    "    words\\ *) mapfile -t COMPREPLY < <(compgen -W \"${kind#words }\" -- "
    "\"$cur\") ;;\n"
    "    file) mapfile -t COMPREPLY < <(compgen -f -- \"$cur\") ;;\n"
    "    folder) mapfile -t COMPREPLY < <(compgen -d -- \"$cur\") ;;\n"
    "    lua) mapfile -t COMPREPLY < <(compgen -f -X '!*.lua' -- \"$cur\"\n"
    "                                  compgen -d -- \"$cur\") ;;\n"
    "  esac\n"
    "  case $kind in file | folder | lua) compopt -o filenames 2>/dev/null ;; "
    "esac\n"
    "}\n"
    "\n"
    "_mcpluad() {\n"
    "  local cur=${COMP_WORDS[COMP_CWORD]} command= place=0 option= ended= i "
    "word\n"
    "  local options= operands=() kind=\n"
    "  COMPREPLY=()\n"
    "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
    "    word=${COMP_WORDS[i]}\n"
    "    if [[ $word == = ]]; then continue; fi\n"
    "    if [[ -n $option ]]; then option=; continue; fi\n"
    "    if [[ -z $ended && $word == -- ]]; then ended=1; continue; fi\n"
    "    if [[ -z $ended && $word == -* ]]; then\n"
    "      _mcpluad_kind \"$command\" \"$word\"\n"
    "      if [[ -n $kind ]]; then option=$word; fi\n"
    "      continue\n"
    "    fi\n"
    "    if [[ -z $ended && -z $command && $place == 0 ]] &&\n"
    "      _mcpluad_is_command \"$word\"; then\n"
    "      command=$word\n"
    "    else\n"
    "      place=$((place + 1))\n"
    "    fi\n"
    "  done\n"
    "  if [[ $cur == = ]]; then cur=; fi\n"
    "  if [[ -n $option ]]; then\n"
    "    _mcpluad_kind \"$command\" \"$option\"\n"
    "    _mcpluad_reply \"$kind\" \"$cur\"\n"
    "    return\n"
    "  fi\n"
    "  _mcpluad_command \"$command\"\n"
    "  if [[ -z $ended && $cur == -* ]]; then\n"
    "    _mcpluad_reply \"words $options\" \"$cur\"\n"
    "    if [[ ${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; "
    "fi\n"
    "    return\n"
    "  fi\n"
    "  _mcpluad_reply \"${operands[place]}\" \"$cur\"\n"
    "  if [[ -z $command && $place == 0 ]]; then\n"
    "    mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W "
    "\"$_mcpluad_commands\" -- \"$cur\")\n"
    "  fi\n"
    "}\n"
    "\n"
    "complete -F _mcpluad mcpluad\n";

static void write_words(struct mcp_buf *out, const char *const *words)
{
    for (size_t i = 0; words[i] != NULL; i++)
        mcp_buf_printf(out, " %s", words[i]);
}

/* "'words text json'": what may stand there. */
static void write_kind(struct mcp_buf *out, enum mcp_word_type type,
                       const char *const *words)
{
    static const char *const kinds[] = {
        [MCP_WORD_FILE] = "file", [MCP_WORD_FOLDER] = "folder",
        [MCP_WORD_LUA] = "lua",   [MCP_WORD_TEXT] = "text",
        [MCP_WORD_PAIR] = "text",
    };

    mcp_buf_putc(out, '\'');
    if (words != NULL) {
        mcp_buf_puts(out, "words");
        write_words(out, words);
    } else {
        mcp_buf_puts(out, kinds[type]);
    }
    mcp_buf_putc(out, '\'');
}

/* ---- which values an option has ---- */

static void write_shared_kinds(struct mcp_buf *out)
{
    size_t count;
    const struct mcp_option *o = mcp_config_options(&count);
    char flag[MCP_OPTION_MAX_NAME];

    for (size_t i = 0; i < count; i++) {
        if ((o[i].by & MCP_BY_FLAG) == 0 || o[i].type == MCP_OPTION_BOOL)
            continue;
        mcp_option_spell(&o[i], MCP_FROM_FLAG, flag);
        mcp_buf_printf(out, "    *' %s') kind=", flag);
        write_kind(out, MCP_WORD_TEXT, o[i].words);
        mcp_buf_puts(out, " ;;\n");
    }
}

static void write_kinds(struct mcp_buf *out)
{
    size_t count;
    const struct mcp_command *c = mcp_commands(&count);

    mcp_buf_puts(out, "_mcpluad_kind() {\n  kind=\n  case \"$1 $2\" in\n");
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < c[i].option_count; k++) {
            const struct mcp_command_option *o = &c[i].options[k];

            if (o->type == MCP_WORD_FLAG)
                continue;
            mcp_buf_printf(out, "    '%s --%s'", c[i].name, o->name);
            if (o->letter != 0)
                mcp_buf_printf(out, " | '%s -%c'", c[i].name, o->letter);
            mcp_buf_puts(out, ") kind=");
            write_kind(out, o->type, o->words);
            mcp_buf_puts(out, " ;;\n");
        }
    write_shared_kinds(out);
    mcp_buf_puts(out, "  esac\n}\n\n");
}

/* ---- which options and operands a command has ---- */

static void write_shared_options(struct mcp_buf *out)
{
    size_t count;
    const struct mcp_option *o = mcp_config_options(&count);
    char flag[MCP_OPTION_MAX_NAME];

    mcp_buf_puts(out, "_mcpluad_shared='");
    for (size_t i = 0; i < count; i++) {
        if ((o[i].by & MCP_BY_FLAG) == 0)
            continue;
        mcp_option_spell(&o[i], MCP_FROM_FLAG, flag);
        mcp_buf_printf(out, " %s%s", flag,
                       o[i].type != MCP_OPTION_BOOL        ? ""
                       : strcmp(o[i].initial, "true") == 0 ? "=false"
                                                           : "");
    }
    mcp_buf_puts(out, "'\n");
}

static void write_command(struct mcp_buf *out, const struct mcp_command *c)
{
    mcp_buf_printf(out, "    '%s')\n      options='--help",
                   c->name != NULL ? c->name : "");
    for (size_t k = 0; k < c->option_count; k++)
        mcp_buf_printf(out, " --%s", c->options[k].name);
    mcp_buf_puts(out, c->name == NULL ? " --version'" : "'");
    mcp_buf_puts(out, c->configured ? "$_mcpluad_shared\n" : "\n");
    mcp_buf_puts(out, "      operands=(");
    for (size_t k = 0; k < MCP_OPERANDS_MAX && c->operands[k].name != NULL;
         k++) {
        mcp_buf_puts(out, k > 0 ? " " : "");
        write_kind(out, c->operands[k].type, c->operands[k].words);
    }
    mcp_buf_puts(out, ") ;;\n");
}

void mcp_completions_write_bash(struct mcp_buf *out)
{
    size_t count;
    const struct mcp_command *c = mcp_commands(&count);

    mcp_buf_puts(out, head);
    mcp_buf_puts(out, "_mcpluad_commands='");
    for (size_t i = 1; i < count; i++)
        mcp_buf_printf(out, "%s%s", i > 1 ? " " : "", c[i].name);
    mcp_buf_puts(out, "'\n");
    write_shared_options(out);
    mcp_buf_puts(out, "\n_mcpluad_is_command() {\n"
                      "  [[ \" $_mcpluad_commands \" == *\" $1 \"* ]]\n"
                      "}\n\n");
    write_kinds(out);
    mcp_buf_puts(out, "_mcpluad_command() {\n  case $1 in\n");
    for (size_t i = 0; i < count; i++)
        write_command(out, &c[i]);
    mcp_buf_puts(out, "  esac\n}\n\n");
    mcp_buf_puts(out, body);
}
