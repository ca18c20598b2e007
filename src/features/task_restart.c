/*
 * task_restart.c - what the process before has left
 *
 * A handler that ran, slept or waited is gone with its process: its task has
 * failed, unless its tool says restart = "retry", and then it runs again from
 * the top with the answers and the values of ctx.memo that are kept.
 */
#include "features/task_private.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/memory.h"

enum { KEPT_BYTES = 512 << 20 };

static const char stopped[] =
    "The server was restarted while the task was under way";
static const char waited[] =
    "The server was restarted while the task waited for input: a waiting "
    "handler is not kept";
static const char gone[] =
    "The server was restarted, and the task's tool is not there any more";

/* All that is taken over, newest first. */
struct takeover {
    struct mcp_tasks *tasks;
    const struct mcp_generation *gen;
    struct mcp_task *first; /* by next; each with a REF */
    size_t lost;            /* for want of memory      */
};

/* The answers that are kept. False: no memory. */
static bool read_answers(struct mcp_task *t, const struct mcp_json *kept,
                         struct mcp_arena *a)
{
    const struct mcp_json *answers = mcp_json_find(kept, "answers");
    const struct mcp_json *keys = mcp_json_find(kept, "keys");
    static const struct mcp_json none = {.type = MCP_JSON_OBJECT};
    bool ok = true;

    for (uint32_t i = 0; ok && answers != NULL && i < answers->count; i++) {
        const struct mcp_json_member *m = &answers->u.members[i];
        const char *name = mcp_arena_dup(a, m->key.u.text, m->key.count);

        ok = name != NULL &&
             mcp_task_keep_answer_locked(t, name, name, &m->value);
    }
    /* Keys of later questions of a name: only that they are in use counts. */
    for (uint32_t i = 0; ok && keys != NULL && i < keys->count; i++) {
        const struct mcp_json *k = &keys->u.members[i].key;
        const char *key = mcp_arena_dup(a, k->u.text, k->count);

        if (key != NULL && mcp_json_find(answers, key) == NULL)
            ok = mcp_task_keep_answer_locked(t, key, key, &none);
    }
    return ok;
}

static char *json_text(const struct mcp_json *v)
{
    struct mcp_buf b;
    char *text;
    size_t n;

    mcp_buf_init(&b, MCP_TASK_TEXT_MAX_BYTES);
    mcp_json_write(&b, v);
    mcp_buf_putc(&b, '\0');
    text = mcp_buf_take(&b, &n);
    mcp_buf_free(&b);
    return text;
}

/* False: what is kept cannot be read. */
static bool read_kept(struct mcp_task *t, const char *text)
{
    const struct mcp_json_options options = {.max_depth = MCP_JSON_MAX_DEPTH,
                                             .allow_duplicate_keys = true};
    struct mcp_arena *a = mcp_arena_new(KEPT_BYTES);
    const struct mcp_json *kept, *state;
    bool ok = a != NULL && mcp_json_parse(a, text, strlen(text), &options,
                                          &kept, NULL) == MCP_OK;

    if (ok) {
        state = mcp_json_find(kept, "state");
        t->cancelled =
            mcp_json_is(mcp_json_find(kept, "cancelled"), MCP_JSON_TRUE);
        if (mcp_json_is(state, MCP_JSON_OBJECT))
            t->state = json_text(state);
        ok = read_answers(t, kept, a);
    }
    mcp_arena_free(a);
    return ok;
}

/* One row becomes a task. The store is not used here. */
static void copy_row(void *user, const struct mcp_task_row *row)
{
    struct takeover *o = user;
    struct mcp_task *t = mcp_task_new(
        o->tasks, row->id, row->principal, row->tool,
        row->params != NULL ? row->params : "{}", row->client, o->gen);
    bool whole;

    if (t == NULL) {
        o->lost++;
        return;
    }
    whole = row->kept == NULL || read_kept(t, row->kept);
    t->status = row->status;
    t->created_ms = row->created_ms;
    t->updated_ms = row->updated_ms;
    t->ttl_ms = row->ttl_ms;
    t->poll_ms = row->poll_ms;
    t->retry = row->retry && whole;
    if (row->status_message != NULL)
        t->status_message = strdup(row->status_message);
    t->tool = mcp_generation_find_tool(o->gen, row->tool, strlen(row->tool));
    t->next = o->first;
    o->first = t;
}

/* The task runs again, or this is its end. */
static void settle_locked(struct mcp_task *t)
{
    bool asked = t->status == MCP_TASK_INPUT_REQUIRED;
    bool exists = t->tool != NULL && t->tool->task.use != MCP_TASK_NEVER;

    t->status = MCP_TASK_WORKING;
    if (t->cancelled) {
        mcp_task_end_locked(t, MCP_TASK_CANCELLED, NULL,
                            "The task was cancelled", 22);
    } else if (!t->retry) {
        mcp_task_fail_locked(t, asked ? waited : stopped);
    } else if (!exists) {
        mcp_task_fail_locked(t, gone);
    } else {
        free(t->status_message);
        t->status_message = NULL;
        mcp_task_touch_locked(t);
        if (mcp_task_queue_push(t->tasks->queue, &t->place, t->principal,
                                t->tool_name) != MCP_OK)
            mcp_task_fail_locked(t, stopped);
    }
}

/* Oldest first. */
static struct mcp_task *reverse(struct mcp_task *list)
{
    struct mcp_task *out = NULL, *next;

    for (; list != NULL; list = next) {
        next = list->next;
        list->next = out;
        out = list;
    }
    return out;
}

static void tell(size_t ended, size_t again, size_t lost)
{
    if (ended + again > 0)
        mcp_log(MCP_LOG_INFO, "tasks",
                "of the tasks that the process before has left, %zu have "
                "ended and %zu run again",
                ended, again);
    if (lost > 0)
        mcp_log(MCP_LOG_ERROR, "tasks", "%zu tasks are left: out of memory",
                lost);
}

void mcp_tasks_take_over(struct mcp_tasks *tasks, struct mcp_task_store *store)
{
    struct takeover o = {.tasks = tasks, .gen = mcp_app_acquire(tasks->app)};
    size_t ended = 0, again = 0;
    struct mcp_task *t, *next;

    mcp_tasks_set_limits(tasks, o.gen->config);
    mcp_task_store_unfinished(store, copy_row, &o);
    (void)pthread_mutex_lock(&tasks->lock);
    tasks->store = store;
    (void)pthread_mutex_unlock(&tasks->lock);
    for (t = reverse(o.first); t != NULL; t = next) {
        next = t->next;
        (void)pthread_mutex_lock(&tasks->lock);
        mcp_task_list_locked(t);
        settle_locked(t);
        ended += t->ending;
        again += !t->ending;
        (void)pthread_mutex_unlock(&tasks->lock);
        mcp_task_save(t, NULL);
        mcp_task_release(t);
    }
    tell(ended, again, o.lost);
    mcp_generation_release(o.gen);
}
