/*
 * file.h - files that are read whole, and replaced whole or not at all
 *
 * Layer:  cli. Uses base/buf.
 * Thread: main.
 */
#ifndef MCP_CLI_FILE_H
#define MCP_CLI_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

/* Reads all of `path` into `out`; `out->max` bounds it.
 * Errors: MCP_ENOENT there is no such file, without a message; MCP_ELIMIT it
 * is larger than `out->max`; MCP_EINTERNAL it cannot be read, or is no regular
 * file; MCP_ENOMEM. */
enum mcp_err mcp_file_read(const char *path, struct mcp_buf *out, char *message,
                           size_t message_size) MCP_MUST_USE;

/* Makes data[0..len) the content of `path`: through links, by a file beside it
 * that takes its place when it is complete. An old file's permissions stay, a
 * new one gets `mode` less the umask. What is no regular file (a pipe, a
 * device) is written to as it is.
 * Errors: MCP_EINTERNAL, and the old content stays; MCP_ENOMEM. */
enum mcp_err mcp_file_replace(const char *path, const char *data, size_t len,
                              mode_t mode, char *message,
                              size_t message_size) MCP_MUST_USE;

/* Writes data[0..len) to a new file. Errors: MCP_EEXIST there is one,
 * MCP_EINTERNAL, in both cases nothing is written. */
enum mcp_err mcp_file_create(const char *path, const char *data, size_t len,
                             mode_t mode, char *message,
                             size_t message_size) MCP_MUST_USE;

/* Makes the folders that lead to `path`, and `path` itself with `self`; those
 * that are there are none of its business. Errors: MCP_EINTERNAL. */
enum mcp_err mcp_file_make_folders(const char *path, bool self, mode_t mode,
                                   char *message,
                                   size_t message_size) MCP_MUST_USE;

#endif
