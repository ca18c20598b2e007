/* What the tests of the stores of tasks share: a folder, and calls that wait.
 * include after cmocka.h */
#ifndef MCP_TEST_TASK_STORE_COMMON_H
#define MCP_TEST_TASK_STORE_COMMON_H

#include "features/task_store_private.h"

/* A store of the kind that the test's first state names, "memory:" or
 * "sqlite:", in a folder of its own. */
struct store_test {
    const char *kind;
    char folder[64];
    char path[256]; /* of the SQLite file */
    char url[512];
    struct mcp_task_store *store;
};

/* setup and teardown; *state is the kind and becomes a struct store_test. */
int store_test_open(void **state);
int store_test_close(void **state);

/* Closes and opens the store again. */
void store_test_reopen(struct store_test *t);

/* What opening `url` says; a store that opens is closed. */
enum mcp_err store_open_error(const char *url, char message[512]);

/* A small row that lives for ever, of principal "p". */
struct mcp_task_row task_row(const char *id, enum mcp_task_status status);

/* put, and the error that done() got. */
enum mcp_err task_put(struct mcp_task_store *s, const struct mcp_task_row *row);

/* A copy of what get found: mcp_task_copy_release(). NULL: nothing. */
struct mcp_task_copy *task_get(struct mcp_task_store *s, const char *id,
                               const char *principal, int64_t now_ms);

/* get of principal "p" finds something. */
bool task_is_there(struct mcp_task_store *s, const char *id, int64_t now_ms);

/* Whole file, NUL-terminated, OWNED: free(); `*len` may be NULL. */
char *file_read(const char *path, size_t *len);
void file_write(const char *path, const void *bytes, size_t len);

/* Removes a folder with what is in it. */
void folder_remove(const char *path);

#endif
