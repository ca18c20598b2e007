/*
 * task_store_path.c - where a store lies
 */
#include "features/task_store_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/codec.h"

/* Of a default name: its readable part at most, and bytes of the hash. */
enum { NAME_MAX_BYTES = 64, HASH_BYTES = 6 };

/* ---- resolve --------------------------------------------------------------
 */

/* Makes the folders in front of the last part of `path`. */
static enum mcp_err make_folders(const char *path,
                                 const struct mcp_task_store_message *m)
{
    char part[PATH_MAX];
    char *slash = part;

    (void)snprintf(part, sizeof(part), "%s", path);
    while ((slash = strchr(slash + 1, '/')) != NULL) {
        *slash = '\0';
        if (mkdir(part, 0700) != 0 && errno != EEXIST)
            return mcp_task_store_fail(m, MCP_EIO, "cannot make folder %s: %s",
                                       part, strerror(errno));
        *slash = '/';
    }
    return MCP_OK;
}

/* Splits at the last slash; an empty folder is that of the process. */
static enum mcp_err split(const char *path, char folder[PATH_MAX],
                          const char **name,
                          const struct mcp_task_store_message *m)
{
    const char *slash = strrchr(path, '/');

    *name = slash != NULL ? slash + 1 : path;
    if (**name == '\0' || strcmp(*name, ".") == 0 || strcmp(*name, "..") == 0)
        return mcp_task_store_fail(
            m, MCP_EINVAL, "sqlite:%s names a folder, not a file", path);
    (void)snprintf(folder, PATH_MAX, "%.*s",
                   slash == NULL ? 1 : (int)(*name - path),
                   slash == NULL ? "." : path);
    return MCP_OK;
}

/* An existing file is found by its last name, so that two links to one file
 * are one store. */
enum mcp_err mcp_task_path_resolve(const char *path, char out[PATH_MAX],
                                   const struct mcp_task_store_message *m)
{
    char folder[PATH_MAX], real[PATH_MAX];
    const char *name;
    enum mcp_err err;
    int len;

    if (strlen(path) >= MCP_TASK_PATH_MAX)
        return mcp_task_store_fail(m, MCP_EINVAL,
                                   "sqlite: the path is longer "
                                   "than %d bytes",
                                   MCP_TASK_PATH_MAX - 1);
    err = split(path, folder, &name, m);
    if (err == MCP_OK)
        err = make_folders(path, m);
    if (err != MCP_OK)
        return err;
    if (realpath(folder, real) == NULL)
        return mcp_task_store_fail(m, MCP_EIO, "cannot open %s: %s", folder,
                                   strerror(errno));
    len = snprintf(out, PATH_MAX, "%s/%s", strcmp(real, "/") == 0 ? "" : real,
                   name);
    if (len > 0 && len < PATH_MAX && realpath(out, real) != NULL)
        len = snprintf(out, PATH_MAX, "%s", real);
    if (len >= MCP_TASK_PATH_MAX)
        return mcp_task_store_fail(m, MCP_EINVAL,
                                   "sqlite:%s is longer than %d bytes when "
                                   "made absolute",
                                   path, MCP_TASK_PATH_MAX - 1);
    return MCP_OK;
}

/* ---- the default ----------------------------------------------------------
 */

static const char *absolute(const char *folder)
{
    return folder != NULL && folder[0] == '/' ? folder : NULL;
}

/* Writes the folder for state. The XDG rules: a relative one is ignored. */
static enum mcp_err state_folder(char out[PATH_MAX])
{
    const char *systemd = absolute(getenv("STATE_DIRECTORY"));
    const char *xdg = absolute(getenv("XDG_STATE_HOME"));
    const char *home = absolute(getenv("HOME"));
    int len;

    if (systemd != NULL)
        len = snprintf(out, PATH_MAX, "%.*s", (int)strcspn(systemd, ":"),
                       systemd);
    else if (xdg != NULL)
        len = snprintf(out, PATH_MAX, "%s/mcpluad", xdg);
    else if (home != NULL)
        len = snprintf(out, PATH_MAX, "%s/.local/state/mcpluad", home);
    else
        return MCP_ENOENT;
    return len < PATH_MAX ? MCP_OK : MCP_ELIMIT;
}

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

/* The last two parts of `path` without ".lua", in plain characters: for
 * /srv/weather/app.lua it is "weather-app". */
static void readable_name(const char *path, char out[NAME_MAX_BYTES + 1])
{
    size_t len = strlen(path), n = 0;
    const char *from = path + len;
    int parts = 0;

    while (from > path && (from[-1] != '/' || ++parts < 2))
        from--;
    if (len >= 4 && strcmp(path + len - 4, ".lua") == 0)
        len -= 4;
    while (*from == '/')
        from++;
    for (const char *p = from; p < path + len && n < NAME_MAX_BYTES; p++)
        out[n++] = is_plain(*p) ? *p : '-';
    out[n] = '\0';
}

enum mcp_err mcp_task_store_default_url(const char *app, char *url, size_t size)
{
    char folder[PATH_MAX], path[PATH_MAX], name[NAME_MAX_BYTES + 1];
    unsigned char digest[MCP_SHA256_BYTES];
    char hash[2 * HASH_BYTES + 1] = "";
    enum mcp_err err = state_folder(folder);
    int len;

    if (err != MCP_OK)
        return err;
    if (realpath(app, path) == NULL)
        return MCP_ENOENT;
    err = mcp_sha256(path, strlen(path), digest);
    if (err != MCP_OK)
        return err;
    for (int i = 0; i < HASH_BYTES; i++)
        (void)snprintf(hash + 2 * i, 3, "%02x", digest[i]);
    readable_name(path, name);
    len =
        snprintf(url, size, "sqlite:%s/%s-%s.tasks.sqlite", folder, name, hash);
    return len >= 0 && (size_t)len < size ? MCP_OK : MCP_ELIMIT;
}
