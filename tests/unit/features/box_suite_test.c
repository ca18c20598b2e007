/*
 * box_suite_test.c - a boxed schema judges {"result": v} as the bare one v
 *
 * Every schema of the official 2020-12 suite is boxed, and every instance is
 * judged by both. The suite lies beside the repository (or where MCP_SHARED
 * says); without it the test says so.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/schema.h"
#include "features/box.h"

static size_t judged, skipped;

static const struct mcp_json *parse(struct mcp_arena *a, const char *text,
                                    size_t len)
{
    const struct mcp_json_options options = {.max_depth = 200};
    const struct mcp_json *v;

    assert_int_equal(mcp_json_parse(a, text, len, &options, &v, NULL), MCP_OK);
    return v;
}

static const struct mcp_json *parse_file(struct mcp_arena *a, const char *path)
{
    char *text = mcp_arena_alloc(a, 1 << 20);
    FILE *file = fopen(path, "rb");
    size_t n;

    assert_non_null(file);
    assert_non_null(text);
    n = fread(text, 1, 1 << 20, file);
    (void)fclose(file);
    return parse(a, text, n);
}

static const struct mcp_json *boxed(struct mcp_arena *a,
                                    const struct mcp_json *schema)
{
    const struct mcp_json *v;
    struct mcp_buf b;
    char *text;

    mcp_buf_init(&b, 1 << 20);
    mcp_box_write_schema(&b, schema);
    assert_false(b.failed);
    text = mcp_arena_dup(a, b.data, b.len);
    v = parse(a, text, b.len);
    mcp_buf_free(&b);
    return v;
}

static const struct mcp_json *boxed_value(const struct mcp_json *v,
                                          struct mcp_json *box,
                                          struct mcp_json_member *member)
{
    *member = (struct mcp_json_member){.key = {.type = MCP_JSON_STRING,
                                               .flags = MCP_JSON_F_PLAIN,
                                               .count = 6,
                                               .u.text = "result"},
                                       .value = *v};
    *box = (struct mcp_json){
        .type = MCP_JSON_OBJECT, .count = 1, .u.members = member};
    return box;
}

static void judge_group(const char *file, const struct mcp_json *group)
{
    struct mcp_arena *a = mcp_arena_new(1 << 24);
    const struct mcp_json *schema = mcp_json_find(group, "schema");
    const struct mcp_json *tests = mcp_json_find(group, "tests");
    const struct mcp_json *title = mcp_json_find(group, "description");
    struct mcp_schema *bare, *box;
    char message[256];

    if (mcp_schema_compile(schema, NULL, &bare, message, sizeof(message)) !=
        MCP_OK) { /* needs a document of the suite's own server */
        skipped++;
        mcp_arena_free(a);
        return;
    }
    if (mcp_schema_compile(boxed(a, schema), NULL, &box, message,
                           sizeof(message)) != MCP_OK)
        fail_msg("%s: %.*s: %s", file, (int)title->count, title->u.text,
                 message);
    for (uint32_t i = 0; i < tests->count; i++) {
        const struct mcp_json *v = mcp_json_find(&tests->u.items[i], "data");
        struct mcp_json_member member;
        struct mcp_json whole;
        enum mcp_err one = mcp_schema_validate(bare, v, a, NULL);
        enum mcp_err two =
            mcp_schema_validate(box, boxed_value(v, &whole, &member), a, NULL);

        judged++;
        if (one != two)
            fail_msg("%s: %.*s, instance %u: %d, boxed %d", file,
                     (int)title->count, title->u.text, i, one, two);
    }
    mcp_schema_free(bare);
    mcp_schema_free(box);
    mcp_arena_free(a);
}

static void boxes_change_no_verdict(void **state)
{
    const char *shared = getenv("MCP_SHARED");
    char folder[512], path[1024];
    struct dirent *entry;
    DIR *dir;

    (void)state;
    snprintf(folder, sizeof(folder), "%s/suites/json-schema-2020-12",
             shared != NULL ? shared : MCP_SOURCE_DIR "/../shared");
    dir = opendir(folder);
    if (dir == NULL) {
        print_message("%s is not there: skipped\n", folder);
        skip();
    }
    while ((entry = readdir(dir)) != NULL) {
        struct mcp_arena *a;
        const struct mcp_json *groups;

        if (strstr(entry->d_name, ".json") == NULL)
            continue;
        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        a = mcp_arena_new(1 << 24);
        groups = parse_file(a, path);
        for (uint32_t i = 0; i < groups->count; i++)
            judge_group(entry->d_name, &groups->u.items[i]);
        mcp_arena_free(a);
    }
    closedir(dir);
    print_message("%zu instances judged twice, %zu groups skipped\n", judged,
                  skipped);
    assert_true(judged > 1000);
    assert_true(skipped < 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_change_no_verdict),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
