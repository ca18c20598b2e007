/*
 * pool.h - the worker threads and the queue before them
 *
 * Waiting jobs stand in one bounded queue: full means "refuse now". Workers
 * are elastic, because a handler may block in a C library: while jobs wait and
 * every worker is busy, more are started, up to the maximum; those that have
 * been idle for long go. A parked job (asleep) has its Lua state, but neither
 * a worker nor a place in the queue.
 *
 * Layer:  app, private to it. Uses app/app (the job), app/runner. No lua.h.
 * Thread: any, unless said.
 */
#ifndef MCP_APP_POOL_H
#define MCP_APP_POOL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/job.h"
#include "app/runner.h"

struct mcp_pool;

struct mcp_pool_options {
    struct mcp_supervisor *supervisor; /* its tick is the pool's from now on */
    size_t min_workers, max_workers, max_queue, stack_bytes;
    /* Runs or goes on with a job; on a worker. */
    void (*run)(void *user, struct mcp_runner *runner, struct mcp_job *job);
    void *user;
};

/* Cancels what runs, waits or sleeps, hands all of it to `run` once more, and
 * waits for the workers, `wait_ms` at most. False: a worker is blocked inside
 * a C library; then nothing was freed and the pool must live on. */
bool mcp_pool_free(struct mcp_pool *p, unsigned wait_ms);

/* Starts min_workers workers. `*out` is OWNED: mcp_pool_free(). Errors:
 * MCP_ENOMEM out of memory or of threads. */
enum mcp_err mcp_pool_new(const struct mcp_pool_options *options,
                          struct mcp_pool **out) MCP_MUST_USE;

/* What the threads of workers are made with; the caller destroys it. */
void mcp_pool_init_attr(pthread_attr_t *attr, size_t stack_bytes);

/* Queues a new job. Errors: MCP_EBUSY the queue is full or the pool ends. */
enum mcp_err mcp_pool_submit(struct mcp_pool *p,
                             struct mcp_job *job) MCP_MUST_USE;

/* Queues a job that is already under way, ahead of the new ones. */
void mcp_pool_resume(struct mcp_pool *p, struct mcp_job *job);

/* Keeps `job` until job->wake_ns or job->deadline_ns, then resumes it. */
void mcp_pool_park(struct mcp_pool *p, struct mcp_job *job);

/* Resumes a parked job before its time; one that is about to be parked goes on
 * at once. The caller makes sure that the job has not ended. */
void mcp_pool_wake(struct mcp_pool *p, struct mcp_job *job);

/* False while so many workers are blocked inside C libraries that no more are
 * started in their place. */
bool mcp_pool_healthy(struct mcp_pool *p);

/* Does no job run or wait for a worker now? Parked ones do neither. */
bool mcp_pool_is_idle(struct mcp_pool *p);

/* Wakes the parked job of `call`, if there is one: its call is cancelled. */
void mcp_pool_cancel(struct mcp_pool *p, const struct mcp_call *call);

#endif
