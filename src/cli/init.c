/*
 * init.c - see init.h
 */
#include "cli/init.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "cli/banner.h"
#include "cli/file.h"
#include "cli/local.h"
#include "embedded_files.h"

#define META "lua/meta/"

enum {
    NAME_BYTES = 64,
    FILE_BYTES = 1 << 20,
    FILES_MAX = 64,
    FILE_MODE = 0666,
    FOLDER_MODE = 0777,
};

/* One file of the project. */
struct target {
    const struct mcp_embedded_file *from;
    const char *folder; /* within the project: "" or "types/" */
    const char *name;   /* within that                       */
};

/* One run. */
struct init {
    const char *folder;
    char name[NAME_BYTES + 1]; /* for {{name}} */
    struct target targets[FILES_MAX];
    size_t count, written;
    char *message;
    size_t message_size;
};

/* ---- which files ---- */

/* The rest of `path` behind the folder `template`, or NULL. */
static const char *below(const char *path, const char *template)
{
    size_t len = strlen(template);

    if (strncmp(path, "templates/", 10) != 0 ||
        strncmp(path + 10, template, len) != 0 || path[10 + len] != '/')
        return NULL;
    return path + 10 + len + 1;
}

/* Is it one of the definitions for LuaLS? */
static bool is_type(const struct mcp_embedded_file *f)
{
    return strncmp(f->path, META, sizeof(META) - 1) == 0;
}

static void choose_files(struct init *in, const char *template)
{
    for (size_t i = 0; i < mcp_embedded_files_count && in->count < FILES_MAX;
         i++) {
        const struct mcp_embedded_file *f = &mcp_embedded_files[i];
        const char *name = below(f->path, template);

        if (name == NULL)
            name = below(f->path, "common");
        if (name != NULL)
            in->targets[in->count++] = (struct target){f, "", name};
        else if (is_type(f))
            in->targets[in->count++] =
                (struct target){f, "types/", f->path + sizeof(META) - 1};
    }
}

/* Joins the folder and the target's place. False: too long. */
static bool join(const struct init *in, const struct target *t,
                 char path[PATH_MAX])
{
    int n = snprintf(path, PATH_MAX, "%s/%s%s", in->folder, t->folder, t->name);

    return n > 0 && n < PATH_MAX;
}

/* The last part of the folder's path, in letters that are safe everywhere. */
static void name_project(struct init *in)
{
    char *real = realpath(in->folder, NULL);
    const char *slash = real != NULL ? strrchr(real, '/') : NULL;
    char *c = in->name;

    (void)snprintf(in->name, sizeof(in->name), "%.64s",
                   slash != NULL ? slash + 1 : "");
    for (; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c) && strchr("_.-", *c) == NULL)
            *c = '-';
    if (in->name[0] == '\0')
        (void)snprintf(in->name, sizeof(in->name), "app");
    free(real);
}

/* ---- what is in the way ---- */

static enum mcp_err refuse_folder(const struct init *in)
{
    struct stat st;

    if (strlen(in->folder) + 100 > PATH_MAX) {
        (void)snprintf(in->message, in->message_size,
                       "the path of the folder is too long: %.100s...",
                       in->folder);
        return MCP_EINVAL;
    }
    if (stat(in->folder, &st) != 0 || S_ISDIR(st.st_mode))
        return MCP_OK;
    (void)snprintf(in->message, in->message_size, "%.512s is no folder",
                   in->folder);
    return MCP_EINVAL;
}

static enum mcp_err check_way(struct init *in)
{
    struct mcp_buf names;
    char path[PATH_MAX];
    struct stat st;
    size_t count = 0;

    mcp_buf_init(&names, FILE_BYTES);
    for (size_t i = 0; i < in->count; i++)
        if (join(in, &in->targets[i], path) && lstat(path, &st) == 0)
            mcp_buf_printf(&names, "%s%s%s", count++ > 0 ? ", " : "",
                           in->targets[i].folder, in->targets[i].name);
    if (count > 0)
        (void)snprintf(in->message, in->message_size,
                       "nothing is written to %.200s: %.*s %s there already",
                       in->folder, (int)names.len, names.data,
                       count == 1 ? "is" : "are");
    mcp_buf_free(&names);
    return count > 0 ? MCP_EINVAL : MCP_OK;
}

/* ---- writing ---- */

/* The file with the project's name in it. */
static void fill_in(struct mcp_buf *out, const struct mcp_embedded_file *f,
                    const char *name)
{
    static const char mark[] = "{{name}}";
    const char *at = (const char *)f->data, *end = at + f->len, *next;

    while ((next = memmem(at, (size_t)(end - at), mark, sizeof(mark) - 1)) !=
           NULL) {
        mcp_buf_add(out, at, (size_t)(next - at));
        mcp_buf_puts(out, name);
        at = next + sizeof(mark) - 1;
    }
    mcp_buf_add(out, at, (size_t)(end - at));
}

static enum mcp_err write_target(struct init *in, const struct target *t)
{
    char path[PATH_MAX];
    struct mcp_buf text;
    enum mcp_err rc;

    if (!join(in, t, path))
        return MCP_EINTERNAL;
    rc = mcp_file_make_folders(path, false, FOLDER_MODE, in->message,
                               in->message_size);
    if (rc != MCP_OK)
        return rc;
    mcp_buf_init(&text, FILE_BYTES);
    fill_in(&text, t->from, in->name);
    rc = text.failed ? MCP_ENOMEM
                     : mcp_file_create(path, text.data, text.len, FILE_MODE,
                                       in->message, in->message_size);
    mcp_buf_free(&text);
    return rc == MCP_EEXIST ? MCP_EINVAL : rc;
}

/* Takes back the files; folders stay. */
static void remove_written(const struct init *in)
{
    char path[PATH_MAX];

    for (size_t i = 0; i < in->written; i++)
        if (join(in, &in->targets[i], path))
            (void)unlink(path);
}

static enum mcp_err write_all(struct init *in)
{
    enum mcp_err rc = mcp_file_make_folders(in->folder, true, FOLDER_MODE,
                                            in->message, in->message_size);

    if (rc != MCP_OK)
        return rc;
    name_project(in);
    for (; in->written < in->count; in->written++) {
        rc = write_target(in, &in->targets[in->written]);
        if (rc != MCP_OK) {
            remove_written(in);
            return rc;
        }
    }
    return MCP_OK;
}

/* ---- all of it ---- */

static enum mcp_err tell(struct init *in, int fd)
{
    struct mcp_buf out;
    bool ok;

    mcp_buf_init(&out, FILE_BYTES);
    mcp_banner_put(&out, in->folder);
    mcp_buf_putc(&out, '\n');
    for (size_t i = 0; i < in->count; i++)
        mcp_buf_printf(&out, "  %s%s\n", in->targets[i].folder,
                       in->targets[i].name);
    mcp_buf_puts(&out, "\nREADME.md tells how to run it.\n");
    ok = !out.failed && mcp_local_write(fd, &out);
    if (!ok)
        (void)snprintf(in->message, in->message_size,
                       "the project is there, but stdout is not: %s",
                       strerror(errno));
    mcp_buf_free(&out);
    return ok ? MCP_OK : MCP_EINTERNAL;
}

enum mcp_err mcp_init_run(const struct mcp_cli *cli, int fd, char *message,
                          size_t message_size)
{
    struct init in = {.folder = cli->folder,
                      .message = message,
                      .message_size = message_size};
    enum mcp_err rc = refuse_folder(&in);

    choose_files(&in, cli->template != NULL ? cli->template : "full");
    if (rc == MCP_OK)
        rc = check_way(&in);
    if (rc == MCP_OK)
        rc = write_all(&in);
    return rc == MCP_OK ? tell(&in, fd) : rc;
}

/* ---- the definitions alone ---- */

static enum mcp_err replace_type(const struct init *in, const struct target *t)
{
    char path[PATH_MAX];
    enum mcp_err rc;

    if (!join(in, t, path))
        return MCP_EINTERNAL;
    rc = mcp_file_make_folders(path, false, FOLDER_MODE, in->message,
                               in->message_size);
    if (rc == MCP_OK)
        rc = mcp_file_replace(path, (const char *)t->from->data, t->from->len,
                              FILE_MODE, in->message, in->message_size);
    return rc;
}

enum mcp_err mcp_init_write_types(const struct mcp_cli *cli, char *message,
                                  size_t message_size)
{
    const struct init in = {.folder = cli->folder,
                            .message = message,
                            .message_size = message_size};
    enum mcp_err rc = refuse_folder(&in);

    for (size_t i = 0; rc == MCP_OK && i < mcp_embedded_files_count; i++) {
        const struct mcp_embedded_file *f = &mcp_embedded_files[i];
        struct target t = {f, "", f->path + sizeof(META) - 1};

        if (is_type(f))
            rc = replace_type(&in, &t);
    }
    return rc;
}
