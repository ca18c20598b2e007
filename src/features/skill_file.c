/*
 * skill_file.c - see skill_file.h
 */
#include "features/skill_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    FLAGS = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
    TRIES = 3,
    PART_BYTES = 256, /* of a name, with the NUL */
};

/* -1 with ENOSYS: the kernel or a filter in front of it does not know it. */
static int open_whole(int root_fd, const char *path)
{
    struct open_how how = {.flags = FLAGS,
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS};
    long fd = -1;

    for (int i = 0; i < TRIES; i++) {
        fd = syscall(SYS_openat2, root_fd, path, &how, sizeof(how));
        if (fd >= 0 || (errno != EAGAIN && errno != EINTR))
            break;
    }
    if (fd < 0 && (errno == EPERM || errno == EOPNOTSUPP))
        errno = ENOSYS;
    return (int)fd;
}

/* Opens the part name[0..len) below `folder`. */
static int open_part(int folder, const char *name, size_t len, bool last)
{
    char part[PART_BYTES];

    if (len == 0 || len >= sizeof(part)) {
        errno = len == 0 ? EINVAL : ENAMETOOLONG;
        return -1;
    }
    memcpy(part, name, len);
    part[len] = '\0';
    if (strcmp(part, "..") == 0 || strcmp(part, ".") == 0) {
        errno = EXDEV;
        return -1;
    }
    return openat(folder, part, last ? FLAGS : FLAGS | O_DIRECTORY);
}

static int open_parts(int root_fd, const char *path)
{
    int folder = root_fd;

    for (;;) {
        size_t len = strcspn(path, "/");
        int fd = open_part(folder, path, len, path[len] == '\0');
        int why = errno;

        if (folder != root_fd)
            (void)close(folder);
        /* a link that had to be a folder */
        errno = why == ENOTDIR && path[len] != '\0' ? ELOOP : why;
        if (fd < 0 || path[len] == '\0')
            return fd;
        folder = fd;
        path += len + 1;
    }
}

int mcp_skill_file_open(int root_fd, const char *path, enum mcp_skill_open how)
{
    struct stat st;
    int fd = -1;

    errno = ENOSYS;
    if (how == MCP_SKILL_OPEN_BEST)
        fd = open_whole(root_fd, path);
    if (fd < 0 && errno == ENOSYS)
        fd = open_parts(root_fd, path);
    if (fd < 0)
        return -1;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        return fd;
    (void)close(fd);
    errno = EINVAL;
    return -1;
}

/* Reads to `to` until `len` bytes are there or the file ends. -1: errno. */
static ssize_t read_all(int fd, char *to, size_t len)
{
    size_t n = 0;

    while (n < len) {
        ssize_t got = pread(fd, to + n, len - n, (off_t)n);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        n += (size_t)got;
    }
    return (ssize_t)n;
}

static bool same_time(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/* One attempt. MCP_EBUSY: the file was written to. */
static enum mcp_err read_once(int fd, uint64_t max, struct mcp_buf *out)
{
    struct stat before, after;
    ssize_t got;
    size_t size;
    char *to;

    if (fstat(fd, &before) != 0)
        return MCP_EINTERNAL;
    size = (size_t)before.st_size;
    if (size > max)
        return MCP_ELIMIT;
    to = mcp_buf_reserve(out, size + 1); /* one more: has it grown? */
    if (to == NULL)
        return MCP_ENOMEM;
    got = read_all(fd, to, size + 1);
    if (got < 0 || fstat(fd, &after) != 0)
        return MCP_EINTERNAL;
    if ((size_t)got != size || after.st_size != before.st_size ||
        !same_time(after.st_mtim, before.st_mtim) ||
        !same_time(after.st_ctim, before.st_ctim))
        return MCP_EBUSY;
    out->len += size;
    return MCP_OK;
}

enum mcp_err mcp_skill_file_read(int fd, uint64_t max, struct mcp_buf *out)
{
    enum mcp_err err = MCP_EBUSY;

    for (int i = 0; err == MCP_EBUSY && i < TRIES; i++)
        err = read_once(fd, max, out);
    return err;
}
