/*
 * task.c - see task.h: life, the table of unfinished tasks, the clock
 *
 * The table has what is not final, or whose end the store does not have yet;
 * everything else is asked of the store.
 */
#include "features/task_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "features/prepared.h"

enum {
    FIRST_BUCKETS = 64,
    LOOK_MS = 500,    /* between looks of the clock, at most              */
    SHORT_MS = 20,    /* and at least                                     */
    EXPIRE_MS = 5000, /* between clean-ups of the store                   */
    LAST_MS = 60000,  /* how long the end of an expired task is told      */
    STACK_BYTES = 256 << 10,
};

int64_t mcp_task_now_ms(void)
{
    return (int64_t)mcp_clock_wall_ms();
}

/* ---- one task ----------------------------------------------------------- */

struct mcp_task *mcp_task_new(struct mcp_tasks *tasks, const char *id,
                              const char *principal, const char *tool_name,
                              const char *params, const char *client,
                              const struct mcp_generation *gen)
{
    const struct mcp_config *config = gen->config;
    struct mcp_task *t = mcp_memory_new(1, sizeof(*t));

    if (t == NULL)
        return NULL;
    t->tasks = tasks;
    t->refs = 1;
    (void)snprintf(t->id, sizeof(t->id), "%s", id);
    mcp_generation_retain(gen);
    t->gen = gen;
    t->principal = strdup(principal);
    t->tool_name = strdup(tool_name);
    t->params = strdup(params);
    t->client = strdup(client != NULL ? client : "{}");
    t->created_ms = t->updated_ms = mcp_task_now_ms();
    t->poll_ms = config->task_poll_interval_ms;
    t->keep_ms = config->task_ttl_ms;
    t->most_ms = config->task_max_ttl_ms;
    t->timeout_s = config->task_timeout;
    t->grace_s = config->task_cancel_grace;
    t->ttl_ms = t->keep_ms < t->most_ms ? t->keep_ms : t->most_ms;
    t->version = 1;
    if (t->principal != NULL && t->tool_name != NULL && t->params != NULL &&
        t->client != NULL)
        return t;
    mcp_task_release(t);
    return NULL;
}

struct mcp_task *mcp_task_retain(struct mcp_task *t)
{
    (void)pthread_mutex_lock(&t->tasks->lock);
    t->refs++;
    (void)pthread_mutex_unlock(&t->tasks->lock);
    return t;
}

static void free_task(struct mcp_task *t)
{
    mcp_task_free_answers(t);
    free(t->principal);
    free(t->tool_name);
    free(t->params);
    free(t->client);
    free(t->status_message);
    free(t->questions);
    free(t->outcome);
    free(t->state);
    mcp_buf_free(&t->call.out);
    mcp_arena_free(t->arena);
    if (t->gen != NULL)
        mcp_generation_release(t->gen);
    free(t);
}

void mcp_task_let_generation_go(struct mcp_task *t)
{
    const struct mcp_generation *gen;

    (void)pthread_mutex_lock(&t->tasks->lock);
    gen = t->gen;
    t->gen = NULL;
    t->tool = NULL;
    (void)pthread_mutex_unlock(&t->tasks->lock);
    if (gen != NULL)
        mcp_generation_release(gen);
}

void mcp_task_release(struct mcp_task *t)
{
    bool last;

    (void)pthread_mutex_lock(&t->tasks->lock);
    last = --t->refs == 0;
    (void)pthread_mutex_unlock(&t->tasks->lock);
    if (last)
        free_task(t);
}

void mcp_task_touch_locked(struct mcp_task *t)
{
    int64_t now = mcp_task_now_ms();

    if (now > t->updated_ms)
        t->updated_ms = now;
    t->version++;
}

/* ---- the table ---------------------------------------------------------- */

/* Ids are random: their first digits are as good as a hash. */
static size_t bucket_of(const struct mcp_tasks *tasks, const char *id)
{
    char head[9] = {0};

    memcpy(head, id, sizeof(head) - 1);
    return strtoul(head, NULL, 16) & (tasks->bucket_count - 1);
}

static void put_in_bucket(struct mcp_tasks *tasks, struct mcp_task *t)
{
    struct mcp_task **bucket = &tasks->buckets[bucket_of(tasks, t->id)];

    t->next = *bucket;
    *bucket = t;
}

/* Twice as many buckets, when there is memory for them. */
static void grow(struct mcp_tasks *tasks)
{
    size_t old_count = tasks->bucket_count;
    struct mcp_task **old = tasks->buckets;
    struct mcp_task **more = mcp_memory_new(2 * old_count, sizeof(*more));

    if (more == NULL)
        return;
    tasks->buckets = more;
    tasks->bucket_count = 2 * old_count;
    for (size_t i = 0; i < old_count; i++)
        for (struct mcp_task *t = old[i], *next; t != NULL; t = next) {
            next = t->next;
            put_in_bucket(tasks, t);
        }
    free(old);
}

void mcp_task_list_locked(struct mcp_task *t)
{
    struct mcp_tasks *tasks = t->tasks;

    if (tasks->count >= tasks->bucket_count)
        grow(tasks);
    put_in_bucket(tasks, t);
    tasks->count++;
    t->listed = true;
    t->refs++;
}

void mcp_task_unlist_locked(struct mcp_task *t)
{
    struct mcp_tasks *tasks = t->tasks;
    struct mcp_task **link = &tasks->buckets[bucket_of(tasks, t->id)];

    while (*link != t)
        link = &(*link)->next;
    *link = t->next;
    tasks->count--;
    t->listed = false;
}

struct mcp_task *mcp_task_find_locked(struct mcp_tasks *tasks, const char *id,
                                      size_t len, const char *principal)
{
    struct mcp_task *t;

    if (len != 2 * MCP_TASK_ID_BYTES)
        return NULL;
    for (t = tasks->buckets[bucket_of(tasks, id)]; t != NULL; t = t->next)
        if (memcmp(t->id, id, len) == 0 && strcmp(t->principal, principal) == 0)
            return t;
    return NULL;
}

/* ---- the clock ---------------------------------------------------------- */

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
    if (t->cancelled && !t->forced && now_ns >= t->force_ns)
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
        when_ns = t->force_ns;
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
        if (expired)
            mcp_task_fail_locked(t, "The task was not over in its time");
        else
            mcp_task_end_locked(t, MCP_TASK_CANCELLED, NULL,
                                "The task was cancelled", 22);
        return false;
    }
    t->forced = grace <= 0;
    t->force_ns = mcp_clock_now_ns() + mcp_clock_from_seconds(grace);
    if (t->has_call)
        atomic_store(t->forced ? &t->call.cancelled : &t->call.unwanted, true);
    if (!t->forced)
        mcp_tasks_wake_locked(t->tasks);
    return t->forced && t->has_call;
}

/* ---- life --------------------------------------------------------------- */

/* The app named no store: a file of its own, or memory where there is none. */
static enum mcp_err open_default(const char *script,
                                 struct mcp_task_store **out, char *message,
                                 size_t message_size)
{
    char url[4096 + 16];
    enum mcp_err err = mcp_task_store_default_url(script, url, sizeof(url));

    if (err == MCP_OK)
        err = mcp_task_store_open(url, out, message, message_size);
    else
        (void)snprintf(message, message_size,
                       "there is no state folder (STATE_DIRECTORY, "
                       "XDG_STATE_HOME or HOME)");
    if (err == MCP_OK)
        return MCP_OK;
    mcp_log(MCP_LOG_WARNING, "tasks",
            "tasks are kept in memory and do not outlive the process: %s; "
            "name a store: mcp.tasks { store = \"sqlite:PATH\" }",
            message);
    return mcp_task_store_open("memory:", out, message, message_size);
}

enum mcp_err mcp_tasks_open_store(struct mcp_tasks *tasks,
                                  const struct mcp_config *config,
                                  char *message, size_t message_size)
{
    struct mcp_task_store *store = NULL;
    enum mcp_err err = MCP_OK;
    bool opened;

    (void)pthread_mutex_lock(&tasks->opening);
    (void)pthread_mutex_lock(&tasks->lock);
    opened = tasks->store != NULL;
    (void)pthread_mutex_unlock(&tasks->lock);
    if (!opened) {
        err = config->task_store != NULL
                  ? mcp_task_store_open(config->task_store, &store, message,
                                        message_size)
                  : open_default(tasks->script, &store, message, message_size);
        if (err == MCP_OK)
            mcp_tasks_take_over(tasks, store);
    }
    (void)pthread_mutex_unlock(&tasks->opening);
    return err;
}

/* Locks, table and queue. */
static struct mcp_tasks *new_tasks(struct mcp_app *app, const char *script,
                                   struct mcp_subscriptions *subscriptions)
{
    struct mcp_tasks *tasks = mcp_memory_new(1, sizeof(*tasks));
    pthread_condattr_t attr;

    if (tasks == NULL)
        return NULL;
    tasks->app = app;
    tasks->subscriptions = subscriptions;
    (void)pthread_mutex_init(&tasks->lock, NULL);
    (void)pthread_mutex_init(&tasks->publishing, NULL);
    (void)pthread_mutex_init(&tasks->opening, NULL);
    (void)pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&tasks->changed, &attr);
    (void)pthread_condattr_destroy(&attr);
    tasks->script = strdup(script);
    tasks->bucket_count = FIRST_BUCKETS;
    tasks->buckets = mcp_memory_new(FIRST_BUCKETS, sizeof(*tasks->buckets));
    tasks->queue = mcp_task_queue_new();
    return tasks;
}

static bool start_clock(struct mcp_tasks *tasks)
{
    pthread_attr_t attr;

    (void)pthread_attr_init(&attr);
    (void)pthread_attr_setstacksize(&attr, STACK_BYTES);
    tasks->has_thread =
        pthread_create(&tasks->thread, &attr, clock_main, tasks) == 0;
    (void)pthread_attr_destroy(&attr);
    return tasks->has_thread;
}

enum mcp_err mcp_tasks_open(struct mcp_app *app, const char *script,
                            struct mcp_subscriptions *subscriptions,
                            struct mcp_tasks **out, char *message,
                            size_t message_size)
{
    struct mcp_tasks *tasks = new_tasks(app, script, subscriptions);
    const struct mcp_generation *gen = mcp_app_acquire(app);
    const struct mcp_prepared *prepared = gen->prepared;
    enum mcp_err err = MCP_OK;

    (void)snprintf(message, message_size, "out of memory or of threads");
    if (tasks == NULL || tasks->script == NULL || tasks->buckets == NULL ||
        tasks->queue == NULL)
        err = MCP_ENOMEM;
    if (err == MCP_OK && (prepared->offers & MCP_OFFER_TASKS) != 0)
        err = mcp_tasks_open_store(tasks, gen->config, message, message_size);
    mcp_generation_release(gen);
    if (err == MCP_OK && !start_clock(tasks))
        err = MCP_ENOMEM;
    if (err != MCP_OK) {
        mcp_tasks_stop(tasks);
        mcp_tasks_free(tasks);
        return err;
    }
    *out = tasks;
    mcp_tasks_pump(tasks);
    return MCP_OK;
}

/* A task that has a generation and no run; NULL: there is none. As a REF. */
static struct mcp_task *find_waiting(struct mcp_tasks *tasks)
{
    struct mcp_task *found = NULL;

    (void)pthread_mutex_lock(&tasks->lock);
    for (size_t i = 0; i < tasks->bucket_count && found == NULL; i++)
        for (struct mcp_task *t = tasks->buckets[i]; t != NULL; t = t->next)
            if (t->gen != NULL && (t->place.waiting || t->place.lane == NULL)) {
                t->refs++;
                found = t;
                break;
            }
    (void)pthread_mutex_unlock(&tasks->lock);
    return found;
}

/* Those that will not run any more need no generation, which the end of the app
 * frees. */
static void let_waiting_go(struct mcp_tasks *tasks)
{
    struct mcp_task *t;

    while ((t = find_waiting(tasks)) != NULL) {
        mcp_task_let_generation_go(t);
        mcp_task_release(t);
    }
}

void mcp_tasks_stop(struct mcp_tasks *tasks)
{
    bool has_thread;

    if (tasks == NULL)
        return;
    (void)pthread_mutex_lock(&tasks->lock);
    tasks->stop = true;
    has_thread = tasks->has_thread;
    tasks->has_thread = false;
    (void)pthread_cond_signal(&tasks->changed);
    (void)pthread_mutex_unlock(&tasks->lock);
    if (has_thread)
        (void)pthread_join(tasks->thread, NULL);
    let_waiting_go(tasks);
}

/* Takes any task out of the table. NULL: it is empty. */
static struct mcp_task *take_any(struct mcp_tasks *tasks)
{
    struct mcp_task *t = NULL;

    (void)pthread_mutex_lock(&tasks->lock);
    for (size_t i = 0; i < tasks->bucket_count && t == NULL; i++)
        t = tasks->buckets[i];
    if (t != NULL) {
        mcp_task_queue_end(tasks->queue, &t->place);
        mcp_task_unlist_locked(t);
    }
    (void)pthread_mutex_unlock(&tasks->lock);
    return t;
}

void mcp_tasks_free(struct mcp_tasks *tasks)
{
    struct mcp_task *t;

    if (tasks == NULL)
        return;
    mcp_task_store_close(tasks->store);
    while (tasks->buckets != NULL && (t = take_any(tasks)) != NULL)
        mcp_task_release(t);
    mcp_task_queue_free(tasks->queue);
    (void)pthread_mutex_destroy(&tasks->lock);
    (void)pthread_mutex_destroy(&tasks->publishing);
    (void)pthread_mutex_destroy(&tasks->opening);
    (void)pthread_cond_destroy(&tasks->changed);
    free(tasks->buckets);
    free(tasks->script);
    free(tasks);
}
