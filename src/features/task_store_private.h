/*
 * task_store_private.h - what the stores of tasks share; only they include it
 *
 *     task_store.c         the face: which store an URL means
 *     task_store_path.c    folders and names of files
 *     task_store_row.c     rows that are kept, and a table of them by id
 *     task_store_memory.c  the store in memory
 *     task_store_sqlite.c  the store in a file: its queue and its thread
 *     task_store_file.c    that file: lock, creation, is it ours
 *     task_store_sql.c     its statements
 *
 * Layer:  features. Uses base/err.
 * Thread: as said with each.
 */
#ifndef MCP_FEATURES_TASK_STORE_PRIVATE_H
#define MCP_FEATURES_TASK_STORE_PRIVATE_H

#include "features/task_store.h"

#include <limits.h>
#include <stdatomic.h>

/* ---- a kind of store (task_store.c) ---------------------------------------
 */

typedef void mcp_task_done(void *user, enum mcp_err err);
typedef void mcp_task_found(void *user, const struct mcp_task_row *row);

struct mcp_task_store_kind {
    void (*close)(struct mcp_task_store *s);
    void (*put)(struct mcp_task_store *s, const struct mcp_task_row *row,
                mcp_task_done *done, void *user);
    void (*get)(struct mcp_task_store *s, const char *id, const char *principal,
                int64_t now_ms, mcp_task_found *found, void *user);
    void (*unfinished)(struct mcp_task_store *s, mcp_task_found *each,
                       void *user);
    void (*expire)(struct mcp_task_store *s, int64_t now_ms);
    size_t (*count)(struct mcp_task_store *s);
};

/* First member of each kind. */
struct mcp_task_store {
    const struct mcp_task_store_kind *kind;
};

/* Where to tell the reason of an error: one line. */
struct mcp_task_store_message {
    char *text;
    size_t size;
};

/* Writes the reason and returns `err`. */
enum mcp_err mcp_task_store_fail(const struct mcp_task_store_message *m,
                                 enum mcp_err err, const char *fmt, ...)
    MCP_PRINTF(3, 4);

/* Each as mcp_task_store_open(). */
enum mcp_err mcp_task_store_memory(struct mcp_task_store **out) MCP_MUST_USE;
enum mcp_err
mcp_task_store_sqlite(const char *path, struct mcp_task_store **out,
                      const struct mcp_task_store_message *m) MCP_MUST_USE;

/* ---- paths (task_store_path.c) --------------------------------------------
 */

/* Bytes of the longest path of a store, NUL included: SQLite takes 512, and
 * there are endings to add (".new", and SQLite's "-journal"). */
enum { MCP_TASK_PATH_MAX = 500 };

/* Makes `path` absolute and free of links, and its folders where they are not
 * there (0700). Errors: MCP_EINVAL, MCP_EIO. */
enum mcp_err
mcp_task_path_resolve(const char *path, char out[PATH_MAX],
                      const struct mcp_task_store_message *m) MCP_MUST_USE;

/* ---- the file (task_store_file.c) -----------------------------------------
 */

struct mcp_task_file {
    char path[PATH_MAX]; /* as mcp_task_path_resolve() made it */
    int lock;            /* descriptor of path.lock            */
    uint64_t device, inode;
};

/* Takes the lock of `path`, and makes the file when it is not there or empty.
 * `f` is OWNED: mcp_task_file_release(). Errors: as mcp_task_store_open(). */
enum mcp_err
mcp_task_file_acquire(struct mcp_task_file *f, const char *path,
                      const struct mcp_task_store_message *m) MCP_MUST_USE;
void mcp_task_file_release(struct mcp_task_file *f);

/* Is the file still the one at its path? What goes to a deleted one is lost. */
bool mcp_task_file_in_place(const struct mcp_task_file *f);

/* ---- rows (task_store_row.c) ----------------------------------------------
 */

/* A row with its texts in one piece of memory. Constant but for `refs`. */
struct mcp_task_copy {
    atomic_uint refs;
    size_t bytes; /* of this piece */
    struct mcp_task_row row;
};

/* What a copy of `row` takes. */
size_t mcp_task_row_bytes(const struct mcp_task_row *row);

/* A copy, as a REF: mcp_task_copy_release(). NULL: out of memory. */
struct mcp_task_copy *
mcp_task_copy_new(const struct mcp_task_row *row) MCP_MUST_USE;
struct mcp_task_copy *mcp_task_copy_acquire(struct mcp_task_copy *c);
void mcp_task_copy_release(struct mcp_task_copy *c); /* NULL is fine */

/* The last millisecond of a row's life; INT64_MAX: it has no end. */
int64_t mcp_task_row_end_ms(const struct mcp_task_row *row);

/* Things by id. One thread at a time. All zero: an empty one. */
struct mcp_task_slot {
    uint64_t hash;
    const char *id; /* within `item`; NULL: the slot is free */
    void *item;
};

struct mcp_task_table {
    struct mcp_task_slot *slots;
    size_t size, count; /* size: 0 or a power of 2, at least 4/3 of count */
};

/* The slot of `id`, or NULL; good until the table changes. */
struct mcp_task_slot *mcp_task_table_find(const struct mcp_task_table *t,
                                          const char *id);

/* Adds `item`, whose `id` is not there yet. Errors: MCP_ENOMEM. */
enum mcp_err mcp_task_table_add(struct mcp_task_table *t, const char *id,
                                void *item) MCP_MUST_USE;

/* Takes a slot out; its item is the caller's. Items may move to it. */
void mcp_task_table_remove(struct mcp_task_table *t,
                           struct mcp_task_slot *slot);

#endif
