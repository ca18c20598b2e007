/*
 * watch.h - tells when a file of the running generation may have changed
 *
 * The folders of the files are watched, not the files: editors save by renaming
 * over, and a new module may appear. Events are gathered until the folders have
 * been quiet for a moment, so a save in several steps is one change.
 *
 * Layer:  app. Uses base. Linux: inotify(7).
 * Thread: one of its own; the functions here: any.
 */
#ifndef MCP_APP_WATCH_H
#define MCP_APP_WATCH_H

#include "base/err.h"

struct mcp_watch;

void mcp_watch_free(struct mcp_watch *w);

/* Calls changed(user) from its own thread. OWNED. NULL: no inotify, memory or
 * thread. */
struct mcp_watch *mcp_watch_new(void (*changed)(void *user), void *user)
    MCP_OWNED(mcp_watch_free) MCP_MUST_USE;

/* Watches `folder` from now on. Errors as below. */
enum mcp_err mcp_watch_add_folder(struct mcp_watch *w, const char *folder);

/* Watches the folder of `file` from now on. Errors: MCP_ENOENT no such folder;
 * MCP_ELIMIT the system's limit of watches. */
enum mcp_err mcp_watch_add(struct mcp_watch *w, const char *file);

#endif
