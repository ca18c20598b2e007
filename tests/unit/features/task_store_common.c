/* see task_store_common.h */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "task_store_common.h"

#include <ftw.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- folders and files ----------------------------------------------------
 */

static int remove_one(const char *path, const struct stat *st, int kind,
                      struct FTW *place)
{
    (void)st;
    (void)kind;
    (void)place;
    return remove(path);
}

void folder_remove(const char *path)
{
    assert_int_equal(nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

char *file_read(const char *path, size_t *len)
{
    FILE *f = fopen(path, "rb");
    char *bytes;
    long size;

    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    size = ftell(f);
    rewind(f);
    bytes = malloc((size_t)size + 1);
    assert_int_equal(fread(bytes, 1, (size_t)size, f), size);
    bytes[size] = '\0';
    fclose(f);
    if (len != NULL)
        *len = (size_t)size;
    return bytes;
}

void file_write(const char *path, const void *bytes, size_t len)
{
    FILE *f = fopen(path, "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, len, f), len);
    assert_int_equal(fclose(f), 0);
}

/* ---- the fixture ----------------------------------------------------------
 */

static void open_store(struct store_test *t)
{
    char message[512] = "";

    if (mcp_task_store_open(t->url, &t->store, message, sizeof(message)) !=
        MCP_OK)
        fail_msg("%s", message);
}

int store_test_open(void **state)
{
    struct store_test *t = calloc(1, sizeof(*t));

    t->kind = *state;
    snprintf(t->folder, sizeof(t->folder), "/tmp/task-store-XXXXXX");
    assert_non_null(mkdtemp(t->folder));
    snprintf(t->path, sizeof(t->path), "%s/tasks.sqlite", t->folder);
    snprintf(t->url, sizeof(t->url), "%s%s", t->kind,
             strcmp(t->kind, "sqlite:") == 0 ? t->path : "");
    open_store(t);
    *state = t;
    return 0;
}

int store_test_close(void **state)
{
    struct store_test *t = *state;

    mcp_task_store_close(t->store);
    folder_remove(t->folder);
    free(t);
    return 0;
}

void store_test_reopen(struct store_test *t)
{
    mcp_task_store_close(t->store);
    open_store(t);
}

enum mcp_err store_open_error(const char *url, char message[512])
{
    struct mcp_task_store *s = NULL;
    enum mcp_err err;

    message[0] = '\0';
    err = mcp_task_store_open(url, &s, message, 512);
    assert_int_equal(err == MCP_OK, s != NULL);
    assert_int_equal(err == MCP_OK, message[0] == '\0');
    assert_null(strchr(message, '\n'));
    mcp_task_store_close(s);
    return err;
}

struct mcp_task_row task_row(const char *id, enum mcp_task_status status)
{
    return (struct mcp_task_row){
        .id = id,
        .principal = "p",
        .tool = "export",
        .status = status,
        .created_ms = 1000,
        .updated_ms = 1000,
        .ttl_ms = -1,
        .poll_ms = 500,
        .params = "{}",
    };
}

/* ---- calls that wait ------------------------------------------------------
 */

struct waiting {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    int calls;
    enum mcp_err err;
    struct mcp_task_copy *copy;
};

#define WAITING                                                                \
    {                                                                          \
        .lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER    \
    }

static void tell(struct waiting *w, enum mcp_err err,
                 const struct mcp_task_row *row)
{
    pthread_mutex_lock(&w->lock);
    w->calls++;
    w->err = err;
    w->copy = row != NULL ? mcp_task_copy_new(row) : NULL;
    pthread_cond_signal(&w->wake);
    pthread_mutex_unlock(&w->lock);
}

static void await(struct waiting *w)
{
    pthread_mutex_lock(&w->lock);
    while (w->calls == 0)
        pthread_cond_wait(&w->wake, &w->lock);
    assert_int_equal(w->calls, 1);
    pthread_mutex_unlock(&w->lock);
}

static void on_done(void *user, enum mcp_err err)
{
    tell(user, err, NULL);
}

static void on_found(void *user, const struct mcp_task_row *row)
{
    tell(user, MCP_OK, row);
}

enum mcp_err task_put(struct mcp_task_store *s, const struct mcp_task_row *row)
{
    struct waiting w = WAITING;

    mcp_task_store_put(s, row, on_done, &w);
    await(&w);
    return w.err;
}

struct mcp_task_copy *task_get(struct mcp_task_store *s, const char *id,
                               const char *principal, int64_t now_ms)
{
    struct waiting w = WAITING;

    mcp_task_store_get(s, id, principal, now_ms, on_found, &w);
    await(&w);
    return w.copy;
}

bool task_is_there(struct mcp_task_store *s, const char *id, int64_t now_ms)
{
    struct mcp_task_copy *c = task_get(s, id, "p", now_ms);
    bool there = c != NULL;

    mcp_task_copy_release(c);
    return there;
}
