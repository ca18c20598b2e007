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
#include "base/json.h"

enum {
    MCP_SKILL_MAX_FILES = 512,
    MCP_SKILL_MAX_BYTES = 16 << 20,
    MCP_SKILL_MAX_NAME = 64,
    MCP_SKILL_MAX_DESCRIPTION = 1024, /* characters */
};

struct mcp_skill_index;

/* ---- what to open ---- */

struct mcp_skill_folder {
    const char *path;   /* a folder of skills, or one skill              */
    const char *prefix; /* "acme/billing"; NULL or "": none              */
};

struct mcp_skill_code_file {
    const char *path; /* within the skill: "references/forms.md"        */
    const char *bytes;
    size_t len;
    const char *mime_type; /* NULL: by its name, else by its content     */
};

/* A skill made in code. SKILL.md is `text`, or, when that is NULL, is written
 * from `name`, `description`, `more` and `body`. */
struct mcp_skill_code {
    const char *prefix; /* as of a folder */
    const char *text;
    size_t text_len;
    const char *name, *description;
    const struct mcp_json *more; /* an object: further front matter; or NULL */
    const char *body;            /* NULL: none */
    size_t body_len;
    const struct mcp_skill_code_file *files; /* besides SKILL.md */
    size_t file_count;
    const char *file; /* where it is declared, for reports; NULL: unknown */
    int line;
};

struct mcp_skill_options {
    const struct mcp_skill_folder *folders;
    size_t folder_count;
    const struct mcp_skill_code *codes;
    size_t code_count;
    uint32_t max_files; /* of a skill; 0: MCP_SKILL_MAX_FILES */
    uint64_t max_bytes; /* of a skill; 0: MCP_SKILL_MAX_BYTES */
};

/* ---- what is in it; all texts live in the index ---- */

struct mcp_skill_text {
    const char *text;
    size_t len;
};

struct mcp_skill_file {
    const char *uri;  /* as a URI has it: percent-encoded                 */
    const char *path; /* within its outermost skill, not encoded          */
    const char *name; /* the last part of the path; of a SKILL.md that is
                         a skill, the skill's name                        */
    const char *mime_type;
    const char *description; /* the skill's, of a SKILL.md; or NULL       */
    const char *bytes;
    size_t len;
    bool is_text; /* UTF-8 without a NUL: read as "text", else "blob"     */
    char digest[sizeof("sha256:") + 64]; /* "sha256:" and 64 digits       */
    struct mcp_skill_text resource;      /* JSON: the Resource            */
};

struct mcp_skill {
    const char *uri; /* of its SKILL.md */
    const char *name, *description;
    const struct mcp_json *frontmatter; /* an object */
    const struct mcp_skill_file *self;  /* its SKILL.md */
    const struct mcp_skill_file *files; /* all of them, by path, nested
                                           skills' included */
    size_t file_count;
    uint64_t bytes;     /* of all of them */
    const char *origin; /* the file on disk, or where it is declared */
    int line;           /* of the declaration; 0: on disk, or unknown */
    struct mcp_skill_text entry; /* JSON: {uri, frontmatter, resources} */
};

struct mcp_skill_child {
    const char *uri, *name;            /* the name is the last part, decoded */
    const struct mcp_skill_file *file; /* NULL: a folder                */
    struct mcp_skill_text resource;    /* JSON: {uri, name, mimeType, size} */
};

struct mcp_skill_directory {
    const char *uri;                        /* without a trailing slash */
    const struct mcp_skill_child *children; /* by URI */
    size_t child_count;
};

enum mcp_skill_severity {
    MCP_SKILL_ERROR,   /* a skill or a folder is not served          */
    MCP_SKILL_WARNING, /* served; clients or authors will mind       */
    MCP_SKILL_NOTE,    /* a file is left out on purpose              */
};

struct mcp_skill_report {
    enum mcp_skill_severity severity;
    const char *file; /* on disk, or where a skill is declared; UTF-8 or not */
    int line;         /* from 1; 0: of the whole file    */
    const char *reason; /* lower case, no full stop        */
    const char *advice; /* what would be right; never NULL */
};

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
