/*
 * task_queue.h - which task runs next
 *
 * Tasks that wait stand in lanes, one for each caller and tool. Callers take
 * turns, and so do the tools of a caller; tasks of one lane keep their order.
 * Nobody can keep another waiting by queueing many, and a tool at its limit
 * does not hold up the others.
 *
 *     push --> pop (it runs) --> [rest --> unrest]... --> end
 *         \-> drop
 *
 * Layer:  features. Uses base/err.
 * Thread: one at a time; the caller has a lock.
 */
#ifndef MCP_FEATURES_TASK_QUEUE_H
#define MCP_FEATURES_TASK_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct mcp_task_lane;
struct mcp_task_queue;

/* A place in the queue, inside of what stands there. Zeroed at first. */
struct mcp_task_place {
    struct mcp_task_place *prev, *next; /* in its lane                       */
    struct mcp_task_lane *lane;         /* NULL: never pushed, or ended      */
    bool waiting;                       /* in the lane                       */
    bool running;                       /* counted as running                */
};

/* Tasks that run at once; 0: no limit. `alive` counts those that rest too. */
struct mcp_task_limits {
    size_t running, per_tool, per_principal, alive;
};

/* Nothing may stand in it. */
void mcp_task_queue_free(struct mcp_task_queue *q);

/* OWNED. NULL: out of memory. */
struct mcp_task_queue *mcp_task_queue_new(void)
    MCP_OWNED(mcp_task_queue_free) MCP_MUST_USE;

/* Puts `p`, BORROWED, at the end of its lane; the texts are copied. Errors:
 * MCP_ENOMEM. */
enum mcp_err mcp_task_queue_push(struct mcp_task_queue *q,
                                 struct mcp_task_place *p,
                                 const char *principal,
                                 const char *tool) MCP_MUST_USE;

/* The next one that may run, counted as running from now on; NULL: none. */
struct mcp_task_place *mcp_task_queue_pop(struct mcp_task_queue *q,
                                          const struct mcp_task_limits *limits);

/* One that was popped could not be started: first in its lane again. */
void mcp_task_queue_push_back(struct mcp_task_queue *q,
                              struct mcp_task_place *p);

/* A running one sleeps or waits for input, or goes on: that may exceed the
 * limits for a while. */
void mcp_task_queue_rest(struct mcp_task_queue *q, struct mcp_task_place *p,
                         bool rests);

/* It has ended, or waits no more. Harmless for one that was never pushed. */
void mcp_task_queue_end(struct mcp_task_queue *q, struct mcp_task_place *p);

size_t mcp_task_queue_waiting(const struct mcp_task_queue *q);
size_t mcp_task_queue_running(const struct mcp_task_queue *q);
size_t mcp_task_queue_alive(const struct mcp_task_queue *q);

#endif
