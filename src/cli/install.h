/*
 * install.h - `mcpluad install`: an app in the configuration of a client
 *
 *     "mcpServers": { "coffee": { "command": "/usr/bin/mcpluad",
 *                                 "args": ["--stdio", "/home/me/app.lua"] } }
 *
 * The app has been loaded before: what does not start is not installed. The
 * configuration is edited as a text, so all that is not ours stays as it was
 * written; the old text is kept beside it.
 *
 * Layer:  cli. Uses app/app, cli/install_edit, cli/file.
 * Thread: main.
 */
#ifndef MCP_CLI_INSTALL_H
#define MCP_CLI_INSTALL_H

#include <stddef.h>

#include "app/app.h"
#include "base/err.h"
#include "cli/command_table.h"

/* Before the app is loaded: checks --name and --env, and gives this process the
 * variables, as the client will. Errors: MCP_EINVAL with a `message`. */
enum mcp_err mcp_install_begin(const struct mcp_cli *cli, char *message,
                               size_t message_size) MCP_MUST_USE;

/* Adds `app` as `cli` says, and writes the change and what was done to `fd`.
 * Errors, each with a one-line `message`: MCP_EINVAL the configuration is not
 * one that can be changed; MCP_EINTERNAL it cannot be read or written;
 * MCP_ENOMEM. */
enum mcp_err mcp_install_run(struct mcp_app *app, const struct mcp_cli *cli,
                             int fd, char *message,
                             size_t message_size) MCP_MUST_USE;

/* ---- the parts ---- */

enum { MCP_INSTALL_PATH_BYTES = 4096 + 64 };

struct mcp_install_client {
    const char *name;      /* as in mcp_client_names                     */
    const char *title;     /* for people                                 */
    const char *container; /* the member that holds the servers          */
    bool typed;            /* an entry says "type": "stdio"              */
    bool below_config;     /* `path` is below the folder for configurations,
                              which differs between systems              */
    bool here;             /* `path` is below the present folder         */
    const char *path;      /* else below the home folder                 */
    const char *then;      /* what to do next; NULL: nothing             */
};

/* The client `name`, one of mcp_client_names. */
const struct mcp_install_client *mcp_install_client(const char *name);

/* Where the client keeps its configuration, by the environment.
 * Errors: MCP_EINVAL it is not known, see `message`. */
enum mcp_err mcp_install_find_file(const struct mcp_install_client *client,
                                   char path[MCP_INSTALL_PATH_BYTES],
                                   char *message,
                                   size_t message_size) MCP_MUST_USE;

/* The absolute path by which this program is called, links unresolved.
 * Errors: MCP_EINTERNAL. */
enum mcp_err mcp_install_find_self(char path[MCP_INSTALL_PATH_BYTES],
                                   char *message,
                                   size_t message_size) MCP_MUST_USE;

#endif
