/*
 * skill_build.h - an index while it is being made
 *
 * Loaders (skill_load, skill_code) hand over one skill after the other, with
 * the skills inside of it; what cannot be served leaves a report.
 *
 * Layer:  features, private to the skill_* modules. Uses base.
 * Thread: one at a time until the index is finished.
 */
#ifndef MCP_FEATURES_SKILL_BUILD_H
#define MCP_FEATURES_SKILL_BUILD_H

#include "base/codec.h"
#include "features/skill_report.h"

/* A growing list of OWNED or arena pointers. */
struct mcp_skill_pointers {
    void **items;
    size_t count, room;
};

struct mcp_skill_index {
    struct mcp_arena *arena; /* of all texts and trees                       */
    uint32_t max_files;
    uint64_t max_bytes;
    uint32_t max_skills;
    uint64_t all_bytes;
    uint64_t bytes; /* of all files */
    struct mcp_skill *skills;
    size_t skill_count, skill_room;
    struct mcp_skill_file *files; /* by URI once finished */
    size_t file_count, file_room;
    struct mcp_skill_pointers blocks;  /* OWNED: the bytes of files         */
    struct mcp_skill_pointers roots;   /* paths of outermost skills         */
    struct mcp_skill_pointers watched; /* folders on disk                   */
    struct mcp_skill_reports reports;
    /* made by skill_finish */
    const struct mcp_skill **by_uri;         /* the skills */
    struct mcp_skill_directory *directories; /* by URI */
    size_t directory_count, directory_room;
    /* what it was opened with, and what the folders then held */
    struct mcp_skill_folder *folders;
    size_t folder_count;
    unsigned char folder_digest[MCP_SHA256_BYTES];
};

/* A file of a skill that is handed over. Texts in the arena of the index. */
struct mcp_skill_part {
    const char *path; /* from the root of the name space: "acme/pdf/a.md" */
    const char *bytes;
    size_t len;
    const char *mime_type; /* NULL: by name, else by content   */
    const char *origin;    /* on disk, or where it is declared */
    int line;              /* of the declaration, or 0         */
};

enum mcp_skill_outcome {
    MCP_SKILL_SERVED,
    MCP_SKILL_BROKEN, /* it is not served; skills inside may be */
    MCP_SKILL_TAKEN,  /* its place is taken, also for those     */
};

bool mcp_skill_pointers_add(struct mcp_skill_pointers *list, void *item);

/* Adds the skill at `root` ("acme/pdf") whose files are parts[0..count), and
 * the skills inside. `block` is TAKEN, whatever comes back: the parts' bytes
 * lie in it. Errors: MCP_ENOMEM; MCP_EINTERNAL no SHA-256. */
enum mcp_err mcp_skill_build_add(struct mcp_skill_index *index,
                                 const char *root, char *block,
                                 const struct mcp_skill_part *parts,
                                 size_t count,
                                 enum mcp_skill_outcome *outcome) MCP_MUST_USE;

/* "a/b" of "a" and "b", either of which may be "". In the arena; NULL: full. */
char *mcp_skill_join(struct mcp_arena *arena, const char *a, const char *b);

#endif
