/*
 * file.c - see file.h
 */
#include "cli/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static enum mcp_err cannot(const char *what, const char *path, char *message,
                           size_t message_size)
{
    (void)snprintf(message, message_size, "cannot %s %.512s: %s", what, path,
                   strerror(errno));
    return MCP_EINTERNAL;
}

/* ---- reading ---- */

static enum mcp_err read_all(int fd, const char *path, struct mcp_buf *out,
                             char *message, size_t message_size)
{
    char block[1 << 16];
    ssize_t n;

    while ((n = read(fd, block, sizeof(block))) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return cannot("read", path, message, message_size);
        if ((size_t)n > out->max - out->len) {
            (void)snprintf(message, message_size,
                           "%.512s is larger than %zu bytes", path, out->max);
            return MCP_ELIMIT;
        }
        mcp_buf_add(out, block, (size_t)n);
        if (out->failed)
            return MCP_ENOMEM;
    }
    return MCP_OK;
}

/* A pipe would be waited for, and a device has no end. */
static enum mcp_err read_regular(int fd, const char *path, struct mcp_buf *out,
                                 char *message, size_t message_size)
{
    struct stat st;

    if (fstat(fd, &st) != 0)
        return cannot("read", path, message, message_size);
    if (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)) /* read() says EISDIR */
        return read_all(fd, path, out, message, message_size);
    (void)snprintf(message, message_size, "cannot read %.512s: no regular file",
                   path);
    return MCP_EINTERNAL;
}

enum mcp_err mcp_file_read(const char *path, struct mcp_buf *out, char *message,
                           size_t message_size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    enum mcp_err rc;

    if (fd < 0 && errno == ENOENT)
        return MCP_ENOENT;
    if (fd < 0)
        return cannot("read", path, message, message_size);
    rc = read_regular(fd, path, out, message, message_size);
    (void)close(fd);
    return rc;
}

/* ---- writing ---- */

/* Errors: errno. */
static bool write_all(int fd, const char *data, size_t len)
{
    size_t at = 0;

    while (at < len) {
        ssize_t n = write(fd, data + at, len - at);

        if (n < 0 && errno != EINTR)
            return false;
        at += n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* Closes `fd` whatever happens. */
static bool finish(int fd, bool ok)
{
    int why = errno;

    if (close(fd) != 0 && ok)
        return false;
    errno = why;
    return ok;
}

enum mcp_err mcp_file_create(const char *path, const char *data, size_t len,
                             mode_t mode, char *message, size_t message_size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);

    if (fd < 0) {
        enum mcp_err rc = errno == EEXIST ? MCP_EEXIST : MCP_EINTERNAL;

        (void)cannot("write", path, message, message_size);
        return rc;
    }
    if (finish(fd, write_all(fd, data, len)))
        return MCP_OK;
    (void)cannot("write", path, message, message_size);
    (void)unlink(path);
    return MCP_EINTERNAL;
}

/* A pipe, a device. */
static enum mcp_err write_into(const char *path, const char *data, size_t len,
                               char *message, size_t message_size)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);

    if (fd >= 0 && finish(fd, write_all(fd, data, len)))
        return MCP_OK;
    return cannot("write", path, message, message_size);
}

/* The mode for a new file, by the umask. */
static mode_t new_mode(mode_t mode)
{
    mode_t mask = umask(0);

    (void)umask(mask);
    return mode & ~mask;
}

/* The content in a file of its own, `beside` (a template of mkstemp). */
static bool write_beside(char *beside, const struct stat *old, mode_t mode,
                         const char *data, size_t len)
{
    int fd = mkstemp(beside);
    bool ok;

    if (fd < 0)
        return false;
    ok = write_all(fd, data, len) &&
         fchmod(fd, old != NULL ? old->st_mode & 07777 : new_mode(mode)) == 0;
    /* Somebody else's file stays his where we may say so. */
    if (ok && old != NULL &&
        (old->st_uid != geteuid() || old->st_gid != getegid()) &&
        fchown(fd, old->st_uid, old->st_gid) == 0)
        ok = fchmod(fd, old->st_mode & 07777) == 0;
    ok = finish(fd, ok && fsync(fd) == 0);
    if (!ok) {
        int why = errno;

        (void)unlink(beside);
        errno = why;
    }
    return ok;
}

/* `path` is where the file really is. */
static enum mcp_err replace(const char *path, const struct stat *old,
                            mode_t mode, const char *data, size_t len,
                            char *message, size_t message_size)
{
    char beside[PATH_MAX + 16];
    int n = snprintf(beside, sizeof(beside), "%s.XXXXXX", path);

    if (n < 0 || (size_t)n >= sizeof(beside))
        errno = ENAMETOOLONG;
    else if (write_beside(beside, old, mode, data, len)) {
        if (rename(beside, path) == 0)
            return MCP_OK;
        (void)cannot("write", path, message, message_size);
        (void)unlink(beside);
        return MCP_EINTERNAL;
    }
    return cannot("write", path, message, message_size);
}

enum mcp_err mcp_file_replace(const char *path, const char *data, size_t len,
                              mode_t mode, char *message, size_t message_size)
{
    struct stat old;
    char *real;
    enum mcp_err rc;

    if (stat(path, &old) != 0 && errno != ENOENT)
        return cannot("write", path, message, message_size);
    if (stat(path, &old) != 0) {
        if (lstat(path, &old) != 0)
            return replace(path, NULL, mode, data, len, message, message_size);
        (void)snprintf(message, message_size,
                       "cannot write %.512s: it is a link to nothing", path);
        return MCP_EINTERNAL;
    }
    if (S_ISDIR(old.st_mode)) {
        errno = EISDIR;
        return cannot("write", path, message, message_size);
    }
    if (!S_ISREG(old.st_mode))
        return write_into(path, data, len, message, message_size);
    real = realpath(path, NULL);
    if (real == NULL)
        return cannot("write", path, message, message_size);
    rc = replace(real, &old, mode, data, len, message, message_size);
    free(real);
    return rc;
}

enum mcp_err mcp_file_make_folders(const char *path, bool self, mode_t mode,
                                   char *message, size_t message_size)
{
    char part[PATH_MAX];

    if (strlen(path) >= sizeof(part)) {
        errno = ENAMETOOLONG;
        return cannot("make", path, message, message_size);
    }
    for (size_t i = 0;; i++) {
        part[i] = path[i];
        if (i > 0 && (path[i] == '/' || (self && path[i] == '\0'))) {
            struct stat st;

            part[i] = '\0';
            if (mkdir(part, mode) != 0 &&
                (errno != EEXIST || stat(part, &st) != 0 ||
                 !S_ISDIR(st.st_mode)))
                return cannot("make the folder", part, message, message_size);
            part[i] = path[i];
        }
        if (path[i] == '\0')
            return MCP_OK;
    }
}
