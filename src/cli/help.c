/*
 * help.c - writers over the tables of options and of commands
 */
#include "cli/help.h"

#include <stdio.h>
#include <string.h>

#include "base/config_table.h"

enum { COLUMNS = 80, TEXT_COLUMN = 31 };

static const char intro[] =
    "usage: mcpluad [options] app.lua\n"
    "       mcpluad COMMAND [options] ...\n"
    "\n"
    "Serves the tools of a Lua script to MCP clients.\n"
    "\n"
    "  mcpluad app.lua              over HTTP, at http://127.0.0.1:8000/mcp\n"
    "  mcpluad --stdio app.lua      over stdin and stdout\n"
    "\n"
    "Commands\n";

static const char outro[] =
    "\n"
    "In brackets: the default. --call-timeout is also MCPLUAD_CALL_TIMEOUT in "
    "the\n"
    "environment and call_timeout in mcp.server{}; the flag wins, then the\n"
    "environment. Times are in seconds; sizes in bytes, or with KiB, MiB, "
    "GiB.\n"
    "Exit status: 0 after a clean end, 1 when something failed, 2 for a wrong\n"
    "command line or a wrong app. A script called like a command is served by "
    "its\n"
    "path: ./check.\n";

static const char markdown_intro[] =
    "# Options\n"
    "\n"
    "<!-- Written by `mcpluad --help-markdown`; a test compares. -->\n"
    "\n"
    "An option has one name. `call_timeout` is\n"
    "\n"
    "* `--call-timeout 5` (or `--call-timeout=5`) on the command line,\n"
    "* `MCPLUAD_CALL_TIMEOUT=5` in the environment,\n"
    "* `call_timeout = 5` in `mcp.server{}`,\n"
    "\n"
    "and the first of these that is there wins. An unknown option or a value "
    "out\n"
    "of bounds is an error that names what would be right; an empty variable\n"
    "counts as not set. Times are in seconds, fractions allowed. Sizes are in\n"
    "bytes, or with `KiB`, `MiB`, `GiB`. A list is separated by commas, or "
    "the\n"
    "flag is repeated, or it is a Lua list. A boolean flag needs no value\n"
    "(`--assert-format`) and takes one only behind `=`\n"
    "(`--expose-errors=false`).\n";

const char *mcp_help_placeholder(const struct mcp_option *o)
{
    if (o->value != NULL)
        return o->value;
    switch (o->type) {
    case MCP_OPTION_COUNT:
        return "N";
    case MCP_OPTION_BYTES:
        return "SIZE";
    case MCP_OPTION_SECONDS:
        return "SECONDS";
    case MCP_OPTION_WORD:
    case MCP_OPTION_SWITCH:
        return "WORD";
    default:
        return "TEXT";
    }
}

/* "  --port PORT", and for a boolean that is true already "  --x=BOOL". */
static void write_flag(struct mcp_buf *out, const struct mcp_option *o)
{
    char flag[MCP_OPTION_MAX_NAME];

    mcp_option_spell(o, MCP_FROM_FLAG, flag);
    if (o->type != MCP_OPTION_BOOL)
        mcp_buf_printf(out, "  %s %s", flag, mcp_help_placeholder(o));
    else if (strcmp(o->initial, "true") == 0)
        mcp_buf_printf(out, "  %s=BOOL", flag);
    else
        mcp_buf_printf(out, "  %s", flag);
}

static void pad(struct mcp_buf *out, size_t n)
{
    while (n-- > 0)
        mcp_buf_putc(out, ' ');
}

/* Words from column `from` on, where we are, at most COLUMNS wide. */
static void write_words(struct mcp_buf *out, const char *text, size_t from)
{
    size_t column = from;
    bool first = true;

    while (*text != '\0') {
        size_t len = strcspn(text, " ");

        if (!first && column + 1 + len > COLUMNS) {
            mcp_buf_putc(out, '\n');
            pad(out, from);
            column = from;
        } else if (!first) {
            mcp_buf_putc(out, ' ');
            column++;
        }
        mcp_buf_add(out, text, len);
        column += len;
        first = false;
        text += len + strspn(text + len, " ");
    }
}

/* Words from TEXT_COLUMN on; `column` is where we are. */
static void write_wrapped(struct mcp_buf *out, const char *text, size_t column)
{
    if (column + 2 > TEXT_COLUMN) {
        mcp_buf_putc(out, '\n');
        column = 0;
    }
    pad(out, TEXT_COLUMN - column);
    write_words(out, text, TEXT_COLUMN);
    mcp_buf_putc(out, '\n');
}

void mcp_help_describe(char *text, size_t size, const struct mcp_option *o)
{
    char words[128], end[96] = "";
    bool choice = o->type == MCP_OPTION_WORD || o->type == MCP_OPTION_SWITCH;

    mcp_option_describe(o, words, sizeof(words));
    if (o->initial != NULL && strcmp(o->initial, "false") != 0)
        (void)snprintf(end, sizeof(end), " [%s]", o->initial);
    (void)snprintf(text, size, "%s%s%s%s", o->help, choice ? ": " : "",
                   choice ? words : "", end);
}

static void write_option(struct mcp_buf *out, const struct mcp_option *o)
{
    size_t before = out->len;
    char text[512];

    write_flag(out, o);
    mcp_help_describe(text, sizeof(text), o);
    write_wrapped(out, text, out->len - before);
}

/* ---- commands ---- */

void mcp_help_spell(struct mcp_buf *out, const struct mcp_command_option *o,
                    const char *before_value)
{
    if (o->letter != 0)
        mcp_buf_printf(out, "-%c, ", o->letter);
    mcp_buf_printf(out, "--%s", o->name);
    if (o->type == MCP_WORD_FLAG)
        return;
    mcp_buf_printf(out, " %s", before_value);
    if (o->value != NULL)
        mcp_buf_puts(out, o->value);
    for (size_t i = 0; o->value == NULL && o->words[i] != NULL; i++)
        mcp_buf_printf(out, "%s%s", i > 0 ? "|" : "", o->words[i]);
}

void mcp_help_describe_option(char *text, size_t size,
                              const struct mcp_command_option *o)
{
    size_t at = (size_t)snprintf(text, size, "%s", o->help);

    for (size_t i = 0; o->value != NULL && o->words != NULL &&
                       o->words[i] != NULL && at < size;
         i++)
        at += (size_t)snprintf(text + at, size - at, "%s%s",
                               i == 0                    ? ": "
                               : o->words[i + 1] == NULL ? " or "
                                                         : ", ",
                               o->words[i]);
}

/* The options that only `c` has, `indent` columns in. */
static void write_command_options(struct mcp_buf *out,
                                  const struct mcp_command *c, size_t indent)
{
    char text[512];

    for (size_t i = 0; i < c->option_count; i++) {
        size_t before = out->len;

        pad(out, indent);
        mcp_help_spell(out, &c->options[i], "");
        mcp_help_describe_option(text, sizeof(text), &c->options[i]);
        write_wrapped(out, text, out->len - before);
    }
}

/* "  call app.lua TOOL [key=value ...]" and what it does. */
static void write_command(struct mcp_buf *out, const struct mcp_command *c)
{
    static const char options[] = " [options]";
    size_t before = out->len;
    char usage[128], *at;

    mcp_command_usage(c, usage, sizeof(usage));
    at = strstr(usage, options);
    if (at != NULL)
        memmove(at, at + sizeof(options) - 1,
                strlen(at + sizeof(options) - 1) + 1);
    mcp_buf_printf(out, "  %s", usage);
    write_wrapped(out, c->help, out->len - before);
    write_command_options(out, c, 4);
}

void mcp_help_write_command(struct mcp_buf *out, const struct mcp_command *c)
{
    char usage[128];

    mcp_command_usage(c, usage, sizeof(usage));
    mcp_buf_printf(out, "usage: mcpluad %s\n\n", usage);
    write_words(out, c->help, 0);
    mcp_buf_puts(out, ".\n");
    if (c->option_count > 0)
        mcp_buf_putc(out, '\n');
    write_command_options(out, c, 2);
    if (c->configured)
        mcp_buf_puts(out, "\nThe options of the server go here too: mcpluad "
                          "--help lists them.\n");
}

static void write_commands(struct mcp_buf *out)
{
    size_t count, i;
    const struct mcp_command *c = mcp_commands(&count);
    const struct mcp_command_verb *v;

    for (i = 1; i < count; i++)
        write_command(out, &c[i]);
    mcp_buf_putc(out, '\n');
    v = mcp_command_verbs(&count);
    for (i = 0; i < count; i++) {
        size_t before = out->len;

        if (v[i].help == NULL)
            continue;
        mcp_buf_printf(out, "  -%c, --%s", v[i].letter, v[i].name);
        write_wrapped(out, v[i].help, out->len - before);
    }
}

void mcp_help_write(struct mcp_buf *out)
{
    size_t count, i;
    const struct mcp_option *o = mcp_config_options(&count);
    const char *group = "";

    mcp_buf_puts(out, intro);
    write_commands(out);
    for (i = 0; i < count; i++, o++) {
        if ((o->by & MCP_BY_FLAG) == 0)
            continue;
        if (strcmp(o->group, group) != 0)
            mcp_buf_printf(out, "\n%s\n", o->group);
        group = o->group;
        write_option(out, o);
    }
    mcp_buf_puts(out, outro);
}

static const char *who_sets(unsigned by)
{
    return by == MCP_BY_APP       ? " Only in `mcp.server{}`."
           : by == MCP_BY_PROCESS ? " Not in `mcp.server{}`."
                                  : "";
}

/* "a size from 1 KiB to 1 GiB"; what a text must be is told by its help. */
static void write_values(struct mcp_buf *out, const struct mcp_option *o)
{
    char right[128];

    if (o->type == MCP_OPTION_TEXT || o->type == MCP_OPTION_LIST) {
        mcp_buf_puts(out, o->type == MCP_OPTION_LIST ? "list" : "text");
        return;
    }
    mcp_option_describe(o, right, sizeof(right));
    mcp_buf_puts(out, right);
}

static void write_row(struct mcp_buf *out, const struct mcp_option *o)
{
    mcp_buf_printf(out, "| `%s` | ", o->name);
    if (o->initial != NULL)
        mcp_buf_printf(out, "`%s`", o->initial);
    mcp_buf_puts(out, " | ");
    write_values(out, o);
    mcp_buf_printf(out, " | %s.%s |\n", o->help, who_sets(o->by));
}

void mcp_help_write_markdown(struct mcp_buf *out)
{
    size_t count, i;
    const struct mcp_option *o = mcp_config_options(&count);
    const char *group = "";

    mcp_buf_puts(out, markdown_intro);
    for (i = 0; i < count; i++, o++) {
        if (strcmp(o->group, group) != 0)
            mcp_buf_printf(out,
                           "\n## %s\n\n| option | default | value | |\n"
                           "|---|---|---|---|\n",
                           o->group);
        group = o->group;
        write_row(out, o);
    }
}
