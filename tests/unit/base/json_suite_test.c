/*
 * json_suite_test.c - the public parsing suite: y_ accepted, n_ refused, i_
 * without a crash
 *
 * The suite lies in $MCP_SHARED/suites/json-parsing, by default beside the
 * repository in ../shared; without it the test says so and skips.
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

#ifndef MCP_SOURCE_DIR
#define MCP_SOURCE_DIR "."
#endif

enum { ARENA_BYTES = 16 << 20, LEAST_FILES = 200 };

static void suite_folder(char *path, size_t size)
{
    const char *shared = getenv("MCP_SHARED");

    if (shared != NULL)
        (void)snprintf(path, size, "%s/suites/json-parsing", shared);
    else
        (void)snprintf(path, size, "%s/../shared/suites/json-parsing",
                       MCP_SOURCE_DIR);
}

static char *read_file(const char *folder, const char *name, size_t *len)
{
    char path[PATH_MAX];
    FILE *file;
    char *text, *exact;

    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = fopen(path, "rb");
    assert_non_null(file);
    text = malloc(1 << 20);
    assert_non_null(text);
    *len = fread(text, 1, 1 << 20, file);
    assert_int_equal(fclose(file), 0);
    exact = realloc(text, *len > 0 ? *len : 1);
    return exact != NULL ? exact : text;
}

static void try_file(struct mcp_arena *a, const char *folder, const char *name)
{
    const struct mcp_json_options options = {.allow_duplicate_keys = true};
    const struct mcp_json *v = NULL;
    size_t len;
    char *text = read_file(folder, name, &len);
    enum mcp_err err;

    mcp_arena_reset(a);
    err = mcp_json_parse(a, text, len, &options, &v, NULL);
    if (name[0] == 'y' && err != MCP_OK)
        fail_msg("%s must be accepted", name);
    if (name[0] == 'n' && err == MCP_OK)
        fail_msg("%s must be refused", name);
    free(text);
}

static void the_suite_is_decided_as_it_demands(void **state)
{
    struct mcp_arena *a = mcp_arena_new(ARENA_BYTES);
    char folder[PATH_MAX - 256];
    struct dirent *entry;
    int files = 0;
    DIR *dir;

    (void)state;
    suite_folder(folder, sizeof(folder));
    dir = opendir(folder);
    if (dir == NULL) {
        print_message("skipped: the JSON parsing suite is not at %s\n", folder);
        mcp_arena_free(a);
        skip();
    }
    while ((entry = readdir(dir)) != NULL) {
        if (strstr(entry->d_name, ".json") == NULL)
            continue;
        try_file(a, folder, entry->d_name);
        files++;
    }
    assert_true(files > LEAST_FILES);
    assert_int_equal(closedir(dir), 0);
    mcp_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_suite_is_decided_as_it_demands),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
