/*
 * task_clock.c - what happens to tasks as time passes: they are prolonged,
 * expire, are stopped after a grace; and how they are cancelled
 */
#include "features/task_private.h"

#include <stdlib.h>

#include "base/clock.h"

enum {
    LOOK_MS = 500,    /* between looks, at most                        */
    SHORT_MS = 20,    /* and at least                                  */
    EXPIRE_MS = 5000, /* between clean-ups of the store                */
    LAST_MS = 60000,  /* how long the end of an expired task is told   */
    STACK_BYTES = 256 << 10,
};

void mcp_tasks_wake_locked(struct mcp_tasks *tasks)
{
    tasks->looking = true;
    (void)pthread_cond_signal(&tasks->changed);
}

/* What the clock has to do with a task. */
enum due { NOTHING, FORCE, PROLONG, EXPIRE, SAVE, FORGET };

static enum due due_of(const struct mcp_task *t, uint64_t now_ns,
                       int64_t now_ms)
{
    int64_t left = t->created_ms + t->ttl_ms - now_ms;

    if (t->kept_only)
        return left < 0 ? FORGET : NOTHING;
    if (!t->writing && t->version != t->written)
        return SAVE;
    if (t->ending)
        return NOTHING;
    if (t->cancelled && !t->forced && t->has_call && now_ns >= t->force_ns)
        return FORCE;
    if (t->forced || left > t->keep_ms / 2)
        return NOTHING;
    if (t->ttl_ms < t->most_ms)
        return PROLONG;
    return left < 0 ? EXPIRE : NOTHING;
}

/* When the task is due, at most LOOK_MS from now. */
static uint64_t next_look(const struct mcp_task *t, uint64_t now_ns,
                          int64_t now_ms)
{
    int64_t left = t->created_ms + t->ttl_ms - now_ms;
    uint64_t when_ns = now_ns + LOOK_MS * MCP_NS_PER_MS;

    if (t->cancelled && !t->forced && t->force_ns < when_ns)
        when_ns = t->force_ns > now_ns /* else: its call is being made */
                      ? t->force_ns
                      : now_ns + SHORT_MS * MCP_NS_PER_MS;
    if (!t->ending && t->ttl_ms < t->most_ms)
        left -= t->keep_ms / 2;
    if (left < 2 * SHORT_MS)
        left = SHORT_MS;
    if (left < LOOK_MS && now_ns + (uint64_t)left * MCP_NS_PER_MS < when_ns)
        when_ns = now_ns + (uint64_t)left * MCP_NS_PER_MS;
    return when_ns;
}

/* The first task that is due, as a REF; `*next_ns` may come earlier. */
static struct mcp_task *find_due_locked(struct mcp_tasks *tasks, enum due *due,
                                        uint64_t *next_ns)
{
    uint64_t now_ns = mcp_clock_now_ns();
    int64_t now_ms = mcp_task_now_ms();
    uint64_t when_ns;

    for (size_t i = 0; i < tasks->bucket_count; i++)
        for (struct mcp_task *t = tasks->buckets[i]; t != NULL; t = t->next) {
            *due = due_of(t, now_ns, now_ms);
            if (*due != NOTHING) {
                t->refs++;
                return t;
            }
            when_ns = next_look(t, now_ns, now_ms);
            if (when_ns < *next_ns)
                *next_ns = when_ns;
        }
    return NULL;
}

/* A task that goes on is kept for longer. */
static void prolong_locked(struct mcp_task *t)
{
    int64_t ttl = mcp_task_now_ms() - t->created_ms + t->keep_ms;

    t->ttl_ms = ttl < t->most_ms ? ttl : t->most_ms;
    t->version++;
}

static void forget_locked(struct mcp_task *t)
{
    if (!t->listed)
        return;
    mcp_task_unlist_locked(t);
    t->refs--; /* the caller has another */
}

/* Nobody is to answer what nobody will read. */
static void forget_questions_locked(struct mcp_task *t)
{
    t->asking = 0;
    t->status = MCP_TASK_WORKING;
    free(t->questions);
    t->questions = NULL;
}

static void act(struct mcp_task *t, enum due due)
{
    struct mcp_tasks *tasks = t->tasks;
    bool interrupt = false;

    (void)pthread_mutex_lock(&tasks->lock);
    if (due == PROLONG)
        prolong_locked(t);
    else if (due == EXPIRE)
        interrupt = mcp_task_cancel_locked(t, true);
    else if (due == FORGET)
        forget_locked(t);
    else if (due == FORCE && !t->ending && t->has_call) {
        t->forced = interrupt = true;
        forget_questions_locked(t);
        atomic_store(&t->call.cancelled, true);
    }
    (void)pthread_mutex_unlock(&tasks->lock);
    if (interrupt)
        mcp_app_cancel(tasks->app, &t->call);
    mcp_task_save(t, NULL);
    mcp_task_release(t);
}

/* Does all that is due; with the lock at both ends. Returns when to look
 * again. */
static uint64_t look_locked(struct mcp_tasks *tasks)
{
    uint64_t next_ns = mcp_clock_now_ns() + LOOK_MS * MCP_NS_PER_MS;
    struct mcp_task *t;
    enum due due;
    bool pump;

    tasks->looking = false;
    pump = tasks->retry_ns != 0 && mcp_clock_now_ns() >= tasks->retry_ns;
    if (pump)
        tasks->retry_ns = 0;
    while ((t = find_due_locked(tasks, &due, &next_ns)) != NULL) {
        if (due == SAVE && tasks->retry_ns != 0) { /* the store is busy */
            t->refs--;
            break;
        }
        (void)pthread_mutex_unlock(&tasks->lock);
        act(t, due);
        (void)pthread_mutex_lock(&tasks->lock);
    }
    if (pump) {
        (void)pthread_mutex_unlock(&tasks->lock);
        mcp_tasks_pump(tasks);
        (void)pthread_mutex_lock(&tasks->lock);
    }
    if (tasks->retry_ns != 0 && tasks->retry_ns < next_ns)
        next_ns = tasks->retry_ns;
    return next_ns;
}

static void *clock_main(void *arg)
{
    struct mcp_tasks *tasks = arg;
    uint64_t expired_ns = 0;

    (void)pthread_mutex_lock(&tasks->lock);
    while (!tasks->stop) {
        uint64_t next_ns = look_locked(tasks), now_ns = mcp_clock_now_ns();
        struct timespec at = mcp_clock_timespec(next_ns);

        if (tasks->store != NULL &&
            now_ns - expired_ns > EXPIRE_MS * MCP_NS_PER_MS) {
            expired_ns = now_ns;
            (void)pthread_mutex_unlock(&tasks->lock);
            mcp_task_store_expire(tasks->store, mcp_task_now_ms());
            (void)pthread_mutex_lock(&tasks->lock);
        }
        if (!tasks->stop && !tasks->looking)
            (void)pthread_cond_timedwait(&tasks->changed, &tasks->lock, &at);
    }
    (void)pthread_mutex_unlock(&tasks->lock);
    return NULL;
}

/* ---- cancelling --------------------------------------------------------- */

static void give_last_moment_locked(struct mcp_task *t)
{
    t->ttl_ms = mcp_task_now_ms() - t->created_ms +
                (t->keep_ms < LAST_MS ? t->keep_ms : (int64_t)LAST_MS);
}

void mcp_task_give_up_locked(struct mcp_task *t)
{
    if (t->expired)
        mcp_task_fail_locked(t, "The task was not over in its time");
    else
        mcp_task_end_locked(t, MCP_TASK_CANCELLED, NULL,
                            "The task was cancelled", 22);
}

bool mcp_task_cancel_locked(struct mcp_task *t, bool expired)
{
    double grace = expired ? 0 : t->grace_s;

    if (t->ending || t->forced)
        return false;
    t->cancelled = true;
    t->retry = false;
    if (expired) {
        t->expired = true;
        give_last_moment_locked(t);
    }
    t->version++;
    if (t->place.waiting || t->place.lane == NULL) {
        mcp_task_give_up_locked(t);
        return false;
    }
    t->forced = grace <= 0;
    t->force_ns = mcp_clock_now_ns() + mcp_clock_from_seconds(grace);
    if (t->forced)
        forget_questions_locked(t);
    if (t->has_call)
        atomic_store(t->forced ? &t->call.cancelled : &t->call.unwanted, true);
    if (!t->forced)
        mcp_tasks_wake_locked(t->tasks);
    return t->forced && t->has_call;
}

bool mcp_tasks_start_clock(struct mcp_tasks *tasks)
{
    pthread_attr_t attr;

    (void)pthread_attr_init(&attr);
    (void)pthread_attr_setstacksize(&attr, STACK_BYTES);
    tasks->has_thread =
        pthread_create(&tasks->thread, &attr, clock_main, tasks) == 0;
    (void)pthread_attr_destroy(&attr);
    return tasks->has_thread;
}
