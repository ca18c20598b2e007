/*
 * skill_load.c - see skill_load.h
 *
 * The folder is listed first. Each outermost skill is then read as a whole: its
 * files go into one block. Where that fails, the skills inside of it get their
 * chance; what lies between belongs to nobody and is not read.
 */
#include "features/skill_load.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/memory.h"
#include "features/skill_file.h"
#include "features/skill_scan.h"
#include "features/skill_uri.h"

static const char self_name[] = "SKILL.md";

struct loader {
    struct mcp_skill_index *index;
    char *disk;       /* the folder, as it was given           */
    const char *base; /* its place in the name space, or ""    */
    int fd;
    struct mcp_skill_scan scan;
};

static enum mcp_err load_below(struct loader *l, const char *dir);

/* The place on disk of `path`, in the arena; never NULL. */
static const char *on_disk(struct loader *l, const char *path)
{
    char *whole = mcp_skill_join(l->index->arena, l->disk, path);

    if (whole != NULL)
        return whole;
    l->index->reports.failed = true;
    return path;
}

static enum mcp_err outcome_of(const struct loader *l)
{
    return l->index->reports.failed ? MCP_ENOMEM : MCP_OK;
}

/* ---- before anything is read ---- */

/* Reports an entry that is not served. True: the skill around it cannot be
 * served either. */
static bool report_entry(struct loader *l, struct mcp_skill_entry *e)
{
    static const struct {
        enum mcp_skill_severity severity;
        const char *reason, *advice;
    } left_out[] = {
        [MCP_SKILL_ENTRY_HIDDEN] = {MCP_SKILL_NOTE,
                                    "not served: the name begins with a dot",
                                    "rename it if clients should see it"},
        [MCP_SKILL_ENTRY_LINK] = {MCP_SKILL_WARNING,
                                  "not served: a symbolic link",
                                  "put a copy of the file in its place"},
        [MCP_SKILL_ENTRY_OTHER] = {MCP_SKILL_WARNING,
                                   "not served: neither a file nor a folder",
                                   "move it out of the skill"},
    };
    const char *file = on_disk(l, e->path);

    if (e->reported)
        return e->kind == MCP_SKILL_ENTRY_FLAW;
    e->reported = true;
    if (e->kind != MCP_SKILL_ENTRY_FLAW) {
        mcp_skill_report_add(&l->index->reports, left_out[e->kind].severity,
                             file, 0, left_out[e->kind].advice, "%s",
                             left_out[e->kind].reason);
        return false;
    }
    mcp_skill_report_add(&l->index->reports, MCP_SKILL_ERROR, file, 0,
                         "rename it, make it readable, or move it out of the "
                         "skill: a skill is served whole or not at all",
                         "cannot be served: %s", e->reason);
    return true;
}

/* Are there too many files, or bytes, in [from, to)? */
static bool exceeds_limits(struct loader *l, const char *self, size_t from,
                           size_t to)
{
    struct mcp_skill_index *ix = l->index;
    uint64_t bytes = 0, files = 0;

    for (size_t i = from; i < to; i++) {
        if (l->scan.items[i].kind != MCP_SKILL_ENTRY_FILE)
            continue;
        files++;
        bytes += l->scan.items[i].size;
    }
    if (files > ix->max_files)
        mcp_skill_report_add(&ix->reports, MCP_SKILL_ERROR, self, 0,
                             "move files out of the skill, or divide it",
                             "%" PRIu64 " files; a skill has at most %" PRIu32,
                             files, ix->max_files);
    else if (bytes > ix->max_bytes)
        mcp_skill_report_add(&ix->reports, MCP_SKILL_ERROR, self, 0,
                             "move large files out of the skill, or divide it",
                             "%" PRIu64 " bytes; a skill has at most %" PRIu64,
                             bytes, ix->max_bytes);
    else
        return false;
    return true;
}

/* May [from, to) be read? If not, reports tell why. */
static bool may_read(struct loader *l, const char *self, size_t from, size_t to)
{
    bool good = true;

    for (size_t i = from; i < to; i++) {
        struct mcp_skill_entry *e = &l->scan.items[i];
        const char *path, *flaw;

        if (e->kind != MCP_SKILL_ENTRY_FILE) {
            good = !report_entry(l, e) && good;
            continue;
        }
        path = mcp_skill_join(l->index->arena, l->base, e->path);
        flaw = path != NULL ? mcp_skill_path_flaw(path, strlen(path)) : NULL;
        if (flaw == NULL)
            continue;
        e->kind = MCP_SKILL_ENTRY_FLAW; /* with the prefix it is too long */
        e->reason = flaw;
        good = !report_entry(l, e) && good;
    }
    return !exceeds_limits(l, self, from, to) && good;
}

/* ---- reading ---- */

/* Why the file could not be read; `err` and errno are of skill_file. */
static const char *read_flaw(enum mcp_err err, int why, char text[128])
{
    if (err == MCP_EBUSY)
        return "it changed each time while it was read";
    if (err == MCP_ELIMIT)
        return "it has grown beyond what a skill may have";
    if (why == ELOOP)
        return "a symbolic link came into its place";
    if (why == EINVAL)
        return "it is no regular file any more";
    return strerror_r(why, text, 128);
}

/* Appends the bytes of one file to `block`. False: a report says why not, or
 * memory is short (`*err`). */
static bool read_file(struct loader *l, const struct mcp_skill_entry *e,
                      struct mcp_buf *block, enum mcp_err *err)
{
    char text[128];
    int fd = mcp_skill_file_open(l->fd, e->path, MCP_SKILL_OPEN_BEST);
    int why = errno;

    *err = MCP_EINTERNAL;
    if (fd >= 0) {
        *err = mcp_skill_file_read(fd, l->index->max_bytes - block->len, block);
        why = errno;
        (void)close(fd);
    }
    if (*err == MCP_OK || *err == MCP_ENOMEM)
        return *err == MCP_OK;
    mcp_skill_report_add(&l->index->reports, MCP_SKILL_ERROR,
                         on_disk(l, e->path), 0,
                         "load the app again when the folder is at rest and "
                         "readable: a skill is served whole or not at all",
                         "cannot be read: %s", read_flaw(*err, why, text));
    *err = outcome_of(l);
    return false;
}

static uint64_t bytes_of(const struct loader *l, size_t from, size_t to)
{
    uint64_t bytes = 0;

    for (size_t i = from; i < to; i++)
        if (l->scan.items[i].kind == MCP_SKILL_ENTRY_FILE)
            bytes += l->scan.items[i].size;
    return bytes;
}

/* Reads the files of [from, to) into `block`. `parts` has room for all; their
 * bytes are set by set_bytes(). */
static bool read_files(struct loader *l, size_t from, size_t to,
                       struct mcp_buf *block, struct mcp_skill_part *parts,
                       size_t *count, enum mcp_err *err)
{
    uint64_t room = bytes_of(l, from, to) + 1;

    *count = 0;
    *err = MCP_ENOMEM;
    if (mcp_buf_reserve(block, (size_t)room) == NULL)
        return false;
    for (size_t i = from; i < to; i++) {
        const struct mcp_skill_entry *e = &l->scan.items[i];
        struct mcp_skill_part *part = &parts[*count];
        size_t before = block->len;

        if (e->kind != MCP_SKILL_ENTRY_FILE)
            continue;
        if (!read_file(l, e, block, err))
            return false;
        part->path = mcp_skill_join(l->index->arena, l->base, e->path);
        part->origin = on_disk(l, e->path);
        part->len = block->len - before;
        part->mime_type = NULL;
        part->line = 0;
        if (part->path == NULL || l->index->reports.failed) {
            *err = MCP_ENOMEM;
            return false;
        }
        ++*count;
    }
    return true;
}

static void set_bytes(struct mcp_skill_part *parts, size_t count,
                      const char *block)
{
    for (size_t i = 0; i < count; i++) {
        parts[i].bytes = block;
        block += parts[i].len;
    }
}

/* Reads [from, to) and adds it as the skill at `dir`. */
static enum mcp_err read_skill(struct loader *l, const char *dir, size_t from,
                               size_t to, enum mcp_skill_outcome *outcome)
{
    struct mcp_skill_part *parts = mcp_memory_new(to - from, sizeof(*parts));
    const char *root = mcp_skill_join(l->index->arena, l->base, dir);
    enum mcp_err err = MCP_ENOMEM;
    struct mcp_buf block;
    size_t count, len;
    char *bytes;

    mcp_buf_init(&block, (size_t)l->index->max_bytes + 2);
    if (parts != NULL && root != NULL &&
        read_files(l, from, to, &block, parts, &count, &err)) {
        bytes = mcp_buf_take(&block, &len);
        set_bytes(parts, count, bytes != NULL ? bytes : "");
        err = mcp_skill_build_add(l->index, root, bytes, parts, count, outcome);
    }
    mcp_buf_free(&block);
    free(parts);
    return err;
}

/* The skill at `dir`, or those inside of it. */
static enum mcp_err load_skill(struct loader *l, const char *dir)
{
    enum mcp_skill_outcome outcome = MCP_SKILL_BROKEN;
    enum mcp_err err = MCP_OK;
    const char *self = on_disk(l, *dir != '\0' ? dir : self_name);
    size_t from, to;

    if (*dir != '\0')
        self = mcp_skill_join(l->index->arena, self, self_name);
    mcp_skill_scan_range(&l->scan, dir, &from, &to);
    if (self == NULL)
        return MCP_ENOMEM;
    if (may_read(l, self, from, to))
        err = read_skill(l, dir, from, to, &outcome);
    if (err == MCP_OK && outcome == MCP_SKILL_BROKEN)
        err = load_below(l, dir);
    return err == MCP_OK ? outcome_of(l) : err;
}

/* ---- which folders are skills ---- */

static bool is_self(const struct mcp_skill_entry *e)
{
    const char *slash = strrchr(e->path, '/');

    return strcmp(slash != NULL ? slash + 1 : e->path, self_name) == 0;
}

/* Is there a SKILL.md in a folder between `dir` and that of entry `e`? */
static bool is_nested(const struct loader *l, const char *dir,
                      const struct mcp_skill_entry *e)
{
    size_t from = *dir != '\0' ? strlen(dir) + 1 : 0;
    const char *own = strrchr(e->path, '/');
    char path[MCP_SKILL_MAX_PATH + sizeof(self_name) + 1];

    for (const char *p = strchr(e->path + from, '/'); p != NULL && p < own;
         p = strchr(p + 1, '/')) {
        size_t len = (size_t)(p - e->path) + 1;

        memcpy(path, e->path, len);
        memcpy(path + len, self_name, sizeof(self_name));
        if (mcp_skill_scan_find(&l->scan, path, strlen(path)) != NULL)
            return true;
    }
    return false;
}

/* The skill that has the SKILL.md `e`. One that is a link or a pipe makes no
 * skill, but those below may be some. */
static enum mcp_err load_entry(struct loader *l, struct mcp_skill_entry *e)
{
    char *dir = mcp_arena_dup(l->index->arena, e->path,
                              strlen(e->path) - sizeof(self_name));

    if (dir == NULL)
        return MCP_ENOMEM;
    if (e->kind == MCP_SKILL_ENTRY_FILE)
        return load_skill(l, dir);
    if (!e->reported)
        mcp_skill_report_add(&l->index->reports, MCP_SKILL_ERROR,
                             on_disk(l, e->path), 0,
                             "make SKILL.md a regular file that can be read",
                             "the skill is not served: its SKILL.md is no "
                             "regular file");
    e->reported = true;
    return load_below(l, dir);
}

/* The outermost skills below `dir`, without that of `dir` itself. */
static enum mcp_err load_below(struct loader *l, const char *dir)
{
    size_t from, to;
    enum mcp_err err = MCP_OK;
    const size_t least = *dir != '\0' ? strlen(dir) + 1 : 0;

    mcp_skill_scan_range(&l->scan, dir, &from, &to);
    for (size_t i = from; err == MCP_OK && i < to; i++) {
        struct mcp_skill_entry *e = &l->scan.items[i];

        if (is_self(e) && strchr(e->path + least, '/') != NULL &&
            !is_nested(l, dir, e))
            err = load_entry(l, e);
    }
    return err;
}

/* What is left out where no skill is, and names of other spelling: a skill may
 * have been meant. */
static void report_rest(struct loader *l)
{
    for (size_t i = 0; i < l->scan.count; i++) {
        struct mcp_skill_entry *e = &l->scan.items[i];
        const char *slash = strrchr(e->path, '/');
        const char *name = slash != NULL ? slash + 1 : e->path;

        if (e->kind != MCP_SKILL_ENTRY_FILE)
            (void)report_entry(l, e);
        else if (!is_self(e) && strcasecmp(name, self_name) == 0)
            mcp_skill_report_add(&l->index->reports, MCP_SKILL_WARNING,
                                 on_disk(l, e->path), 0,
                                 "rename it if it is to be a skill",
                                 "\"%s\" is no SKILL.md: upper and lower case "
                                 "count",
                                 name);
    }
}

static bool add_watched(struct loader *l)
{
    struct mcp_skill_index *ix = l->index;

    for (size_t i = 0; i < l->scan.folder_count; i++) {
        char *path = mcp_skill_join(ix->arena, l->disk, l->scan.folders[i]);

        if (path == NULL || !mcp_skill_pointers_add(&ix->watched, path))
            return false;
    }
    return true;
}

/* The folder is a skill itself: its own name ends its place. */
static bool enter_single(struct loader *l)
{
    char *whole = realpath(l->disk, NULL);
    const char *slash = whole != NULL ? strrchr(whole, '/') : NULL;
    const char *base = NULL;

    if (slash != NULL)
        base = mcp_skill_join(l->index->arena, l->base, slash + 1);
    else
        base = l->base; /* it is gone: reading it says so */
    free(whole);
    l->base = base;
    return base != NULL;
}

static enum mcp_err load_scanned(struct loader *l)
{
    struct mcp_skill_entry *self =
        mcp_skill_scan_find(&l->scan, self_name, sizeof(self_name) - 1);
    enum mcp_err err;

    if (!add_watched(l))
        return MCP_ENOMEM;
    if (self != NULL && self->kind == MCP_SKILL_ENTRY_FILE)
        err = enter_single(l) ? load_skill(l, "") : MCP_ENOMEM;
    else
        err = load_below(l, "");
    if (err == MCP_OK)
        report_rest(l);
    return err == MCP_OK ? outcome_of(l) : err;
}

/* ---- the folder ---- */

static enum mcp_err refuse(struct loader *l, const char *reason,
                           const char *advice)
{
    mcp_skill_report_add(&l->index->reports, MCP_SKILL_ERROR, l->disk, 0,
                         advice, "%s", reason);
    if (!mcp_skill_pointers_add(&l->index->watched, l->disk))
        return MCP_ENOMEM;
    return outcome_of(l);
}

static enum mcp_err open_folder(struct loader *l)
{
    char text[128], reason[160];

    l->fd = open(l->disk, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (l->fd >= 0)
        return MCP_OK;
    (void)snprintf(reason, sizeof(reason), "no folder of skills: %s",
                   strerror_r(errno, text, sizeof(text)));
    return refuse(l, reason, "make the folder, or name another one");
}

/* `path` without slashes at its end; "/" stays. */
static char *trimmed(struct mcp_arena *arena, const char *path)
{
    size_t len = strlen(path);

    while (len > 1 && path[len - 1] == '/')
        len--;
    return mcp_arena_dup(arena, path, len);
}

enum mcp_err mcp_skill_load_folder(struct mcp_skill_index *index,
                                   const struct mcp_skill_folder *folder)
{
    struct loader l = {
        .index = index,
        .disk = trimmed(index->arena, folder->path),
        .base = folder->prefix != NULL ? folder->prefix : "",
        .fd = -1,
        .scan = {.arena = index->arena, .max_entries = MCP_SKILL_MAX_ENTRIES}};
    enum mcp_err err;
    const char *flaw = NULL;

    if (l.disk == NULL)
        return MCP_ENOMEM;
    if (*l.base != '\0')
        flaw = mcp_skill_path_flaw(l.base, strlen(l.base));
    if (flaw != NULL)
        return refuse(&l, flaw, "write the prefix like acme/billing");
    err = open_folder(&l);
    if (l.fd < 0)
        return err;
    err = mcp_skill_scan_run(l.fd, &l.scan);
    if (err == MCP_OK)
        err = load_scanned(&l);
    else if (err == MCP_ELIMIT)
        err = refuse(&l, "more than 262144 files or folders",
                     "name the folder that holds the skills and nothing else");
    mcp_skill_scan_free(&l.scan);
    (void)close(l.fd);
    return err;
}
