/*
 * task_private.h - one task, and what the parts of task.h share
 *
 * Locks, in this order: `opening`, `publishing`, `lock`, those of the
 * subscriptions and of app/. The store is called without any but `opening`.
 *
 * Layer:  features, private to task*.c. Uses features/task.
 * Thread: functions that end in _locked: with tasks->lock; others: without.
 */
#ifndef MCP_FEATURES_TASK_PRIVATE_H
#define MCP_FEATURES_TASK_PRIVATE_H

#include <pthread.h>
#include <stdint.h>

#include "app/apart.h"
#include "app/app.h"
#include "features/task.h"
#include "features/task_queue.h"
#include "features/task_store.h"

enum {
    MCP_TASK_ID_BYTES = 16, /* random; twice as many digits              */
    MCP_TASK_TEXT_MAX_BYTES = 256 << 20, /* of a text that is kept       */
    /* of a result: its row has to fit into the store's queue */
    MCP_TASK_RESULT_MAX_BYTES = MCP_TASK_STORE_QUEUE_BYTES - (1 << 20),
};

/* A question that is out, or has been. */
struct mcp_task_question {
    struct mcp_task_question *next; /* the one asked before                 */
    const char *key, *name;         /* in the run's arena                   */
    const char *request;
    size_t request_len;
    bool answered;
};

/* What the client has answered, for a second run; one malloc. */
struct mcp_task_answer {
    struct mcp_task_answer *next;
    const char *key;  /* as it was asked                                    */
    const char *name; /* as the handler calls it                            */
    const char *text; /* JSON                                               */
};

/* Somebody waits until the store has the present state of a task. */
struct mcp_task_waiter {
    struct mcp_task_waiter *next;
    uint64_t version;
    void (*done)(struct mcp_task_waiter *w, enum mcp_err err);
};

struct mcp_task {
    struct mcp_tasks *tasks;
    struct mcp_task *next; /* in its bucket                                 */
    unsigned refs;         /* under lock, as all below that is not constant */

    /* constant */
    char id[2 * MCP_TASK_ID_BYTES + 1];
    char *principal, *tool_name; /* OWNED                                   */
    char *params;                /* JSON, OWNED                             */
    char *client;                /* JSON { id, transport }, OWNED           */
    int64_t created_ms, poll_ms;
    int64_t keep_ms, most_ms; /* task_ttl_ms, task_max_ttl_ms               */
    double timeout_s, grace_s;

    /* until it ends */
    const struct mcp_generation *gen; /* REF; NULL: it has ended            */
    const struct mcp_tool *tool;      /* of gen; NULL: only to be ended     */

    /* as clients see it */
    enum mcp_task_status status;
    char *status_message; /* OWNED */
    int64_t updated_ms, ttl_ms;
    char *questions; /* JSON of those that are open, OWNED                  */
    char *outcome;   /* JSON, OWNED; shown when status is final              */

    /* what a second run starts from */
    bool retry;
    char *state; /* JSON of app/apart.h, OWNED; NULL: none                  */
    struct mcp_task_answer *answers;

    /* its way */
    struct mcp_task_place place;
    struct mcp_task_question *asked;
    uint64_t asking; /* the version that has them, not stored yet; 0: it is  */
    bool listed;     /* in the table                                          */
    bool has_call;   /* `call` is set up                                      */
    bool cancelled;  /* the client wants it no more                       */
    bool expired;    /* it ran into its last moment                       */
    bool forced;     /* its handler is to be interrupted                  */
    uint64_t force_ns; /* when, while cancelled and not forced              */
    bool ending;       /* `end` and `outcome` are set, the store is to know */
    bool refused;      /* the store refused the end once                    */
    bool kept_only;    /* it did so again: the end is told from here        */
    enum mcp_task_status end;
    uint64_t told_ns; /* when listeners were last told                      */

    /* its row */
    uint64_t version, written, in_flight; /* counts of changes              */
    bool writing;
    struct mcp_task_waiter *waiters;

    /* its run: of the job's owner */
    struct mcp_arena *arena; /* OWNED */
    struct mcp_call call;
    struct mcp_request rq;
    struct mcp_apart apart;
};

struct mcp_tasks {
    struct mcp_app *app;
    struct mcp_subscriptions *subscriptions;
    bool (*start)(struct mcp_request *rq, const struct mcp_tool *tool,
                  const struct mcp_json *sent, const struct mcp_job *how);
    char *script; /* OWNED */
    pthread_mutex_t lock, publishing, opening;
    pthread_cond_t changed;
    struct mcp_task_store *store; /* NULL: not opened yet; under lock        */
    struct mcp_task_queue *queue;
    struct mcp_task_limits limits; /* of the newest generation seen          */
    struct mcp_task **buckets;
    size_t bucket_count, count;
    size_t places; /* in the store, of tasks that it does not count yet      */
    pthread_t thread;
    bool has_thread, stop;
    bool looking;      /* the clock is to look at once                       */
    uint64_t retry_ns; /* when the pool or the store is tried again; 0: not  */
};

/* ---- task.c ---- */

/* A task with its own copies of the texts (`client` may be NULL), the
 * generation and one REF for the caller; not listed. NULL: no memory. */
struct mcp_task *mcp_task_new(struct mcp_tasks *tasks, const char *id,
                              const char *principal, const char *tool_name,
                              const char *params, const char *client,
                              const struct mcp_generation *gen);
struct mcp_task *mcp_task_retain(struct mcp_task *t);
void mcp_task_release(struct mcp_task *t);
void mcp_task_release_all(struct mcp_task *list);

/* The table's REF is one more. */
void mcp_task_list_locked(struct mcp_task *t);
/* Takes it out; the caller gets the table's REF. */
void mcp_task_unlist_locked(struct mcp_task *t);

/* The listed task id[0..len) of this principal, or NULL. */
struct mcp_task *mcp_task_find_locked(struct mcp_tasks *tasks, const char *id,
                                      size_t len, const char *principal);

/* The store, opened when that has not happened. Errors, with a `message`: those
 * of mcp_task_store_open(). */
enum mcp_err mcp_tasks_open_store(struct mcp_tasks *tasks,
                                  const struct mcp_config *config,
                                  char *message,
                                  size_t message_size) MCP_MUST_USE;

/* Milliseconds since 1970. */
int64_t mcp_task_now_ms(void);

/* What clients see has changed now. */
void mcp_task_touch_locked(struct mcp_task *t);

/* It runs no more: gives its generation back. */
void mcp_task_let_generation_go(struct mcp_task *t);

/* ---- task_clock.c ---- */

/* Starts its thread, which mcp_tasks_stop() ends. False: there is none. */
bool mcp_tasks_start_clock(struct mcp_tasks *tasks) MCP_MUST_USE;

/* The clock looks at once. */
void mcp_tasks_wake_locked(struct mcp_tasks *tasks);

/* Ends a task that does not run: it is cancelled, or its time is over. */
void mcp_task_give_up_locked(struct mcp_task *t);

/* The client wants it no more, or (`expired`) its time is over. True: the call
 * has to be interrupted by mcp_app_cancel(). */
bool mcp_task_cancel_locked(struct mcp_task *t, bool expired);

/* ---- task_create.c ---- */

/* How many may run from now on. */
void mcp_tasks_set_limits(struct mcp_tasks *tasks,
                          const struct mcp_config *config);

/* ---- task_run.c ---- */

/* Starts what may run. */
void mcp_tasks_pump(struct mcp_tasks *tasks);

/* It ends like this: `outcome` (JSON, TAKEN) is the result of a completed, the
 * error of a failed one; `message` (may be NULL) is copied. */
void mcp_task_end_locked(struct mcp_task *t, enum mcp_task_status end,
                         char *outcome, const char *message, size_t len);

/* Ends it as failed, -32603 with this text. */
void mcp_task_fail_locked(struct mcp_task *t, const char *text);

/* ---- task_input.c ---- */

/* For struct mcp_apart. */
enum mcp_err mcp_task_ask(struct mcp_job *job,
                          const struct mcp_apart_question *q, size_t count);
void mcp_task_keep(struct mcp_job *job, const char *state, size_t len);

/* Takes what inputResponses (an object) answer of what is open. `first[i]` says
 * of each member whether it did. Errors: MCP_EINVAL one of them is no object,
 * MCP_ENOMEM: nothing was taken. */
enum mcp_err mcp_task_answer_locked(struct mcp_task *t,
                                    const struct mcp_json *responses,
                                    bool *taken) MCP_MUST_USE;

/* Adds an answer for a second run. False: no memory. */
bool mcp_task_keep_answer_locked(struct mcp_task *t, const char *key,
                                 const char *name, const struct mcp_json *v);
void mcp_task_free_answers(struct mcp_task *t);

/* ---- task_write.c ---- */

/* `,"taskId":...` without the comma, up to pollIntervalMs. */
void mcp_task_write_members(struct mcp_buf *out,
                            const struct mcp_task_row *row);
/* The same, and inputRequests, result or error. */
void mcp_task_write_whole(struct mcp_buf *out, const struct mcp_task_row *row);

/* As clients see it now; the texts are the task's. */
struct mcp_task_row mcp_task_row_locked(const struct mcp_task *t);

/* {"state":...,"answers":{...},"keys":{...},"cancelled":true} */
void mcp_task_write_kept_locked(struct mcp_buf *out, const struct mcp_task *t);

/* Has the store been told of the newest state? If not, it is told. `w` (may be
 * NULL) hears when it has it, perhaps before this returns. */
void mcp_task_save(struct mcp_task *t, struct mcp_task_waiter *w);

/* Listeners are told of the task as it is now. */
void mcp_task_publish(struct mcp_task *t);

/* ---- task_restart.c ---- */

/* `store`, TAKEN, is the one from now on. Ends or takes up every task in it
 * that the process before has left. */
void mcp_tasks_take_over(struct mcp_tasks *tasks, struct mcp_task_store *store);

#endif
