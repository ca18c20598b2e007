/*
 * task.c - see task.h: life, and the table of unfinished tasks
 *
 * The table has what is not final, or whose end the store does not have yet;
 * everything else is asked of the store.
 */
#include "features/task_private.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "features/prepared.h"

enum { FIRST_BUCKETS = 64 };

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

/* ---- life --------------------------------------------------------------- */

/* Opens a file, and says what helps when another process has it. */
static enum mcp_err open_store(const char *url, struct mcp_task_store **out,
                               char *message, size_t message_size)
{
    enum mcp_err err = mcp_task_store_open(url, out, message, message_size);
    size_t len = err == MCP_EBUSY ? strlen(message) : 0;

    if (err == MCP_EBUSY)
        (void)snprintf(message + len, message_size - len,
                       "; one process has a store: give each its own by "
                       "--task-store sqlite:PATH");
    return err;
}

/* The app named no store: a file of its own, or memory where there is none. */
static enum mcp_err open_default(const char *script,
                                 struct mcp_task_store **out, char *message,
                                 size_t message_size)
{
    char url[4096 + 16];
    enum mcp_err err = mcp_task_store_default_url(script, url, sizeof(url));

    if (err != MCP_OK)
        (void)snprintf(message, message_size,
                       "there is no state folder (STATE_DIRECTORY, "
                       "XDG_STATE_HOME or HOME); name a store: --task-store "
                       "sqlite:PATH");
    else
        err = open_store(url, out, message, message_size);
    if (err == MCP_OK)
        return MCP_OK;
    mcp_log(MCP_LOG_WARNING, "tasks",
            "tasks are kept in memory and do not outlive the process: %s",
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
        err =
            config->task_store != NULL
                ? open_store(config->task_store, &store, message, message_size)
                : open_default(tasks->script, &store, message, message_size);
        if (err == MCP_OK)
            mcp_tasks_take_over(tasks, store);
    }
    (void)pthread_mutex_unlock(&tasks->opening);
    return err;
}

/* Locks, table and queue. */
static struct mcp_tasks *new_tasks(const struct mcp_tasks_options *options)
{
    struct mcp_tasks *tasks = mcp_memory_new(1, sizeof(*tasks));
    pthread_condattr_t attr;

    if (tasks == NULL)
        return NULL;
    tasks->app = options->app;
    tasks->subscriptions = options->subscriptions;
    tasks->start = options->start;
    (void)pthread_mutex_init(&tasks->lock, NULL);
    (void)pthread_mutex_init(&tasks->publishing, NULL);
    (void)pthread_mutex_init(&tasks->opening, NULL);
    (void)pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&tasks->changed, &attr);
    (void)pthread_condattr_destroy(&attr);
    tasks->script = strdup(options->script);
    tasks->bucket_count = FIRST_BUCKETS;
    tasks->buckets = mcp_memory_new(FIRST_BUCKETS, sizeof(*tasks->buckets));
    tasks->queue = mcp_task_queue_new();
    return tasks;
}

enum mcp_err mcp_tasks_open(const struct mcp_tasks_options *options,
                            struct mcp_tasks **out, char *message,
                            size_t message_size)
{
    struct mcp_tasks *tasks = new_tasks(options);
    const struct mcp_generation *gen = mcp_app_acquire(options->app);
    const struct mcp_prepared *prepared = gen->prepared;
    enum mcp_err err = MCP_OK;

    (void)snprintf(message, message_size, "out of memory or of threads");
    if (tasks == NULL || tasks->script == NULL || tasks->buckets == NULL ||
        tasks->queue == NULL)
        err = MCP_ENOMEM;
    if (err == MCP_OK && (prepared->offers & MCP_OFFER_TASKS) != 0)
        err = mcp_tasks_open_store(tasks, gen->config, message, message_size);
    mcp_generation_release(gen);
    if (err == MCP_OK && !mcp_tasks_start_clock(tasks))
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
