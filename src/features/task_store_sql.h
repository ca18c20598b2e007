/*
 * task_store_sql.h - the statements of a file of tasks
 *
 * One connection and its prepared statements. The connection has the file for
 * itself (locking_mode EXCLUSIVE, so there is no shared memory either) and
 * flushes every commit (synchronous FULL): what is committed is there after a
 * power cut.
 *
 * Layer:  features. Uses base/err, base/buf; SQLite.
 * Thread: one at a time.
 */
#ifndef MCP_FEATURES_TASK_STORE_SQL_H
#define MCP_FEATURES_TASK_STORE_SQL_H

#include <sqlite3.h>

#include "base/buf.h"
#include "features/task_store_private.h"

/* Of the file, in its head: "mcpT", and the layout of its table. */
enum {
    MCP_TASK_APPLICATION = 0x6d637054,
    MCP_TASK_VERSION = 1,
};

/* Rows that one mcp_task_sql_expire() deletes at most. */
enum { MCP_TASK_EXPIRE_ROWS = 1000 };

struct mcp_task_sql {
    sqlite3 *db;
    sqlite3_stmt *begin, *commit, *put, *get, *expire;
};

/* What a result code of SQLite means for a caller. */
enum mcp_err mcp_task_sql_err(int rc);

/* Makes the table in the new file `path`. On errors a part of the file may be
 * there. Errors: MCP_EIO, MCP_ENOMEM. */
enum mcp_err
mcp_task_sql_create(const char *path,
                    const struct mcp_task_store_message *m) MCP_MUST_USE;

/* Opens the file, which is there; each of `s` is OWNED: mcp_task_sql_close().
 * Errors: MCP_EINVAL damaged, or a newer version; MCP_EBUSY; MCP_EIO;
 * MCP_ENOMEM. */
enum mcp_err
mcp_task_sql_open(struct mcp_task_sql *s, const char *path,
                  const struct mcp_task_store_message *m) MCP_MUST_USE;
void mcp_task_sql_close(struct mcp_task_sql *s);

/* A transaction. After an error of any function between, or of the commit,
 * nothing of it has happened, and it is to be rolled back.
 * Errors: as mcp_task_sql_err(). */
enum mcp_err mcp_task_sql_begin(struct mcp_task_sql *s) MCP_MUST_USE;
enum mcp_err mcp_task_sql_commit(struct mcp_task_sql *s) MCP_MUST_USE;
void mcp_task_sql_rollback(struct mcp_task_sql *s);

/* Errors, that leave the transaction whole: MCP_EEXIST the stored status is
 * final; MCP_ELIMIT the row is too large for SQLite. Others do not. */
enum mcp_err mcp_task_sql_put(struct mcp_task_sql *s,
                              const struct mcp_task_row *row) MCP_MUST_USE;

/* Deletes rows past their time and appends their ids, NUL included, to `ids`.
 * Errors: as mcp_task_sql_err(). */
enum mcp_err mcp_task_sql_expire(struct mcp_task_sql *s, int64_t now_ms,
                                 struct mcp_buf *ids, int *count) MCP_MUST_USE;

/* As mcp_task_store_get(), but for an error found() is not called. */
enum mcp_err mcp_task_sql_get(struct mcp_task_sql *s, const char *id,
                              const char *principal, int64_t now_ms,
                              mcp_task_found *found, void *user) MCP_MUST_USE;

/* As mcp_task_store_unfinished(). Rows that make no sense are left out, told
 * in the log. */
enum mcp_err mcp_task_sql_unfinished(struct mcp_task_sql *s,
                                     mcp_task_found *each,
                                     void *user) MCP_MUST_USE;

/* each(user, id) for every row; false: stop, MCP_ENOMEM. */
enum mcp_err mcp_task_sql_ids(struct mcp_task_sql *s,
                              bool (*each)(void *user, const char *id),
                              void *user) MCP_MUST_USE;

#endif
