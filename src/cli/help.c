/*
 * help.c - two writers over one table
 */
#include "cli/help.h"

#include <stdio.h>
#include <string.h>

#include "base/config_table.h"

enum { COLUMNS = 80, TEXT_COLUMN = 31 };

static const char intro[] =
    "usage: mcpluad [options] app.lua\n"
    "\n"
    "Serves the tools of a Lua script to MCP clients.\n"
    "\n"
    "  mcpluad app.lua              over HTTP, at http://127.0.0.1:8000/mcp\n"
    "  mcpluad --stdio app.lua      over stdin and stdout\n"
    "  mcpluad check app.lua        loads it, says what it declares and what "
    "clients\n"
    "                               will mind; with --format json; with "
    "--strict\n"
    "                               warnings are failures too\n"
    "  mcpluad list app.lua         what clients see of it; with --format "
    "json\n"
    "  mcpluad call app.lua TOOL key=value ...\n"
    "                               runs a tool and prints its result; with "
    "--json\n"
    "                               '{...}' for arguments; with --format json\n"
    "\n"
    "  -h, --help                   Print this and exit\n"
    "  -V, --version                Print the version and exit\n";

static const char outro[] =
    "\n"
    "In brackets: the default. --call-timeout is also MCPLUAD_CALL_TIMEOUT in "
    "the\n"
    "environment and call_timeout in mcp.server{}; the flag wins, then the\n"
    "environment. Times are in seconds; sizes in bytes, or with KiB, MiB, "
    "GiB.\n"
    "Exit status: 0 after a clean end, 1 when something failed, 2 for a wrong\n"
    "command line or a wrong app. A script called check is served as "
    "./check,\n"
    "one called list or call likewise.\n";

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

static const char *placeholder(const struct mcp_option *o)
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
        mcp_buf_printf(out, "  %s %s", flag, placeholder(o));
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

/* Words from TEXT_COLUMN on, at most COLUMNS wide; `column` is where we are. */
static void write_wrapped(struct mcp_buf *out, const char *text, size_t column)
{
    bool first = true;

    if (column + 2 > TEXT_COLUMN) {
        mcp_buf_putc(out, '\n');
        column = 0;
    }
    pad(out, TEXT_COLUMN - column);
    column = TEXT_COLUMN;
    while (*text != '\0') {
        size_t len = strcspn(text, " ");

        if (!first && column + 1 + len > COLUMNS) {
            mcp_buf_putc(out, '\n');
            pad(out, TEXT_COLUMN);
            column = TEXT_COLUMN;
        } else if (!first) {
            mcp_buf_putc(out, ' ');
            column++;
        }
        mcp_buf_add(out, text, len);
        column += len;
        first = false;
        text += len + strspn(text + len, " ");
    }
    mcp_buf_putc(out, '\n');
}

/* The help, the words that may be chosen, and the default. */
static void write_text(char *text, size_t size, const struct mcp_option *o)
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
    write_text(text, sizeof(text), o);
    write_wrapped(out, text, out->len - before);
}

void mcp_help_write(struct mcp_buf *out)
{
    size_t count, i;
    const struct mcp_option *o = mcp_config_options(&count);
    const char *group = "";

    mcp_buf_puts(out, intro);
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
