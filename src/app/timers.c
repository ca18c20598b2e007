/*
 * timers.c - see timers.h
 *
 * The beats of one generation are a set, which is there until it has been
 * replaced and its last run has ended: references, under the lock.
 */
#include "app/timers.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"

enum { RUN_BYTES = 1 << 20, STACK_BYTES = 128 << 10 };

struct set;

/* One timer, and its run when there is one. */
struct beat {
    struct set *set;
    const struct mcp_timer *timer; /* of set->gen */
    uint64_t due_ns, period_ns;
    bool running; /* under lock */
    struct mcp_call call;
    struct mcp_job job;
};

struct set {
    struct mcp_timers *timers;
    const struct mcp_generation *gen; /* REF */
    size_t refs; /* of `timers`, and one for each run; under lock */
    size_t count;
    struct beat beats[];
};

struct mcp_timers {
    enum mcp_err (*submit)(void *user, struct mcp_job *job);
    void *user;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread;
    bool has_thread, stop; /* under lock, as all below */
    uint64_t number;       /* of the newest generation */
    struct set *set;       /* NULL: nothing beats */
};

/* ---- the call that is none ------------------------------------------------
 */

/* There is no client. */
static enum mcp_err emit(struct mcp_call *call, const char *msg, size_t len)
{
    (void)call;
    (void)msg;
    (void)len;
    return MCP_ECANCELED;
}

static void done(struct mcp_call *call)
{
    (void)call;
}

/* What it says by ctx.info() and the like is for the log. */
static void say(struct mcp_call *call, const char *level, const char *logger,
                const char *data, size_t len)
{
    const struct beat *b = call->transport_data;
    enum mcp_log_level l = strcmp(level, "debug") == 0     ? MCP_LOG_DEBUG
                           : strcmp(level, "info") == 0    ? MCP_LOG_INFO
                           : strcmp(level, "notice") == 0  ? MCP_LOG_INFO
                           : strcmp(level, "warning") == 0 ? MCP_LOG_WARNING
                                                           : MCP_LOG_ERROR;

    (void)logger;
    mcp_log(l, "app", "timer %s: %.*s", b->timer->name, (int)len, data);
}

static void progress(struct mcp_call *call, double done_so_far, double total,
                     const char *message, size_t len)
{
    (void)call;
    (void)done_so_far;
    (void)total;
    (void)message;
    (void)len;
}

/* ---- runs -----------------------------------------------------------------
 */

/* Gives one reference back. Under the lock; the caller frees what it gets. */
static struct set *leave(struct set *set)
{
    return --set->refs == 0 ? set : NULL;
}

static void set_free(struct set *set)
{
    if (set == NULL)
        return;
    mcp_generation_release(set->gen);
    free(set);
}

static void end_run(struct beat *b)
{
    struct mcp_timers *t = b->set->timers;
    struct set *gone;

    mcp_arena_free(b->call.arena);
    (void)pthread_mutex_lock(&t->lock);
    b->running = false;
    gone = leave(b->set);
    (void)pthread_mutex_unlock(&t->lock);
    set_free(gone);
}

static void finish(struct mcp_job *job)
{
    struct beat *b = job->user;
    const struct mcp_outcome *o = &job->outcome;

    if (o->kind == MCP_OUTCOME_ERROR || o->is_error)
        mcp_log(MCP_LOG_ERROR, "app", "timer %s: %.*s", b->timer->name,
                (int)o->message.len,
                o->message.len > 0 ? o->text.data + o->message.at : "");
    mcp_outcome_free(&job->outcome);
    mcp_generation_release(job->gen);
    end_run(b);
}

static bool make_call(struct beat *b)
{
    static const struct mcp_call_ops ops = {.emit = emit, .done = done};
    static const struct mcp_call_notify notify = {say, progress};

    memset(&b->call, 0, sizeof(b->call));
    memset(&b->job, 0, sizeof(b->job));
    b->call.arena = mcp_arena_new(RUN_BYTES);
    b->call.ops = &ops;
    b->call.notify = &notify;
    b->call.transport = MCP_TRANSPORT_STDIO;
    b->call.revision = MCP_REVISION_LAST;
    b->call.principal = "anonymous";
    b->call.method = "timer";
    b->call.started_ns = mcp_clock_now_ns();
    b->call.last_progress = -HUGE_VAL;
    b->call.transport_data = b;
    b->job.call = &b->call;
    b->job.gen = b->set->gen;
    b->job.handler = &b->timer->handler;
    b->job.finish = finish;
    b->job.user = b;
    return b->call.arena != NULL;
}

/* `b` is marked as running. */
static void run(struct beat *b)
{
    struct mcp_timers *t = b->set->timers;
    enum mcp_err err = MCP_ENOMEM;

    if (make_call(b)) {
        mcp_generation_retain(b->job.gen);
        err = t->submit(t->user, &b->job);
        if (err == MCP_OK)
            return; /* `b` may be gone */
        mcp_outcome_free(&b->job.outcome);
        mcp_generation_release(b->job.gen);
    }
    mcp_log(MCP_LOG_WARNING, "app", "timer %s: skipped, %s", b->timer->name,
            err == MCP_EBUSY ? "too many calls wait" : "out of memory");
    end_run(b);
}

/* ---- the thread -----------------------------------------------------------
 */

/* The first beat that is due, with its next time set; else NULL and when to
 * look again. Under the lock. */
static struct beat *next_due(struct set *set, uint64_t *when_ns)
{
    uint64_t now = mcp_clock_now_ns();

    *when_ns = UINT64_MAX;
    for (size_t i = 0; set != NULL && i < set->count; i++) {
        struct beat *b = &set->beats[i];

        if (b->due_ns <= now) {
            b->due_ns += b->period_ns;
            if (b->due_ns <= now) /* the machine slept, or we did */
                b->due_ns = now + b->period_ns;
            if (!b->running)
                return b;
            mcp_log(MCP_LOG_DEBUG, "app", "timer %s: still runs, not started",
                    b->timer->name);
        }
        if (b->due_ns < *when_ns)
            *when_ns = b->due_ns;
    }
    return NULL;
}

/* Under the lock. */
static void wait_until(struct mcp_timers *t, uint64_t when_ns)
{
    struct timespec at;

    if (when_ns == UINT64_MAX) {
        (void)pthread_cond_wait(&t->changed, &t->lock);
        return;
    }
    at = mcp_clock_timespec(when_ns);
    (void)pthread_cond_timedwait(&t->changed, &t->lock, &at);
}

static void *timers_main(void *arg)
{
    struct mcp_timers *t = arg;

    (void)pthread_mutex_lock(&t->lock);
    while (!t->stop) {
        uint64_t when_ns;
        struct beat *b = next_due(t->set, &when_ns);

        if (b == NULL) {
            wait_until(t, when_ns);
            continue;
        }
        b->running = true;
        b->set->refs++;
        (void)pthread_mutex_unlock(&t->lock);
        run(b);
        (void)pthread_mutex_lock(&t->lock);
    }
    (void)pthread_mutex_unlock(&t->lock);
    return NULL;
}

/* Under the lock. */
static void start_thread(struct mcp_timers *t)
{
    pthread_attr_t attr;

    (void)pthread_attr_init(&attr);
    (void)pthread_attr_setstacksize(&attr, STACK_BYTES);
    t->has_thread = pthread_create(&t->thread, &attr, timers_main, t) == 0;
    (void)pthread_attr_destroy(&attr);
    if (!t->has_thread)
        mcp_log(MCP_LOG_ERROR, "app", "timers do not run: no thread for them");
}

/* ---- sets -----------------------------------------------------------------
 */

static struct set *set_new(struct mcp_timers *t,
                           const struct mcp_generation *gen)
{
    size_t count = gen->timer_count;
    struct set *set = calloc(1, sizeof(*set) + count * sizeof(struct beat));
    uint64_t now = mcp_clock_now_ns();

    if (set == NULL) {
        mcp_log(MCP_LOG_ERROR, "app", "timers do not run: out of memory");
        return NULL;
    }
    set->timers = t;
    set->gen = gen;
    set->refs = 1;
    set->count = count;
    mcp_generation_retain(gen);
    for (size_t i = 0; i < count; i++) {
        struct beat *b = &set->beats[i];

        b->set = set;
        b->timer = &gen->timers[i];
        b->period_ns = mcp_clock_from_seconds(b->timer->seconds);
        b->due_ns = now + b->period_ns;
    }
    return set;
}

void mcp_timers_follow(struct mcp_timers *t, const struct mcp_generation *gen)
{
    struct set *set = gen->timer_count > 0 ? set_new(t, gen) : NULL;
    struct set *old = set, *gone = NULL;

    (void)pthread_mutex_lock(&t->lock);
    if (gen->number > t->number && !t->stop) {
        t->number = gen->number;
        old = t->set;
        t->set = set;
        if (set != NULL && !t->has_thread)
            start_thread(t);
        (void)pthread_cond_signal(&t->changed);
    }
    if (old != NULL)
        gone = leave(old);
    (void)pthread_mutex_unlock(&t->lock);
    set_free(gone);
}

void mcp_timers_clock_moved(struct mcp_timers *t)
{
    (void)pthread_mutex_lock(&t->lock);
    (void)pthread_cond_signal(&t->changed);
    (void)pthread_mutex_unlock(&t->lock);
}

/* ---- life -----------------------------------------------------------------
 */

struct mcp_timers *mcp_timers_new(enum mcp_err (*submit)(void *user,
                                                         struct mcp_job *job),
                                  void *user)
{
    struct mcp_timers *t = calloc(1, sizeof(*t));
    pthread_condattr_t attr;

    if (t == NULL)
        return NULL;
    t->submit = submit;
    t->user = user;
    (void)pthread_mutex_init(&t->lock, NULL);
    (void)pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&t->changed, &attr);
    (void)pthread_condattr_destroy(&attr);
    return t;
}

void mcp_timers_stop(struct mcp_timers *t)
{
    struct set *gone = NULL;
    bool has_thread;

    if (t == NULL)
        return;
    (void)pthread_mutex_lock(&t->lock);
    t->stop = true;
    has_thread = t->has_thread;
    t->has_thread = false;
    (void)pthread_cond_signal(&t->changed);
    (void)pthread_mutex_unlock(&t->lock);
    if (has_thread)
        (void)pthread_join(t->thread, NULL);
    (void)pthread_mutex_lock(&t->lock);
    if (t->set != NULL)
        gone = leave(t->set);
    t->set = NULL;
    (void)pthread_mutex_unlock(&t->lock);
    set_free(gone);
}

void mcp_timers_free(struct mcp_timers *t)
{
    if (t == NULL)
        return;
    mcp_timers_stop(t);
    (void)pthread_mutex_destroy(&t->lock);
    (void)pthread_cond_destroy(&t->changed);
    free(t);
}
