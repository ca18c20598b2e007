/*
 * task_methods.c - tasks/get, tasks/update, tasks/cancel
 *
 * An unfinished task is in the table; any other is looked up in the store.
 * Another caller's task is not found, as one that never was.
 */
#include "features/task_private.h"

#include "features/envelope.h"
#include "features/unknown.h"

/* ---- answers ------------------------------------------------------------ */

static void fail_not_found(struct mcp_request *rq)
{
    const struct mcp_json *id = mcp_json_find(rq->call->params, "taskId");

    mcp_request_fail(
        rq, MCP_ENOENT, "Failed to retrieve task: Task not found",
        mcp_unknown_data(rq->call, "taskId", id, MCP_NAME_SHOWN_BYTES));
}

static void write_task(struct mcp_request *rq, const struct mcp_task_row *row)
{
    struct mcp_buf *out = &rq->call->out;

    mcp_buf_puts(out, "{\"resultType\":\"complete\",");
    mcp_task_write_whole(out, row);
    mcp_envelope_write_meta(out, rq->call, rq->gen, NULL, 0);
    mcp_buf_putc(out, '}');
}

static void acknowledge(struct mcp_request *rq)
{
    struct mcp_buf *out = &rq->call->out;

    mcp_buf_puts(out, "{\"resultType\":\"complete\"");
    mcp_envelope_write_meta(out, rq->call, rq->gen, NULL, 0);
    mcp_buf_putc(out, '}');
    rq->end(rq);
}

/* ---- finding ------------------------------------------------------------ */

/* The id, NULL: the fault is set. */
static const struct mcp_json *read_id(struct mcp_request *rq)
{
    const struct mcp_json *id = mcp_json_find(rq->call->params, "taskId");

    if (!mcp_task_check_client(rq))
        return NULL;
    if (mcp_json_is(id, MCP_JSON_STRING))
        return id;
    mcp_request_fail(rq, MCP_EINVAL, "taskId must be a string", NULL);
    return NULL;
}

/* Asks the store; `found` ends the request. */
static void ask_store(struct mcp_request *rq, const struct mcp_json *id,
                      void (*found)(void *user, const struct mcp_task_row *row))
{
    struct mcp_task_store *store = NULL;
    const char *text = mcp_arena_dup(rq->call->arena, id->u.text, id->count);

    if (rq->tasks != NULL) {
        (void)pthread_mutex_lock(&rq->tasks->lock);
        store = rq->tasks->store;
        (void)pthread_mutex_unlock(&rq->tasks->lock);
    }
    if (store == NULL || text == NULL || strlen(text) != id->count)
        found(rq, NULL);
    else
        mcp_task_store_get(store, text, rq->call->principal, mcp_task_now_ms(),
                           found, rq);
}

/* The unfinished task with the lock held; NULL, without it: there is none. */
static struct mcp_task *lock_task(struct mcp_request *rq,
                                  const struct mcp_json *id)
{
    struct mcp_tasks *tasks = rq->tasks;
    struct mcp_task *t;

    if (tasks == NULL)
        return NULL;
    (void)pthread_mutex_lock(&tasks->lock);
    t = mcp_task_find_locked(tasks, id->u.text, id->count, rq->call->principal);
    if (t == NULL)
        (void)pthread_mutex_unlock(&tasks->lock);
    return t;
}

static void unlock_task(struct mcp_task *t)
{
    (void)pthread_mutex_unlock(&t->tasks->lock);
}

/* ---- tasks/get ---------------------------------------------------------- */

static void got(void *user, const struct mcp_task_row *row)
{
    struct mcp_request *rq = user;

    if (row == NULL)
        fail_not_found(rq);
    else
        write_task(rq, row);
    rq->end(rq);
}

void mcp_tasks_get(struct mcp_request *rq)
{
    const struct mcp_json *id = read_id(rq);
    struct mcp_task_row row;
    struct mcp_task *t;

    if (id == NULL) {
        rq->end(rq);
        return;
    }
    t = lock_task(rq, id);
    if (t == NULL) {
        ask_store(rq, id, got);
        return;
    }
    row = mcp_task_row_locked(t);
    write_task(rq, &row);
    unlock_task(t);
    rq->end(rq);
}

/* ---- tasks/update, tasks/cancel ----------------------------------------- */

/* The task has ended long ago: there is nothing to do. */
static void found_ended(void *user, const struct mcp_task_row *row)
{
    struct mcp_request *rq = user;

    if (row != NULL) {
        acknowledge(rq);
        return;
    }
    fail_not_found(rq);
    rq->end(rq);
}

/* A change that is acknowledged when the store has it. */
struct change {
    struct mcp_task_waiter waiter; /* first: a cast converts both ways */
    struct mcp_request *rq;
    struct mcp_task *task; /* REF */
    const struct mcp_json *responses;
    bool *taken;
};

/* NULL: no memory, the request has been ended. */
static struct change *make_change(struct mcp_request *rq,
                                  const struct mcp_json *responses)
{
    size_t count = responses == NULL ? 0 : responses->count;
    struct change *c = mcp_arena_alloc(rq->call->arena, sizeof(*c));
    bool *taken = mcp_arena_alloc(rq->call->arena, count + 1);

    if (c == NULL || taken == NULL) {
        mcp_request_fail(rq, MCP_ENOMEM, NULL, NULL);
        rq->end(rq);
        return NULL;
    }
    memset(taken, 0, count + 1);
    *c = (struct change){.rq = rq, .responses = responses, .taken = taken};
    return c;
}

/* What is acknowledged outlives a crash; what could not be stored has happened
 * all the same, until then. */
static void end_change(struct mcp_request *rq, enum mcp_err err)
{
    if (err == MCP_OK || err == MCP_EEXIST) {
        acknowledge(rq);
        return;
    }
    mcp_request_fail(rq, MCP_EINTERNAL, NULL, NULL);
    rq->end(rq);
}

/* The handler goes on with the answers, which a second run would find too. */
static void answers_stored(struct mcp_task_waiter *w, enum mcp_err err)
{
    struct change *c = (struct change *)w;
    struct mcp_task *t = c->task;

    for (uint32_t i = 0; i < c->responses->count; i++) {
        const struct mcp_json_member *m = &c->responses->u.members[i];
        const char *key;

        if (!c->taken[i])
            continue;
        key = mcp_arena_dup(c->rq->call->arena, m->key.u.text, m->key.count);
        if (key != NULL)
            (void)mcp_app_answer_apart(t->tasks->app, &t->call, key, &m->value);
    }
    end_change(c->rq, err);
    mcp_task_release(t);
}

static void cancel_stored(struct mcp_task_waiter *w, enum mcp_err err)
{
    struct change *c = (struct change *)w;
    struct mcp_task *t = c->task;

    end_change(c->rq, err);
    mcp_task_release(t);
}

/* What is wrong with the answers becomes the fault. */
static void refuse_answers(struct mcp_request *rq, enum mcp_err err)
{
    mcp_request_fail(rq, err,
                     err == MCP_EINVAL
                         ? "inputResponses: each answer must be an object"
                         : NULL,
                     NULL);
    rq->end(rq);
}

static void update(struct change *c, const struct mcp_json *id)
{
    struct mcp_request *rq = c->rq;
    struct mcp_task *t = lock_task(rq, id);
    enum mcp_err err;

    if (t == NULL) {
        ask_store(rq, id, found_ended);
        return;
    }
    err = mcp_task_answer_locked(t, c->responses, c->taken);
    t->refs++;
    unlock_task(t);
    if (err != MCP_OK) {
        refuse_answers(rq, err);
        mcp_task_release(t);
        return;
    }
    c->task = mcp_task_retain(t);
    c->waiter.done = answers_stored;
    mcp_task_publish(t); /* before the handler goes on and asks again */
    mcp_task_save(t, &c->waiter);
    mcp_task_release(t);
}

void mcp_tasks_update(struct mcp_request *rq)
{
    const struct mcp_json *id = read_id(rq);
    const struct mcp_json *responses =
        mcp_json_find(rq->call->params, "inputResponses");
    struct change *c;

    if (id != NULL && !mcp_json_is(responses, MCP_JSON_OBJECT)) {
        mcp_request_fail(rq, MCP_EINVAL, "inputResponses must be an object",
                         NULL);
        id = NULL;
    }
    if (id == NULL) {
        rq->end(rq);
        return;
    }
    c = make_change(rq, responses);
    if (c != NULL)
        update(c, id);
}

void mcp_tasks_cancel(struct mcp_request *rq)
{
    const struct mcp_json *id = read_id(rq);
    struct mcp_tasks *tasks = rq->tasks;
    struct mcp_task *t;
    struct change *c;
    bool interrupt;

    if (id == NULL) {
        rq->end(rq);
        return;
    }
    c = make_change(rq, NULL);
    if (c == NULL)
        return;
    t = lock_task(rq, id);
    if (t == NULL) {
        ask_store(rq, id, found_ended);
        return;
    }
    t->refs += 2; /* ours and that of the change */
    interrupt = mcp_task_cancel_locked(t, false);
    unlock_task(t);
    if (interrupt)
        mcp_app_cancel(tasks->app, &t->call);
    c->task = t;
    c->waiter.done = cancel_stored;
    mcp_task_save(t, &c->waiter); /* `rq` may be gone */
    mcp_task_release(t);
}
