/*
 * pool.c - one lock for the queue, the parked jobs and the count of workers
 */
#include "app/pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"

enum {
    GUARD_BYTES = 128 << 10,
    LOOK_MS = 10,    /* between looks at a queue that does not move    */
    STARVED_MS = 20, /* waited so long: one more worker                */
    STUCK_MAX = 16,  /* blocked workers that are replaced              */
    IDLE_S = 10,     /* idle so long: one worker fewer                 */
};

struct mcp_pool {
    struct mcp_pool_options options;
    pthread_mutex_t lock;
    pthread_cond_t work, gone;
    struct mcp_job *first, **last; /* the queue                       */
    struct mcp_job *parked;
    size_t queued, workers, idle;
    size_t waking; /* signals that no worker has heard yet           */
    size_t stuck;  /* workers blocked inside a C library, as last told */
    bool stop;
};

/* ---- workers --------------------------------------------------------------
 */

/* Takes the next job; NULL when this worker is to end. Under the lock. */
static struct mcp_job *next_job(struct mcp_pool *p)
{
    struct mcp_job *job;

    while (p->first == NULL && !p->stop) {
        struct timespec t;
        int rc;

        (void)clock_gettime(CLOCK_MONOTONIC, &t);
        t.tv_sec += IDLE_S;
        p->idle++;
        rc = pthread_cond_timedwait(&p->work, &p->lock, &t);
        p->idle--;
        p->waking -= p->waking > 0;
        if (rc != 0 && p->first == NULL && p->workers > p->options.min_workers)
            return NULL;
    }
    job = p->first;
    if (job != NULL) {
        p->first = job->next;
        if (p->first == NULL)
            p->last = &p->first;
        p->queued--;
        job->next = NULL;
    }
    return job;
}

static void worker_main(void *arg)
{
    struct mcp_pool *p = arg;
    struct mcp_runner *runner = mcp_runner_new(p->options.supervisor);
    struct mcp_job *job;

    (void)pthread_mutex_lock(&p->lock);
    while (runner != NULL && (job = next_job(p)) != NULL) {
        bool stop = p->stop;

        (void)pthread_mutex_unlock(&p->lock);
        if (stop)
            atomic_store(&job->call->cancelled, true);
        p->options.run(p->options.user, runner, job);
        (void)pthread_mutex_lock(&p->lock);
    }
    (void)pthread_mutex_unlock(&p->lock);
    mcp_runner_free(runner);
    mcp_thread_leave();
    (void)pthread_mutex_lock(&p->lock);
    p->workers--;
    (void)pthread_cond_signal(&p->gone);
    (void)pthread_mutex_unlock(&p->lock);
}

void mcp_pool_init_attr(pthread_attr_t *attr, size_t stack_bytes)
{
    (void)pthread_attr_init(attr);
    (void)pthread_attr_setstacksize(attr, stack_bytes);
    (void)pthread_attr_setguardsize(attr, GUARD_BYTES);
}

/* Starts one more worker. Its signals are those of the process, because what a
 * handler runs by os.execute inherits them. Under the lock. */
static bool start_worker(struct mcp_pool *p)
{
    pthread_attr_t attr;
    bool started;

    mcp_pool_init_attr(&attr, p->options.stack_bytes);
    started = mcp_thread_start(&attr, worker_main, p);
    (void)pthread_attr_destroy(&attr);
    p->workers += started;
    return started;
}

/* ---- the queue ------------------------------------------------------------
 */

static void push_back(struct mcp_pool *p, struct mcp_job *job)
{
    job->next = NULL;
    *p->last = job;
    p->last = &job->next;
    p->queued++;
}

static void push_front(struct mcp_pool *p, struct mcp_job *job)
{
    job->next = p->first;
    if (p->first == NULL)
        p->last = &job->next;
    p->first = job;
    p->queued++;
}

static size_t most_workers(const struct mcp_pool *p)
{
    return p->options.max_workers +
           (p->stuck < STUCK_MAX ? p->stuck : (size_t)STUCK_MAX);
}

/* Who has to hear of what was just queued. */
enum call_for { NOBODY, A_WORKER, THE_SUPERVISOR };

/* A worker, unless as many are waking up as there are jobs; with none idle, the
 * supervisor looks after a while whether one more is needed. Under the lock. */
static enum call_for choose(struct mcp_pool *p)
{
    if (p->idle > p->waking && p->queued > p->waking) {
        p->waking++;
        return A_WORKER;
    }
    if (p->idle == 0 && p->queued == 1 && p->workers < most_workers(p))
        return THE_SUPERVISOR;
    return NOBODY;
}

/* Not under the lock: whoever wakes up wants it at once. */
static void call(struct mcp_pool *p, enum call_for whom)
{
    if (whom == A_WORKER)
        (void)pthread_cond_signal(&p->work);
    else if (whom == THE_SUPERVISOR)
        mcp_supervisor_wake(p->options.supervisor);
}

enum mcp_err mcp_pool_submit(struct mcp_pool *p, struct mcp_job *job)
{
    enum call_for whom = NOBODY;
    bool full;

    job->queued_ns = mcp_clock_now_ns();
    (void)pthread_mutex_lock(&p->lock);
    full = p->stop || p->queued >= p->options.max_queue;
    if (!full) {
        push_back(p, job);
        whom = choose(p);
    }
    (void)pthread_mutex_unlock(&p->lock);
    call(p, whom);
    return full ? MCP_EBUSY : MCP_OK;
}

void mcp_pool_resume(struct mcp_pool *p, struct mcp_job *job)
{
    enum call_for whom;

    job->queued_ns = mcp_clock_now_ns();
    (void)pthread_mutex_lock(&p->lock);
    push_front(p, job);
    whom = choose(p);
    (void)pthread_mutex_unlock(&p->lock);
    call(p, whom);
}

/* ---- parked jobs ----------------------------------------------------------
 */

static uint64_t wake_time(const struct mcp_job *job)
{
    return job->wake_ns < job->deadline_ns ? job->wake_ns : job->deadline_ns;
}

void mcp_pool_park(struct mcp_pool *p, struct mcp_job *job)
{
    bool woken;

    (void)pthread_mutex_lock(&p->lock);
    woken = job->woken;
    job->woken = false;
    if (!woken) {
        job->next = p->parked;
        p->parked = job;
    }
    (void)pthread_mutex_unlock(&p->lock);
    if (woken)
        mcp_pool_resume(p, job);
    else
        mcp_supervisor_wake(p->options.supervisor);
}

void mcp_pool_wake(struct mcp_pool *p, struct mcp_job *job)
{
    enum call_for whom = NOBODY;
    struct mcp_job **link;

    (void)pthread_mutex_lock(&p->lock);
    for (link = &p->parked; *link != NULL && *link != job;)
        link = &(*link)->next;
    if (*link == job) {
        *link = job->next;
        job->queued_ns = mcp_clock_now_ns();
        push_front(p, job);
        whom = choose(p);
    } else {
        job->woken = true;
    }
    (void)pthread_mutex_unlock(&p->lock);
    call(p, whom);
}

/* Queues the parked jobs that are due (all of them when the pool ends).
 * Returns when the next one is. Under the lock. */
static uint64_t wake_parked(struct mcp_pool *p, uint64_t now)
{
    struct mcp_job **link = &p->parked, *job;
    uint64_t next = UINT64_MAX;

    while ((job = *link) != NULL) {
        uint64_t due = wake_time(job);

        if (due <= now || p->stop || atomic_load(&job->call->cancelled)) {
            *link = job->next;
            job->queued_ns = now;
            push_front(p, job);
            if (choose(p) == A_WORKER)
                (void)pthread_cond_signal(&p->work);
            continue;
        }
        if (due < next)
            next = due;
        link = &job->next;
    }
    return next;
}

void mcp_pool_cancel(struct mcp_pool *p, const struct mcp_call *call)
{
    bool found = false;
    struct mcp_job *job;

    (void)pthread_mutex_lock(&p->lock);
    for (job = p->parked; job != NULL; job = job->next)
        found |= job->call == call;
    (void)pthread_mutex_unlock(&p->lock);
    if (found)
        mcp_supervisor_wake(p->options.supervisor);
}

/* Under the lock. */
static void count_stuck(struct mcp_pool *p)
{
    size_t now = mcp_supervisor_stuck(p->options.supervisor);

    if (now > p->stuck)
        mcp_log(MCP_LOG_ERROR, "app",
                "%zu worker%s blocked inside a C library beyond the "
                "deadline; %s",
                now, now == 1 ? " is" : "s are",
                now <= STUCK_MAX ? "replaced" : "not replaced any more");
    else if (now < p->stuck)
        mcp_log(MCP_LOG_INFO, "app", "%zu blocked workers left", now);
    p->stuck = now;
}

bool mcp_pool_is_idle(struct mcp_pool *p)
{
    bool idle;

    (void)pthread_mutex_lock(&p->lock);
    idle = p->first == NULL && p->idle == p->workers;
    (void)pthread_mutex_unlock(&p->lock);
    return idle;
}

bool mcp_pool_healthy(struct mcp_pool *p)
{
    bool healthy;

    (void)pthread_mutex_lock(&p->lock);
    healthy = p->stuck <= STUCK_MAX;
    (void)pthread_mutex_unlock(&p->lock);
    return healthy;
}

/* On the supervisor: wakes sleepers, and starts a worker when the oldest job
 * has waited although every worker is busy. */
static uint64_t tick(void *user, uint64_t now)
{
    struct mcp_pool *p = user;
    uint64_t next;

    (void)pthread_mutex_lock(&p->lock);
    next = wake_parked(p, now);
    count_stuck(p);
    if (p->first != NULL && p->idle == 0 && !p->stop &&
        p->workers < most_workers(p)) {
        if (now >= p->first->queued_ns + STARVED_MS * MCP_NS_PER_MS)
            (void)start_worker(p);
        if (next > now + LOOK_MS * MCP_NS_PER_MS)
            next = now + LOOK_MS * MCP_NS_PER_MS;
    }
    (void)pthread_mutex_unlock(&p->lock);
    return next;
}

/* ---- life -----------------------------------------------------------------
 */

/* Under the lock. */
static bool wait_for_workers(struct mcp_pool *p, unsigned wait_ms)
{
    uint64_t end = mcp_clock_now_ns() + wait_ms * MCP_NS_PER_MS;
    struct timespec t = mcp_clock_timespec(end);
    int rc = 0;

    while (p->workers > 0 && rc == 0)
        rc = pthread_cond_timedwait(&p->gone, &p->lock, &t);
    return p->workers == 0;
}

bool mcp_pool_free(struct mcp_pool *p, unsigned wait_ms)
{
    bool gone;

    (void)pthread_mutex_lock(&p->lock);
    p->stop = true;
    (void)wake_parked(p, mcp_clock_now_ns());
    (void)pthread_cond_broadcast(&p->work);
    (void)pthread_mutex_unlock(&p->lock);
    mcp_supervisor_cancel(p->options.supervisor, NULL);
    (void)pthread_mutex_lock(&p->lock);
    gone = wait_for_workers(p, wait_ms);
    (void)pthread_mutex_unlock(&p->lock);
    if (!gone)
        return false;
    mcp_threads_settle();
    mcp_supervisor_set_tick(p->options.supervisor, NULL, NULL);
    (void)pthread_mutex_destroy(&p->lock);
    (void)pthread_cond_destroy(&p->work);
    (void)pthread_cond_destroy(&p->gone);
    free(p);
    return true;
}

enum mcp_err mcp_pool_new(const struct mcp_pool_options *options,
                          struct mcp_pool **out)
{
    struct mcp_pool *p = calloc(1, sizeof(*p));
    pthread_condattr_t attr;
    bool ok = true;

    if (p == NULL)
        return MCP_ENOMEM;
    p->options = *options;
    p->last = &p->first;
    (void)pthread_mutex_init(&p->lock, NULL);
    (void)pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&p->work, &attr);
    (void)pthread_cond_init(&p->gone, &attr);
    (void)pthread_condattr_destroy(&attr);
    mcp_supervisor_set_tick(options->supervisor, tick, p);
    *out = p; /* before the first worker runs */
    (void)pthread_mutex_lock(&p->lock);
    while (ok && p->workers < options->min_workers)
        ok = start_worker(p);
    (void)pthread_mutex_unlock(&p->lock);
    if (!ok) {
        *out = NULL;
        (void)mcp_pool_free(p, 1000);
    }
    return ok ? MCP_OK : MCP_ENOMEM;
}
