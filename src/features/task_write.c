/*
 * task_write.c - tasks as JSON, as rows of the store, as notifications
 *
 * One write of a task is on its way at a time, and the next one has its newest
 * state: rows cannot overtake one another, and many changes are few writes.
 */
#include "features/task_private.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"

enum {
    BUSY_MS = 50, /* before a store that is busy is tried again           */
    REFUSED_MS = 2000, /* the same for one whose disk refuses                */
};

/* ---- JSON --------------------------------------------------------------- */

static const char *const status_names[] = {
    [MCP_TASK_WORKING] = "working",
    [MCP_TASK_INPUT_REQUIRED] = "input_required",
    [MCP_TASK_COMPLETED] = "completed",
    [MCP_TASK_FAILED] = "failed",
    [MCP_TASK_CANCELLED] = "cancelled",
};

/* "2026-07-28T12:00:00.123Z" */
static void write_time(struct mcp_buf *out, const char *member, int64_t ms)
{
    time_t s = (time_t)(ms / 1000);
    struct tm tm;

    (void)gmtime_r(&s, &tm);
    mcp_buf_printf(out, ",\"%s\":\"%04d-%02d-%02dT%02d:%02d:%02d.%03dZ\"",
                   member, tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday,
                   tm.tm_hour, tm.tm_min, tm.tm_sec, (int)(ms % 1000));
}

void mcp_task_write_members(struct mcp_buf *out, const struct mcp_task_row *row)
{
    mcp_buf_puts(out, "\"taskId\":");
    mcp_json_write_cstring(out, row->id);
    mcp_buf_printf(out, ",\"status\":\"%s\"", status_names[row->status]);
    if (row->status_message != NULL) {
        mcp_buf_puts(out, ",\"statusMessage\":");
        mcp_json_write_cstring(out, row->status_message);
    }
    write_time(out, "createdAt", row->created_ms);
    write_time(out, "lastUpdatedAt", row->updated_ms);
    if (row->ttl_ms >= 0)
        mcp_buf_printf(out, ",\"ttlMs\":%lld", (long long)row->ttl_ms);
    else
        mcp_buf_puts(out, ",\"ttlMs\":null");
    mcp_buf_printf(out, ",\"pollIntervalMs\":%lld", (long long)row->poll_ms);
}

static void write_text(struct mcp_buf *out, const char *member,
                       const char *json, const char *otherwise)
{
    mcp_buf_puts(out, member);
    mcp_buf_puts(out, json != NULL ? json : otherwise);
}

void mcp_task_write_whole(struct mcp_buf *out, const struct mcp_task_row *row)
{
    mcp_task_write_members(out, row);
    switch (row->status) {
    case MCP_TASK_INPUT_REQUIRED:
        write_text(out, ",\"inputRequests\":", row->questions, "{}");
        break;
    case MCP_TASK_COMPLETED:
        write_text(out, ",\"result\":", row->outcome,
                   "{\"resultType\":\"complete\",\"content\":[]}");
        break;
    case MCP_TASK_FAILED:
        write_text(out, ",\"error\":", row->outcome,
                   "{\"code\":-32603,\"message\":\"Internal error\"}");
        break;
    case MCP_TASK_WORKING:
    case MCP_TASK_CANCELLED:
        break;
    }
}

/* Of several answers to one name the newest, which is the first, counts. */
static bool is_newest(const struct mcp_task *t, const struct mcp_task_answer *a)
{
    const struct mcp_task_answer *other = t->answers;

    while (strcmp(other->name, a->name) != 0)
        other = other->next;
    return other == a;
}

static void write_key(struct mcp_buf *out, bool *first, const char *key)
{
    mcp_buf_puts(out, *first ? "" : ",");
    *first = false;
    mcp_json_write_cstring(out, key);
    mcp_buf_putc(out, ':');
}

void mcp_task_write_kept_locked(struct mcp_buf *out, const struct mcp_task *t)
{
    const struct mcp_task_answer *a;
    bool first = true;

    write_text(out, "{\"state\":", t->state, "null");
    mcp_buf_puts(out, ",\"answers\":{");
    for (a = t->answers; a != NULL; a = a->next) {
        if (!is_newest(t, a))
            continue;
        write_key(out, &first, a->name);
        mcp_buf_puts(out, a->text);
    }
    first = true;
    mcp_buf_puts(out, "},\"keys\":{");
    for (a = t->answers; a != NULL; a = a->next) {
        write_key(out, &first, a->key);
        mcp_buf_puts(out, "true");
    }
    mcp_buf_printf(out, "},\"cancelled\":%s}",
                   t->cancelled && !t->expired ? "true" : "false");
}

/* ---- rows --------------------------------------------------------------- */

struct mcp_task_row mcp_task_row_locked(const struct mcp_task *t)
{
    return (struct mcp_task_row){
        .id = t->id,
        .principal = t->principal,
        .tool = t->tool_name,
        .status = t->status,
        .status_message = t->status_message,
        .created_ms = t->created_ms,
        .updated_ms = t->updated_ms,
        .ttl_ms = t->ttl_ms,
        .poll_ms = t->poll_ms,
        .retry = t->retry,
        .params = t->params,
        .client = t->client,
        .questions = t->questions,
        .outcome = t->outcome,
    };
}

/* A text at `at` of the buffer; NULL when there was none. */
static const char *text_at(const struct mcp_buf *b, size_t at)
{
    return at == SIZE_MAX ? NULL : b->data + at;
}

static size_t add_text(struct mcp_buf *b, const char *text)
{
    size_t at = b->len;

    if (text == NULL)
        return SIZE_MAX;
    mcp_buf_add(b, text, strlen(text) + 1);
    return at;
}

/* The row to be stored; texts that may change are copied into `b`. False: no
 * memory. */
static bool copy_row_locked(struct mcp_task *t, struct mcp_task_row *row,
                            struct mcp_buf *b)
{
    size_t message = add_text(b, t->status_message);
    size_t questions = add_text(b, t->questions);
    size_t outcome = add_text(b, t->outcome), kept = b->len;

    *row = mcp_task_row_locked(t);
    if (t->ending)
        row->status = t->end;
    else
        mcp_task_write_kept_locked(b, t);
    if (!t->ending && t->asking != 0)
        row->status = MCP_TASK_INPUT_REQUIRED;
    mcp_buf_putc(b, '\0');
    if (b->failed)
        return false;
    row->status_message = text_at(b, message);
    row->questions = text_at(b, questions);
    row->outcome = text_at(b, outcome);
    row->kept = t->ending ? NULL : text_at(b, kept);
    if (t->ending)
        row->params = row->client = NULL; /* nobody will run it again */
    return true;
}

/* Those who wait for what has been written. */
static struct mcp_task_waiter *take_waiters_locked(struct mcp_task *t)
{
    struct mcp_task_waiter **link = &t->waiters, *taken = NULL, *w;

    while ((w = *link) != NULL) {
        if (w->version > t->written) {
            link = &w->next;
            continue;
        }
        *link = w->next;
        w->next = taken;
        taken = w;
    }
    return taken;
}

/* The end is in the store, or cannot be: from now on clients see it. */
static bool show_end_locked(struct mcp_task *t, enum mcp_err err)
{
    if (!t->ending || t->written != t->version || !t->listed ||
        mcp_task_is_final(t->status))
        return false;
    t->status = t->end;
    t->kept_only = err != MCP_OK && err != MCP_EEXIST;
    if (t->kept_only)
        mcp_log(MCP_LOG_ERROR, "tasks",
                "the end of task %s of tool %s could not be stored", t->id,
                t->tool_name);
    return true;
}

/* The questions are in the store: from now on clients see them. */
static bool show_asking_locked(struct mcp_task *t)
{
    if (t->asking == 0 || t->written < t->asking || t->ending)
        return false;
    t->asking = 0;
    t->status = MCP_TASK_INPUT_REQUIRED;
    return true;
}

static void try_later_locked(struct mcp_tasks *tasks, unsigned ms)
{
    tasks->retry_ns = mcp_clock_now_ns() + ms * MCP_NS_PER_MS;
    mcp_tasks_wake_locked(tasks);
}

/* A write has come to its end. */
static void put_done(void *user, enum mcp_err err)
{
    struct mcp_task *t = user;
    struct mcp_task_waiter *w, *next;
    bool ended, asks, more, unlist;

    (void)pthread_mutex_lock(&t->tasks->lock);
    t->writing = false;
    if (err == MCP_EBUSY) {
        try_later_locked(t->tasks, BUSY_MS);
    } else if (err == MCP_EIO && t->ending && t->in_flight == t->version &&
               t->waiters == NULL && !t->refused) {
        t->refused = true; /* once more: disks recover */
        try_later_locked(t->tasks, REFUSED_MS);
    } else {
        t->written = t->in_flight;
    }
    w = take_waiters_locked(t);
    asks = show_asking_locked(t);
    ended = show_end_locked(t, err);
    unlist = ended && !t->kept_only;
    if (unlist)
        mcp_task_unlist_locked(t);
    more = t->written == t->in_flight && t->written != t->version;
    (void)pthread_mutex_unlock(&t->tasks->lock);
    for (; w != NULL; w = next) {
        next = w->next;
        w->done(w, err);
    }
    if (ended || asks)
        mcp_task_publish(t);
    if (more)
        mcp_task_save(t, NULL);
    if (unlist)
        mcp_task_release(t); /* the table's */
    mcp_task_release(t);
}

void mcp_task_save(struct mcp_task *t, struct mcp_task_waiter *w)
{
    struct mcp_tasks *tasks = t->tasks;
    enum mcp_err err = MCP_OK;
    struct mcp_task_row row;
    struct mcp_buf b;
    bool due, ended;

    mcp_buf_init(&b, MCP_TASK_TEXT_MAX_BYTES);
    (void)pthread_mutex_lock(&tasks->lock);
    due = !t->writing && t->version != t->written;
    if (w != NULL && t->version != t->written) {
        w->version = t->version;
        w->next = t->waiters;
        t->waiters = w;
        w = NULL;
    }
    if (due) {
        t->writing = true;
        t->in_flight = t->version;
        t->refs++;
        err = copy_row_locked(t, &row, &b) ? MCP_OK : MCP_ENOMEM;
    }
    ended = t->ending && t->gen != NULL;
    (void)pthread_mutex_unlock(&tasks->lock);
    if (ended)
        mcp_task_let_generation_go(t);
    if (w != NULL)
        w->done(w, MCP_OK); /* it is there already */
    if (due && err == MCP_OK)
        mcp_task_store_put(tasks->store, &row, put_done, t);
    else if (due)
        put_done(t, err);
    mcp_buf_free(&b);
}

/* ---- notifications ------------------------------------------------------ */

void mcp_task_publish(struct mcp_task *t)
{
    struct mcp_tasks *tasks = t->tasks;
    struct mcp_task_row row;
    struct mcp_buf b;

    if (!mcp_subscriptions_want_task(tasks->subscriptions, t->id, t->principal))
        return;
    mcp_buf_init(&b, MCP_TASK_TEXT_MAX_BYTES);
    (void)pthread_mutex_lock(&tasks->publishing);
    (void)pthread_mutex_lock(&tasks->lock);
    row = mcp_task_row_locked(t);
    mcp_task_write_whole(&b, &row);
    t->told_ns = mcp_clock_now_ns();
    (void)pthread_mutex_unlock(&tasks->lock);
    if (!b.failed)
        mcp_publish_task(tasks->subscriptions, t->id, t->principal, b.data,
                         b.len);
    (void)pthread_mutex_unlock(&tasks->publishing);
    mcp_buf_free(&b);
}
