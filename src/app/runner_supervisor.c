/*
 * runner_supervisor.c - the thread that watches the runners
 */
#include "app/runner_private.h"

#include <stdlib.h>

#include "base/clock.h"

static void interrupt_runner(struct mcp_runner *r, unsigned seq, int reason,
                             uint64_t overdue_ns)
{
    bool late = overdue_ns > STAGE_2_MS * MCP_NS_PER_MS;

    atomic_store(&r->kill_reason, reason);
    atomic_store(&r->kill_stage, late ? 2 : 1);
    atomic_store(&r->kill_seq, seq);
    (void)pthread_kill(r->thread, MCP_SIGNAL);
}

static void mark_cancelled(struct mcp_runner *r, unsigned seq)
{
    if (r->cancel_seq == seq)
        return;
    r->cancel_seq = seq;
    r->cancel_ns = mcp_clock_now_ns();
}

/* Looks at one runner; true when it runs something. A signal that comes after
 * its run has ended finds another sequence number and does nothing. */
static bool watch(struct mcp_runner *r, uint64_t now)
{
    unsigned seq = atomic_load(&r->seq);
    uint64_t deadline = atomic_load(&r->deadline_ns);

    const void *token = atomic_load(&r->token);

    if (!(seq & 1) || atomic_load(&r->seq) != seq)
        return false;
    if (r->owner->cancel_all && token != NULL)
        mark_cancelled(r, seq);
    if (r->cancel_seq == seq)
        interrupt_runner(r, seq, MCP_INTERRUPT_CANCEL, now - r->cancel_ns);
    else if (now >= deadline)
        interrupt_runner(r, seq, MCP_INTERRUPT_DEADLINE, now - deadline);
    return true;
}

void mcp_supervisor_cancel(struct mcp_supervisor *s, const void *token)
{
    struct mcp_runner *r;

    (void)pthread_mutex_lock(&s->lock);
    for (r = s->runners; r != NULL; r = r->next) {
        unsigned seq = atomic_load(&r->seq);

        if ((seq & 1) && token != NULL && atomic_load(&r->token) == token &&
            atomic_load(&r->seq) == seq)
            mark_cancelled(r, seq);
    }
    s->cancel_all |= token == NULL;
    s->poked = true;
    (void)pthread_cond_signal(&s->wake);
    (void)pthread_mutex_unlock(&s->lock);
}

/* When this run should have ended. */
static uint64_t end_of(const struct mcp_runner *r)
{
    return r->cancel_seq == atomic_load(&r->seq) ? r->cancel_ns
                                                 : atomic_load(&r->deadline_ns);
}

/* Takes away what a stuck run works on. It stays in the list until the lock is
 * given up. */
static void give_up(struct mcp_supervisor *s, struct mcp_runner *r)
{
    unsigned seq = atomic_load(&r->seq), none = 0;
    const struct mcp_giving_up *g = r->giving_up;

    if (!(seq & 1) || s->taken_count == TAKEN_MAX ||
        !atomic_compare_exchange_strong(&r->claim, &seq, none))
        return;
    g->take(g->user);
    s->taken[s->taken_count].finish = g->finish;
    s->taken[s->taken_count++].user = g->user;
}

/* Ends what was taken. The lock is given up meanwhile. */
static void finish_taken(struct mcp_supervisor *s)
{
    while (s->taken_count > 0) {
        struct taken t = s->taken[--s->taken_count];

        (void)pthread_mutex_unlock(&s->lock);
        t.finish(t.user);
        (void)pthread_mutex_lock(&s->lock);
    }
}

/* Has the run gone on for long after its end, although the thread was given
 * the processor? One that was not is only late. Under the lock. */
static bool is_stuck(struct mcp_runner *r, uint64_t now)
{
    unsigned seq = atomic_load(&r->seq);
    uint64_t end = end_of(r), late_ns = now > end ? now - end : 0;

    if (late_ns <= STUCK_MS * MCP_NS_PER_MS)
        return false;
    if (r->overdue_seq != seq)
        r->overdue_looks = 0;
    r->overdue_seq = seq;
    r->overdue_looks++;
    return atomic_load(&r->heard) >= STUCK_HEARD ||
           (late_ns > DEAF_MS * MCP_NS_PER_MS &&
            r->overdue_looks >= DEAF_LOOKS);
}

static bool watch_all(struct mcp_supervisor *s, uint64_t now)
{
    struct mcp_runner *r;
    size_t stuck = 0;
    bool busy = false;

    for (r = s->runners; r != NULL; r = r->next)
        if (watch(r, now)) {
            busy = true;
            if (is_stuck(r, now)) {
                stuck++;
                give_up(s, r);
            }
        }
    atomic_store(&s->stuck, stuck);
    return busy;
}

size_t mcp_supervisor_stuck(const struct mcp_supervisor *s)
{
    return atomic_load(&s->stuck);
}

static void wait_until(struct mcp_supervisor *s, uint64_t ns)
{
    struct timespec t;

    if (ns == UINT64_MAX) {
        (void)pthread_cond_wait(&s->wake, &s->lock);
        return;
    }
    t = mcp_clock_timespec(ns);
    (void)pthread_cond_timedwait(&s->wake, &s->lock, &t);
}

/* Without the lock, so that the tick may take locks of its own. */
static uint64_t call_tick(struct mcp_supervisor *s, uint64_t now)
{
    uint64_t (*tick)(void *user, uint64_t now_ns) = s->tick;
    void *user = s->tick_user;
    uint64_t next;

    s->ticking = true;
    (void)pthread_mutex_unlock(&s->lock);
    next = tick(user, now);
    (void)pthread_mutex_lock(&s->lock);
    s->ticking = false;
    (void)pthread_cond_broadcast(&s->ticked);
    return next;
}

/* Sleeps while nothing runs: the next run wakes it. `asleep` is set before the
 * last look, so a run that starts meanwhile is seen by one side. */
static void supervise(struct mcp_supervisor *s)
{
    uint64_t next, now;
    bool busy;

    while (!s->stop) {
        s->poked = false;
        now = mcp_clock_now_ns();
        next = s->tick != NULL ? call_tick(s, now) : UINT64_MAX;
        busy = watch_all(s, now);
        if (!busy) {
            atomic_store(&s->asleep, true);
            busy = watch_all(s, now);
        }
        finish_taken(s);
        if (busy && next > now + TICK_MS * MCP_NS_PER_MS)
            next = now + TICK_MS * MCP_NS_PER_MS;
        if (!s->stop && !s->poked)
            wait_until(s, next);
        atomic_store(&s->asleep, false);
    }
}

static void *supervisor_main(void *arg)
{
    struct mcp_supervisor *s = arg;

    (void)pthread_mutex_lock(&s->lock);
    supervise(s);
    (void)pthread_mutex_unlock(&s->lock);
    return NULL;
}

struct mcp_supervisor *mcp_supervisor_new(void)
{
    struct mcp_supervisor *s = calloc(1, sizeof(*s));
    pthread_condattr_t attr;

    if (s == NULL)
        return NULL;
    mcp_runner_install_handlers();
    (void)pthread_mutex_init(&s->lock, NULL);
    (void)pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&s->wake, &attr);
    (void)pthread_cond_init(&s->ticked, NULL);
    (void)pthread_condattr_destroy(&attr);
    if (pthread_create(&s->thread, NULL, supervisor_main, s) != 0) {
        (void)pthread_mutex_destroy(&s->lock);
        (void)pthread_cond_destroy(&s->wake);
        free(s);
        return NULL;
    }
    return s;
}

void mcp_supervisor_free(struct mcp_supervisor *s)
{
    if (s == NULL)
        return;
    (void)pthread_mutex_lock(&s->lock);
    s->stop = true;
    (void)pthread_cond_signal(&s->wake);
    (void)pthread_mutex_unlock(&s->lock);
    (void)pthread_join(s->thread, NULL);
    (void)pthread_mutex_destroy(&s->lock);
    (void)pthread_cond_destroy(&s->wake);
    (void)pthread_cond_destroy(&s->ticked);
    free(s);
}

void mcp_supervisor_set_tick(struct mcp_supervisor *s,
                             uint64_t (*tick)(void *user, uint64_t now_ns),
                             void *user)
{
    (void)pthread_mutex_lock(&s->lock);
    while (s->ticking)
        (void)pthread_cond_wait(&s->ticked, &s->lock);
    s->tick = tick;
    s->tick_user = user;
    s->poked = true;
    (void)pthread_cond_signal(&s->wake);
    (void)pthread_mutex_unlock(&s->lock);
}

void mcp_supervisor_wake(struct mcp_supervisor *s)
{
    (void)pthread_mutex_lock(&s->lock);
    s->poked = true;
    (void)pthread_cond_signal(&s->wake);
    (void)pthread_mutex_unlock(&s->lock);
}
