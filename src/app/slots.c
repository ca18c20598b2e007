/*
 * slots.c - see slots.h for the three modes
 */
#include "app/slots.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/heap.h"
#include "app/job.h"
#include "app/sources.h"
#include "base/log.h"

enum {
    QUICK_NS = 300 * 1000, /* a stretch that takes longer is slow ...        */
    SLOW_RUNS = 64,        /* ... and so are as many that come after it      */
};

struct mcp_slots {
    struct mcp_slots_options options;
    pthread_mutex_t lock;
    struct mcp_state *idle;
    size_t idle_count, total; /* total: idle, lent and being made */
    struct mcp_job *line, **line_end;
    bool decided;
    enum mcp_slot_mode mode; /* under lock; IMAGE may become FRESH */
    atomic_uchar *slow; /* by handler: more quick runs until it counts as quick
                           again; NULL: none does */
    size_t slow_count;
    char why[160];
    char description[224];
};

struct mcp_slots *mcp_slots_new(const struct mcp_slots_options *options)
{
    struct mcp_slots *s = calloc(1, sizeof(*s));

    if (s == NULL)
        return NULL;
    s->options = *options;
    s->line_end = &s->line;
    (void)pthread_mutex_init(&s->lock, NULL);
    return s;
}

void mcp_slots_free(struct mcp_slots *s, struct mcp_runner *runner)
{
    struct mcp_state *st, *next;

    if (s == NULL)
        return;
    for (st = s->idle; st != NULL; st = next) {
        next = st->next;
        mcp_state_close(st, runner);
    }
    mcp_sources_free(s->options.sources);
    free(s->slow);
    (void)pthread_mutex_destroy(&s->lock);
    free(s);
}

/* From now on this generation runs with fresh states. Under the lock. */
static void go_fresh(struct mcp_slots *s, const char *why)
{
    s->mode = MCP_SLOTS_FRESH;
    (void)snprintf(s->why, sizeof(s->why), "%s", why);
    (void)snprintf(s->description, sizeof(s->description), "fresh states: %s",
                   s->why);
}

static void decide(struct mcp_slots *s, const struct mcp_state *st)
{
    if (s->decided)
        return;
    s->decided = true;
    s->slow_count = s->options.gen->handler_count + 1;
    s->slow = calloc(s->slow_count, sizeof(*s->slow));
    if (st->host.kept) {
        s->mode = MCP_SLOTS_KEPT;
        (void)snprintf(s->description, sizeof(s->description),
                       "states are kept between calls%s",
                       st->host.jit ? ", compiled: no limits in loops" : "");
    } else if (st->host.unsafe[0] != '\0') {
        go_fresh(s, st->host.unsafe);
    }
}

/* The first snapshot tells the size of the image. Under the lock. */
static enum mcp_err make_image(struct mcp_slots *s, struct mcp_state *st)
{
    enum mcp_err err;

    if (s->mode != MCP_SLOTS_IMAGE || st->has_image)
        return MCP_OK;
    err = mcp_state_snapshot(st);
    if (err == MCP_OK && s->description[0] == '\0')
        (void)snprintf(s->description, sizeof(s->description), "%s, %zu KiB",
                       mcp_heap_watches_faults(st->host.heap) ? "written pages"
                                                              : "image copy",
                       mcp_heap_image_bytes(st->host.heap) / 1024);
    return err;
}

static void push_idle(struct mcp_slots *s, struct mcp_state *st)
{
    st->next = s->idle;
    s->idle = st;
    s->idle_count++;
}

/* Below those that are idle: the last to be lent. */
static void put_below(struct mcp_slots *s, struct mcp_state *st)
{
    struct mcp_state **at = &s->idle;

    while (*at != NULL)
        at = &(*at)->next;
    st->next = NULL;
    *at = st;
    s->idle_count++;
}

/* The image of a state that others come before is made when it is lent: half
 * a millisecond and its size in memory, which a start need not wait for. */
enum mcp_err mcp_slots_add(struct mcp_slots *s, struct mcp_state *st)
{
    enum mcp_err err = MCP_OK;

    (void)pthread_mutex_lock(&s->lock);
    decide(s, st);
    if (s->idle == NULL)
        err = make_image(s, st);
    if (err == MCP_OK) {
        put_below(s, st);
        s->total++;
    }
    (void)pthread_mutex_unlock(&s->lock);
    if (err != MCP_OK)
        mcp_state_drop(st);
    return err;
}

/* Loads the app once more, following the generation. */
static enum mcp_err make_state(struct mcp_slots *s, struct mcp_runner *runner,
                               struct mcp_state **out, char *message,
                               size_t message_size)
{
    const struct mcp_generation *gen = s->options.gen;
    struct mcp_load load = {.follow = gen, .seen_count = gen->handler_count};
    struct mcp_state_options options = {
        .app_path = s->options.app_path,
        .memory_limit = (size_t)gen->config->memory_limit,
        .load_timeout_s = gen->config->load_timeout,
        .sources = s->options.sources,
        .listener = s->options.listener,
        .shared = s->options.shared,
        .load = &load,
        .runner = runner,
        .kept = gen->config->isolation == MCP_ISOLATION_WORKER,
        .jit = gen->config->jit,
    };
    enum mcp_err err;

    load.seen = calloc(gen->handler_count + 1, 1);
    if (load.seen == NULL) {
        (void)snprintf(message, message_size, "out of memory");
        return MCP_ENOMEM;
    }
    err = mcp_state_new(&options, out, message, message_size);
    free(load.seen);
    return err;
}

enum mcp_err mcp_slots_grow(struct mcp_slots *s, struct mcp_runner *runner,
                            char *message, size_t message_size)
{
    struct mcp_state *st;
    enum mcp_err err = make_state(s, runner, &st, message, message_size);

    if (err != MCP_OK)
        return err;
    err = mcp_slots_add(s, st);
    if (err != MCP_OK)
        (void)snprintf(message, message_size, "out of memory");
    return err;
}

enum mcp_err mcp_slots_load_apart(struct mcp_slots *s,
                                  struct mcp_runner *runner,
                                  struct mcp_state **out, char *message,
                                  size_t message_size)
{
    return make_state(s, runner, out, message, message_size);
}

static void join_line(struct mcp_slots *s, struct mcp_job *job)
{
    job->next = NULL;
    *s->line_end = job;
    s->line_end = &job->next;
}

static struct mcp_job *leave_line(struct mcp_slots *s)
{
    struct mcp_job *job = s->line;

    if (job == NULL)
        return NULL;
    s->line = job->next;
    if (s->line == NULL)
        s->line_end = &s->line;
    job->next = NULL;
    return job;
}

/* Pops an idle state; or counts one more; or puts the job in the line. `*make`:
 * the caller makes the state, if it got none, and its image. */
static struct mcp_state *pop_idle(struct mcp_slots *s, struct mcp_job *job,
                                  bool *make)
{
    struct mcp_state *st;

    (void)pthread_mutex_lock(&s->lock);
    st = s->idle;
    if (st != NULL) {
        s->idle = st->next;
        s->idle_count--;
        *make = s->mode == MCP_SLOTS_IMAGE && !st->has_image;
    } else if (s->total < s->options.max_states) {
        s->total++;
        *make = true;
    } else {
        join_line(s, job);
    }
    (void)pthread_mutex_unlock(&s->lock);
    return st;
}

static enum mcp_slot_mode mode_of(struct mcp_slots *s)
{
    enum mcp_slot_mode mode;

    (void)pthread_mutex_lock(&s->lock);
    mode = s->mode;
    (void)pthread_mutex_unlock(&s->lock);
    return mode;
}

/* Makes what `*st` lacks: the state, the image, or both. */
static enum mcp_err complete(struct mcp_slots *s, struct mcp_runner *runner,
                             struct mcp_state **st, char *message,
                             size_t message_size)
{
    enum mcp_err err = MCP_OK;

    if (*st == NULL)
        err = make_state(s, runner, st, message, message_size);
    (void)pthread_mutex_lock(&s->lock);
    if (err == MCP_OK) {
        err = make_image(s, *st);
        if (err != MCP_OK) {
            (void)snprintf(message, message_size, "out of memory");
            mcp_state_drop(*st);
        }
    }
    if (err != MCP_OK)
        s->total--;
    (void)pthread_mutex_unlock(&s->lock);
    return err;
}

enum mcp_err mcp_slots_lend(struct mcp_slots *s, struct mcp_runner *runner,
                            struct mcp_job *job, struct mcp_state **out,
                            char *message, size_t message_size)
{
    bool make = false;
    struct mcp_state *st = pop_idle(s, job, &make);
    enum mcp_err err = MCP_OK;

    if (st == NULL && !make)
        return MCP_EBUSY;
    if (make)
        err = complete(s, runner, &st, message, message_size);
    if (err != MCP_OK)
        return err;
    if (mode_of(s) == MCP_SLOTS_FRESH)
        s->options.need(s->options.user);
    *out = st;
    return MCP_OK;
}

/* Is there room for one more idle state? */
static bool has_room(struct mcp_slots *s)
{
    bool room;

    (void)pthread_mutex_lock(&s->lock);
    room = s->idle_count < s->options.max_idle;
    (void)pthread_mutex_unlock(&s->lock);
    return room;
}

/* The call loaded something that a copy cannot take back: close this state
 * properly, and the generation goes on with fresh ones. */
static void note_foreign_call(struct mcp_slots *s, struct mcp_state *st)
{
    bool first;

    (void)pthread_mutex_lock(&s->lock);
    first = s->mode == MCP_SLOTS_IMAGE;
    if (first)
        go_fresh(s, st->host.unsafe);
    (void)pthread_mutex_unlock(&s->lock);
    if (first)
        mcp_log(MCP_LOG_WARNING, "app",
                "from now on calls run in fresh states: %s, by a call; load "
                "it at the top of the app",
                st->host.unsafe);
}

/* Puts a used state back to where its next call starts. False: close it. */
static bool make_reusable(struct mcp_slots *s, struct mcp_runner *runner,
                          struct mcp_state *st)
{
    switch (mode_of(s)) {
    case MCP_SLOTS_IMAGE:
        if (!has_room(s) || mcp_heap_is_worn(st->host.heap))
            return false;
        mcp_state_close_files(st, runner);
        mcp_state_reset(st);
        return true;
    case MCP_SLOTS_KEPT:
        return has_room(s) && mcp_state_renew(st, runner);
    case MCP_SLOTS_FRESH:
        break;
    }
    return false;
}

static void discard(struct mcp_slots *s, struct mcp_runner *runner,
                    struct mcp_state *st, enum mcp_slot_end end)
{
    if (mode_of(s) == MCP_SLOTS_FRESH)
        st->has_image = false; /* so that closing runs the finalizers */
    if (end == MCP_SLOT_LOST || st->has_image)
        mcp_state_close_files(st, runner);
    if (end == MCP_SLOT_LOST)
        mcp_state_drop(st);
    else
        mcp_state_close(st, runner);
}

struct mcp_job *mcp_slots_give_back(struct mcp_slots *s,
                                    struct mcp_runner *runner,
                                    struct mcp_state *st, enum mcp_slot_end end)
{
    struct mcp_job *job;
    bool keep;

    if (end == MCP_SLOT_USED && st->host.foreign_in_call)
        note_foreign_call(s, st);
    keep = end == MCP_SLOT_USED && make_reusable(s, runner, st);
    if (!keep)
        discard(s, runner, st, end);
    (void)pthread_mutex_lock(&s->lock);
    if (keep)
        push_idle(s, st);
    else
        s->total--;
    job = leave_line(s);
    (void)pthread_mutex_unlock(&s->lock);
    if (!keep)
        s->options.need(s->options.user);
    return job;
}

struct mcp_job *mcp_slots_set_aside(struct mcp_slots *s)
{
    struct mcp_job *job;

    (void)pthread_mutex_lock(&s->lock);
    s->total--;
    job = leave_line(s);
    (void)pthread_mutex_unlock(&s->lock);
    return job;
}

void mcp_slots_take_up(struct mcp_slots *s)
{
    (void)pthread_mutex_lock(&s->lock);
    s->total++;
    (void)pthread_mutex_unlock(&s->lock);
}

bool mcp_slots_is_quick(struct mcp_slots *s, const struct mcp_handler *handler)
{
    return s->slow != NULL && handler->slot < s->slow_count &&
           atomic_load_explicit(&s->slow[handler->slot],
                                memory_order_relaxed) == 0 &&
           mode_of(s) == MCP_SLOTS_IMAGE;
}

void mcp_slots_took(struct mcp_slots *s, const struct mcp_handler *handler,
                    uint64_t ns)
{
    atomic_uchar *slow;
    unsigned char left;

    if (s->slow == NULL || handler->slot >= s->slow_count)
        return;
    slow = &s->slow[handler->slot];
    left = atomic_load_explicit(slow, memory_order_relaxed);
    if (ns > QUICK_NS)
        atomic_store_explicit(slow, SLOW_RUNS, memory_order_relaxed);
    else if (left > 0)
        atomic_store_explicit(slow, (unsigned char)(left - 1),
                              memory_order_relaxed);
}

static bool wants_more(struct mcp_slots *s)
{
    bool more;

    (void)pthread_mutex_lock(&s->lock);
    more = s->idle_count < s->options.ready_states &&
           s->total < s->options.max_states;
    (void)pthread_mutex_unlock(&s->lock);
    return more;
}

void mcp_slots_make_ready(struct mcp_slots *s, struct mcp_runner *runner)
{
    char message[512];

    while (wants_more(s))
        if (mcp_slots_grow(s, runner, message, sizeof(message)) != MCP_OK) {
            mcp_log(MCP_LOG_ERROR, "app", "a further state failed to load: %s",
                    message);
            return;
        }
}

const char *mcp_slots_describe(struct mcp_slots *s)
{
    return s->description;
}
