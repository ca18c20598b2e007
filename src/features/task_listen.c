/*
 * task_listen.c - subscriptions/listen with taskIds
 */
#include "features/task_private.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/memory.h"

/* ---- which of them ------------------------------------------------------ */

struct accepting {
    struct mcp_call *call;
    const struct mcp_json *ids;
    atomic_size_t left;
    void (*accepted)(void *user, const struct mcp_json *ids);
    void *user;
    struct one {
        struct accepting *all;
        bool yes;
    } ones[];
};

/* The ids that were found, as an array of its own. */
static const struct mcp_json *gather(struct accepting *a)
{
    struct mcp_json *list = mcp_arena_alloc(a->call->arena, sizeof(*list));
    struct mcp_json *items =
        mcp_arena_alloc(a->call->arena, (a->ids->count + 1) * sizeof(*items));
    uint32_t n = 0;

    if (list == NULL || items == NULL)
        return NULL;
    for (uint32_t i = 0; i < a->ids->count; i++)
        if (a->ones[i].yes)
            items[n++] = a->ids->u.items[i];
    *list =
        (struct mcp_json){.type = MCP_JSON_ARRAY, .count = n, .u.items = items};
    return n > 0 ? list : NULL;
}

static void one_less(struct accepting *a)
{
    if (atomic_fetch_sub(&a->left, 1) == 1)
        a->accepted(a->user, gather(a));
}

static void found(void *user, const struct mcp_task_row *row)
{
    struct one *one = user;

    one->yes = row != NULL;
    one_less(one->all);
}

static bool is_twice(const struct mcp_json *ids, uint32_t at)
{
    for (uint32_t i = 0; i < at; i++)
        if (mcp_json_equal(&ids->u.items[i], &ids->u.items[at]))
            return true;
    return false;
}

/* Looks one of them up. */
static void look_up(struct mcp_tasks *tasks, struct accepting *a, uint32_t i)
{
    const struct mcp_json *id = &a->ids->u.items[i];
    const char *text = mcp_arena_dup(a->call->arena, id->u.text, id->count);
    struct mcp_task_store *store;

    (void)pthread_mutex_lock(&tasks->lock);
    store = tasks->store;
    a->ones[i].yes = mcp_task_find_locked(tasks, id->u.text, id->count,
                                          a->call->principal) != NULL;
    (void)pthread_mutex_unlock(&tasks->lock);
    if (a->ones[i].yes || store == NULL || text == NULL ||
        strlen(text) != id->count || id->count != 2 * MCP_TASK_ID_BYTES ||
        is_twice(a->ids, i)) {
        a->ones[i].yes &= !is_twice(a->ids, i);
        one_less(a);
        return;
    }
    mcp_task_store_get(store, text, a->call->principal, mcp_task_now_ms(),
                       found, &a->ones[i]);
}

void mcp_tasks_accept(struct mcp_tasks *tasks, struct mcp_call *call,
                      const struct mcp_json *ids,
                      void (*accepted)(void *user, const struct mcp_json *ids),
                      void *user)
{
    struct accepting *a =
        tasks == NULL
            ? NULL
            : mcp_arena_alloc(call->arena,
                              sizeof(*a) + ids->count * sizeof(a->ones[0]));
    uint32_t count = ids->count;

    if (a == NULL) {
        accepted(user, NULL);
        return;
    }
    a->call = call;
    a->ids = ids;
    a->accepted = accepted;
    a->user = user;
    atomic_init(&a->left, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++)
        a->ones[i] = (struct one){.all = a};
    for (uint32_t i = 0; i < count; i++)
        look_up(tasks, a, i);
    one_less(a);
}

/* ---- what they must not miss -------------------------------------------- */

struct announcement {
    struct mcp_tasks *tasks;
    char id[2 * MCP_TASK_ID_BYTES + 1];
    char principal[];
};

static void announce_row(void *user, const struct mcp_task_row *row)
{
    struct announcement *n = user;
    struct mcp_tasks *tasks = n->tasks;
    struct mcp_buf b;

    mcp_buf_init(&b, MCP_TASK_TEXT_MAX_BYTES);
    if (row != NULL && mcp_task_is_final(row->status)) {
        mcp_task_write_whole(&b, row);
        (void)pthread_mutex_lock(&tasks->publishing);
        if (!b.failed)
            mcp_publish_task(tasks->subscriptions, n->id, n->principal, b.data,
                             b.len);
        (void)pthread_mutex_unlock(&tasks->publishing);
    }
    mcp_buf_free(&b);
    free(n);
}

void mcp_tasks_announce(struct mcp_tasks *tasks, const char *id,
                        const char *principal)
{
    struct mcp_task_store *store;
    struct announcement *n;
    struct mcp_task *t;
    bool telling = false;

    (void)pthread_mutex_lock(&tasks->lock);
    store = tasks->store;
    t = mcp_task_find_locked(tasks, id, strlen(id), principal);
    if (t != NULL) {
        telling = t->status != MCP_TASK_WORKING;
        t->refs++;
    }
    (void)pthread_mutex_unlock(&tasks->lock);
    if (t != NULL) {
        if (telling)
            mcp_task_publish(t);
        mcp_task_release(t);
        return;
    }
    n = mcp_memory_new(1, sizeof(*n) + strlen(principal) + 1);
    if (n == NULL || store == NULL) {
        free(n);
        return;
    }
    n->tasks = tasks;
    memcpy(n->id, id, strlen(id) < sizeof(n->id) ? strlen(id) + 1 : 0);
    memcpy(n->principal, principal, strlen(principal) + 1);
    mcp_task_store_get(store, id, principal, mcp_task_now_ms(), announce_row,
                       n);
}
