/*
 * app.c - see app.h
 *
 * Threads of an app: the supervisor (deadlines, sleepers), the workers (calls)
 * and the loader, which alone loads and closes states outside of calls, so
 * that no io thread ever runs Lua.
 */
#include "app/app.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/pool.h"
#include "app/run.h"
#include "app/runner.h"
#include "app/slots.h"
#include "app/sources.h"
#include "app/state.h"
#include "base/log.h"

enum {
    OUTCOME_MAX = 512 << 20, /* bytes of one answer                        */
    STATES_MIN = 256,        /* states that one generation may have at most */
    FIRST_STATES = 2,        /* loaded before a publish: they must agree    */
    STOP_MS = 3000,          /* how long closing waits for the workers      */
};

/* What a generation's `lua` points to. When the generation has gone it waits
 * in the app's list for the loader to close the states. */
struct lua_side {
    struct mcp_slots *slots;
    struct mcp_app *app;
    struct lua_side *next;
};

struct mcp_app {
    struct mcp_app_options options;
    struct mcp_supervisor *supervisor;
    struct mcp_registry *registry;
    struct mcp_pool *pool;

    pthread_t loader;
    pthread_mutex_t lock;
    pthread_cond_t work, loaded;
    bool loader_runs, need_states, stop, first_load_done; /* under lock    */
    struct lua_side *gone;                                /* under lock    */
    enum mcp_err load_result;
    char message[1024];
    char isolation[256];
};

struct mcp_slots *mcp_app_slots(const struct mcp_generation *gen)
{
    return ((struct lua_side *)gen->lua)->slots;
}

static size_t worker_count(const struct mcp_config *config, size_t *min)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t max;

    *min = cores > 0 ? (size_t)cores : 1;
    max = 4 * *min > 8 ? 4 * *min : 8;
    if (config->max_workers > 0)
        max = (size_t)config->max_workers;
    if (*min > max)
        *min = max;
    return max;
}

/* ---- loading --------------------------------------------------------------
 */

static void need_states(void *user)
{
    struct mcp_app *app = user;

    (void)pthread_mutex_lock(&app->lock);
    app->need_states = true;
    (void)pthread_cond_signal(&app->work);
    (void)pthread_mutex_unlock(&app->lock);
}

/* The last reference to a generation is gone, on any thread. */
static void leave_to_loader(void *lua)
{
    struct lua_side *side = lua;
    struct mcp_app *app = side->app;

    (void)pthread_mutex_lock(&app->lock);
    side->next = app->gone;
    app->gone = side;
    (void)pthread_cond_signal(&app->work);
    (void)pthread_mutex_unlock(&app->lock);
}

/* Gives `gen` its (still empty) set of states. `sources` is TAKEN. */
static enum mcp_err add_lua_side(struct mcp_app *app,
                                 struct mcp_generation *gen,
                                 struct mcp_sources *sources)
{
    size_t min, max = worker_count(gen->config, &min);
    struct mcp_slots_options options = {
        .app_path = app->options.path,
        .gen = gen,
        .sources = sources,
        .max_states = 2 * max > STATES_MIN ? 2 * max : (size_t)STATES_MIN,
        .max_idle = max,
        .ready_states = FIRST_STATES > min ? (size_t)FIRST_STATES : min,
        .need = need_states,
        .user = app,
    };
    struct lua_side *side = calloc(1, sizeof(*side));
    struct mcp_slots *slots = mcp_slots_new(&options);

    if (side == NULL || slots == NULL) {
        free(side);
        mcp_slots_free(slots, NULL);
        mcp_sources_free(slots == NULL ? sources : NULL);
        return MCP_ENOMEM;
    }
    side->slots = slots;
    side->app = app;
    gen->lua = side;
    gen->lua_free = leave_to_loader;
    return MCP_OK;
}

/* Loads the app for the first time in this generation: fills `b`. */
static enum mcp_err load_first(struct mcp_app *app, struct mcp_runner *runner,
                               struct mcp_builder *b,
                               struct mcp_sources *sources,
                               struct mcp_state **st)
{
    const struct mcp_config *config = app->options.config;
    struct mcp_load load = {.builder = b};
    struct mcp_state_options options = {
        .app_path = app->options.path,
        .memory_limit = (size_t)config->memory_limit,
        .load_timeout_s = config->load_timeout,
        .sources = sources,
        .load = &load,
        .runner = runner,
    };

    return mcp_state_new(&options, st, app->message, sizeof(app->message));
}

/* The first state can serve calls too, unless the app changed the limit under
 * which states are made. Then further ones, which must agree with it. */
static enum mcp_err fill_slots(struct mcp_app *app, struct mcp_runner *runner,
                               const struct mcp_generation *gen,
                               struct mcp_state *first)
{
    struct mcp_slots *slots = mcp_app_slots(gen);
    enum mcp_err err = MCP_OK;
    int have = 0;

    if (gen->config->memory_limit == app->options.config->memory_limit) {
        err = mcp_slots_add(slots, first);
        have = 1;
    } else {
        mcp_state_close(first, runner);
    }
    for (; err == MCP_OK && have < FIRST_STATES; have++)
        err = mcp_slots_grow(slots, runner, app->message, sizeof(app->message));
    return err;
}

static enum mcp_err build(struct mcp_app *app, struct mcp_runner *runner,
                          struct mcp_builder *b)
{
    struct mcp_sources *sources = mcp_sources_new();
    struct mcp_state *first;
    struct mcp_generation *gen;
    enum mcp_err err;

    (void)snprintf(app->message, sizeof(app->message), "out of memory");
    if (sources == NULL)
        return MCP_ENOMEM;
    err = load_first(app, runner, b, sources, &first);
    if (err != MCP_OK) {
        mcp_sources_free(sources);
        return err;
    }
    gen = mcp_builder_view(b);
    err = add_lua_side(app, gen, sources);
    if (err != MCP_OK) {
        mcp_state_close(first, runner);
        return err;
    }
    err = fill_slots(app, runner, gen, first);
    if (err == MCP_OK && app->options.prepare != NULL)
        err = app->options.prepare(app->options.prepare_user, gen, app->message,
                                   sizeof(app->message));
    return err;
}

static enum mcp_err load_generation(struct mcp_app *app,
                                    struct mcp_runner *runner)
{
    struct mcp_config *config = mcp_config_copy(app->options.config);
    struct mcp_builder *b = config != NULL ? mcp_builder_new(config) : NULL;
    const struct mcp_generation *gen;
    enum mcp_err err;

    if (b == NULL)
        return MCP_ENOMEM;
    err = build(app, runner, b);
    if (err != MCP_OK) {
        mcp_builder_free(b);
        return err;
    }
    (void)mcp_registry_publish(app->registry, b);
    gen = mcp_registry_acquire(app->registry);
    (void)snprintf(app->isolation, sizeof(app->isolation), "request (%s)",
                   mcp_slots_describe(mcp_app_slots(gen)));
    mcp_generation_release(gen);
    return MCP_OK;
}

/* ---- the loader thread ----------------------------------------------------
 */

static void make_ready(struct mcp_app *app, struct mcp_runner *runner)
{
    const struct mcp_generation *gen = mcp_registry_acquire(app->registry);

    if (gen == NULL)
        return;
    mcp_slots_make_ready(mcp_app_slots(gen), runner);
    mcp_generation_release(gen);
}

static void close_gone(struct lua_side *side, struct mcp_runner *runner)
{
    struct lua_side *next;

    for (; side != NULL; side = next) {
        next = side->next;
        mcp_slots_free(side->slots, runner);
        free(side);
    }
}

/* Works until the app stops and nothing is left to close. Under the lock. */
static void serve(struct mcp_app *app, struct mcp_runner *runner)
{
    while (!app->stop || app->gone != NULL) {
        struct lua_side *gone = app->gone;
        bool need = app->need_states && !app->stop;

        if (gone == NULL && !need) {
            (void)pthread_cond_wait(&app->work, &app->lock);
            continue;
        }
        app->gone = NULL;
        app->need_states = false;
        (void)pthread_mutex_unlock(&app->lock);
        close_gone(gone, runner);
        if (need)
            make_ready(app, runner);
        (void)pthread_mutex_lock(&app->lock);
    }
}

static void *loader_main(void *arg)
{
    struct mcp_app *app = arg;
    struct mcp_runner *runner = mcp_runner_new(app->supervisor);
    enum mcp_err err = MCP_ENOMEM;

    if (runner != NULL)
        err = load_generation(app, runner);
    (void)pthread_mutex_lock(&app->lock);
    app->load_result = err;
    app->first_load_done = true;
    (void)pthread_cond_signal(&app->loaded);
    if (runner != NULL)
        serve(app, runner);
    (void)pthread_mutex_unlock(&app->lock);
    mcp_runner_free(runner);
    return NULL;
}

static bool start_loader(struct mcp_app *app)
{
    pthread_attr_t attr;
    sigset_t all, old;
    int rc;

    (void)pthread_attr_init(&attr);
    (void)pthread_attr_setstacksize(&attr, 1 << 20);
    (void)pthread_attr_setguardsize(&attr, 128 << 10);
    sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &old);
    rc = pthread_create(&app->loader, &attr, loader_main, app);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    (void)pthread_attr_destroy(&attr);
    return rc == 0;
}

/* ---- life -----------------------------------------------------------------
 */

static void run_job(void *user, struct mcp_runner *runner, struct mcp_job *job)
{
    struct mcp_app *app = user;

    mcp_run(app->pool, runner, job);
}

static struct mcp_app *app_new(const struct mcp_app_options *options)
{
    struct mcp_app *app = calloc(1, sizeof(*app));

    if (app == NULL)
        return NULL;
    app->options = *options;
    (void)pthread_mutex_init(&app->lock, NULL);
    (void)pthread_cond_init(&app->work, NULL);
    (void)pthread_cond_init(&app->loaded, NULL);
    app->registry = mcp_registry_new();
    app->supervisor = mcp_supervisor_new();
    app->loader_runs =
        app->registry != NULL && app->supervisor != NULL && start_loader(app);
    return app;
}

static enum mcp_err wait_for_load(struct mcp_app *app)
{
    (void)pthread_mutex_lock(&app->lock);
    while (!app->first_load_done)
        (void)pthread_cond_wait(&app->loaded, &app->lock);
    (void)pthread_mutex_unlock(&app->lock);
    return app->load_result;
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

    options.max_workers = worker_count(gen->config, &options.min_workers);
    mcp_generation_release(gen);
    return mcp_pool_new(&options, &app->pool);
}

enum mcp_err mcp_app_open(const struct mcp_app_options *options,
                          struct mcp_app **out, char *message,
                          size_t message_size)
{
    struct mcp_app *app = app_new(options);
    enum mcp_err err = MCP_ENOMEM;

    (void)snprintf(message, message_size, "out of memory or of threads");
    if (app == NULL)
        return MCP_ENOMEM;
    if (app->loader_runs) {
        err = wait_for_load(app);
        if (err != MCP_OK)
            (void)snprintf(message, message_size, "%s", app->message);
    }
    if (err == MCP_OK)
        err = start_workers(app);
    if (err != MCP_OK) {
        mcp_app_close(app);
        return err;
    }
    *out = app;
    return MCP_OK;
}

void mcp_app_close(struct mcp_app *app)
{
    if (app == NULL)
        return;
    if (app->pool != NULL && !mcp_pool_free(app->pool, STOP_MS)) {
        mcp_log(MCP_LOG_WARNING, "app",
                "a handler is blocked inside a C library: not waited for");
        return; /* the process ends; nothing that it uses may be freed */
    }
    mcp_registry_free(app->registry);
    if (app->loader_runs) {
        (void)pthread_mutex_lock(&app->lock);
        app->stop = true;
        (void)pthread_cond_signal(&app->work);
        (void)pthread_mutex_unlock(&app->lock);
        (void)pthread_join(app->loader, NULL);
    }
    mcp_supervisor_free(app->supervisor);
    (void)pthread_mutex_destroy(&app->lock);
    (void)pthread_cond_destroy(&app->work);
    (void)pthread_cond_destroy(&app->loaded);
    free(app);
}

/* ---- use ------------------------------------------------------------------
 */

const struct mcp_generation *mcp_app_acquire(struct mcp_app *app)
{
    return mcp_registry_acquire(app->registry);
}

enum mcp_err mcp_app_run(struct mcp_app *app, struct mcp_job *job)
{
    mcp_outcome_init(&job->outcome, OUTCOME_MAX);
    job->state = NULL;
    job->next = NULL;
    return mcp_pool_submit(app->pool, job);
}

void mcp_app_cancel(struct mcp_app *app, struct mcp_call *call)
{
    mcp_supervisor_cancel(app->supervisor, call);
    mcp_pool_cancel(app->pool, call);
}

bool mcp_app_ready(struct mcp_app *app)
{
    return app->pool != NULL;
}

const char *mcp_app_isolation(struct mcp_app *app)
{
    return app->isolation;
}
