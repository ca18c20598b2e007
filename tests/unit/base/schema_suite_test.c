/*
 * schema_suite_test.c - the official JSON Schema suites: all right, counted
 *
 * The suites lie beside the repository (or where MCP_SHARED says). Without
 * them there is nothing to run, and the test says so; schema_test.c has cases
 * of our own for each keyword.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/schema.h"

#ifndef MCP_SOURCE_DIR
#define MCP_SOURCE_DIR "."
#endif

enum { MAX_REMOTES = 200, PATH_BYTES = 1024 };

/* Documents that the suites refer to, and the memory of all of them. */
static struct mcp_schema_resource remotes[MAX_REMOTES];
static size_t remote_count;
static struct mcp_arena *arena;

static size_t passed, total;

static void suites_path(char *to, const char *name)
{
    const char *shared = getenv("MCP_SHARED");

    if (shared != NULL)
        (void)snprintf(to, PATH_BYTES, "%s/suites/%s", shared, name);
    else
        (void)snprintf(to, PATH_BYTES, "%s/../shared/suites/%s", MCP_SOURCE_DIR,
                       name);
}

static const struct mcp_json *parse_file(struct mcp_arena *a, const char *path)
{
    const struct mcp_json_options options = {.max_depth = 200};
    const struct mcp_json *doc = NULL;
    FILE *f = fopen(path, "rb");
    char *text;
    size_t n;

    assert_non_null(f);
    text = mcp_arena_alloc(a, 1 << 20);
    assert_non_null(text);
    n = fread(text, 1, 1 << 20, f);
    (void)fclose(f);
    assert_int_equal(mcp_json_parse(a, text, n, &options, &doc, NULL), MCP_OK);
    return doc;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Calls `visit` for each .json file below `dir`. */
static void each_file(const char *dir, const char *relative,
                      void (*visit)(const char *path, const char *relative))
{
    char path[PATH_BYTES], below[PATH_BYTES];
    struct dirent **list;
    struct stat st;
    int n, i;

    n = scandir(dir, &list, NULL, by_name);
    for (i = 0; i < n; i++) {
        const char *name = list[i]->d_name;

        (void)snprintf(path, sizeof(path), "%s/%s", dir, name);
        (void)snprintf(below, sizeof(below), "%s/%s", relative, name);
        if (name[0] != '.' && stat(path, &st) == 0) {
            if (S_ISDIR(st.st_mode))
                each_file(path, below, visit);
            else
                visit(path, below);
        }
        free(list[i]);
    }
    if (n >= 0)
        free(list);
}

static void add_remote(const char *path, const char *relative)
{
    assert_true(remote_count < MAX_REMOTES);
    remotes[remote_count].uri =
        mcp_arena_printf(arena, "http://localhost:1234%s", relative);
    remotes[remote_count].doc = parse_file(arena, path);
    remote_count++;
}

static void say(const char *path, const struct mcp_json *group,
                const struct mcp_json *test, const char *what)
{
    const struct mcp_json *g = mcp_json_find(group, "description");
    const struct mcp_json *t = mcp_json_find(test, "description");

    print_error("%s: %.*s: %.*s: %s\n", strrchr(path, '/') + 1, (int)g->count,
                g->u.text, t != NULL ? (int)t->count : 0,
                t != NULL ? t->u.text : "", what);
}

/* Is the verdict on one instance right, and consistent with the errors? */
static bool judge(const struct mcp_schema *s, const struct mcp_json *test)
{
    const struct mcp_json *data = mcp_json_find(test, "data");
    bool valid = mcp_json_is(mcp_json_find(test, "valid"), MCP_JSON_TRUE);
    struct mcp_arena *a = mcp_arena_new(1 << 24);
    struct mcp_schema_errors errors = {NULL, 0, false};
    enum mcp_err err = mcp_schema_validate(s, data, a, &errors);
    bool right = err == (valid ? MCP_OK : MCP_EINVAL);

    if (err == MCP_EINVAL)
        right = right && errors.count > 0 && errors.items[0].message[0] != '\0';
    mcp_arena_free(a);
    return right;
}

static void run_group(const char *path, const struct mcp_json *group,
                      const struct mcp_schema_options *options)
{
    const struct mcp_json *tests = mcp_json_find(group, "tests");
    struct mcp_schema *s = NULL;
    char message[512] = "";
    uint32_t i;

    if (mcp_schema_compile(mcp_json_find(group, "schema"), options, &s, message,
                           sizeof(message)) != MCP_OK)
        say(path, group, NULL, message);
    for (i = 0; i < tests->count; i++) {
        total++;
        if (s != NULL && judge(s, &tests->u.items[i]))
            passed++;
        else
            say(path, group, &tests->u.items[i], "wrong");
    }
    mcp_schema_free(s);
}

static struct mcp_schema_options options;

static void run_file(const char *path, const char *relative)
{
    struct mcp_arena *a = mcp_arena_new(1 << 26);
    const struct mcp_json *doc = parse_file(a, path);
    uint32_t i;

    options.resources = remotes;
    options.resource_count = remote_count;
    options.assert_format = strncmp(relative, "/optional/format/", 17) == 0;
    for (i = 0; i < doc->count; i++)
        run_group(path, &doc->u.items[i], &options);
    mcp_arena_free(a);
}

static void run_suite(const char *name, enum mcp_schema_draft draft)
{
    char dir[PATH_BYTES], remotes_dir[PATH_BYTES];
    struct stat st;

    suites_path(dir, name);
    suites_path(remotes_dir, "json-schema-remotes");
    if (stat(dir, &st) != 0) {
        print_message("%s: skipped, no such directory\n", dir);
        skip();
    }
    passed = total = remote_count = 0;
    options.default_draft = draft;
    arena = mcp_arena_new((size_t)1 << 28);
    each_file(remotes_dir, "", add_remote);
    each_file(dir, "", run_file);
    mcp_arena_free(arena);
    print_message("%s: passed %zu of %zu\n", name, passed, total);
    assert_true(total > 0);
    assert_int_equal(passed, total);
}

static void suite_2020_12_passes(void **state)
{
    (void)state;
    run_suite("json-schema-2020-12", MCP_SCHEMA_2020_12);
}

static void suite_draft_07_passes(void **state)
{
    (void)state;
    run_suite("json-schema-draft7", MCP_SCHEMA_DRAFT_07);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(suite_2020_12_passes),
        cmocka_unit_test(suite_draft_07_passes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
