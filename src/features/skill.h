/*
 * skill.h - what a skill is: what it is made of, what clients get of it
 *
 * Layer:  features. Uses base/json.
 * Thread: any; data only.
 * Source: SEP-2640; agentskills.io, specification.
 */
#ifndef MCP_FEATURES_SKILL_H
#define MCP_FEATURES_SKILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"

enum {
    MCP_SKILL_MAX_FILES = 512,
    MCP_SKILL_MAX_BYTES = 16 << 20,
    MCP_SKILL_MAX_NAME = 64,
    MCP_SKILL_MAX_DESCRIPTION = 1024, /* characters */
    MCP_SKILL_MAX_SKILLS = 16384,     /* of an index */
    MCP_SKILL_ALL_BYTES = 1 << 30,    /* of an index */
};

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
    uint32_t max_files;  /* of a skill; 0: MCP_SKILL_MAX_FILES */
    uint64_t max_bytes;  /* of a skill; 0: MCP_SKILL_MAX_BYTES */
    uint32_t max_skills; /* of them all; 0: MCP_SKILL_MAX_SKILLS */
    uint64_t all_bytes;  /* of them all; 0: MCP_SKILL_ALL_BYTES  */
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

#endif
