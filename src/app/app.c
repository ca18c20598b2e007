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
#include "app/loader.h"
#include "app/pool.h"
#include "app/run.h"
#include "app/runner.h"
#include "app/shared.h"
#include "app/timers.h"
#include "base/log.h"

enum {
    OUTCOME_MAX = 128 << 20, /* bytes of one answer                   */
    STOP_MS = 3000,          /* how long closing waits for the workers */
};

struct mcp_app {
    struct mcp_app_options options;
    struct mcp_supervisor *supervisor;
    struct mcp_registry *registry;
    struct mcp_loader *loader;
    struct mcp_pool *pool;
    struct mcp_timers *timers;
    size_t max_workers;
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
        .run = run_job,
        .user = app,
    };

    options.max_workers =
        mcp_loader_worker_count(gen->config, &options.min_workers);
    app->max_workers = options.max_workers;
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

bool mcp_app_close(struct mcp_app *app)
{
    if (app == NULL)
        return true;
    mcp_timers_stop(app->timers);
    if (app->pool != NULL && !mcp_pool_free(app->pool, STOP_MS)) {
        mcp_log(MCP_LOG_WARNING, "app",
                "a handler is blocked inside a C library: not waited for");
        return false;
    }
    mcp_loader_free(app->loader); /* and with it the registry */
    mcp_supervisor_free(app->supervisor);
    mcp_timers_free(app->timers);
    mcp_shared_free(app->options.shared);
    free(app);
    return true;
}

const struct mcp_generation *mcp_app_acquire(struct mcp_app *app)
{
    return mcp_registry_acquire(app->registry);
}

enum mcp_err mcp_app_run(struct mcp_app *app, struct mcp_job *job)
{
    mcp_outcome_init(&job->outcome, OUTCOME_MAX);
    job->state = NULL;
    job->next = NULL;
    if (job->apart == NULL)
        job->ask = NULL;
    job->woken = job->aside = job->resting = false;
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
