/*
 * task_store.c - which store an URL means
 */
#include "features/task_store.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "features/task_store_private.h"

enum mcp_err mcp_task_store_fail(const struct mcp_task_store_message *m,
                                 enum mcp_err err, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(m->text, m->size, fmt, args);
    va_end(args);
    return err;
}

/* Messages show no more of an URL than its kind: it may hold a password. What
 * follows `scheme` in `url`, or NULL. */
static const char *after(const char *url, const char *scheme)
{
    size_t len = strlen(scheme);

    return strncmp(url, scheme, len) == 0 ? url + len : NULL;
}

enum mcp_err mcp_task_store_open(const char *url, struct mcp_task_store **out,
                                 char *message, size_t message_size)
{
    const struct mcp_task_store_message m = {message, message_size};
    const char *path = after(url, "sqlite:");
    enum mcp_err err;

    if (path != NULL && path[0] != '\0')
        return mcp_task_store_sqlite(path, out, &m);
    if (path != NULL)
        return mcp_task_store_fail(&m, MCP_EINVAL,
                                   "sqlite: names no file: write sqlite:PATH");
    if (after(url, "redis:") != NULL || after(url, "rediss:") != NULL)
        return mcp_task_store_fail(&m, MCP_EINVAL,
                                   "redis: is not built in: write memory: or "
                                   "sqlite:PATH");
    if (strcmp(url, "memory:") != 0)
        return mcp_task_store_fail(&m, MCP_EINVAL,
                                   "\"%.*s\" is no store of tasks: write "
                                   "memory: or sqlite:PATH",
                                   (int)strcspn(url, ":"), url);
    err = mcp_task_store_memory(out);
    return err == MCP_OK
               ? err
               : mcp_task_store_fail(&m, err, "memory: out of memory");
}

void mcp_task_store_close(struct mcp_task_store *s)
{
    if (s != NULL)
        s->kind->close(s);
}

void mcp_task_store_put(struct mcp_task_store *s,
                        const struct mcp_task_row *row,
                        void (*done)(void *user, enum mcp_err err), void *user)
{
    s->kind->put(s, row, done, user);
}

void mcp_task_store_get(struct mcp_task_store *s, const char *id,
                        const char *principal, int64_t now_ms,
                        void (*found)(void *user,
                                      const struct mcp_task_row *row),
                        void *user)
{
    s->kind->get(s, id, principal, now_ms, found, user);
}

void mcp_task_store_unfinished(struct mcp_task_store *s,
                               void (*each)(void *user,
                                            const struct mcp_task_row *row),
                               void *user)
{
    s->kind->unfinished(s, each, user);
}

void mcp_task_store_expire(struct mcp_task_store *s, int64_t now_ms)
{
    s->kind->expire(s, now_ms);
}

size_t mcp_task_store_count(struct mcp_task_store *s)
{
    return s->kind->count(s);
}
