/*
 * skill_scan.h - the files below a folder, by descriptors
 *
 * A folder is opened below the descriptor of the one around it, never by a
 * path, and never through a link. What is listed has not been opened: whoever
 * reads it opens it by skill_file.h.
 *
 * Layer:  features, private to the skill_* modules. Uses features/skill_uri,
 *         base/arena. Linux.
 * Thread: any.
 */
#ifndef MCP_FEATURES_SKILL_SCAN_H
#define MCP_FEATURES_SKILL_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

enum { MCP_SKILL_MAX_ENTRIES = 1 << 18 }; /* below one folder */

enum mcp_skill_entry_kind {
    MCP_SKILL_ENTRY_FILE,   /* a regular file                         */
    MCP_SKILL_ENTRY_HIDDEN, /* left out: its name begins with a dot   */
    MCP_SKILL_ENTRY_LINK,   /* left out: a symbolic link              */
    MCP_SKILL_ENTRY_OTHER,  /* left out: a device, a pipe, a socket   */
    MCP_SKILL_ENTRY_FLAW,   /* cannot be served: see `reason`         */
};

struct mcp_skill_entry {
    enum mcp_skill_entry_kind kind;
    const char *path; /* below the folder */
    uint64_t size;
    const char *reason; /* of a FLAW: static, or of strerror */
    bool reported;      /* for the reader's use */
};

struct mcp_skill_scan {
    struct mcp_arena *arena;       /* of texts                            */
    size_t max_entries;            /* of items, and of folders            */
    struct mcp_skill_entry *items; /* by path, as strcmp has it; OWNED    */
    size_t count, room;
    const char **folders; /* that were listed, "" the first; OWNED */
    size_t folder_count, folder_room;
};

void mcp_skill_scan_free(struct mcp_skill_scan *s);

/* Lists what is below `fd`, which stays open. `out` is set up with its arena
 * and its limit, all else zero; give it to mcp_skill_scan_free() whatever comes
 * back. Errors: MCP_ELIMIT more than `max_entries`; MCP_ENOMEM. */
enum mcp_err mcp_skill_scan_run(int fd,
                                struct mcp_skill_scan *out) MCP_MUST_USE;

/* The entries below the folder `path` ("": all) as [*from, *to). */
void mcp_skill_scan_range(const struct mcp_skill_scan *s, const char *path,
                          size_t *from, size_t *to);

/* The entry at exactly path[0..len), or NULL. */
struct mcp_skill_entry *mcp_skill_scan_find(const struct mcp_skill_scan *s,
                                            const char *path, size_t len);

#endif
