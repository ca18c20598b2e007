/*
 * thread.h - threads that end at any time, and leave nothing behind
 *
 * Workers come and go, so nobody keeps their ids to join them. Detached ones
 * would still be freeing what the C library keeps for them while the process
 * ends, or while a library is unloaded. So each joins the one that left before
 * it, and the owner, once all have told it that they are done, the last.
 *
 * Layer:  base. Uses base/err.
 * Thread: any.
 */
#ifndef MCP_BASE_THREAD_H
#define MCP_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

#include "base/err.h"

/* Runs run(arg) on a new thread, which inherits the signal mask. False: no
 * thread to be had. `attr` must not be of detached ones. */
bool mcp_thread_start(const pthread_attr_t *attr, void (*run)(void *),
                      void *arg) MCP_MUST_USE;

/* For a thread that is about to tell its owner that it is done: settling waits
 * for it from now on. It returns from `run` soon. */
void mcp_thread_leave(void);

/* Waits until every thread that has called mcp_thread_leave() is gone. Not for
 * those threads themselves. */
void mcp_threads_settle(void);

#endif
