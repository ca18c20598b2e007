/*
 * task_store_sqlite.c - tasks in a file
 *
 * What callers want is queued, and one thread, started by the first of them,
 * does it: everything that has come meanwhile becomes one transaction, so that
 * a hundred writes wait for one flush of the disk (group commit).
 *
 *     queue --take all--> write, commit --> done() each --> read, found() each
 *
 * A transaction that fails fails for all in it, and leaves the file as it was;
 * the next one tries anew. Ids are also in memory, so that counting needs no
 * disk: put adds them, a failed write takes its own back.
 */
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "features/task_store_sql.h"

enum { STACK_BYTES = 512 << 10, IDS_MAX_BYTES = 64 << 20 };

/* Something to do: a put, or, when `found` is set, a get (then `what` holds
 * only id and principal). */
struct op {
    struct op *next;
    struct mcp_task_copy *what;
    mcp_task_done *done; /* may be NULL */
    mcp_task_found *found;
    void *user;
    int64_t now_ms;
    size_t bytes;
    bool added; /* its id was new to `ids` */
    enum mcp_err err;
};

struct sqlite_store {
    struct mcp_task_store store; /* first */
    struct mcp_task_file file;
    struct mcp_task_sql sql; /* the thread's, once there is one */
    pthread_t thread;
    bool failing; /* the thread's: the last write failed, and was told */
    pthread_mutex_t lock;
    pthread_cond_t wake;
    /* Under the lock: */
    struct op *first, **last;
    struct mcp_task_table ids; /* of strings */
    size_t queued_bytes;       /* of puts not settled */
    int64_t expire_ms;         /* INT64_MIN: nothing asked */
    bool has_thread, closing;
};

static struct sqlite_store *of(struct mcp_task_store *s)
{
    return (struct sqlite_store *)s;
}

/* ---- ids (under the lock) -------------------------------------------------
 */

/* Adds `id`; `*added`: it was not there. */
static enum mcp_err add_id(struct mcp_task_table *ids, const char *id,
                           bool *added)
{
    size_t size = strlen(id) + 1;
    char *copy;

    *added = false;
    if (mcp_task_table_find(ids, id) != NULL)
        return MCP_OK;
    copy = mcp_memory_new(1, size);
    if (copy == NULL)
        return MCP_ENOMEM;
    memcpy(copy, id, size);
    if (mcp_task_table_add(ids, copy, copy) != MCP_OK) {
        free(copy);
        return MCP_ENOMEM;
    }
    *added = true;
    return MCP_OK;
}

static void remove_id(struct mcp_task_table *ids, const char *id)
{
    struct mcp_task_slot *slot = mcp_task_table_find(ids, id);
    void *copy;

    if (slot == NULL)
        return;
    copy = slot->item;
    mcp_task_table_remove(ids, slot);
    free(copy);
}

static bool load_id(void *user, const char *id)
{
    struct sqlite_store *s = user;
    bool added;

    return add_id(&s->ids, id, &added) == MCP_OK;
}

/* ---- the thread: writing --------------------------------------------------
 */

/* Told once, until a put succeeds again. */
static void log_failure(struct sqlite_store *s)
{
    if (!s->failing)
        mcp_log(MCP_LOG_ERROR, "tasks", "cannot write %s: %s", s->file.path,
                mcp_task_file_in_place(&s->file)
                    ? sqlite3_errmsg(s->sql.db)
                    : "it was moved or deleted; restart to make a new one");
    s->failing = true;
}

static void log_success(struct sqlite_store *s)
{
    if (s->failing)
        mcp_log(MCP_LOG_INFO, "tasks", "%s is written again", s->file.path);
    s->failing = false;
}

/* One transaction of what `fill` does; told in the log when it fails. */
static enum mcp_err
transact(struct sqlite_store *s,
         enum mcp_err (*fill)(struct sqlite_store *s, void *arg), void *arg)
{
    enum mcp_err err = mcp_task_file_in_place(&s->file)
                           ? mcp_task_sql_begin(&s->sql)
                           : MCP_EIO;

    if (err == MCP_OK)
        err = fill(s, arg);
    if (err == MCP_OK)
        err = mcp_task_sql_commit(&s->sql);
    if (err != MCP_OK)
        log_failure(s);
    mcp_task_sql_rollback(&s->sql);
    return err;
}

static enum mcp_err fill_puts(struct sqlite_store *s, void *arg)
{
    for (struct op *op = arg; op != NULL; op = op->next) {
        if (op->found != NULL)
            continue;
        op->err = mcp_task_sql_put(&s->sql, &op->what->row);
        if (op->err != MCP_OK && op->err != MCP_EEXIST && op->err != MCP_ELIMIT)
            return op->err;
    }
    return MCP_OK;
}

/* What a put has come to is known: ids and bytes follow. */
static void settle(struct sqlite_store *s, struct op *op)
{
    const char *id = op->what->row.id;

    (void)pthread_mutex_lock(&s->lock);
    s->queued_bytes -= op->bytes;
    if (op->err == MCP_OK && add_id(&s->ids, id, &op->added) != MCP_OK)
        mcp_log(MCP_LOG_WARNING, "tasks",
                "out of memory: one task is not "
                "counted");
    else if (op->err != MCP_OK && op->err != MCP_EEXIST && op->added)
        remove_id(&s->ids, id);
    (void)pthread_mutex_unlock(&s->lock);
}

static bool has_put(const struct op *op)
{
    while (op != NULL && op->found != NULL)
        op = op->next;
    return op != NULL;
}

static void write_all(struct sqlite_store *s, struct op *ops)
{
    enum mcp_err err;

    if (!has_put(ops))
        return;
    err = transact(s, fill_puts, ops);
    if (err == MCP_OK)
        log_success(s);
    if (err == MCP_EBUSY) /* of SQLite: somebody else writes to our file */
        err = MCP_EIO;
    for (struct op *op = ops; op != NULL; op = op->next) {
        if (op->found != NULL)
            continue;
        if (err != MCP_OK)
            op->err = err;
        settle(s, op);
        if (op->done != NULL)
            op->done(op->user, op->err);
    }
}

/* ---- the thread: expiry ---------------------------------------------------
 */

struct expiry {
    int64_t now_ms;
    struct mcp_buf ids;
    int count;
};

static enum mcp_err fill_expiry(struct sqlite_store *s, void *arg)
{
    struct expiry *e = arg;

    return mcp_task_sql_expire(&s->sql, e->now_ms, &e->ids, &e->count);
}

/* At most MCP_TASK_EXPIRE_ROWS, so that nobody waits for long; asks for more
 * when there were as many. */
static void expire_some(struct sqlite_store *s, int64_t now_ms)
{
    struct expiry e = {.now_ms = now_ms};
    const char *id, *end;

    mcp_buf_init(&e.ids, IDS_MAX_BYTES);
    if (transact(s, fill_expiry, &e) == MCP_OK && e.ids.len > 0) {
        (void)pthread_mutex_lock(&s->lock);
        end = e.ids.data + e.ids.len;
        for (id = e.ids.data; id < end; id += strlen(id) + 1)
            remove_id(&s->ids, id);
        if (e.count == MCP_TASK_EXPIRE_ROWS && s->expire_ms < now_ms)
            s->expire_ms = now_ms;
        (void)pthread_mutex_unlock(&s->lock);
    }
    mcp_buf_free(&e.ids);
}

/* ---- the thread: reading --------------------------------------------------
 */

static void read_all(struct sqlite_store *s, struct op *ops)
{
    for (struct op *op = ops; op != NULL; op = op->next) {
        if (op->found == NULL)
            continue;
        if (mcp_task_sql_get(&s->sql, op->what->row.id, op->what->row.principal,
                             op->now_ms, op->found, op->user) == MCP_OK)
            continue;
        mcp_log(MCP_LOG_ERROR, "tasks", "cannot read %s: %s", s->file.path,
                sqlite3_errmsg(s->sql.db));
        op->found(op->user, NULL);
    }
}

/* ---- the thread -----------------------------------------------------------
 */

static void free_ops(struct op *op)
{
    while (op != NULL) {
        struct op *next = op->next;

        mcp_task_copy_release(op->what);
        free(op);
        op = next;
    }
}

/* Waits for work. false: there is none, and will be none. */
static bool take(struct sqlite_store *s, struct op **ops, int64_t *expire_ms)
{
    bool any;

    (void)pthread_mutex_lock(&s->lock);
    while (s->first == NULL && s->expire_ms == INT64_MIN && !s->closing)
        (void)pthread_cond_wait(&s->wake, &s->lock);
    *ops = s->first;
    *expire_ms = s->expire_ms;
    any = s->first != NULL || s->expire_ms != INT64_MIN;
    s->first = NULL;
    s->last = &s->first;
    s->expire_ms = INT64_MIN;
    (void)pthread_mutex_unlock(&s->lock);
    return any;
}

static void *store_main(void *arg)
{
    struct sqlite_store *s = arg;
    struct op *ops;
    int64_t expire_ms;

    while (take(s, &ops, &expire_ms)) {
        write_all(s, ops);
        if (expire_ms != INT64_MIN)
            expire_some(s, expire_ms);
        read_all(s, ops);
        free_ops(ops);
    }
    return NULL;
}

/* All signals are blocked there: a limit on the size of files is then an error
 * of a write, not the end of the process. Under the lock. */
static bool start(struct sqlite_store *s)
{
    pthread_attr_t attr;
    sigset_t all, was;

    if (s->has_thread)
        return true;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &was);
    (void)pthread_attr_init(&attr);
    (void)pthread_attr_setstacksize(&attr, STACK_BYTES);
    s->has_thread = pthread_create(&s->thread, &attr, store_main, s) == 0;
    (void)pthread_attr_destroy(&attr);
    (void)pthread_sigmask(SIG_SETMASK, &was, NULL);
    return s->has_thread;
}

/* ---- callers --------------------------------------------------------------
 */

/* Under the lock. */
static enum mcp_err push_put(struct sqlite_store *s, struct op *op)
{
    if (op->bytes > MCP_TASK_STORE_QUEUE_BYTES - s->queued_bytes)
        return MCP_EBUSY;
    if (!start(s) || add_id(&s->ids, op->what->row.id, &op->added) != MCP_OK)
        return MCP_ENOMEM;
    s->queued_bytes += op->bytes;
    *s->last = op;
    s->last = &op->next;
    (void)pthread_cond_signal(&s->wake);
    return MCP_OK;
}

static enum mcp_err put(struct sqlite_store *s, const struct mcp_task_row *row,
                        mcp_task_done *done, void *user)
{
    struct op *op;
    enum mcp_err err;
    size_t bytes = mcp_task_row_bytes(row);

    if (bytes > MCP_TASK_STORE_QUEUE_BYTES)
        return MCP_ELIMIT;
    op = mcp_memory_new(1, sizeof(*op));
    if (op == NULL)
        return MCP_ENOMEM;
    *op = (struct op){.what = mcp_task_copy_new(row),
                      .done = done,
                      .user = user,
                      .bytes = bytes};
    err = op->what != NULL ? MCP_OK : MCP_ENOMEM;
    if (err == MCP_OK) {
        (void)pthread_mutex_lock(&s->lock);
        err = push_put(s, op);
        (void)pthread_mutex_unlock(&s->lock);
    }
    if (err != MCP_OK)
        free_ops(op);
    return err;
}

static void sqlite_put(struct mcp_task_store *s, const struct mcp_task_row *row,
                       mcp_task_done *done, void *user)
{
    enum mcp_err err = put(of(s), row, done, user);

    if (err != MCP_OK && done != NULL)
        done(user, err);
}

static bool get(struct sqlite_store *s, const struct mcp_task_row *what,
                int64_t now_ms, mcp_task_found *found, void *user)
{
    struct op *op = mcp_memory_new(1, sizeof(*op));
    bool pushed = false;

    if (op == NULL)
        return false;
    *op = (struct op){.what = mcp_task_copy_new(what),
                      .found = found,
                      .user = user,
                      .now_ms = now_ms};
    if (op->what != NULL) {
        (void)pthread_mutex_lock(&s->lock);
        pushed = start(s);
        if (pushed) {
            *s->last = op;
            s->last = &op->next;
            (void)pthread_cond_signal(&s->wake);
        }
        (void)pthread_mutex_unlock(&s->lock);
    }
    if (!pushed)
        free_ops(op);
    return pushed;
}

static void sqlite_get(struct mcp_task_store *s, const char *id,
                       const char *principal, int64_t now_ms,
                       mcp_task_found *found, void *user)
{
    const struct mcp_task_row what = {.id = id, .principal = principal};

    if (get(of(s), &what, now_ms, found, user))
        return;
    mcp_log(MCP_LOG_ERROR, "tasks", "cannot read a task: out of memory");
    found(user, NULL);
}

static void sqlite_unfinished(struct mcp_task_store *store,
                              mcp_task_found *each, void *user)
{
    struct sqlite_store *s = of(store);

    if (mcp_task_sql_unfinished(&s->sql, each, user) != MCP_OK)
        mcp_log(MCP_LOG_ERROR, "tasks", "cannot read %s whole: %s",
                s->file.path, sqlite3_errmsg(s->sql.db));
}

static void sqlite_expire(struct mcp_task_store *store, int64_t now_ms)
{
    struct sqlite_store *s = of(store);

    (void)pthread_mutex_lock(&s->lock);
    if (now_ms > s->expire_ms)
        s->expire_ms = now_ms;
    if (start(s))
        (void)pthread_cond_signal(&s->wake);
    (void)pthread_mutex_unlock(&s->lock);
}

static size_t sqlite_count(struct mcp_task_store *store)
{
    struct sqlite_store *s = of(store);
    size_t count;

    (void)pthread_mutex_lock(&s->lock);
    count = s->ids.count;
    (void)pthread_mutex_unlock(&s->lock);
    return count;
}

/* ---- open and close -------------------------------------------------------
 */

static void free_store(struct sqlite_store *s)
{
    for (size_t i = 0; i < s->ids.size; i++)
        free(s->ids.slots[i].item);
    free(s->ids.slots);
    (void)pthread_cond_destroy(&s->wake);
    (void)pthread_mutex_destroy(&s->lock);
    free(s);
}

static void sqlite_close(struct mcp_task_store *store)
{
    struct sqlite_store *s = of(store);

    (void)pthread_mutex_lock(&s->lock);
    s->closing = true;
    (void)pthread_cond_signal(&s->wake);
    (void)pthread_mutex_unlock(&s->lock);
    if (s->has_thread)
        (void)pthread_join(s->thread, NULL);
    mcp_task_sql_close(&s->sql);
    mcp_task_file_release(&s->file);
    free_store(s);
}

static enum mcp_err load(struct sqlite_store *s,
                         const struct mcp_task_store_message *m)
{
    enum mcp_err err = mcp_task_sql_ids(&s->sql, load_id, s);

    if (err == MCP_OK)
        return MCP_OK;
    if (err == MCP_EIO)
        return mcp_task_store_fail(m, MCP_EINVAL, "%s is damaged: %s",
                                   s->file.path, sqlite3_errmsg(s->sql.db));
    return mcp_task_store_fail(m, err, "cannot read %s: out of memory",
                               s->file.path);
}

static enum mcp_err open_file(struct sqlite_store *s, const char *path,
                              const struct mcp_task_store_message *m)
{
    enum mcp_err err = mcp_task_file_acquire(&s->file, path, m);

    if (err != MCP_OK)
        return err;
    err = mcp_task_sql_open(&s->sql, s->file.path, m);
    if (err == MCP_OK)
        err = load(s, m);
    if (err != MCP_OK) {
        mcp_task_sql_close(&s->sql);
        mcp_task_file_release(&s->file);
    }
    return err;
}

enum mcp_err mcp_task_store_sqlite(const char *path,
                                   struct mcp_task_store **out,
                                   const struct mcp_task_store_message *m)
{
    static const struct mcp_task_store_kind kind = {
        .close = sqlite_close,
        .put = sqlite_put,
        .get = sqlite_get,
        .unfinished = sqlite_unfinished,
        .expire = sqlite_expire,
        .count = sqlite_count,
    };
    struct sqlite_store *s = mcp_memory_new(1, sizeof(*s));
    enum mcp_err err;

    if (s == NULL)
        return mcp_task_store_fail(m, MCP_ENOMEM, "sqlite: out of memory");
    s->store.kind = &kind;
    s->last = &s->first;
    s->expire_ms = INT64_MIN;
    (void)pthread_mutex_init(&s->lock, NULL);
    (void)pthread_cond_init(&s->wake, NULL);
    err = open_file(s, path, m);
    if (err != MCP_OK) {
        free_store(s);
        return err;
    }
    *out = &s->store;
    return MCP_OK;
}
