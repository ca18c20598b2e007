/*
 * skill_scan.c - see skill_scan.h
 */
#include "features/skill_scan.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "features/skill_grow.h"
#include "features/skill_uri.h"

void mcp_skill_scan_free(struct mcp_skill_scan *s)
{
    free(s->items);
    free(s->folders);
    s->items = NULL;
    s->folders = NULL;
    s->count = s->room = s->folder_count = s->folder_room = 0;
}

static enum mcp_err add(struct mcp_skill_scan *s, const char *path,
                        enum mcp_skill_entry_kind kind, uint64_t size,
                        const char *reason)
{
    struct mcp_skill_entry *items;

    if (s->count == s->max_entries)
        return MCP_ELIMIT;
    items = mcp_skill_grow(s->items, s->count, &s->room, sizeof(*items));
    if (items == NULL)
        return MCP_ENOMEM;
    s->items = items;
    s->items[s->count++] = (struct mcp_skill_entry){
        .kind = kind, .path = path, .size = size, .reason = reason};
    return MCP_OK;
}

static enum mcp_err add_folder(struct mcp_skill_scan *s, const char *path)
{
    const char **folders;

    if (s->folder_count == s->max_entries)
        return MCP_ELIMIT;
    folders = mcp_skill_grow(s->folders, s->folder_count, &s->folder_room,
                             sizeof(*folders));
    if (folders == NULL)
        return MCP_ENOMEM;
    s->folders = folders;
    s->folders[s->folder_count++] = path;
    return MCP_OK;
}

static enum mcp_err scan_folder(struct mcp_skill_scan *s, int fd,
                                const char *path);

/* errno as the reason of a flaw. */
static enum mcp_err add_failure(struct mcp_skill_scan *s, const char *path,
                                int why)
{
    char text[128];
    const char *reason = strerror_r(why, text, sizeof(text));

    reason = mcp_arena_dup(s->arena, reason, strlen(reason));
    if (reason == NULL)
        return MCP_ENOMEM;
    return add(s, path, MCP_SKILL_ENTRY_FLAW, 0, reason);
}

static enum mcp_err descend(struct mcp_skill_scan *s, int parent,
                            const char *name, const char *path)
{
    int fd =
        openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    enum mcp_err err;

    if (fd >= 0) {
        err = scan_folder(s, fd, path);
        (void)close(fd);
        return err;
    }
    if (errno == ENOENT)
        return MCP_OK; /* gone since it was listed */
    if (errno == ELOOP || errno == ENOTDIR)
        return add(s, path, MCP_SKILL_ENTRY_LINK, 0, NULL);
    return add_failure(s, path, errno);
}

static enum mcp_err add_name(struct mcp_skill_scan *s, int fd, const char *name,
                             const char *path)
{
    struct stat st;
    const char *flaw;

    if (name[0] == '.')
        return add(s, path, MCP_SKILL_ENTRY_HIDDEN, 0, NULL);
    flaw = mcp_skill_path_flaw(path, strlen(path));
    if (flaw != NULL)
        return add(s, path, MCP_SKILL_ENTRY_FLAW, 0, flaw);
    if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? MCP_OK : add_failure(s, path, errno);
    if (S_ISREG(st.st_mode))
        return add(s, path, MCP_SKILL_ENTRY_FILE, (uint64_t)st.st_size, NULL);
    if (S_ISLNK(st.st_mode))
        return add(s, path, MCP_SKILL_ENTRY_LINK, 0, NULL);
    if (S_ISDIR(st.st_mode))
        return descend(s, fd, name, path);
    return add(s, path, MCP_SKILL_ENTRY_OTHER, 0, NULL);
}

/* All names of `dir`. */
static enum mcp_err scan_names(struct mcp_skill_scan *s, DIR *dir,
                               const char *path)
{
    const struct dirent *d;
    enum mcp_err err = MCP_OK;

    errno = 0;
    while (err == MCP_OK && (d = readdir(dir)) != NULL) {
        const char *below;

        if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0)
            continue;
        below = mcp_arena_printf(s->arena, "%s%s%s", path,
                                 *path != '\0' ? "/" : "", d->d_name);
        err = below == NULL ? MCP_ENOMEM
                            : add_name(s, dirfd(dir), d->d_name, below);
        errno = 0;
    }
    return err == MCP_OK && errno != 0 ? add_failure(s, path, errno) : err;
}

/* `fd` stays open. Depth is bounded by mcp_skill_path_flaw(). */
static enum mcp_err scan_folder(struct mcp_skill_scan *s, int fd,
                                const char *path)
{
    enum mcp_err err = add_folder(s, path);
    int own;
    DIR *dir;

    if (err != MCP_OK)
        return err;
    own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    dir = own >= 0 ? fdopendir(own) : NULL;
    if (dir == NULL) {
        err = add_failure(s, path, errno);
        if (own >= 0)
            (void)close(own);
        return err;
    }
    err = scan_names(s, dir, path);
    (void)closedir(dir);
    return err;
}

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct mcp_skill_entry *)a)->path,
                  ((const struct mcp_skill_entry *)b)->path);
}

enum mcp_err mcp_skill_scan_run(int fd, struct mcp_skill_scan *out)
{
    enum mcp_err err = scan_folder(out, fd, "");

    if (err == MCP_OK && out->count > 0)
        qsort(out->items, out->count, sizeof(*out->items), compare);
    return err;
}

/* The first entry that is not before path[0..len) followed by `next`. */
static size_t lower_bound(const struct mcp_skill_scan *s, const char *path,
                          size_t len, unsigned char next)
{
    size_t from = 0, to = s->count;

    while (from < to) {
        size_t middle = from + (to - from) / 2;
        const char *other = s->items[middle].path;
        int order = strncmp(other, path, len);

        if (order < 0 || (order == 0 && (unsigned char)other[len] < next))
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

void mcp_skill_scan_range(const struct mcp_skill_scan *s, const char *path,
                          size_t *from, size_t *to)
{
    size_t len = strlen(path);

    *from = len > 0 ? lower_bound(s, path, len, '/') : 0;
    *to = len > 0 ? lower_bound(s, path, len, '/' + 1) : s->count;
}

struct mcp_skill_entry *mcp_skill_scan_find(const struct mcp_skill_scan *s,
                                            const char *path, size_t len)
{
    size_t i = lower_bound(s, path, len, '\0');

    if (i == s->count || strncmp(s->items[i].path, path, len) != 0 ||
        s->items[i].path[len] != '\0')
        return NULL;
    return &s->items[i];
}
