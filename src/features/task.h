/*
 * task.h - tasks: tools/call answered by a handle, the result asked for later
 *
 * A task is a run of the tool's handler that has no request behind it
 * (app/apart.h). Nobody is told its id before the store has it, and nobody is
 * told of its end before the store has that: what a client has seen is true
 * after a crash too.
 *
 *     tools/call --> [queued] --> runs <--> waits for input --> final
 *                                  ^          |
 *     tasks/get, notifications     |          +-- tasks/update
 *                                  +------------- tasks/cancel
 *
 * Parts: task.c life, table; task_clock.c; task_create.c; task_run.c the runs;
 * task_queue.h whose turn it is; task_input.c questions; task_write.c rows and
 * texts; task_methods.c tasks/get and its like; task_listen.c who hears of
 * them; task_restart.c what the process before has left.
 *
 * Layer:  features. Uses app/app, app/apart, features/task_store,
 *         features/subscriptions, features/request.
 * Thread: any, unless said.
 * Source: the extension io.modelcontextprotocol/tasks.
 */
#ifndef MCP_FEATURES_TASK_H
#define MCP_FEATURES_TASK_H

#include <stdbool.h>
#include <stddef.h>

#include "features/request.h"
#include "features/subscriptions.h"

#define MCP_TASKS_EXTENSION "io.modelcontextprotocol/tasks"

/* Tasks that have begun and not ended, those that sleep or wait for input
 * included: each has a Lua state. More of them wait in the queue. */
enum { MCP_TASKS_ALIVE_MAX = 1000 };

struct mcp_tasks;

/* After mcp_tasks_stop() and the end of the app; waits for the store. NULL is
 * fine. */
void mcp_tasks_free(struct mcp_tasks *tasks);

struct mcp_job;

/* All is BORROWED. */
struct mcp_tasks_options {
    struct mcp_app *app;
    const char *script; /* its path */
    struct mcp_subscriptions *subscriptions;
    /* Runs a tool, as mcp_tools_start(). */
    bool (*start)(struct mcp_request *rq, const struct mcp_tool *tool,
                  const struct mcp_json *sent, const struct mcp_job *how);
};

/* Opens the store, ends or takes up what the process before has left, and
 * starts to run tasks. `*out` is OWNED: mcp_tasks_free(). Main thread. Errors,
 * with a one-line `message`: those of mcp_task_store_open(). */
enum mcp_err mcp_tasks_open(const struct mcp_tasks_options *options,
                            struct mcp_tasks **out, char *message,
                            size_t message_size) MCP_MUST_USE;

/* The process ends: nothing is started any more, and what is cut short stays
 * in the store as it is. Before mcp_app_close(). NULL is fine. */
void mcp_tasks_stop(struct mcp_tasks *tasks);

/* ---- tools/call --------------------------------------------------------- */

/* How a call of a tool is served. */
enum mcp_task_way {
    MCP_TASK_WAY_CALL,   /* as any other                                    */
    MCP_TASK_WAY_TASK,   /* mcp_task_create()                               */
    MCP_TASK_WAY_REFUSE, /* the client knows no tasks, the tool nothing else */
};

enum mcp_task_way mcp_task_way(const struct mcp_request *rq,
                               const struct mcp_tool *tool);

/* Makes a task of the request, whose arguments are good, and ends it when the
 * store has the task. False: the fault is set, the caller ends it. */
bool mcp_task_create(struct mcp_request *rq,
                     const struct mcp_tool *tool) MCP_MUST_USE;

/* Has the client declared the extension in this request? False: the fault
 * -32021 is set. */
bool mcp_task_check_client(struct mcp_request *rq) MCP_MUST_USE;

/* ---- methods ------------------------------------------------------------ */

void mcp_tasks_get(struct mcp_request *rq);
void mcp_tasks_update(struct mcp_request *rq);
void mcp_tasks_cancel(struct mcp_request *rq);

/* ---- subscriptions/listen ----------------------------------------------- */

/* Finds out which of the ids (an array of strings, each counted once) are tasks
 * of this caller. `accepted` gets an array in the call's arena, NULL when there
 * is none of them or no memory; it may be called before this returns. */
void mcp_tasks_accept(struct mcp_tasks *tasks, struct mcp_call *call,
                      const struct mcp_json *ids,
                      void (*accepted)(void *user, const struct mcp_json *ids),
                      void *user);

/* Publishes the task once more when there is something that whoever has just
 * begun to listen must not miss: that it waits for input, or its end. */
void mcp_tasks_announce(struct mcp_tasks *tasks, const char *id,
                        const char *principal);

#endif
