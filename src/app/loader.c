/*
 * loader.c - see loader.h; ADR 2 says why one thread does all of this
 */
#include "app/loader.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "app/changes.h"
#include "app/flush.h"
#include "app/fresh.h"
#include "app/slots.h"
#include "app/sources.h"
#include "app/state.h"
#include "app/watch.h"
#include "app/wiring.h"
#include "base/clock.h"
#include "base/log.h"

enum {
    STATES_MIN = 256, /* states that one generation may have, at least     */
    FIRST_STATES = 2, /* loaded before a publish: they must agree          */
    STACK_BYTES = 1 << 20,
    GUARD_BYTES = 128 << 10,
    SHUTDOWN_SECONDS = 3, /* for on_shutdown                               */
    SETTLE_MS = 30,       /* files untouched for so long are whole            */
    SETTLE_TRIES = 100,
};

/* What a generation's `lua` points to. When the generation is gone it waits
 * in the loader's list for its states to be closed. */
struct lua_side {
    struct mcp_slots *slots;
    struct mcp_sources *sources; /* of slots */
    struct mcp_loader *loader;
    bool has_life; /* there are hooks for startup or its like */
    struct lua_side *next;
};

/* What the thread has to do; under the lock. */
struct orders {
    bool stop, need_states, reload, reload_changed;
};

struct mcp_loader {
    const struct mcp_app_options *options;
    struct mcp_registry *registry;
    struct mcp_supervisor *supervisor;
    struct mcp_runner *runner; /* of the thread */
    struct mcp_watch *watch;   /* NULL: not watching */
    struct mcp_config *runs;   /* of the first generation: what the process goes
                                  by where it reads options only once */
    pthread_t thread;

    pthread_mutex_t lock;
    pthread_cond_t work, loaded;
    struct orders orders;  /* under lock */
    struct lua_side *gone; /* under lock */
    bool first_load_done;  /* under lock */
    enum mcp_err first_result;
    char message[1024];
};

size_t mcp_loader_worker_count(const struct mcp_config *config, size_t *min)
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

static struct lua_side *side_of(const struct mcp_generation *gen)
{
    return gen->lua;
}

struct mcp_slots *mcp_loader_slots(const struct mcp_generation *gen)
{
    return side_of(gen)->slots;
}

/* ---- orders from other threads --------------------------------------------
 */

static void need_states(void *user)
{
    struct mcp_loader *l = user;

    (void)pthread_mutex_lock(&l->lock);
    l->orders.need_states = true;
    (void)pthread_cond_signal(&l->work);
    (void)pthread_mutex_unlock(&l->lock);
}

/* The last reference to a generation is given back. */
static void leave_to_loader(void *lua)
{
    struct lua_side *side = lua;
    struct mcp_loader *l = side->loader;

    (void)pthread_mutex_lock(&l->lock);
    side->next = l->gone;
    l->gone = side;
    (void)pthread_cond_signal(&l->work);
    (void)pthread_mutex_unlock(&l->lock);
}

void mcp_loader_reload(struct mcp_loader *l, bool only_when_changed)
{
    (void)pthread_mutex_lock(&l->lock);
    if (only_when_changed)
        l->orders.reload_changed = true;
    else
        l->orders.reload = true;
    (void)pthread_cond_signal(&l->work);
    (void)pthread_mutex_unlock(&l->lock);
}

/* ---- one load -------------------------------------------------------------
 */

/* Gives `gen` its (still empty) set of states. `sources` is TAKEN. */
static enum mcp_err add_lua_side(struct mcp_loader *l,
                                 struct mcp_generation *gen,
                                 struct mcp_sources *sources)
{
    size_t min, max = mcp_loader_worker_count(gen->config, &min);
    struct mcp_slots_options options = {
        .app_path = l->options->path,
        .gen = gen,
        .sources = sources,
        .listener = &l->options->listener,
        .shared = l->options->shared,
        .max_states = 2 * max > STATES_MIN ? 2 * max : (size_t)STATES_MIN,
        .max_idle = max > FIRST_STATES ? max : (size_t)FIRST_STATES,
        .ready_states = FIRST_STATES > min ? (size_t)FIRST_STATES : min,
        .need = need_states,
        .user = l,
    };
    struct lua_side *side = calloc(1, sizeof(*side));
    struct mcp_slots *slots = mcp_slots_new(&options);

    if (side == NULL || slots == NULL) {
        free(side);
        mcp_slots_free(slots, l->runner);
        mcp_sources_free(slots == NULL ? sources : NULL);
        return MCP_ENOMEM;
    }
    side->slots = slots;
    side->sources = sources;
    side->loader = l;
    gen->lua = side;
    gen->lua_free = leave_to_loader;
    return MCP_OK;
}

/* Loads the app for the first time in this generation: fills `b`. */
static enum mcp_err load_first(struct mcp_loader *l, struct mcp_builder *b,
                               struct mcp_sources *sources,
                               struct mcp_state **st, bool *has_life)
{
    const struct mcp_config *config = l->options->config;
    struct mcp_load load = {.builder = b};
    struct mcp_state_options options = {
        .app_path = l->options->path,
        .memory_limit = (size_t)config->memory_limit,
        .load_timeout_s = config->load_timeout,
        .sources = sources,
        .listener = &l->options->listener,
        .shared = l->options->shared,
        .load = &load,
        .runner = l->runner,
        .kept = config->isolation == MCP_ISOLATION_WORKER,
        .jit = config->jit,
    };
    enum mcp_err err =
        mcp_state_new(&options, st, l->message, sizeof(l->message));

    *has_life = load.has_life;
    return err;
}

static bool same_states(const struct mcp_config *a, const struct mcp_config *b)
{
    return a->memory_limit == b->memory_limit && a->isolation == b->isolation &&
           a->jit == b->jit;
}

/* The first state can serve calls too, unless the app changed how states are
 * made. Then further ones, which must agree with it. */
static enum mcp_err fill_slots(struct mcp_loader *l,
                               const struct mcp_generation *gen,
                               struct mcp_state *first)
{
    struct mcp_slots *slots = mcp_loader_slots(gen);
    enum mcp_err err = MCP_OK;
    int have = 0;

    if (same_states(gen->config, l->options->config)) {
        err = mcp_slots_add(slots, first);
        have = 1;
    } else {
        mcp_state_close(first, l->runner);
    }
    for (; err == MCP_OK && have < FIRST_STATES; have++)
        err = mcp_slots_grow(slots, l->runner, l->message, sizeof(l->message));
    return err;
}

static enum mcp_err build(struct mcp_loader *l, struct mcp_builder *b)
{
    struct mcp_sources *sources = mcp_sources_new();
    struct mcp_state *first;
    struct mcp_generation *gen;
    bool has_life;
    enum mcp_err err;

    (void)snprintf(l->message, sizeof(l->message), "out of memory");
    if (sources == NULL)
        return MCP_ENOMEM;
    err = load_first(l, b, sources, &first, &has_life);
    if (err != MCP_OK) {
        mcp_sources_free(sources);
        return err;
    }
    gen = mcp_builder_view(b);
    if (gen->config->jit && gen->config->isolation != MCP_ISOLATION_WORKER) {
        (void)snprintf(l->message, sizeof(l->message),
                       "%s: jit needs isolation = \"worker\": a compiled loop "
                       "cannot be stopped, nor its state be put back",
                       l->options->path);
        mcp_state_close(first, l->runner);
        mcp_sources_free(sources);
        return MCP_EINVAL;
    }
    err = add_lua_side(l, gen, sources);
    if (err != MCP_OK) {
        mcp_state_close(first, l->runner);
        return err;
    }
    side_of(gen)->has_life = has_life;
    err = fill_slots(l, gen, first);
    if (err == MCP_OK && l->options->prepare != NULL)
        err = l->options->prepare(l->options->prepare_user, gen, l->message,
                                  sizeof(l->message));
    return err;
}

static enum mcp_err load_generation(struct mcp_loader *l)
{
    struct mcp_config *config = mcp_config_copy(l->options->config);
    struct mcp_builder *b = config != NULL ? mcp_builder_new(config) : NULL;
    const struct mcp_generation *gen;
    enum mcp_err err;

    if (b == NULL)
        return MCP_ENOMEM;
    err = build(l, b);
    if (err != MCP_OK) {
        mcp_builder_free(b);
        return err;
    }
    if (l->runs != NULL && /* a reload */
        mcp_sources_changed(side_of(mcp_builder_view(b))->sources)) {
        mcp_builder_free(b); /* a file was half-written when it was read */
        (void)snprintf(l->message, sizeof(l->message),
                       "its files keep changing");
        return MCP_EBUSY;
    }
    if (l->runs == NULL)
        l->runs = mcp_config_copy(mcp_builder_view(b)->config);
    if (l->runs == NULL) {
        mcp_builder_free(b);
        return MCP_ENOMEM;
    }
    (void)mcp_registry_publish(l->registry, b);
    gen = mcp_registry_acquire(l->registry);
    if (!mcp_fresh_watch(l->watch, l->options, gen, side_of(gen)->sources))
        mcp_loader_reload(l, true);
    mcp_generation_release(gen);
    return MCP_OK;
}

/* ---- hooks of the app's life ----------------------------------------------
 */

/* Runs those called `name` of the current generation, in a state of their own.
 */
static void run_hooks(struct mcp_loader *l, const char *name, double seconds)
{
    const struct mcp_generation *gen = mcp_registry_acquire(l->registry);
    struct mcp_state *st;
    char message[512];

    if (gen == NULL)
        return;
    if (side_of(gen)->has_life && !l->options->mute) {
        if (mcp_slots_load_apart(side_of(gen)->slots, l->runner, &st, message,
                                 sizeof(message)) != MCP_OK)
            mcp_log(MCP_LOG_ERROR, "app", "no Lua state for %s: %s", name,
                    message);
        else if (mcp_wiring_life(l->runner, st, name, seconds) ==
                 MCP_RUN_RETURNED)
            mcp_state_close(st, l->runner);
        else
            mcp_state_drop(st);
    }
    mcp_generation_release(gen);
}

/* ---- reload ---------------------------------------------------------------
 */

static void tell_reload(struct mcp_loader *l, const struct mcp_generation *old,
                        const struct mcp_generation *now, double ms)
{
    struct mcp_buf text, fixed;

    mcp_buf_init(&text, 16 << 10);
    mcp_buf_init(&fixed, 1 << 10);
    mcp_changes_write(&text, old, now);
    mcp_changes_write_fixed(&fixed, l->runs, now->config);
    mcp_log(MCP_LOG_INFO, "app", "reloaded as generation %llu in %.1f ms: %.*s",
            (unsigned long long)now->number, ms, (int)text.len, text.data);
    if (fixed.len > 0)
        mcp_log(MCP_LOG_WARNING, "app", "changes of %.*s need a restart",
                (int)fixed.len, fixed.data);
    mcp_buf_free(&text);
    mcp_buf_free(&fixed);
    if (l->options->published != NULL)
        l->options->published(l->options->published_user, old, now);
}

/* Waits until nobody has written to the files for a moment, but not for ever.
 */
static void settle(struct mcp_sources *sources)
{
    const struct timespec nap = {0, 10 * (long)MCP_NS_PER_MS};
    int tries;

    for (tries = 0; tries < SETTLE_TRIES; tries++) {
        if (mcp_sources_age_ns(sources) >= SETTLE_MS * MCP_NS_PER_MS)
            return;
        (void)nanosleep(&nap, NULL);
    }
}

static enum mcp_err load_settled(struct mcp_loader *l,
                                 struct mcp_sources *sources)
{
    enum mcp_err err;
    int tries = 0;

    do {
        settle(sources);
        err = load_generation(l);
    } while (err == MCP_EBUSY && ++tries < SETTLE_TRIES);
    return err;
}

static void reload(struct mcp_loader *l, bool only_when_changed)
{
    const struct mcp_generation *old = mcp_registry_acquire(l->registry), *now;
    uint64_t begin = mcp_clock_now_ns();

    if (old != NULL &&
        (!only_when_changed ||
         mcp_fresh_changed(l->watch, l->options, old, side_of(old)->sources))) {
        if (load_settled(l, side_of(old)->sources) == MCP_OK) {
            now = mcp_registry_acquire(l->registry);
            tell_reload(l, old, now,
                        (double)(mcp_clock_now_ns() - begin) / 1e6);
            run_hooks(l, "on_reload", now->config->load_timeout);
            mcp_generation_release(now);
        } else {
            mcp_log(MCP_LOG_ERROR, "app",
                    "reload failed, generation %llu goes on: %s",
                    (unsigned long long)old->number, l->message);
        }
    }
    if (old != NULL)
        mcp_generation_release(old);
}

static void on_files_changed(void *user)
{
    mcp_loader_reload(user, true);
}

/* ---- the thread -----------------------------------------------------------
 */

static void make_ready(struct mcp_loader *l)
{
    const struct mcp_generation *gen = mcp_registry_acquire(l->registry);

    if (gen == NULL)
        return;
    mcp_slots_make_ready(mcp_loader_slots(gen), l->runner);
    mcp_generation_release(gen);
}

static void close_gone(struct mcp_loader *l, struct lua_side *side)
{
    struct lua_side *next;

    for (; side != NULL; side = next) {
        next = side->next;
        mcp_slots_free(side->slots, l->runner);
        free(side);
    }
}

static void carry_out(struct mcp_loader *l, const struct orders *orders,
                      struct lua_side *gone)
{
    close_gone(l, gone);
    if (orders->reload || orders->reload_changed)
        reload(l, !orders->reload);
    if (orders->need_states)
        make_ready(l);
}

/* Works until told to stop. Under the lock. */
static void serve(struct mcp_loader *l)
{
    for (;;) {
        struct orders orders = l->orders;
        struct lua_side *gone = l->gone;

        if (orders.stop)
            return;
        if (gone == NULL && !orders.need_states && !orders.reload &&
            !orders.reload_changed) {
            (void)pthread_cond_wait(&l->work, &l->lock);
            continue;
        }
        l->gone = NULL;
        l->orders = (struct orders){0};
        (void)pthread_mutex_unlock(&l->lock);
        carry_out(l, &orders, gone);
        (void)pthread_mutex_lock(&l->lock);
    }
}

static void *loader_main(void *arg)
{
    struct mcp_loader *l = arg;
    enum mcp_err err = MCP_ENOMEM;

    l->runner = mcp_runner_new(l->supervisor);
    if (l->runner != NULL)
        err = load_generation(l);
    if (err == MCP_OK)
        run_hooks(l, "on_startup", l->options->config->load_timeout);
    (void)pthread_mutex_lock(&l->lock);
    l->first_result = err;
    l->first_load_done = true;
    (void)pthread_cond_signal(&l->loaded);
    serve(l);
    (void)pthread_mutex_unlock(&l->lock);
    if (err == MCP_OK)
        run_hooks(l, "on_shutdown", SHUTDOWN_SECONDS);
    mcp_registry_free(l->registry); /* its generation joins those gone */
    close_gone(l, l->gone);
    mcp_runner_free(l->runner);
    return NULL;
}

/* ---- life -----------------------------------------------------------------
 */

static bool start_thread(struct mcp_loader *l)
{
    pthread_attr_t attr;
    int rc;

    (void)pthread_attr_init(&attr);
    (void)pthread_attr_setstacksize(&attr, STACK_BYTES);
    (void)pthread_attr_setguardsize(&attr, GUARD_BYTES);
    rc = pthread_create(&l->thread, &attr, loader_main, l);
    (void)pthread_attr_destroy(&attr);
    return rc == 0;
}

static void destroy(struct mcp_loader *l)
{
    (void)pthread_mutex_destroy(&l->lock);
    (void)pthread_cond_destroy(&l->work);
    (void)pthread_cond_destroy(&l->loaded);
    mcp_config_free(l->runs);
    free(l);
}

void mcp_loader_free(struct mcp_loader *l)
{
    if (l == NULL)
        return;
    (void)pthread_mutex_lock(&l->lock);
    l->orders.stop = true;
    (void)pthread_cond_signal(&l->work);
    (void)pthread_mutex_unlock(&l->lock);
    (void)pthread_join(l->thread, NULL);
    mcp_watch_free(l->watch); /* a reload may have added to it until now */
    destroy(l);
}

static struct mcp_loader *loader_new(const struct mcp_app_options *options,
                                     struct mcp_registry *registry,
                                     struct mcp_supervisor *supervisor)
{
    struct mcp_loader *l = calloc(1, sizeof(*l));

    if (l == NULL) {
        mcp_registry_free(registry);
        return NULL;
    }
    mcp_flush_open();
    l->options = options;
    l->registry = registry;
    l->supervisor = supervisor;
    (void)pthread_mutex_init(&l->lock, NULL);
    (void)pthread_cond_init(&l->work, NULL);
    (void)pthread_cond_init(&l->loaded, NULL);
    if (options->watch) {
        l->watch = mcp_watch_new(on_files_changed, l);
        if (l->watch == NULL)
            mcp_log(MCP_LOG_WARNING, "app",
                    "files cannot be watched: no inotify instance");
    }
    if (!start_thread(l)) {
        mcp_registry_free(registry);
        mcp_watch_free(l->watch);
        destroy(l);
        return NULL;
    }
    return l;
}

enum mcp_err mcp_loader_new(const struct mcp_app_options *options,
                            struct mcp_registry *registry,
                            struct mcp_supervisor *supervisor,
                            struct mcp_loader **out, char *message,
                            size_t message_size)
{
    struct mcp_loader *l = loader_new(options, registry, supervisor);
    enum mcp_err err;

    if (l == NULL) {
        (void)snprintf(message, message_size, "out of memory or of threads");
        return MCP_ENOMEM;
    }
    (void)pthread_mutex_lock(&l->lock);
    while (!l->first_load_done)
        (void)pthread_cond_wait(&l->loaded, &l->lock);
    (void)pthread_mutex_unlock(&l->lock);
    err = l->first_result;
    if (err != MCP_OK) {
        (void)snprintf(message, message_size, "%s", l->message);
        mcp_loader_free(l);
        return err;
    }
    *out = l;
    return MCP_OK;
}

void mcp_loader_isolation(struct mcp_loader *l, char *text, size_t size)
{
    const struct mcp_generation *gen = mcp_registry_acquire(l->registry);

    (void)snprintf(text, size, "%s (%s)",
                   gen->config->isolation == MCP_ISOLATION_WORKER ? "worker"
                                                                  : "request",
                   mcp_slots_describe(mcp_loader_slots(gen)));
    mcp_generation_release(gen);
}
