/*
 * task_store.h - where tasks are kept, so that they outlive their requests
 *
 * One small interface before every store: memory, and SQLite, which outlives
 * the process too. Writes are in order, and a write is told as done only when
 * a read would find it; with SQLite also a read after kill -9 or a power cut
 * (as far as the disk keeps what it was told to flush). A finished task never
 * changes.
 *
 *     put --> (store's thread, several at once) --> done()
 *
 * Layer:  features. Uses base/err. Knows no JSON and no Lua: texts are opaque
 *         to it.
 * Thread: any, unless said; callbacks come on the caller's thread or on the
 *         store's own, hold no lock of the store, may use it (but for close)
 *         and never wait.
 */
#ifndef MCP_FEATURES_TASK_STORE_H
#define MCP_FEATURES_TASK_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct mcp_task_store;

/* The numbers are those of the SQLite file. */
enum mcp_task_status {
    MCP_TASK_WORKING,
    MCP_TASK_INPUT_REQUIRED,
    MCP_TASK_COMPLETED, /* this and the ones below are final */
    MCP_TASK_FAILED,
    MCP_TASK_CANCELLED,
};

/* What a row that is being written may take in memory, all of them together:
 * more is refused until the disk has caught up. */
enum { MCP_TASK_STORE_QUEUE_BYTES = 64 << 20 };

static inline bool mcp_task_is_final(enum mcp_task_status s)
{
    return s >= MCP_TASK_COMPLETED;
}

/* One task as it is kept. Texts are NUL-terminated UTF-8, copied by the store;
 * NULL: there is none (id, principal and tool are never NULL). Times are
 * milliseconds since 1970. */
struct mcp_task_row {
    const char *id;        /* unguessable                                  */
    const char *principal; /* who may see it                               */
    const char *tool;      /* its name                                     */
    enum mcp_task_status status;
    const char *status_message;
    int64_t created_ms, updated_ms;
    int64_t ttl_ms;        /* it lives so long after created_ms; -1: ever  */
    int64_t poll_ms;       /* what clients are told                        */
    bool retry;            /* after a crash it runs again                  */
    const char *params;    /* JSON: the request's, for that run            */
    const char *client;    /* JSON: who asked, and its capabilities        */
    const char *kept;      /* JSON: answers and memo values so far         */
    const char *questions; /* JSON: inputRequests, input_required only     */
    const char *outcome;   /* JSON: result of completed, error of failed   */
};

/* Waits for the writes that were put, then closes. After every other use;
 * NULL is fine. */
void mcp_task_store_close(struct mcp_task_store *s);

/* Opens the store `url`: "memory:" or "sqlite:PATH" (made when it is not
 * there, with its folders; for one process at a time, by a lock on PATH.lock).
 * `*out` is OWNED: mcp_task_store_close().
 * Errors, with a one-line `message`: MCP_EINVAL no such kind of store, or a
 * file that is not a store of ours, is damaged, or is of a newer version (it
 * stays as it is); MCP_EBUSY another process has it; MCP_EIO; MCP_ENOMEM. */
enum mcp_err mcp_task_store_open(const char *url, struct mcp_task_store **out,
                                 char *message,
                                 size_t message_size) MCP_MUST_USE;

/* Writes `row`, whole: a new one, or in place of the one with this id.
 * done(user, err) comes once, after the commit; NULL: nobody waits. Errors, to
 * done: MCP_EEXIST the stored status is final, and the row stays as it is;
 * MCP_EBUSY too much is being written, try again later; MCP_ELIMIT the row
 * alone is more than MCP_TASK_STORE_QUEUE_BYTES; MCP_EIO the disk refused (is
 * full, say), nothing has changed, and a later put may succeed; MCP_ENOMEM. */
void mcp_task_store_put(struct mcp_task_store *s,
                        const struct mcp_task_row *row,
                        void (*done)(void *user, enum mcp_err err), void *user);

/* found(user, row) comes once, after the done() of every put before it: `row`
 * is BORROWED for the call; NULL: no such task, or not of this principal, or
 * past its time at `now_ms` (that is after created_ms + ttl_ms), or it could
 * not be read, which the log tells. */
void mcp_task_store_get(struct mcp_task_store *s, const char *id,
                        const char *principal, int64_t now_ms,
                        void (*found)(void *user,
                                      const struct mcp_task_row *row),
                        void *user);

/* each(user, row) for every task that is not final, oldest first; on the
 * caller's thread, before anything is put. `row` is BORROWED for the call;
 * each() may not use the store. */
void mcp_task_store_unfinished(struct mcp_task_store *s,
                               void (*each)(void *user,
                                            const struct mcp_task_row *row),
                               void *user);

/* Deletes, soon, what is past its time at `now_ms`, finished or not. */
void mcp_task_store_expire(struct mcp_task_store *s, int64_t now_ms);

/* How many tasks it holds, those being written included. */
size_t mcp_task_store_count(struct mcp_task_store *s);

/* Writes to url[0..size) the store that an app gets when it names none:
 * "sqlite:" and a file of its own in the first folder of $STATE_DIRECTORY
 * (systemd), else in $XDG_STATE_HOME/mcpluad, else in
 * $HOME/.local/state/mcpluad; only absolute folders count. The file is named
 * after `app`, its path, and a hash of that, made absolute.
 * Errors: MCP_ENOENT there is no such folder, or no `app`; MCP_ELIMIT `url` is
 * too small; MCP_EINTERNAL. */
enum mcp_err mcp_task_store_default_url(const char *app, char *url,
                                        size_t size) MCP_MUST_USE;

#endif
