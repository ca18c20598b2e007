/*
 * files.h - the files that a Lua state holds open, listed outside of it
 *
 * A call may end in the middle of anything, and its state is put back by
 * copying memory or thrown away: then no finalizer runs. This list tells which
 * files are open all the same. lua/mcp/sandbox.lua keeps it: every way to open
 * a file notes it, every way to close one goes through closing().
 *
 * Layer:  app, private to it. No Lua: see bind_files.h.
 * Thread: the owner of the Lua state.
 */
#ifndef MCP_APP_FILES_H
#define MCP_APP_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct mcp_file;

/* All zero: none. */
struct mcp_files {
    struct mcp_file *items;
    size_t count, room;
};

/* Closes all of them. Waits for the program at the other end of a pipe. */
void mcp_files_close(struct mcp_files *files);

/* Lists an open file; `is_pipe`: it is of popen. False: out of memory. */
bool mcp_files_add(struct mcp_files *files, FILE *file, bool is_pipe);

/* Forgets `file`, which someone else closes; nothing when it is not listed. */
void mcp_files_drop(struct mcp_files *files, const FILE *file);

#endif
