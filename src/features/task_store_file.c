/*
 * task_store_file.c - the file of a store: one owner, and nobody else's data
 *
 * The lock is a flock() on a file of its own, which is never deleted: so it
 * ends with the process, however that ends, and two processes never lock two
 * different files. A new store is written beside its place, flushed, and then
 * renamed to it: there is never a half-made one. A file that is there is looked
 * at before SQLite may touch it.
 */
#include "features/task_store_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "features/task_store_sql.h"

/* Places in the head of a SQLite file (sqlite.org/fileformat.html, 1.3). */
enum { HEAD_BYTES = 100, APPLICATION_AT = 68 };

enum file_kind { NO_FILE, NEW_FILE, OUR_FILE };

static enum mcp_err fail_io(const struct mcp_task_store_message *m,
                            const char *what, const char *path)
{
    return mcp_task_store_fail(m, errno == ENOMEM ? MCP_ENOMEM : MCP_EIO,
                               "cannot %s %s: %s", what, path, strerror(errno));
}

static void add_ending(char out[PATH_MAX], const char *path, const char *ending)
{
    (void)snprintf(out, PATH_MAX, "%.*s%s", MCP_TASK_PATH_MAX, path, ending);
}

/* ---- the lock -------------------------------------------------------------
 */

/* Who has the lock, as it wrote down; 0: not known. */
static long owner_of(int fd)
{
    char text[24] = "";
    long pid = 0;

    if (pread(fd, text, sizeof(text) - 1, 0) <= 0)
        return 0;
    return sscanf(text, "%10ld", &pid) == 1 ? pid : 0;
}

static enum mcp_err fail_busy(const struct mcp_task_file *f, int fd,
                              const struct mcp_task_store_message *m)
{
    long pid = owner_of(fd);

    if (pid == (long)getpid())
        return mcp_task_store_fail(m, MCP_EBUSY,
                                   "%s is in use by this process (%ld) already",
                                   f->path, pid);
    if (pid > 0)
        return mcp_task_store_fail(m, MCP_EBUSY, "%s is in use by process %ld",
                                   f->path, pid);
    return mcp_task_store_fail(m, MCP_EBUSY, "%s is in use by another process",
                               f->path);
}

/* The process id is for people, so a full disk does not matter here. */
static void sign(int fd)
{
    char text[24];
    int len = snprintf(text, sizeof(text), "%ld\n", (long)getpid());

    if (ftruncate(fd, 0) == 0 && pwrite(fd, text, (size_t)len, 0) != len)
        (void)!ftruncate(fd, 0);
}

static enum mcp_err lock(struct mcp_task_file *f,
                         const struct mcp_task_store_message *m)
{
    char path[PATH_MAX];
    int fd, err;

    add_ending(path, f->path, ".lock");
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
              0600);
    if (fd < 0)
        return fail_io(m, "open", path);
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
        sign(fd);
        f->lock = fd;
        return MCP_OK;
    }
    err = errno == EWOULDBLOCK ? (int)fail_busy(f, fd, m)
                               : (int)fail_io(m, "lock", path);
    (void)close(fd);
    return (enum mcp_err)err;
}

/* ---- what is there --------------------------------------------------------
 */

/* A regular file, open at `fd`: whose is it? */
static enum mcp_err judge(int fd, off_t size, enum file_kind *kind,
                          const char *path,
                          const struct mcp_task_store_message *m)
{
    unsigned char head[HEAD_BYTES] = {0};
    const unsigned char *a = head + APPLICATION_AT;
    ssize_t n = pread(fd, head, sizeof(head), 0);

    if (n < 0)
        return fail_io(m, "read", path);
    *kind = size == 0 ? NEW_FILE : OUR_FILE;
    if (size == 0)
        return MCP_OK;
    if (n < HEAD_BYTES || memcmp(head, "SQLite format 3", 16) != 0)
        return mcp_task_store_fail(
            m, MCP_EINVAL, "%s is no store of tasks: not a SQLite file", path);
    if ((uint32_t)(a[0] << 24 | a[1] << 16 | a[2] << 8 | a[3]) !=
        MCP_TASK_APPLICATION)
        return mcp_task_store_fail(m, MCP_EINVAL,
                                   "%s is no store of tasks: a SQLite file of "
                                   "another program",
                                   path);
    return MCP_OK;
}

/* A link to nothing may point to a disk that is not mounted. */
static enum mcp_err check_absent(const char *path,
                                 const struct mcp_task_store_message *m)
{
    struct stat st;

    if (lstat(path, &st) != 0)
        return MCP_OK;
    return mcp_task_store_fail(
        m, MCP_EINVAL, "%s is a link to a file that is not there", path);
}

/* A log without its file holds tasks, and does not fit to a new file. */
static enum mcp_err check_no_log(const char *path,
                                 const struct mcp_task_store_message *m)
{
    struct stat st;
    char wal[PATH_MAX];

    add_ending(wal, path, "-wal");
    if (stat(wal, &st) != 0 || st.st_size == 0)
        return MCP_OK;
    return mcp_task_store_fail(m, MCP_EINVAL,
                               "%s is there without %s, and belongs to it: "
                               "bring that back, or remove this one",
                               wal, path);
}

static enum mcp_err look(const char *path, enum file_kind *kind,
                         const struct mcp_task_store_message *m)
{
    struct stat st;
    enum mcp_err err;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    *kind = NO_FILE;
    if (fd < 0 && errno == ENOENT)
        return check_absent(path, m);
    if (fd < 0)
        return fail_io(m, "open", path);
    if (fstat(fd, &st) != 0)
        err = fail_io(m, "read", path);
    else if (!S_ISREG(st.st_mode))
        err = mcp_task_store_fail(m, MCP_EINVAL, "%s is no regular file", path);
    else
        err = judge(fd, st.st_size, kind, path, m);
    (void)close(fd);
    return err;
}

/* ---- a new one ------------------------------------------------------------
 */

static bool flush_folder(const char *path)
{
    char folder[PATH_MAX];
    int fd;
    bool done;

    (void)snprintf(folder, sizeof(folder), "%s", path);
    *(strrchr(folder, '/') + 1) = '\0';
    fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return false;
    done = fsync(fd) == 0;
    (void)close(fd);
    return done;
}

static enum mcp_err flush(const char *path,
                          const struct mcp_task_store_message *m)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    enum mcp_err err = MCP_OK;

    if (fd < 0)
        return fail_io(m, "open", path);
    if (fsync(fd) != 0)
        err = fail_io(m, "flush", path);
    (void)close(fd);
    return err;
}

static void remove_draft(const char *draft)
{
    char wal[PATH_MAX];

    add_ending(wal, draft, "-wal");
    (void)unlink(draft);
    (void)unlink(wal);
}

/* Under the lock, so what an earlier try left behind may go. */
static enum mcp_err make(const char *path,
                         const struct mcp_task_store_message *m)
{
    char draft[PATH_MAX];
    enum mcp_err err;
    int fd;

    add_ending(draft, path, ".new");
    remove_draft(draft);
    fd = open(draft, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return fail_io(m, "make", draft);
    (void)close(fd);
    err = mcp_task_sql_create(draft, m);
    if (err == MCP_OK)
        err = flush(draft, m);
    if (err == MCP_OK && rename(draft, path) != 0)
        err = fail_io(m, "make", path);
    if (err == MCP_OK && !flush_folder(path))
        err = fail_io(m, "flush the folder of", path);
    if (err != MCP_OK)
        remove_draft(draft);
    return err;
}

/* ---- both -----------------------------------------------------------------
 */

static enum mcp_err identify(const struct mcp_task_file *f, uint64_t *device,
                             uint64_t *inode)
{
    struct stat st;

    if (stat(f->path, &st) != 0)
        return MCP_EIO;
    *device = st.st_dev;
    *inode = st.st_ino;
    return MCP_OK;
}

enum mcp_err mcp_task_file_acquire(struct mcp_task_file *f, const char *path,
                                   const struct mcp_task_store_message *m)
{
    enum file_kind kind;
    enum mcp_err err = mcp_task_path_resolve(path, f->path, m);

    if (err == MCP_OK)
        err = lock(f, m);
    if (err != MCP_OK)
        return err;
    err = look(f->path, &kind, m);
    if (err == MCP_OK && kind != OUR_FILE)
        err = check_no_log(f->path, m);
    if (err == MCP_OK && kind != OUR_FILE)
        err = make(f->path, m);
    if (err == MCP_OK && identify(f, &f->device, &f->inode) != MCP_OK)
        err = fail_io(m, "read", f->path);
    if (err != MCP_OK)
        mcp_task_file_release(f);
    return err;
}

void mcp_task_file_release(struct mcp_task_file *f)
{
    (void)!ftruncate(f->lock, 0);
    (void)close(f->lock);
    f->lock = -1;
}

bool mcp_task_file_in_place(const struct mcp_task_file *f)
{
    uint64_t device = 0, inode = 0;

    return identify(f, &device, &inode) == MCP_OK && device == f->device &&
           inode == f->inode;
}
