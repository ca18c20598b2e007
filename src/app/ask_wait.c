/*
 * ask_wait.c - one list under one lock: a thousand jobs at most
 *
 * Order of locks: this one, then the pool's.
 */
#include "app/ask_wait.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/apart.h"
#include "base/clock.h"

enum { MESSAGE_MAX_BYTES = 64 << 20, PIPE_WAITING = 32 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct mcp_ask_wait *first; /* all that are out */
static size_t waiting;             /* jobs             */
static unsigned long long last_id;

/* ---- the list ---- */

/* How many may wait. The reader of stdio stops at twice `queue` and 64 calls,
 * and could never read an answer if all of them waited for one. */
static size_t most_waiting(const struct mcp_job *job)
{
    const struct mcp_config *config = job->gen->config;
    size_t pipe = 2 * (size_t)config->queue + PIPE_WAITING;
    size_t most = (size_t)config->max_waiting;

    return job->call->transport == MCP_TRANSPORT_STDIO && pipe < most ? pipe
                                                                      : most;
}

/* Gives the waits their ids and lists them. */
static enum mcp_err list_all(struct mcp_job *job)
{
    enum mcp_err err = MCP_OK;
    struct mcp_ask_wait *w;

    (void)pthread_mutex_lock(&lock);
    if (job->apart == NULL && waiting >= most_waiting(job))
        err = MCP_EBUSY;
    for (w = job->ask->waits; err == MCP_OK && w != NULL; w = w->next) {
        (void)snprintf(w->id, sizeof(w->id), "mcpluad-%llu", ++last_id);
        w->other = first;
        first = w;
    }
    if (err == MCP_OK) {
        waiting += job->apart == NULL;
        job->ask->waiting = true;
    }
    (void)pthread_mutex_unlock(&lock);
    return err;
}

void mcp_ask_wait_end(struct mcp_job *job)
{
    struct mcp_ask_wait **link;

    (void)pthread_mutex_lock(&lock);
    if (job->ask != NULL && job->ask->waiting) {
        for (link = &first; *link != NULL;)
            if ((*link)->job == job)
                *link = (*link)->other;
            else
                link = &(*link)->other;
        waiting -= job->apart == NULL;
        job->ask->waiting = false;
        job->woken = false; /* nobody will wake it any more */
    }
    (void)pthread_mutex_unlock(&lock);
}

void mcp_ask_wait_free(struct mcp_job *job)
{
    struct mcp_ask_wait *w;

    mcp_ask_wait_end(job);
    for (w = job->ask != NULL ? job->ask->waits : NULL; w != NULL;
         w = w->next) {
        free(w->text);
        w->text = NULL;
    }
    if (job->ask != NULL)
        job->ask->waits = NULL;
}

/* ---- asking ---- */

/* The question's key, or for a second question of that key "KEY-2", and so on:
 * a key never stands for two questions of one task. NULL: no memory. */
static const char *unused_key(struct mcp_job *job, const struct mcp_question *q)
{
    static const struct mcp_json yes = {.type = MCP_JSON_TRUE};
    struct mcp_ask *ask = job->ask;
    const char *key = q->key;
    unsigned n = 1;

    while (key != NULL && mcp_ask_find(ask->issued, key, strlen(key)) != NULL)
        key = mcp_arena_printf(job->call->arena, "%s-%u", q->key, ++n);
    if (key == NULL || !mcp_ask_keep(job, &ask->issued, key, strlen(key), &yes))
        return NULL;
    return key;
}

/* One wait a question, in their order, in the arena. */
static enum mcp_err make_waits(struct mcp_job *job,
                               const struct mcp_question *q, size_t count)
{
    struct mcp_ask_wait **end = &job->ask->waits;

    mcp_ask_wait_free(job);
    for (size_t i = 0; i < count; i++) {
        struct mcp_ask_wait *w = mcp_arena_alloc(job->call->arena, sizeof(*w));

        if (w == NULL)
            return MCP_ENOMEM;
        *w = (struct mcp_ask_wait){.job = job, .question = &q[i]};
        if (job->apart != NULL) {
            w->key = unused_key(job, &q[i]);
            if (w->key == NULL)
                return MCP_ENOMEM;
        }
        *end = w;
        end = &w->next;
    }
    job->ask->unanswered = count;
    return MCP_OK;
}

/* {"jsonrpc":"2.0","id":"...", and the question's request without its brace. */
static enum mcp_err send(struct mcp_call *call, const struct mcp_ask_wait *w)
{
    const struct mcp_question *q = w->question;
    enum mcp_err err = MCP_ENOMEM;
    struct mcp_buf b;

    mcp_buf_init(&b, MESSAGE_MAX_BYTES);
    mcp_buf_printf(&b, "{\"jsonrpc\":\"2.0\",\"id\":\"%s\",", w->id);
    mcp_buf_add(&b, q->request + 1, q->request_len - 1);
    if (!b.failed)
        err = call->ops->emit(call, b.data, b.len);
    mcp_buf_free(&b);
    return err;
}

/* Hands the questions to whoever made the run. */
static enum mcp_err carry(struct mcp_job *job, size_t count)
{
    struct mcp_apart_question *q =
        mcp_arena_alloc(job->call->arena, count * sizeof(*q));
    const struct mcp_ask_wait *w = job->ask->waits;

    if (q == NULL)
        return MCP_ENOMEM;
    for (size_t i = 0; i < count; i++, w = w->next)
        q[i] = (struct mcp_apart_question){.key = w->key,
                                           .name = w->question->key,
                                           .request = w->question->request,
                                           .request_len =
                                               w->question->request_len};
    return job->apart->ask(job, q, count);
}

enum mcp_err mcp_ask_wait_begin(struct mcp_job *job,
                                const struct mcp_question *q, size_t count)
{
    enum mcp_err err = make_waits(job, q, count);
    uint64_t now = mcp_clock_now_ns();
    struct mcp_ask_wait *w;

    if (err == MCP_OK)
        err = list_all(job);
    if (err == MCP_OK && job->apart != NULL)
        err = carry(job, count);
    else
        for (w = job->ask->waits; err == MCP_OK && w != NULL; w = w->next)
            err = send(job->call, w);
    if (err != MCP_OK) {
        mcp_ask_wait_free(job);
        return err;
    }
    job->ask->left_ns = job->deadline_ns > now ? job->deadline_ns - now : 0;
    job->deadline_ns =
        job->apart != NULL
            ? UINT64_MAX
            : now + mcp_clock_from_seconds(job->gen->config->waiting_timeout);
    job->wake_ns = job->deadline_ns;
    return MCP_OK;
}

/* ---- answers ---- */

/* Under the lock. The last one that a job waits for wakes it. */
static void close_wait(struct mcp_pool *pool, struct mcp_ask_wait *w,
                       enum mcp_ask_end end)
{
    if (w->end != MCP_ASK_OPEN)
        return;
    w->end = end;
    if (--w->job->ask->unanswered == 0 || end != MCP_ASK_ANSWERED)
        mcp_pool_wake(pool, w->job);
}

/* Under the lock. */
static struct mcp_ask_wait *find(const struct mcp_session *session,
                                 const struct mcp_json *id)
{
    struct mcp_ask_wait *w;

    for (w = first; w != NULL; w = w->other)
        if (w->job->call->session == session &&
            mcp_json_equals_string(id, w->id) && w->end == MCP_ASK_OPEN)
            return w;
    return NULL;
}

bool mcp_ask_wait_answer(struct mcp_pool *pool,
                         const struct mcp_session *session,
                         const struct mcp_json *response)
{
    struct mcp_ask_wait *w;
    struct mcp_buf b;

    mcp_buf_init(&b, MESSAGE_MAX_BYTES);
    mcp_json_write(&b, response);
    (void)pthread_mutex_lock(&lock);
    w = session == NULL || b.failed
            ? NULL
            : find(session, mcp_json_find(response, "id"));
    if (w != NULL) {
        w->text = mcp_buf_take(&b, &w->len);
        close_wait(pool, w, MCP_ASK_ANSWERED);
    }
    (void)pthread_mutex_unlock(&lock);
    mcp_buf_free(&b);
    return w != NULL;
}

bool mcp_ask_wait_answer_apart(struct mcp_pool *pool,
                               const struct mcp_call *call, const char *key,
                               const struct mcp_json *answer)
{
    struct mcp_ask_wait *w;
    struct mcp_buf b;

    mcp_buf_init(&b, MESSAGE_MAX_BYTES);
    mcp_buf_puts(&b, "{\"result\":");
    mcp_json_write(&b, answer);
    mcp_buf_putc(&b, '}');
    (void)pthread_mutex_lock(&lock);
    for (w = first; w != NULL; w = w->other)
        if (w->job->call == call && w->end == MCP_ASK_OPEN &&
            strcmp(w->key, key) == 0)
            break;
    if (w != NULL) {
        w->text = b.failed ? NULL : mcp_buf_take(&b, &w->len);
        close_wait(pool, w, MCP_ASK_ANSWERED);
    }
    (void)pthread_mutex_unlock(&lock);
    mcp_buf_free(&b);
    return w != NULL;
}

void mcp_ask_wait_drop(struct mcp_pool *pool, const struct mcp_session *session,
                       const struct mcp_call *call)
{
    struct mcp_ask_wait *w;

    (void)pthread_mutex_lock(&lock);
    for (w = first; w != NULL; w = w->other) {
        if (session != NULL ? w->job->call->session == session
                            : w->job->call == call)
            close_wait(pool, w,
                       session != NULL ? MCP_ASK_SESSION_ENDED
                                       : MCP_ASK_CLIENT_LEFT);
    }
    (void)pthread_mutex_unlock(&lock);
}
