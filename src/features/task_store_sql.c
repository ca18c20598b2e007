/*
 * task_store_sql.c - see task_store_sql.h
 */
#include "features/task_store_sql.h"

#include <stdint.h>
#include <string.h>

#include "base/log.h"

/* The order of columns, of bind() and of read_row(). */
#define COLUMNS                                                                \
    "id, principal, tool, status, status_message, created_ms, updated_ms, "    \
    "ttl_ms, poll_ms, retry, params, client, kept, questions, outcome"

enum { COLUMN_COUNT = 15, END_MS = COLUMN_COUNT + 1 };

static const char create_sql[] =
    "BEGIN;"
    "CREATE TABLE task ("
    "  seq INTEGER PRIMARY KEY,"
    "  id TEXT NOT NULL UNIQUE,"
    "  principal TEXT NOT NULL,"
    "  tool TEXT NOT NULL,"
    "  status INTEGER NOT NULL,"
    "  status_message TEXT,"
    "  created_ms INTEGER NOT NULL,"
    "  updated_ms INTEGER NOT NULL,"
    "  ttl_ms INTEGER NOT NULL,"
    "  poll_ms INTEGER NOT NULL,"
    "  retry INTEGER NOT NULL,"
    "  params TEXT, client TEXT, kept TEXT, questions TEXT, outcome TEXT,"
    "  end_ms INTEGER);" /* NULL: none */
    "CREATE INDEX unfinished ON task (created_ms) WHERE status < 2;"
    "CREATE INDEX ending ON task (end_ms) WHERE end_ms IS NOT NULL;"
    "PRAGMA user_version = 1;"
    "PRAGMA application_id = 0x6d637054;"
    "COMMIT;"
    "PRAGMA journal_mode = WAL;";

static const char open_sql[] = "PRAGMA locking_mode = EXCLUSIVE;"
                               "PRAGMA synchronous = FULL;"
                               "PRAGMA trusted_schema = OFF;"
                               "PRAGMA cell_size_check = ON;"
                               "PRAGMA journal_size_limit = 16777216;";

/* A write that changes nothing takes the file for us. */
static const char take_sql[] = "PRAGMA journal_mode = WAL;"
                               "BEGIN IMMEDIATE; COMMIT";

static const char put_sql[] =
    "INSERT INTO task (" COLUMNS ", end_ms) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15,"
    " ?16) ON CONFLICT (id) DO UPDATE SET principal = ?2, tool = ?3,"
    " status = ?4, status_message = ?5, created_ms = ?6, updated_ms = ?7,"
    " ttl_ms = ?8, poll_ms = ?9, retry = ?10, params = ?11, client = ?12,"
    " kept = ?13, questions = ?14, outcome = ?15, end_ms = ?16"
    " WHERE task.status < 2";

static const char get_sql[] =
    "SELECT " COLUMNS " FROM task WHERE id = ?1 AND principal = ?2"
    " AND (end_ms IS NULL OR end_ms >= ?3)";

static const char expire_sql[] =
    "DELETE FROM task WHERE seq IN (SELECT seq FROM task WHERE end_ms < ?1"
    " LIMIT ?2) RETURNING id";

_Static_assert(MCP_TASK_COMPLETED == 2, "the statements say status < 2");
_Static_assert(MCP_TASK_VERSION == 1, "create_sql writes it");

/* ---- open and close -------------------------------------------------------
 */

enum mcp_err mcp_task_sql_err(int rc)
{
    switch (rc & 0xff) {
    case SQLITE_OK:
    case SQLITE_ROW:
    case SQLITE_DONE:
        return MCP_OK;
    case SQLITE_NOMEM:
        return MCP_ENOMEM;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return MCP_EBUSY;
    default:
        return MCP_EIO;
    }
}

/* What an error while opening `path` means. */
static enum mcp_err refuse(sqlite3 *db, const char *path, int rc,
                           const struct mcp_task_store_message *m)
{
    enum mcp_err err = mcp_task_sql_err(rc);

    if (err == MCP_EBUSY)
        return mcp_task_store_fail(m, err, "%s is used by another process",
                                   path);
    if (rc == SQLITE_CORRUPT || rc == SQLITE_NOTADB || rc == SQLITE_ERROR)
        return mcp_task_store_fail(m, MCP_EINVAL,
                                   "%s is damaged: %s; move it away or restore "
                                   "it from a backup",
                                   path, sqlite3_errmsg(db));
    return mcp_task_store_fail(m, err, "cannot open %s: %s", path,
                               db != NULL ? sqlite3_errmsg(db)
                                          : sqlite3_errstr(rc));
}

enum mcp_err mcp_task_sql_create(const char *path,
                                 const struct mcp_task_store_message *m)
{
    sqlite3 *db = NULL;
    int rc = sqlite3_open_v2(path, &db,
                             SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    enum mcp_err err;

    /* The caller flushes the whole file, and drops it when it is not whole. */
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(db,
                          "PRAGMA locking_mode = EXCLUSIVE;"
                          "PRAGMA journal_mode = OFF;"
                          "PRAGMA synchronous = OFF",
                          NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(db, create_sql, NULL, NULL, NULL);
    err = rc == SQLITE_OK ? MCP_OK
                          : mcp_task_store_fail(m, mcp_task_sql_err(rc),
                                                "cannot make %s: %s", path,
                                                sqlite3_errmsg(db));
    (void)sqlite3_close_v2(db);
    return err;
}

/* The first column of the first row of `sql`, a number. */
static int number_of(sqlite3 *db, const char *sql, int *number)
{
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);

    if (rc == SQLITE_OK)
        rc = sqlite3_step(stmt);
    if (rc == SQLITE_ROW)
        *number = sqlite3_column_int(stmt, 0);
    (void)sqlite3_finalize(stmt);
    return rc == SQLITE_ROW ? SQLITE_OK : rc;
}

static int prepare(struct mcp_task_sql *s)
{
    const struct {
        sqlite3_stmt **stmt;
        const char *sql;
    } all[] = {
        {&s->begin, "BEGIN IMMEDIATE"},
        {&s->commit, "COMMIT"},
        {&s->put, put_sql},
        {&s->get, get_sql},
        {&s->expire, expire_sql},
    };
    int rc = SQLITE_OK;

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]) && rc == SQLITE_OK; i++)
        rc = sqlite3_prepare_v3(s->db, all[i].sql, -1,
                                SQLITE_PREPARE_PERSISTENT, all[i].stmt, NULL);
    return rc;
}

/* The version comes before all else: the statements are for this one. */
static enum mcp_err set_up(struct mcp_task_sql *s, const char *path,
                           const struct mcp_task_store_message *m)
{
    int version = 0, rc;

    (void)sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    (void)sqlite3_db_config(s->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    (void)sqlite3_db_config(s->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    rc = sqlite3_exec(s->db, open_sql, NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        rc = number_of(s->db, "PRAGMA user_version", &version);
    if (rc == SQLITE_OK && version != MCP_TASK_VERSION)
        return mcp_task_store_fail(m, MCP_EINVAL,
                                   "%s is a store of version %d, this mcpluad "
                                   "knows version %d",
                                   path, version, MCP_TASK_VERSION);
    if (rc == SQLITE_OK)
        rc = prepare(s);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(s->db, take_sql, NULL, NULL, NULL);
    return rc == SQLITE_OK ? MCP_OK : refuse(s->db, path, rc, m);
}

enum mcp_err mcp_task_sql_open(struct mcp_task_sql *s, const char *path,
                               const struct mcp_task_store_message *m)
{
    int rc;
    enum mcp_err err;

    memset(s, 0, sizeof(*s));
    rc = sqlite3_open_v2(path, &s->db,
                         SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    err = rc == SQLITE_OK ? set_up(s, path, m) : refuse(s->db, path, rc, m);
    if (err != MCP_OK)
        mcp_task_sql_close(s);
    return err;
}

void mcp_task_sql_close(struct mcp_task_sql *s)
{
    (void)sqlite3_finalize(s->begin);
    (void)sqlite3_finalize(s->commit);
    (void)sqlite3_finalize(s->put);
    (void)sqlite3_finalize(s->get);
    (void)sqlite3_finalize(s->expire);
    (void)sqlite3_close_v2(s->db);
    memset(s, 0, sizeof(*s));
}

/* ---- writing --------------------------------------------------------------
 */

static enum mcp_err run(sqlite3_stmt *stmt)
{
    enum mcp_err err = mcp_task_sql_err(sqlite3_step(stmt));

    (void)sqlite3_reset(stmt);
    return err;
}

enum mcp_err mcp_task_sql_begin(struct mcp_task_sql *s)
{
    return run(s->begin);
}

enum mcp_err mcp_task_sql_commit(struct mcp_task_sql *s)
{
    return run(s->commit);
}

void mcp_task_sql_rollback(struct mcp_task_sql *s)
{
    if (!sqlite3_get_autocommit(s->db))
        (void)sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
}

static int bind(sqlite3_stmt *stmt, const struct mcp_task_row *row)
{
    const struct {
        int column;
        const char *text;
    } texts[] = {
        {1, row->id},       {2, row->principal},
        {3, row->tool},     {5, row->status_message},
        {11, row->params},  {12, row->client},
        {13, row->kept},    {14, row->questions},
        {15, row->outcome},
    };
    const struct {
        int column;
        int64_t number;
    } numbers[] = {
        {4, row->status}, {6, row->created_ms}, {7, row->updated_ms},
        {8, row->ttl_ms}, {9, row->poll_ms},    {10, row->retry},
    };
    int64_t end = mcp_task_row_end_ms(row);
    int rc = SQLITE_OK;

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        rc |= sqlite3_bind_text(stmt, texts[i].column, texts[i].text, -1,
                                SQLITE_STATIC);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        rc |= sqlite3_bind_int64(stmt, numbers[i].column, numbers[i].number);
    rc |= end == INT64_MAX ? sqlite3_bind_null(stmt, END_MS)
                           : sqlite3_bind_int64(stmt, END_MS, end);
    return rc;
}

enum mcp_err mcp_task_sql_put(struct mcp_task_sql *s,
                              const struct mcp_task_row *row)
{
    int rc = bind(s->put, row);

    /* Bit by bit together, so only OK is to be told from the rest. */
    if (rc == SQLITE_OK)
        rc = sqlite3_step(s->put);
    else
        rc = sqlite3_errcode(s->db);
    (void)sqlite3_reset(s->put);
    (void)sqlite3_clear_bindings(s->put);
    if ((rc & 0xff) == SQLITE_TOOBIG)
        return MCP_ELIMIT;
    if (rc != SQLITE_DONE)
        return mcp_task_sql_err(rc);
    return sqlite3_changes(s->db) == 0 ? MCP_EEXIST : MCP_OK;
}

enum mcp_err mcp_task_sql_expire(struct mcp_task_sql *s, int64_t now_ms,
                                 struct mcp_buf *ids, int *count)
{
    int n = 0, rc;

    (void)sqlite3_bind_int64(s->expire, 1, now_ms);
    (void)sqlite3_bind_int(s->expire, 2, MCP_TASK_EXPIRE_ROWS);
    while ((rc = sqlite3_step(s->expire)) == SQLITE_ROW) {
        const char *id = (const char *)sqlite3_column_text(s->expire, 0);

        n++;
        if (id != NULL)
            mcp_buf_add(ids, id, strlen(id) + 1);
    }
    (void)sqlite3_reset(s->expire);
    if (rc != SQLITE_DONE)
        return mcp_task_sql_err(rc);
    if (ids->failed)
        return MCP_ENOMEM;
    *count = n;
    return MCP_OK;
}

/* ---- reading --------------------------------------------------------------
 */

/* Texts are those of the statement, until it moves on. false: a damaged row,
 * or no memory. */
static bool read_row(sqlite3_stmt *stmt, struct mcp_task_row *row)
{
    const char *text[COLUMN_COUNT];
    int64_t status = sqlite3_column_int64(stmt, 3);

    for (int i = 0; i < COLUMN_COUNT; i++) {
        text[i] = NULL;
        if (sqlite3_column_type(stmt, i) != SQLITE_TEXT)
            continue;
        text[i] = (const char *)sqlite3_column_text(stmt, i);
        if (text[i] == NULL)
            return false;
    }
    *row = (struct mcp_task_row){
        .id = text[0],
        .principal = text[1],
        .tool = text[2],
        .status = (enum mcp_task_status)status,
        .status_message = text[4],
        .created_ms = sqlite3_column_int64(stmt, 5),
        .updated_ms = sqlite3_column_int64(stmt, 6),
        .ttl_ms = sqlite3_column_int64(stmt, 7),
        .poll_ms = sqlite3_column_int64(stmt, 8),
        .retry = sqlite3_column_int64(stmt, 9) != 0,
        .params = text[10],
        .client = text[11],
        .kept = text[12],
        .questions = text[13],
        .outcome = text[14],
    };
    return text[0] != NULL && text[1] != NULL && text[2] != NULL &&
           status >= MCP_TASK_WORKING && status <= MCP_TASK_CANCELLED;
}

enum mcp_err mcp_task_sql_get(struct mcp_task_sql *s, const char *id,
                              const char *principal, int64_t now_ms,
                              mcp_task_found *found, void *user)
{
    struct mcp_task_row row;
    enum mcp_err err;
    int rc;

    (void)sqlite3_bind_text(s->get, 1, id, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(s->get, 2, principal, -1, SQLITE_STATIC);
    (void)sqlite3_bind_int64(s->get, 3, now_ms);
    rc = sqlite3_step(s->get);
    err = mcp_task_sql_err(rc);
    if (rc == SQLITE_ROW && !read_row(s->get, &row))
        err = MCP_EIO;
    if (err == MCP_OK)
        found(user, rc == SQLITE_ROW ? &row : NULL);
    (void)sqlite3_reset(s->get);
    (void)sqlite3_clear_bindings(s->get);
    return err;
}

enum mcp_err mcp_task_sql_unfinished(struct mcp_task_sql *s,
                                     mcp_task_found *each, void *user)
{
    sqlite3_stmt *stmt = NULL;
    struct mcp_task_row row;
    int rc = sqlite3_prepare_v2(s->db,
                                "SELECT " COLUMNS " FROM task WHERE status < 2"
                                " ORDER BY created_ms, seq",
                                -1, &stmt, NULL);

    while (rc == SQLITE_OK || rc == SQLITE_ROW) {
        rc = sqlite3_step(stmt);
        if (rc == SQLITE_ROW && read_row(stmt, &row))
            each(user, &row);
        else if (rc == SQLITE_ROW)
            mcp_log(MCP_LOG_ERROR, "tasks", "left out a damaged task");
    }
    (void)sqlite3_finalize(stmt);
    return mcp_task_sql_err(rc);
}

enum mcp_err mcp_task_sql_ids(struct mcp_task_sql *s,
                              bool (*each)(void *user, const char *id),
                              void *user)
{
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(s->db, "SELECT id FROM task", -1, &stmt, NULL);

    while (rc == SQLITE_OK || rc == SQLITE_ROW) {
        const char *id;

        rc = sqlite3_step(stmt);
        id = rc == SQLITE_ROW ? (const char *)sqlite3_column_text(stmt, 0)
                              : NULL;
        if (id != NULL && !each(user, id))
            rc = SQLITE_NOMEM;
    }
    (void)sqlite3_finalize(stmt);
    return mcp_task_sql_err(rc);
}
