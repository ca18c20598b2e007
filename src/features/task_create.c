/*
 * task_create.c - tools/call becomes a task, or not
 */
#include "features/task_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include "app/ask_kept.h"
#include "base/log.h"
#include "features/envelope.h"
#include "features/prepared.h"

enum { MISSING_CAPABILITY = -32021, MESSAGE_BYTES = 512 };

/* ---- is it one? --------------------------------------------------------- */

static bool is_declared(const struct mcp_call *call)
{
    const struct mcp_json *extensions =
        mcp_json_find(call->client.capabilities, "extensions");

    return mcp_call_is_modern(call) &&
           mcp_json_find(extensions, MCP_TASKS_EXTENSION) != NULL;
}

bool mcp_task_check_client(struct mcp_request *rq)
{
    if (is_declared(rq->call))
        return true;
    mcp_request_fail(rq, MCP_OK,
                     "Missing required client capability: the "
                     "extension " MCP_TASKS_EXTENSION,
                     "{\"requiredCapabilities\":{\"extensions\":{"
                     "\"" MCP_TASKS_EXTENSION "\":{}}}}");
    rq->fault.code = MISSING_CAPABILITY;
    return false;
}

/* Does the request bring an answer of the client? */
static bool brings_answers(const struct mcp_call *call)
{
    const struct mcp_json *v = mcp_json_find(call->params, "inputResponses");

    return mcp_json_is(v, MCP_JSON_OBJECT) && v->count > 0;
}

enum mcp_task_way mcp_task_way(const struct mcp_request *rq,
                               const struct mcp_tool *tool)
{
    if (rq->tasks == NULL || tool->task.use == MCP_TASK_NEVER)
        return MCP_TASK_WAY_CALL;
    if (!is_declared(rq->call))
        return tool->task.use == MCP_TASK_REQUIRED ? MCP_TASK_WAY_REFUSE
                                                   : MCP_TASK_WAY_CALL;
    return tool->task.input_first && !brings_answers(rq->call)
               ? MCP_TASK_WAY_CALL
               : MCP_TASK_WAY_TASK;
}

/* ---- making one --------------------------------------------------------- */

struct creation {
    struct mcp_task_waiter waiter; /* first: a cast converts both ways */
    struct mcp_request *rq;
    struct mcp_task *task; /* REF */
};

static bool random_id(char id[2 * MCP_TASK_ID_BYTES + 1])
{
    unsigned char bits[MCP_TASK_ID_BYTES];
    ssize_t n;

    do
        n = getrandom(bits, sizeof(bits), 0);
    while (n < 0 && errno == EINTR);
    if (n != (ssize_t)sizeof(bits))
        return false;
    for (size_t i = 0; i < sizeof(bits); i++)
        (void)snprintf(id + 2 * i, 3, "%02x", bits[i]);
    return true;
}

/* The parameters without what is of a round of questions: it is kept apart. */
static void write_params(struct mcp_buf *b, const struct mcp_json *params)
{
    bool first = true;

    mcp_buf_putc(b, '{');
    for (uint32_t i = 0; i < params->count; i++) {
        const struct mcp_json_member *m = &params->u.members[i];

        if (mcp_json_equals_string(&m->key, "inputResponses") ||
            mcp_json_equals_string(&m->key, "requestState"))
            continue;
        mcp_buf_puts(b, first ? "" : ",");
        first = false;
        mcp_json_write(b, &m->key);
        mcp_buf_putc(b, ':');
        mcp_json_write(b, &m->value);
    }
    mcp_buf_add(b, "}", 2); /* and its NUL */
}

static void write_client(struct mcp_buf *b, const struct mcp_call *call)
{
    mcp_buf_puts(b, "{\"id\":");
    mcp_json_write(b, call->id);
    mcp_buf_printf(b, ",\"transport\":\"%s\"}",
                   call->transport == MCP_TRANSPORT_STDIO ? "stdio" : "http");
    mcp_buf_putc(b, '\0');
}

/* A task with the texts of the request. NULL: no memory. */
static struct mcp_task *make_task(struct mcp_request *rq,
                                  const struct mcp_tool *tool)
{
    char id[2 * MCP_TASK_ID_BYTES + 1];
    struct mcp_task *t = NULL;
    struct mcp_buf params, client;

    mcp_buf_init(&params, MCP_TASK_TEXT_MAX_BYTES);
    mcp_buf_init(&client, MCP_TASK_TEXT_MAX_BYTES);
    write_params(&params, rq->call->params);
    write_client(&client, rq->call);
    if (!params.failed && !client.failed && random_id(id))
        t = mcp_task_new(rq->tasks, id, rq->call->principal, tool->name,
                         params.data, client.data, rq->gen);
    mcp_buf_free(&params);
    mcp_buf_free(&client);
    if (t != NULL) {
        t->tool = tool;
        t->retry = tool->task.retry;
    }
    return t;
}

/* The fault of an outcome that is an error, with its texts in the arena. */
static void fail_with(struct mcp_request *rq, const struct mcp_outcome *o)
{
    const char *text = mcp_arena_dup(
        rq->call->arena, o->message.len > 0 ? o->text.data + o->message.at : "",
        o->message.len);

    mcp_request_fail(rq, text == NULL ? MCP_ENOMEM : MCP_OK, text, NULL);
    if (text != NULL)
        rq->fault.code = o->code;
}

/* What earlier rounds have brought goes into the task. False: the fault is
 * set. */
static bool take_rounds(struct mcp_request *rq, struct mcp_task *t)
{
    const struct mcp_json *responses =
        mcp_json_find(rq->call->params, "inputResponses");
    struct mcp_job job = {.call = rq->call,
                          .gen = rq->gen,
                          .handler = &t->tool->handler,
                          .tool = t->tool};
    struct mcp_buf b;
    bool ok;
    size_t len;

    mcp_outcome_init(&job.outcome, MESSAGE_BYTES);
    ok = mcp_ask_kept_open(&job);
    if (!ok)
        fail_with(rq, &job.outcome);
    mcp_outcome_free(&job.outcome);
    if (!ok)
        return false;
    mcp_buf_init(&b, MCP_TASK_TEXT_MAX_BYTES);
    mcp_ask_kept_write(&job, &b);
    mcp_buf_putc(&b, '\0');
    t->state = mcp_buf_take(&b, &len);
    mcp_buf_free(&b);
    ok = t->state != NULL;
    for (uint32_t i = 0; ok && responses != NULL && i < responses->count; i++) {
        const struct mcp_json_member *m = &responses->u.members[i];
        const char *key =
            mcp_arena_dup(rq->call->arena, m->key.u.text, m->key.count);

        ok = key != NULL && mcp_task_keep_answer_locked(t, key, key, &m->value);
    }
    if (!ok)
        mcp_request_fail(rq, MCP_ENOMEM, NULL, NULL);
    return ok;
}

static void write_created(struct mcp_request *rq,
                          const struct mcp_task_row *row)
{
    struct mcp_buf *out = &rq->call->out;

    mcp_buf_puts(out, "{\"resultType\":\"task\",");
    mcp_task_write_members(out, row);
    mcp_envelope_write_meta(out, rq->call, rq->gen, NULL, 0);
    mcp_buf_putc(out, '}');
}

/* The task could not be stored: there is none. */
static void drop(struct mcp_task *t)
{
    bool listed;

    (void)pthread_mutex_lock(&t->tasks->lock);
    listed = t->listed;
    if (listed)
        mcp_task_unlist_locked(t);
    (void)pthread_mutex_unlock(&t->tasks->lock);
    if (listed)
        mcp_task_release(t);
}

/* The task waits for its turn, the answer is written. One whose client has left
 * without hearing of it ends. Errors: MCP_ENOMEM. */
static enum mcp_err queue_up(struct mcp_request *rq, struct mcp_task *t)
{
    struct mcp_tasks *tasks = t->tasks;
    enum mcp_err err = MCP_OK;
    struct mcp_task_row row;

    (void)pthread_mutex_lock(&tasks->lock);
    if (atomic_load(&rq->call->cancelled))
        (void)mcp_task_cancel_locked(t, false);
    else
        err = mcp_task_queue_push(tasks->queue, &t->place, t->principal,
                                  t->tool_name);
    if (err != MCP_OK)
        mcp_task_fail_locked(t, "out of memory");
    row = mcp_task_row_locked(t);
    write_created(rq, &row);
    (void)pthread_mutex_unlock(&tasks->lock);
    mcp_task_save(t, NULL); /* its end, if that was it */
    return err;
}

/* The store has the task: its client may know. */
static void created(struct mcp_task_waiter *w, enum mcp_err err)
{
    struct creation *c = (struct creation *)w;
    struct mcp_request *rq = c->rq;
    struct mcp_task *t = c->task;
    struct mcp_tasks *tasks = t->tasks;

    if (err == MCP_OK) {
        err = queue_up(rq, t);
    } else {
        mcp_log(MCP_LOG_ERROR, "tasks", "a task of tool %s could not be stored",
                t->tool_name);
        drop(t);
    }
    if (err != MCP_OK)
        mcp_request_fail(rq, MCP_EINTERNAL, NULL, NULL);
    rq->end(rq);
    mcp_tasks_pump(tasks);
    mcp_task_release(t);
}

/* Takes a place in the store, until the store counts the task itself. False:
 * there is none, the fault is set. */
static bool take_place(struct mcp_request *rq)
{
    int64_t max = rq->gen->config->task_max_stored;
    struct mcp_tasks *tasks = rq->tasks;
    const char *text;
    size_t count;

    (void)pthread_mutex_lock(&tasks->lock);
    count = mcp_task_store_count(tasks->store) + tasks->places;
    tasks->places += (int64_t)count < max;
    (void)pthread_mutex_unlock(&tasks->lock);
    if ((int64_t)count < max)
        return true;
    text = mcp_arena_printf(rq->call->arena,
                            "Too many tasks are kept here: at most %lld "
                            "(task_max_stored). Try again when some of them "
                            "have ended and expired",
                            (long long)max);
    mcp_request_fail(rq, MCP_EBUSY, text, NULL);
    return false;
}

static void give_place(struct mcp_tasks *tasks)
{
    (void)pthread_mutex_lock(&tasks->lock);
    tasks->places--;
    (void)pthread_mutex_unlock(&tasks->lock);
}

static bool open_store(struct mcp_request *rq)
{
    char message[MESSAGE_BYTES];

    if (mcp_tasks_open_store(rq->tasks, rq->gen->config, message,
                             sizeof(message)) == MCP_OK)
        return true;
    mcp_log(MCP_LOG_ERROR, "tasks", "no store for tasks: %s", message);
    mcp_request_fail(rq, MCP_EINTERNAL, NULL, NULL);
    return false;
}

/* Half of the workers are for calls, unless the app says otherwise. */
static void set_limits_locked(struct mcp_tasks *tasks,
                              const struct mcp_config *config)
{
    size_t half = mcp_app_max_workers(tasks->app) / 2;
    struct mcp_task_limits *l = &tasks->limits;

    l->running = config->task_max_running > 0 ? (size_t)config->task_max_running
                                              : (half > 0 ? half : 1);
    l->per_tool = (size_t)config->task_max_running_per_tool;
    l->per_principal = (size_t)config->task_max_running_per_principal;
    l->alive = MCP_TASKS_ALIVE_MAX + l->running;
}

void mcp_tasks_set_limits(struct mcp_tasks *tasks,
                          const struct mcp_config *config)
{
    (void)pthread_mutex_lock(&tasks->lock);
    set_limits_locked(tasks, config);
    (void)pthread_mutex_unlock(&tasks->lock);
}

/* As mcp_task_create(), with a place in the store. */
static bool create(struct mcp_request *rq, const struct mcp_tool *tool)
{
    struct mcp_tasks *tasks = rq->tasks;
    struct creation *c = mcp_arena_alloc(rq->call->arena, sizeof(*c));
    struct mcp_task *t;

    t = c == NULL ? NULL : make_task(rq, tool);
    if (t == NULL) {
        mcp_request_fail(rq, MCP_ENOMEM, NULL, NULL);
        return false;
    }
    if (!take_rounds(rq, t)) {
        mcp_task_release(t);
        return false;
    }
    *c = (struct creation){.waiter.done = created, .rq = rq, .task = t};
    (void)pthread_mutex_lock(&tasks->lock);
    set_limits_locked(tasks, rq->gen->config);
    mcp_task_list_locked(t);
    (void)pthread_mutex_unlock(&tasks->lock);
    mcp_task_save(t, &c->waiter); /* `rq` may be gone */
    return true;
}

bool mcp_task_create(struct mcp_request *rq, const struct mcp_tool *tool)
{
    struct mcp_tasks *tasks = rq->tasks;
    bool created_later;

    if (!open_store(rq) || !take_place(rq))
        return false;
    created_later = create(rq, tool);
    give_place(tasks);
    return created_later;
}
