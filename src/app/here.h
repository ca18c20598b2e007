/*
 * here.h - quick handlers on the thread that received their calls
 *
 * Handing a call to a worker and its answer back costs two switches of thread,
 * more than many a handler takes. So a transport may offer a place of its own
 * (call->here): a handler that has been quick so far is put there instead of
 * into the queue, and the transport's thread runs it when it has a moment. How
 * long it will take is not known, so the transport must have another thread
 * take over everything else when it takes long (transport/http_role.h). What
 * has once taken long begins on a worker the next times.
 *
 *     mcp_app_run() --> here --> mcp_here_run()
 *                           \--> mcp_here_hand_over(): workers do it
 *
 * Layer:  app. Uses app/job, app/runner, app/pool; implemented by app.c.
 * Thread: a `struct mcp_here` belongs to one thread at a time.
 */
#ifndef MCP_APP_HERE_H
#define MCP_APP_HERE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "app/job.h"

struct mcp_app;
struct mcp_runner;

/* Jobs to be run, oldest first. All zero: none. */
struct mcp_here {
    struct mcp_job *first, *last;
    size_t count;
};

/* Does this app's isolation, and its number of workers, allow it? */
bool mcp_here_is_possible(struct mcp_app *app);

/* A thread that is to run handlers has this stack; `app` NULL: it runs none.
 * The caller destroys it. */
void mcp_here_init_attr(const struct mcp_app *app, pthread_attr_t *attr);

/* Makes the calling thread one that runs handlers. OWNED: mcp_here_end(), on
 * the same thread; the app closes only when that has been called. NULL: out of
 * memory. */
struct mcp_runner *mcp_here_begin(struct mcp_app *app) MCP_MUST_USE;
void mcp_here_end(struct mcp_app *app, struct mcp_runner *runner);

/* Takes the oldest job out, or NULL. */
struct mcp_job *mcp_here_take(struct mcp_here *here);

/* Runs it until it ends or parks. */
void mcp_here_run(struct mcp_app *app, struct mcp_runner *runner,
                  struct mcp_job *job);

/* Gives a job that was taken, or all jobs, to the workers. */
void mcp_here_decline(struct mcp_app *app, struct mcp_job *job);
void mcp_here_hand_over(struct mcp_app *app, struct mcp_here *here);

#endif
