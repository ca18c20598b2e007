/*
 * skills.h - `mcpluad skills`: the skills below a folder, and what is wrong
 *
 * The folder is read as for serving; nothing is loaded, no app is needed. The
 * parts are used by `mcpluad check` as well.
 *
 * Layer:  cli. Uses features/skill_index, cli/banner, cli/local.
 * Thread: main.
 */
#ifndef MCP_CLI_SKILLS_H
#define MCP_CLI_SKILLS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "cli/command_table.h"
#include "features/skill_index.h"

/* Reads `cli->folder` and writes the report that `cli` asks for to `fd`.
 * `*passes`: there are skills, and nothing that counts is wrong with them.
 * Errors, each with a one-line `message`: MCP_ENOENT no such folder;
 * MCP_EINTERNAL `fd` does not take it; MCP_ENOMEM. */
enum mcp_err mcp_skills_run(const struct mcp_cli *cli, int fd, bool *passes,
                            char *message, size_t message_size) MCP_MUST_USE;

/* ---- the parts; texts of files cannot move the cursor ---- */

/* Each skill with its URI, its description and how large it is; `manifest`:
 * and its files with their digests. Nothing when there are none. */
void mcp_skills_write_list(struct mcp_buf *out,
                           const struct mcp_skill_index *index, bool manifest);

/* The same as the items of a JSON array. */
void mcp_skills_write_list_json(struct mcp_buf *out,
                                const struct mcp_skill_index *index);

/* What is wrong, notes first and errors last, where they are seen. */
void mcp_skills_write_problems(struct mcp_buf *out,
                               const struct mcp_skill_index *index);

/* The same, errors first, as objects with the members of a finding of `check`,
 * a comma before each but the first when `first`. */
void mcp_skills_write_problems_json(struct mcp_buf *out,
                                    const struct mcp_skill_index *index,
                                    bool first);

/* How many problems of `severity` there are. `index` may be NULL: 0. */
size_t mcp_skills_count(const struct mcp_skill_index *index,
                        enum mcp_skill_severity severity);

#endif
