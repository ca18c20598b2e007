/*
 * skill_index.h - the skills of an app, read once and never again
 *
 * Folders are scanned and files are read when the index is opened; what is
 * served afterwards are the bytes that were hashed, so a digest always holds.
 * An index never changes. Its skills come from folders, in the order given, and
 * from code behind them:
 *
 *     skills/pdf/SKILL.md                  skill://pdf/SKILL.md
 *     skills/pdf/forms/SKILL.md            skill://pdf/forms/SKILL.md, nested
 *     skills/acme/refunds/SKILL.md         skill://acme/refunds/SKILL.md
 *     the same with the prefix "shop"      skill://shop/pdf/SKILL.md
 *
 * A folder is a skill when it has a file SKILL.md; folders above are prefixes.
 * A skill is served whole or not at all, and a broken one does not hinder the
 * others: it leaves a report. Files of a nested skill are files of the skill
 * around it too. Links, devices, names that begin with a dot are never served.
 * A folder of the tree exists when there is a file below it.
 *
 * Layer:  features. Uses features/skill_*, base. No Lua.
 * Thread: any; constant once opened.
 * Source: SEP-2640; agentskills.io, specification.
 */
#ifndef MCP_FEATURES_SKILL_INDEX_H
#define MCP_FEATURES_SKILL_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "features/skill.h"

struct mcp_skill_index;

/* ---- the index ---- */

void mcp_skill_index_free(struct mcp_skill_index *index);

/* Reads what `options` (BORROWED for the call) names. What is wrong with a
 * skill or a folder is no error: see the reports. OWNED in `*out`:
 * mcp_skill_index_free(). Errors: MCP_ENOMEM; MCP_EINTERNAL no SHA-256. */
enum mcp_err mcp_skill_index_open(const struct mcp_skill_options *options,
                                  struct mcp_skill_index **out) MCP_MUST_USE;

/* In the order of skills/list. */
const struct mcp_skill *
mcp_skill_index_skills(const struct mcp_skill_index *index, size_t *count);

/* All files, each once, by URI. */
const struct mcp_skill_file *
mcp_skill_index_files(const struct mcp_skill_index *index, size_t *count);

/* Errors first; in the order in which they were found. */
const struct mcp_skill_report *
mcp_skill_index_reports(const struct mcp_skill_index *index, size_t *count);

/* By the URI of a SKILL.md, of a file, of a folder (no trailing slash). Other
 * spellings of the same percent-encoded URI find it too; "..", ".", empty parts
 * and encoded slashes find nothing. NULL: there is none. */
const struct mcp_skill *
mcp_skill_index_find(const struct mcp_skill_index *index, const char *uri,
                     size_t len);
const struct mcp_skill_file *
mcp_skill_index_find_file(const struct mcp_skill_index *index, const char *uri,
                          size_t len);
const struct mcp_skill_directory *
mcp_skill_index_find_directory(const struct mcp_skill_index *index,
                               const char *uri, size_t len);

/* The folders on disk that were looked into, those that are not there included:
 * an event in one of them may mean another index. */
const char *const *mcp_skill_index_watched(const struct mcp_skill_index *index,
                                           size_t *count);

/* Would the folders be read differently now? Reads them again. Out of memory
 * counts as changed. */
bool mcp_skill_index_is_stale(const struct mcp_skill_index *index);

enum mcp_skill_change {
    MCP_SKILL_ADDED = 1 << 0, /* a file, or a skill by its SKILL.md    */
    MCP_SKILL_REMOVED = 1 << 1,
    MCP_SKILL_CHANGED = 1 << 2, /* other bytes or another type under the URI */
};

/* Calls each(user, what, file) for every file whose URI or bytes differ between
 * two indexes (either may be NULL: empty); `file` is the one of `now` unless it
 * was removed. Returns what there was, a set of MCP_SKILL_*; 0: the same. */
unsigned mcp_skill_index_diff(const struct mcp_skill_index *old,
                              const struct mcp_skill_index *now,
                              void (*each)(void *user,
                                           enum mcp_skill_change what,
                                           const struct mcp_skill_file *file),
                              void *user);

#endif
