/*
 * app.c - see app.h
 *
 * Threads of an app: the supervisor (deadlines, sleepers), the workers (calls)
 * and the loader (everything about states outside of calls), so that no io
 * thread ever runs Lua.
 */
#include "app/app.h"

#include <stdio.h>
#include <stdlib.h>

#include "app/ask_wait.h"
#include "app/here.h"
#include "app/loader.h"
#include "app/pool.h"
#include "app/run.h"
#include "app/runner.h"
#include "app/shared.h"
#include "app/slots.h"
#include "app/timers.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"

enum {
    OUTCOME_MAX = 128 << 20, /* bytes of one answer                   */
    STOP_MS = 3000,          /* how long closing waits for the workers */
    HERE_MIN_WORKERS = 4,    /* fewer are meant as a bound             */
    HERE_MAX = 256,          /* jobs that wait in one place            */
    LOOP_STACK = 1 << 20,    /* of threads that run no handlers        */
};

struct mcp_app {
    struct mcp_app_options options;
    struct mcp_supervisor *supervisor;
    struct mcp_registry *registry;
    struct mcp_loader *loader;
    struct mcp_pool *pool;
    struct mcp_timers *timers;
    size_t max_workers, stack_bytes;
    pthread_mutex_t lock;
    pthread_cond_t gone;
    size_t here_threads; /* under lock: that have begun and not ended */
    void (*published)(void *user, const struct mcp_generation *old,
                      const struct mcp_generation *now);
    void *published_user; /* of whoever opened the app */
    char isolation[256];
};

static void run_job(void *user, struct mcp_runner *runner, struct mcp_job *job)
{
    struct mcp_app *app = user;

    mcp_run(app->pool, runner, job);
}

static enum mcp_err start_workers(struct mcp_app *app)
{
    const struct mcp_generation *gen = mcp_registry_acquire(app->registry);
    struct mcp_pool_options options = {
        .supervisor = app->supervisor,
        .max_queue = (size_t)gen->config->queue,
        .stack_bytes = (size_t)gen->config->worker_stack,
        .run = run_job,
        .user = app,
    };

    options.max_workers =
        mcp_loader_worker_count(gen->config, &options.min_workers);
    app->max_workers = options.max_workers;
    app->stack_bytes = options.stack_bytes;
    mcp_generation_release(gen);
    return mcp_pool_new(&options, &app->pool);
}

static enum mcp_err submit(void *user, struct mcp_job *job)
{
    return mcp_app_run(user, job);
}

/* After a reload: the timers are those of the new generation. */
static void on_published(void *user, const struct mcp_generation *old,
                         const struct mcp_generation *now)
{
    struct mcp_app *app = user;

    if (app->published != NULL)
        app->published(app->published_user, old, now);
    if (!app->options.idle)
        mcp_timers_follow(app->timers, now);
}

static void start_timers(struct mcp_app *app)
{
    const struct mcp_generation *gen = mcp_registry_acquire(app->registry);

    if (!app->options.idle)
        mcp_timers_follow(app->timers, gen);
    mcp_generation_release(gen);
}

static enum mcp_err open_parts(struct mcp_app *app, char *message,
                               size_t message_size)
{
    enum mcp_err err;

    (void)snprintf(message, message_size, "out of memory or of threads");
    app->supervisor = mcp_supervisor_new();
    if (app->supervisor == NULL)
        return MCP_ENOMEM;
    app->registry = mcp_registry_new();
    app->options.shared = mcp_shared_new();
    app->timers = mcp_timers_new(submit, app);
    if (app->registry == NULL || app->options.shared == NULL ||
        app->timers == NULL)
        return MCP_ENOMEM;
    err = mcp_loader_new(&app->options, app->registry, app->supervisor,
                         &app->loader, message, message_size);
    if (err == MCP_OK)
        err = start_workers(app);
    if (err == MCP_OK)
        start_timers(app);
    return err;
}

static void init_locks(struct mcp_app *app)
{
    pthread_condattr_t attr;

    (void)pthread_mutex_init(&app->lock, NULL);
    (void)pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&app->gone, &attr);
    (void)pthread_condattr_destroy(&attr);
}

enum mcp_err mcp_app_open(const struct mcp_app_options *options,
                          struct mcp_app **out, char *message,
                          size_t message_size)
{
    struct mcp_app *app = calloc(1, sizeof(*app));
    enum mcp_err err;

    if (app == NULL) {
        (void)snprintf(message, message_size, "out of memory");
        return MCP_ENOMEM;
    }
    init_locks(app);
    app->options = *options;
    app->published = options->published;
    app->published_user = options->published_user;
    app->options.published = on_published;
    app->options.published_user = app;
    err = open_parts(app, message, message_size);
    if (err != MCP_OK) {
        (void)mcp_app_close(app);
        return err;
    }
    *out = app;
    return MCP_OK;
}

static bool wait_for_here_threads(struct mcp_app *app);

bool mcp_app_close(struct mcp_app *app)
{
    if (app == NULL)
        return true;
    mcp_timers_stop(app->timers);
    if (!wait_for_here_threads(app) ||
        (app->pool != NULL && !mcp_pool_free(app->pool, STOP_MS))) {
        mcp_log(MCP_LOG_WARNING, "app",
                "a handler is blocked inside a C library: not waited for");
        return false;
    }
    mcp_loader_free(app->loader); /* and with it the registry */
    mcp_supervisor_free(app->supervisor);
    mcp_timers_free(app->timers);
    mcp_shared_free(app->options.shared);
    (void)pthread_mutex_destroy(&app->lock);
    (void)pthread_cond_destroy(&app->gone);
    free(app);
    return true;
}

const struct mcp_generation *mcp_app_acquire(struct mcp_app *app)
{
    return mcp_registry_acquire(app->registry);
}

/* ---- quick handlers on other threads --------------------------------------
 */

bool mcp_here_is_possible(struct mcp_app *app)
{
    return app->max_workers >= HERE_MIN_WORKERS;
}

void mcp_here_init_attr(const struct mcp_app *app, pthread_attr_t *attr)
{
    mcp_pool_init_attr(attr, app != NULL ? app->stack_bytes : LOOP_STACK);
}

struct mcp_runner *mcp_here_begin(struct mcp_app *app)
{
    struct mcp_runner *runner = mcp_runner_new(app->supervisor);

    if (runner == NULL)
        return NULL;
    (void)pthread_mutex_lock(&app->lock);
    app->here_threads++;
    (void)pthread_mutex_unlock(&app->lock);
    return runner;
}

void mcp_here_end(struct mcp_app *app, struct mcp_runner *runner)
{
    mcp_runner_free(runner);
    mcp_thread_leave();
    (void)pthread_mutex_lock(&app->lock);
    app->here_threads--;
    (void)pthread_cond_signal(&app->gone);
    (void)pthread_mutex_unlock(&app->lock);
}

/* Only by whom the call was received: later it may be on another thread. */
static bool put_here(struct mcp_job *job)
{
    struct mcp_here *here = job->call->here;

    job->call->here = NULL;
    if (here == NULL || here->count >= HERE_MAX ||
        !mcp_slots_is_quick(mcp_loader_slots(job->gen), job->handler))
        return false;
    if (here->first == NULL)
        here->first = job;
    else
        here->last->next = job;
    here->last = job;
    here->count++;
    job->queued_ns = mcp_clock_now_ns();
    return true;
}

struct mcp_job *mcp_here_take(struct mcp_here *here)
{
    struct mcp_job *job = here->first;

    if (job == NULL)
        return NULL;
    here->first = job->next;
    here->count--;
    job->next = NULL;
    return job;
}

void mcp_here_run(struct mcp_app *app, struct mcp_runner *runner,
                  struct mcp_job *job)
{
    mcp_run(app->pool, runner, job);
}

void mcp_here_decline(struct mcp_app *app, struct mcp_job *job)
{
    mcp_pool_resume(app->pool, job); /* it was accepted: never refused */
}

void mcp_here_hand_over(struct mcp_app *app, struct mcp_here *here)
{
    struct mcp_job *job;

    while ((job = mcp_here_take(here)) != NULL)
        mcp_here_decline(app, job);
}

/* False: one is still at work. */
static bool wait_for_here_threads(struct mcp_app *app)
{
    struct timespec until = mcp_clock_timespec(
        mcp_clock_now_ns() + (uint64_t)STOP_MS * MCP_NS_PER_MS);
    bool gone;
    int rc = 0;

    (void)pthread_mutex_lock(&app->lock);
    if (app->here_threads > 0)
        mcp_supervisor_cancel(app->supervisor, NULL);
    while (app->here_threads > 0 && rc == 0)
        rc = pthread_cond_timedwait(&app->gone, &app->lock, &until);
    gone = app->here_threads == 0;
    (void)pthread_mutex_unlock(&app->lock);
    return gone;
}

/* ---- jobs ----------------------------------------------------------------
 */

enum mcp_err mcp_app_run(struct mcp_app *app, struct mcp_job *job)
{
    mcp_outcome_init(&job->outcome, OUTCOME_MAX);
    job->state = NULL;
    job->next = NULL;
    if (job->apart == NULL)
        job->ask = NULL;
    job->woken = job->aside = job->resting = false;
    if (put_here(job))
        return MCP_OK;
    return mcp_pool_submit(app->pool, job);
}

void mcp_app_cancel(struct mcp_app *app, struct mcp_call *call)
{
    mcp_supervisor_cancel(app->supervisor, call);
    mcp_pool_cancel(app->pool, call);
}

bool mcp_app_answer(struct mcp_app *app, const struct mcp_session *session,
                    const struct mcp_json *response)
{
    return mcp_ask_wait_answer(app->pool, session, response);
}

bool mcp_app_answer_apart(struct mcp_app *app, const struct mcp_call *call,
                          const char *key, const struct mcp_json *answer)
{
    return mcp_ask_wait_answer_apart(app->pool, call, key, answer);
}

size_t mcp_app_max_workers(struct mcp_app *app)
{
    return app->max_workers;
}

void mcp_app_session_ended(struct mcp_app *app,
                           const struct mcp_session *session)
{
    mcp_ask_wait_drop(app->pool, session, NULL);
}

void mcp_app_client_left(struct mcp_app *app, const struct mcp_call *call)
{
    mcp_ask_wait_drop(app->pool, NULL, call);
}

void mcp_app_reload(struct mcp_app *app)
{
    mcp_loader_reload(app->loader, false);
}

void mcp_app_clock_moved(struct mcp_app *app)
{
    mcp_supervisor_wake(app->supervisor);
    mcp_timers_clock_moved(app->timers);
}

bool mcp_app_is_idle(struct mcp_app *app)
{
    return mcp_pool_is_idle(app->pool);
}

struct mcp_shared *mcp_app_shared(struct mcp_app *app)
{
    return app->options.shared;
}

bool mcp_app_ready(struct mcp_app *app)
{
    return app->pool != NULL && mcp_pool_healthy(app->pool);
}

const char *mcp_app_isolation(struct mcp_app *app)
{
    mcp_loader_isolation(app->loader, app->isolation, sizeof(app->isolation));
    return app->isolation;
}
