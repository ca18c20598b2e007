/*
 * task_store_memory.c - tasks that live as long as the process
 *
 * Rows are constant copies behind references: a put exchanges the reference, a
 * get holds one, so no callback runs under the lock and no read sees half a
 * write. Everything happens, callback included, on the caller's thread.
 */
#include "features/task_store_private.h"

#include <pthread.h>
#include <string.h>

#include "base/memory.h"

struct memory_store {
    struct mcp_task_store store; /* first */
    pthread_mutex_t lock;
    struct mcp_task_table rows; /* of struct mcp_task_copy */
};

static struct memory_store *of(struct mcp_task_store *s)
{
    return (struct memory_store *)s;
}

static void memory_close(struct mcp_task_store *s)
{
    struct memory_store *m = of(s);

    for (size_t i = 0; i < m->rows.size; i++)
        mcp_task_copy_release(m->rows.slots[i].item);
    free(m->rows.slots);
    (void)pthread_mutex_destroy(&m->lock);
    free(m);
}

/* Puts `*c` in and leaves in it what is to be released. Under the lock. */
static enum mcp_err exchange(struct memory_store *m, struct mcp_task_copy **c)
{
    struct mcp_task_slot *slot = mcp_task_table_find(&m->rows, (*c)->row.id);
    struct mcp_task_copy *was;
    enum mcp_err err;

    if (slot == NULL) {
        err = mcp_task_table_add(&m->rows, (*c)->row.id, *c);
        if (err == MCP_OK)
            *c = NULL;
        return err;
    }
    was = slot->item;
    if (mcp_task_is_final(was->row.status))
        return MCP_EEXIST;
    slot->item = *c;
    slot->id = (*c)->row.id;
    *c = was;
    return MCP_OK;
}

static void memory_put(struct mcp_task_store *s, const struct mcp_task_row *row,
                       mcp_task_done *done, void *user)
{
    struct memory_store *m = of(s);
    struct mcp_task_copy *c = NULL;
    enum mcp_err err = MCP_ELIMIT;

    if (mcp_task_row_bytes(row) <= MCP_TASK_STORE_QUEUE_BYTES) {
        c = mcp_task_copy_new(row);
        err = c != NULL ? MCP_OK : MCP_ENOMEM;
    }
    if (err == MCP_OK) {
        (void)pthread_mutex_lock(&m->lock);
        err = exchange(m, &c);
        (void)pthread_mutex_unlock(&m->lock);
    }
    mcp_task_copy_release(c);
    if (done != NULL)
        done(user, err);
}

static void memory_get(struct mcp_task_store *s, const char *id,
                       const char *principal, int64_t now_ms,
                       mcp_task_found *found, void *user)
{
    struct memory_store *m = of(s);
    const struct mcp_task_slot *slot;
    struct mcp_task_copy *c = NULL;
    bool seen;

    (void)pthread_mutex_lock(&m->lock);
    slot = mcp_task_table_find(&m->rows, id);
    if (slot != NULL)
        c = mcp_task_copy_acquire(slot->item);
    (void)pthread_mutex_unlock(&m->lock);
    seen = c != NULL && strcmp(c->row.principal, principal) == 0 &&
           now_ms <= mcp_task_row_end_ms(&c->row);
    found(user, seen ? &c->row : NULL);
    mcp_task_copy_release(c);
}

/* Before anything is put there is nothing. */
static void memory_unfinished(struct mcp_task_store *s, mcp_task_found *each,
                              void *user)
{
    (void)s;
    (void)each;
    (void)user;
}

static void memory_expire(struct mcp_task_store *s, int64_t now_ms)
{
    struct memory_store *m = of(s);

    (void)pthread_mutex_lock(&m->lock);
    for (size_t i = 0; i < m->rows.size;) {
        struct mcp_task_copy *c = m->rows.slots[i].item;

        if (c == NULL || now_ms <= mcp_task_row_end_ms(&c->row)) {
            i++;
            continue;
        }
        mcp_task_table_remove(&m->rows, &m->rows.slots[i]);
        mcp_task_copy_release(c);
    }
    (void)pthread_mutex_unlock(&m->lock);
}

static size_t memory_count(struct mcp_task_store *s)
{
    struct memory_store *m = of(s);
    size_t count;

    (void)pthread_mutex_lock(&m->lock);
    count = m->rows.count;
    (void)pthread_mutex_unlock(&m->lock);
    return count;
}

enum mcp_err mcp_task_store_memory(struct mcp_task_store **out)
{
    static const struct mcp_task_store_kind kind = {
        .close = memory_close,
        .put = memory_put,
        .get = memory_get,
        .unfinished = memory_unfinished,
        .expire = memory_expire,
        .count = memory_count,
    };
    struct memory_store *m = mcp_memory_new(1, sizeof(*m));

    if (m == NULL)
        return MCP_ENOMEM;
    m->store.kind = &kind;
    (void)pthread_mutex_init(&m->lock, NULL);
    *out = &m->store;
    return MCP_OK;
}
