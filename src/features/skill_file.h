/*
 * skill_file.h - reading a file below a folder, and nothing else
 *
 * What is opened is what lies at the path below the folder: no link is
 * followed, neither at the end nor on the way, and no name leads upwards. The
 * kernel resolves the path as a whole (openat2); where it cannot, each part is
 * opened by itself below the one before. Neither way can be raced: a link that
 * is swapped in is refused in the very step that would have followed it.
 *
 * Layer:  features, private to the skill_* modules. Uses base. Linux.
 * Thread: any.
 */
#ifndef MCP_FEATURES_SKILL_FILE_H
#define MCP_FEATURES_SKILL_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* How to open; both open the same, though errno may be another for a file where
 * a folder should be. */
enum mcp_skill_open {
    MCP_SKILL_OPEN_BEST,  /* openat2(2), else part by part */
    MCP_SKILL_OPEN_PARTS, /* part by part                  */
};

/* Opens the regular file `path` (relative) below the folder `root_fd` for
 * reading. Waits for nobody. The descriptor, or -1 with errno: ELOOP a link is
 * in the way, EINVAL no regular file, ENOENT, EACCES ... */
int mcp_skill_file_open(int root_fd, const char *path,
                        enum mcp_skill_open how) MCP_MUST_USE;

/* Appends the bytes of the regular file `fd`, at most `max` of them, to `out`.
 * A file that changes meanwhile is read again, some times.
 * Errors: MCP_ELIMIT larger than `max`; MCP_EBUSY it keeps changing;
 * MCP_EINTERNAL it cannot be read, see errno; MCP_ENOMEM. `out` is as before.
 */
enum mcp_err mcp_skill_file_read(int fd, uint64_t max,
                                 struct mcp_buf *out) MCP_MUST_USE;

#endif
