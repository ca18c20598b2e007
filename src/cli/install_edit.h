/*
 * install_edit.h - one member of a JSON text set, the rest kept byte for byte
 *
 * Layer:  cli. Uses cli/json_text, cli/banner, base/buf.
 * Thread: main.
 */
#ifndef MCP_CLI_INSTALL_EDIT_H
#define MCP_CLI_INSTALL_EDIT_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

enum { MCP_EDIT_INDENT_BYTES = 16 };

/* How the text indents: what stands before its first member on a line of its
 * own, else two spaces. */
void mcp_edit_find_indent(const struct mcp_buf *text,
                          char indent[MCP_EDIT_INDENT_BYTES]);

/* Sets the member that path[0..count) leads to, from the root, to `value`, JSON
 * on one line. Objects that are missing on the way are made; a new member comes
 * last, on a line of its own. `text` is JSON; names in `path` need no escapes.
 * Errors: MCP_EINVAL what path[0 .. *bad) leads to is no object; MCP_ENOMEM. */
enum mcp_err mcp_edit_set(struct mcp_buf *text, const char *indent,
                          const char *const *path, size_t count,
                          const char *value, size_t *bad) MCP_MUST_USE;

/* Writes the difference of two texts as a unified diff of one hunk; nothing
 * when there is none. `old` may be empty: there was no file. */
void mcp_edit_write_diff(struct mcp_buf *out, const char *path,
                         const struct mcp_buf *old, const struct mcp_buf *new);

#endif
