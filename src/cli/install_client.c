/*
 * install_client.c - the clients, and where things are on this machine
 *
 * Sources: the clients' own documentation of their configuration, 2026-09:
 * Claude Desktop "Local MCP servers", Claude Code "MCP", Cursor "MCP", VS Code
 * "MCP configuration reference", Gemini CLI "MCP servers".
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/install.h"

// clang-format off
static const struct mcp_install_client clients[] = {
    {.name = "claude-desktop", .title = "Claude Desktop",
     .container = "mcpServers", .below_config = true,
     .path = "Claude/claude_desktop_config.json",
     .then = "Quit Claude Desktop and start it again."},
    {.name = "claude-code", .title = "Claude Code", .container = "mcpServers",
     .typed = true, .path = ".claude.json",
     .then = "It is there in the next session; /mcp shows it."},
    {.name = "cursor", .title = "Cursor", .container = "mcpServers",
     .path = ".cursor/mcp.json",
     .then = "Switch it on in Cursor's settings under MCP."},
    {.name = "vscode", .title = "VS Code", .container = "servers",
     .typed = true, .below_config = true, .path = "Code/User/mcp.json",
     .then = "Start it by the command MCP: List Servers."},
    {.name = "gemini-cli", .title = "Gemini CLI", .container = "mcpServers",
     .path = ".gemini/settings.json",
     .then = "It is there in the next session; /mcp shows it."},
    {.name = "mcp.json", .title = "the present folder",
     .container = "mcpServers", .here = true, .path = "mcp.json"},
};
// clang-format on

const struct mcp_install_client *mcp_install_client(const char *name)
{
    size_t i = 0;

    while (strcmp(clients[i].name, name) != 0)
        i++;
    return &clients[i];
}

#ifdef __APPLE__
#define CONFIG_FOLDER "Library/Application Support"
#else
#define CONFIG_FOLDER ".config"
#endif

/* The folder for configurations, when the environment has one. */
static const char *find_config_folder(void)
{
#ifdef __APPLE__
    return NULL;
#else
    const char *folder = getenv("XDG_CONFIG_HOME");

    return folder != NULL && folder[0] == '/' ? folder : NULL;
#endif
}

enum mcp_err mcp_install_find_file(const struct mcp_install_client *client,
                                   char path[MCP_INSTALL_PATH_BYTES],
                                   char *message, size_t message_size)
{
    const char *home = getenv("HOME");
    const char *config = client->below_config ? find_config_folder() : NULL;
    int n;

    if (client->here)
        n = snprintf(path, MCP_INSTALL_PATH_BYTES, "%s", client->path);
    else if (config != NULL)
        n = snprintf(path, MCP_INSTALL_PATH_BYTES, "%s/%s", config,
                     client->path);
    else if (home != NULL && home[0] == '/')
        n = snprintf(path, MCP_INSTALL_PATH_BYTES, "%s/%s%s", home,
                     client->below_config ? CONFIG_FOLDER "/" : "",
                     client->path);
    else
        n = -1;
    if (n >= 0 && n < MCP_INSTALL_PATH_BYTES)
        return MCP_OK;
    (void)snprintf(message, message_size,
                   "where is the configuration of %s? HOME is no absolute "
                   "path; say it by --file",
                   client->title);
    return MCP_EINVAL;
}

/* ---- this program ---- */

/* Is `path` the program that runs? */
static bool is_self(const char *path)
{
    struct stat a, b;

    return stat(path, &a) == 0 && stat("/proc/self/exe", &b) == 0 &&
           a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* `name` in the folders of PATH. */
static bool find_in_path(const char *name, char path[MCP_INSTALL_PATH_BYTES])
{
    const char *at = getenv("PATH");

    while (at != NULL && *at != '\0') {
        int len = (int)strcspn(at, ":");
        int n =
            snprintf(path, MCP_INSTALL_PATH_BYTES, "%.*s/%s", len, at, name);

        if (at[0] == '/' && n < MCP_INSTALL_PATH_BYTES && is_self(path))
            return true;
        at += len;
        at += *at == ':';
    }
    return false;
}

/* `name` has a '/': its folder made absolute. */
static bool find_by_folder(const char *name, char path[MCP_INSTALL_PATH_BYTES])
{
    const char *slash = strrchr(name, '/');
    char folder[PATH_MAX], real[PATH_MAX];
    int n;

    n = snprintf(folder, sizeof(folder), "%.*s/", (int)(slash - name), name);
    if (n < 0 || (size_t)n >= sizeof(folder) || realpath(folder, real) == NULL)
        return false;
    n = snprintf(path, MCP_INSTALL_PATH_BYTES, "%s%s",
                 strcmp(real, "/") == 0 ? "" : real, slash);
    return n > 0 && n < MCP_INSTALL_PATH_BYTES && is_self(path);
}

enum mcp_err mcp_install_find_self(char path[MCP_INSTALL_PATH_BYTES],
                                   char *message, size_t message_size)
{
    const char *name = program_invocation_name;
    ssize_t n;

    if (strchr(name, '/') != NULL ? find_by_folder(name, path)
                                  : find_in_path(name, path))
        return MCP_OK;
    n = readlink("/proc/self/exe", path, MCP_INSTALL_PATH_BYTES - 1);
    if (n > 0) {
        path[n] = '\0';
        return MCP_OK;
    }
    (void)snprintf(message, message_size, "where is mcpluad itself? %s",
                   strerror(errno));
    return MCP_EINTERNAL;
}
