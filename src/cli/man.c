/*
 * man.c - the tables in the man macros
 *
 * Source: man-pages(7), groff_man(7).
 */
#include "cli/man.h"

#include <string.h>

#include "base/config_table.h"
#include "cli/command_table.h"
#include "cli/help.h"

static const char intro[] =
    ".TH MCPLUAD 1 \"\" \"mcpluad " MCP_VERSION "\" \"User Commands\"\n"
    ".SH NAME\n"
    "mcpluad \\- serve the tools of a Lua script to MCP clients\n";

static const char description[] =
    ".SH DESCRIPTION\n"
    "An app is a Lua script that declares tools, resources, prompts and\n"
    "skills.\n"
    "mcpluad loads it and serves it over HTTP, by default at\n"
    "http://127.0.0.1:8000/mcp, or with\n"
    ".B \\-\\-stdio\n"
    "over stdin and stdout.\n"
    "The other commands look at an app without serving it, or help to make\n"
    "one.\n"
    "A script called like a command is served by its path: ./check.\n";

static const char options_intro[] =
    ".SH OPTIONS\n"
    "Options may stand before and behind the app.\n"
    "Times are in seconds; sizes in bytes, or with KiB, MiB, GiB.\n"
    "In brackets: the default.\n";

static const char outro[] =
    ".SH ENVIRONMENT\n"
    "Each option is also a variable:\n"
    ".B \\-\\-call\\-timeout\n"
    "is\n"
    ".BR MCPLUAD_CALL_TIMEOUT ,\n"
    "and the field call_timeout of mcp.server{} in the app.\n"
    "The flag wins, then the variable.\n"
    ".PP\n"
    ".BR STATE_DIRECTORY ,\n"
    ".B XDG_STATE_HOME\n"
    "and\n"
    ".B HOME\n"
    "say where tasks are kept; the first that is set counts.\n"
    ".SH FILES\n"
    ".TP\n"
    ".I ~/.local/state/mcpluad/tasks\\-*.tasks.sqlite\n"
    "The tasks of an app that names no other store, for one process at a\n"
    "time.\n"
    ".SH EXIT STATUS\n"
    ".TP\n"
    ".B 0\n"
    "A clean end.\n"
    ".TP\n"
    ".B 1\n"
    "Something failed at run time: a tool, a check, a file that cannot be\n"
    "written.\n"
    ".TP\n"
    ".B 2\n"
    "A wrong command line, or an app that does not load.\n"
    ".TP\n"
    ".B 128 + N\n"
    "Ended by a second signal N.\n"
    ".SH SIGNALS\n"
    "SIGTERM and SIGINT end the server when its calls have ended, after five\n"
    "seconds at the latest.\n"
    "SIGHUP loads the app again; the old one stays when the new one does not\n"
    "load.\n"
    ".SH EXAMPLES\n"
    ".TP\n"
    ".B mcpluad init weather\n"
    "Starts a project in the folder weather.\n"
    ".TP\n"
    ".B mcpluad call app.lua greet name=Ada\n"
    "Runs a tool.\n"
    ".TP\n"
    ".B mcpluad \\-\\-dev app.lua\n"
    "Serves the app, and loads it again when one of its files changes.\n"
    ".TP\n"
    ".B mcpluad install cursor app.lua\n"
    "Adds it to a client on this machine.\n";

/* A text that roff shows as it is. */
static void put(struct mcp_buf *out, const char *text)
{
    if (*text == '.' || *text == '\'')
        mcp_buf_puts(out, "\\&");
    for (; *text != '\0'; text++)
        if (*text == '-')
            mcp_buf_puts(out, "\\-");
        else if (*text == '\\')
            mcp_buf_puts(out, "\\e");
        else
            mcp_buf_putc(out, *text);
}

/* A paragraph: sentences, and the full stop that tables leave out. */
static void put_sentences(struct mcp_buf *out, const char *text)
{
    put(out, text);
    mcp_buf_puts(out, ".\n");
}

static void write_synopsis(struct mcp_buf *out)
{
    size_t count;
    const struct mcp_command *c = mcp_commands(&count);
    char usage[128];

    mcp_buf_puts(out, ".SH SYNOPSIS\n");
    for (size_t i = 0; i < count; i++) {
        mcp_command_usage(&c[i], usage, sizeof(usage));
        mcp_buf_printf(out, "%s.B mcpluad\n", i > 0 ? ".br\n" : "");
        put(out, usage);
        mcp_buf_putc(out, '\n');
    }
}

static void write_command_option(struct mcp_buf *out,
                                 const struct mcp_command_option *o)
{
    struct mcp_buf spelt;
    char text[512];

    mcp_buf_init(&spelt, sizeof(text));
    mcp_help_spell(&spelt, o, "");
    mcp_buf_putc(&spelt, '\0');
    mcp_buf_puts(out, ".TP\n.B ");
    if (!spelt.failed)
        put(out, spelt.data);
    mcp_buf_free(&spelt);
    mcp_buf_putc(out, '\n');
    mcp_help_describe_option(text, sizeof(text), o);
    put_sentences(out, text);
}

static void write_commands(struct mcp_buf *out)
{
    size_t count;
    const struct mcp_command *c = mcp_commands(&count);

    mcp_buf_puts(out, ".SH COMMANDS\n");
    for (size_t i = 1; i < count; i++) {
        mcp_buf_puts(out, ".TP\n.B ");
        put(out, c[i].name);
        mcp_buf_putc(out, '\n');
        put_sentences(out, c[i].help);
        if (c[i].option_count == 0)
            continue;
        mcp_buf_puts(out, ".RS\n");
        for (size_t k = 0; k < c[i].option_count; k++)
            write_command_option(out, &c[i].options[k]);
        mcp_buf_puts(out, ".RE\n");
    }
}

static void write_option(struct mcp_buf *out, const struct mcp_option *o)
{
    char flag[MCP_OPTION_MAX_NAME], text[512];

    mcp_option_spell(o, MCP_FROM_FLAG, flag);
    mcp_buf_puts(out, ".TP\n.B ");
    put(out, flag);
    if (o->type != MCP_OPTION_BOOL) {
        mcp_buf_putc(out, ' ');
        put(out, mcp_help_placeholder(o));
    } else if (strcmp(o->initial, "true") == 0) {
        mcp_buf_puts(out, "=BOOL");
    }
    mcp_buf_putc(out, '\n');
    mcp_help_describe(text, sizeof(text), o);
    put_sentences(out, text);
}

static void write_options(struct mcp_buf *out)
{
    size_t count;
    const struct mcp_option *o = mcp_config_options(&count);
    const char *group = "";

    mcp_buf_puts(out, options_intro);
    for (size_t i = 0; i < count; i++, o++) {
        if ((o->by & MCP_BY_FLAG) == 0)
            continue;
        if (strcmp(o->group, group) != 0)
            mcp_buf_printf(out, ".SS %s\n", o->group);
        group = o->group;
        write_option(out, o);
    }
}

static void write_verbs(struct mcp_buf *out)
{
    size_t count;
    const struct mcp_command_verb *v = mcp_command_verbs(&count);

    mcp_buf_puts(out, ".SS This program\n");
    for (size_t i = 0; i < count; i++)
        if (v[i].help != NULL)
            mcp_buf_printf(out, ".TP\n.B \\-%c, \\-\\-%s\n%s.\n", v[i].letter,
                           v[i].name, v[i].help);
}

void mcp_man_write(struct mcp_buf *out)
{
    mcp_buf_puts(out, intro);
    write_synopsis(out);
    mcp_buf_puts(out, description);
    write_commands(out);
    write_options(out);
    write_verbs(out);
    mcp_buf_puts(out, outro);
}
