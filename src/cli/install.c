/*
 * install.c - from the loaded app to the changed configuration
 */
#include "cli/install.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json.h"
#include "cli/banner.h"
#include "cli/file.h"
#include "cli/install_edit.h"
#include "cli/json_text.h"
#include "cli/local.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS  "0123456789"

enum {
    FILE_BYTES = 16 << 20,
    NAME_BYTES = 64,
    MAX_BACKUPS = 99,
    PATH_COUNT = 4, /* container, name, "env", a variable */
    FILE_MODE = 0600,
    FOLDER_MODE = 0700,
};

/* One run. */
struct install {
    const struct mcp_cli *cli;
    const struct mcp_install_client *client;
    const struct mcp_config *config;     /* of the app                 */
    char name[NAME_BYTES + 1];           /* of the entry               */
    char self[MCP_INSTALL_PATH_BYTES];   /* the command                */
    char app[PATH_MAX];                  /* absolute                   */
    char file[MCP_INSTALL_PATH_BYTES];   /* the configuration          */
    char backup[MCP_INSTALL_PATH_BYTES]; /* "": there is none          */
    char indent[MCP_EDIT_INDENT_BYTES];
    struct mcp_buf old, new, said;
    char *message;
    size_t message_size;
};

/* ---- what the command line says ---- */

static enum mcp_err refuse(char *message, size_t size, const char *fmt,
                           const char *what)
{
    (void)snprintf(message, size, fmt, what);
    return MCP_EINVAL;
}

static bool is_variable(const char *pair)
{
    size_t len = strspn(pair, LETTERS DIGITS "_");

    return len > 0 && pair[len] == '=' && strchr(DIGITS, pair[0]) == NULL;
}

static bool is_repeated(const struct mcp_cli *cli, size_t i)
{
    size_t len = strcspn(cli->pairs[i], "=") + 1;

    for (size_t j = 0; j < i; j++)
        if (strncmp(cli->pairs[j], cli->pairs[i], len) == 0)
            return true;
    return false;
}

/* Puts "KEY=VALUE" into the environment of this process. */
static enum mcp_err set_variable(const char *pair, char *message, size_t size)
{
    char *copy = strdup(pair), *equals;
    bool ok;

    if (copy == NULL)
        return MCP_ENOMEM;
    equals = strchr(copy, '=');
    *equals = '\0';
    ok = setenv(copy, equals + 1, 1) == 0;
    free(copy);
    return ok ? MCP_OK : refuse(message, size, "--env %.100s is refused", pair);
}

enum mcp_err mcp_install_begin(const struct mcp_cli *cli, char *message,
                               size_t message_size)
{
    const char *name = cli->name;
    enum mcp_err rc = MCP_OK;

    if (name != NULL && (strlen(name) > NAME_BYTES ||
                         name[strspn(name, LETTERS DIGITS "_.-")] != '\0'))
        return refuse(message, message_size,
                      "--name has 1 to 64 letters, digits, _ - or ., not "
                      "\"%.100s\"",
                      name);
    for (size_t i = 0; rc == MCP_OK && i < cli->pair_count; i++) {
        const char *pair = cli->pairs[i];

        if (!is_variable(pair) || !mcp_utf8_valid(pair, strlen(pair), NULL))
            return refuse(message, message_size,
                          "--env is KEY=VALUE, KEY of letters, digits and _, "
                          "in UTF-8, not \"%.100s\"",
                          pair);
        if (is_repeated(cli, i))
            return refuse(message, message_size, "--env %.100s: given twice",
                          pair);
        rc = set_variable(pair, message, message_size);
    }
    return rc;
}

/* ---- what is to be written ---- */

/* The last part of the script's path without .lua, or of its folder when that
 * says nothing. */
static void name_of_script(const char *app, char *name, size_t size)
{
    const char *slash = strrchr(app, '/'), *end = slash;
    size_t len = strcspn(slash + 1, ".");

    if (strcmp(slash + 1, "app.lua") == 0 || strcmp(slash + 1, "init.lua") == 0)
        while (slash > app && *--slash != '/')
            ;
    else
        end = slash + 1 + len;
    (void)snprintf(name, size, "%.*s", (int)(end - slash - 1), slash + 1);
}

static void choose_name(struct install *in)
{
    char *c = in->name;

    if (in->cli->name != NULL)
        (void)snprintf(c, sizeof(in->name), "%s", in->cli->name);
    else if (in->config->name != NULL)
        (void)snprintf(c, sizeof(in->name), "%.64s", in->config->name);
    else
        name_of_script(in->app, c, sizeof(in->name));
    for (; *c != '\0'; c++)
        if (strchr(LETTERS DIGITS "_.-", *c) == NULL)
            *c = '-';
    if (in->name[0] == '\0')
        (void)snprintf(in->name, sizeof(in->name), "mcpluad");
}

static enum mcp_err find_places(struct install *in)
{
    const char *file = in->cli->file;

    if (realpath(in->cli->app, in->app) == NULL)
        return refuse(in->message, in->message_size, "cannot find %.512s",
                      in->cli->app);
    if (!mcp_utf8_valid(in->app, strlen(in->app), NULL))
        return refuse(in->message, in->message_size,
                      "the path of %.512s is not UTF-8, as JSON wants it",
                      in->cli->app);
    choose_name(in);
    if (file == NULL)
        return mcp_install_find_file(in->client, in->file, in->message,
                                     in->message_size);
    if (strlen(file) >= sizeof(in->file))
        return refuse(in->message, in->message_size,
                      "--file is too long: %.100s...", file);
    (void)snprintf(in->file, sizeof(in->file), "%s", file);
    return MCP_OK;
}

static enum mcp_err set(struct install *in, size_t count, const char *member,
                        const char *variable, struct mcp_buf *value)
{
    const char *path[PATH_COUNT] = {in->client->container, in->name, member,
                                    variable};
    enum mcp_err rc = MCP_ENOMEM;
    size_t bad = 0;

    mcp_buf_putc(value, '\0');
    if (!value->failed)
        rc = mcp_edit_set(&in->new, in->indent, path, count, value->data, &bad);
    mcp_buf_clear(value);
    if (rc == MCP_EINVAL)
        (void)snprintf(in->message, in->message_size,
                       "%.512s: %s%s%s is no object", in->file,
                       bad > 0 ? "\"" : "its root",
                       bad > 0 ? path[bad - 1] : "", bad > 0 ? "\"" : "");
    return rc;
}

/* Sets the members of the entry, in their order. */
static enum mcp_err set_entry(struct install *in)
{
    struct mcp_buf value;
    enum mcp_err rc = MCP_OK;

    mcp_buf_init(&value, FILE_BYTES);
    if (in->client->typed) {
        mcp_buf_puts(&value, "\"stdio\"");
        rc = set(in, 3, "type", NULL, &value);
    }
    mcp_json_write_cstring(&value, in->self);
    if (rc == MCP_OK)
        rc = set(in, 3, "command", NULL, &value);
    mcp_buf_puts(&value, "[\"--stdio\", ");
    mcp_json_write_cstring(&value, in->app);
    mcp_buf_putc(&value, ']');
    if (rc == MCP_OK)
        rc = set(in, 3, "args", NULL, &value);
    for (size_t i = 0; rc == MCP_OK && i < in->cli->pair_count; i++) {
        char *pair = in->cli->pairs[i], *equals = strchr(pair, '=');

        mcp_json_write_cstring(&value, equals + 1);
        *equals = '\0';
        rc = set(in, 4, "env", pair, &value);
        *equals = '=';
    }
    mcp_buf_free(&value);
    return rc;
}

/* ---- the configuration ---- */

static enum mcp_err refuse_json(struct install *in,
                                const struct mcp_json_error *error)
{
    size_t line = 1, column = 1;

    for (size_t i = 0; i < error->offset && i < in->new.len; i++) {
        column = in->new.data[i] == '\n' ? 1 : column + 1;
        line += in->new.data[i] == '\n';
    }
    (void)snprintf(in->message, in->message_size,
                   "%.512s:%zu:%zu: %s; comments and trailing commas are not "
                   "understood: --print tells what to add by hand",
                   in->file, line, column, error->reason);
    return MCP_EINVAL;
}

/* Is the text JSON, and the entry, if it is there, one of a local server? */
static enum mcp_err check_text(struct install *in)
{
    struct mcp_json_options options = {.max_depth = MCP_JSON_MAX_DEPTH};
    struct mcp_arena *arena = mcp_arena_new((size_t)1 << 30);
    struct mcp_json_error error;
    const struct mcp_json *tree, *entry;
    enum mcp_err rc = MCP_ENOMEM;

    if (arena != NULL)
        rc = mcp_json_parse(arena, in->new.data, in->new.len, &options, &tree,
                            &error);
    if (rc == MCP_EINVAL || rc == MCP_ELIMIT)
        rc = refuse_json(in, &error);
    if (rc == MCP_OK) {
        entry =
            mcp_json_find(mcp_json_find(tree, in->client->container), in->name);
        if (mcp_json_find(entry, "url") != NULL ||
            mcp_json_find(entry, "httpUrl") != NULL)
            rc = refuse(in->message, in->message_size,
                        "a remote server is called \"%s\" already; choose "
                        "another --name",
                        in->name);
    }
    mcp_arena_free(arena);
    return rc;
}

/* Reads the configuration; one that is not there, or empty, is {}. */
static enum mcp_err read_text(struct install *in)
{
    enum mcp_err rc =
        mcp_file_read(in->file, &in->old, in->message, in->message_size);

    if (rc == MCP_ELIMIT)
        return MCP_EINVAL;
    if (rc != MCP_OK && rc != MCP_ENOENT)
        return rc;
    mcp_edit_find_indent(&in->old, in->indent);
    if (in->old.len == 0 ||
        mcp_json_text_skip(in->old.data, in->old.len, 0) == in->old.len)
        mcp_buf_puts(&in->new, "{}\n");
    else
        mcp_buf_add(&in->new, in->old.data, in->old.len);
    return in->new.failed ? MCP_ENOMEM : check_text(in);
}

/* Keeps the old text under the first name that is free. */
static enum mcp_err back_up(struct install *in)
{
    enum mcp_err rc = MCP_EEXIST;
    struct stat st;

    if (stat(in->file, &st) != 0 || !S_ISREG(st.st_mode))
        return MCP_OK;
    for (int i = 1; rc == MCP_EEXIST && i <= MAX_BACKUPS; i++) {
        char number[16] = "";
        int n;

        if (i > 1)
            (void)snprintf(number, sizeof(number), ".%d", i);
        n = snprintf(in->backup, sizeof(in->backup), "%s.bak%s", in->file,
                     number);
        if (n < 0 || (size_t)n >= sizeof(in->backup))
            return refuse(in->message, in->message_size,
                          "the path is too long: %.100s...", in->file);
        rc = mcp_file_create(in->backup, in->old.data, in->old.len,
                             st.st_mode & 0777, in->message, in->message_size);
    }
    if (rc == MCP_EEXIST) {
        (void)snprintf(in->message, in->message_size,
                       "%.512s has %d backups; remove some", in->file,
                       MAX_BACKUPS);
        rc = MCP_EINTERNAL;
    }
    return rc;
}

/* ---- all of it ---- */

static enum mcp_err say(struct install *in, int fd)
{
    if (in->said.failed)
        return MCP_ENOMEM;
    if (mcp_local_write(fd, &in->said))
        return MCP_OK;
    (void)snprintf(in->message, in->message_size, "cannot write: %s",
                   strerror(errno));
    return MCP_EINTERNAL;
}

static enum mcp_err print_entry(struct install *in, int fd)
{
    enum mcp_err rc;

    (void)snprintf(in->indent, sizeof(in->indent), "  ");
    mcp_buf_puts(&in->new, "{}\n");
    rc = in->new.failed ? MCP_ENOMEM : set_entry(in);
    if (rc != MCP_OK)
        return rc;
    mcp_buf_add(&in->said, in->new.data, in->new.len);
    return say(in, fd);
}

static enum mcp_err change(struct install *in)
{
    enum mcp_err rc = mcp_file_make_folders(in->file, false, FOLDER_MODE,
                                            in->message, in->message_size);

    if (rc == MCP_OK)
        rc = back_up(in);
    if (rc == MCP_OK)
        rc = mcp_file_replace(in->file, in->new.data, in->new.len, FILE_MODE,
                              in->message, in->message_size);
    return rc;
}

static void tell(struct install *in)
{
    const char *then = in->client->then;

    mcp_buf_printf(&in->said, "\n\"%s\" is in ", in->name);
    mcp_banner_put(&in->said, in->file);
    if (in->backup[0] != '\0') {
        mcp_buf_puts(&in->said, "; as it was before: ");
        mcp_banner_put(&in->said, in->backup);
    }
    mcp_buf_putc(&in->said, '\n');
    if (then != NULL && in->cli->file == NULL)
        mcp_buf_printf(&in->said, "%s\n", then);
}

static enum mcp_err install(struct install *in, int fd)
{
    enum mcp_err rc = find_places(in);

    if (rc == MCP_OK)
        rc = mcp_install_find_self(in->self, in->message, in->message_size);
    if (rc == MCP_OK && in->cli->print)
        return print_entry(in, fd);
    if (rc == MCP_OK)
        rc = read_text(in);
    if (rc == MCP_OK)
        rc = set_entry(in);
    if (rc == MCP_OK)
        rc = check_text(in);
    if (rc != MCP_OK)
        return rc;
    mcp_edit_write_diff(&in->said, in->file, &in->old, &in->new);
    if (in->said.len == 0) {
        mcp_buf_printf(&in->said, "\"%s\" is in ", in->name);
        mcp_banner_put(&in->said, in->file);
        mcp_buf_puts(&in->said, " already\n");
        return say(in, fd);
    }
    rc = change(in);
    tell(in);
    return rc == MCP_OK ? say(in, fd) : rc;
}

enum mcp_err mcp_install_run(struct mcp_app *app, const struct mcp_cli *cli,
                             int fd, char *message, size_t message_size)
{
    const struct mcp_generation *gen = mcp_app_acquire(app);
    struct install in = {.cli = cli,
                         .client = mcp_install_client(cli->client),
                         .config = gen->config,
                         .message = message,
                         .message_size = message_size};
    enum mcp_err rc;

    mcp_buf_init(&in.old, FILE_BYTES);
    mcp_buf_init(&in.new, FILE_BYTES * 2);
    mcp_buf_init(&in.said, FILE_BYTES * 4);
    rc = install(&in, fd);
    mcp_buf_free(&in.old);
    mcp_buf_free(&in.new);
    mcp_buf_free(&in.said);
    mcp_generation_release(gen);
    return rc;
}
