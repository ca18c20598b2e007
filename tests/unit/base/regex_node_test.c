/*
 * regex_node_test.c - random patterns and texts: our verdict is node's
 *
 * regex_node.mjs makes the pairs. Without node the test says so.
 * MCP_REGEX_PAIRS (default 5000) and MCP_REGEX_SEED (default 1) choose how many
 * and which.
 */
#include "schema_common.h"

#include "base/regex.h"

enum { LINE_BYTES = 1 << 16 };

static const char *setting(const char *name, const char *otherwise)
{
    const char *v = getenv(name);

    return v != NULL && v[0] != '\0' && strspn(v, "0123456789") == strlen(v)
               ? v
               : otherwise;
}

/* Our verdict as a JSON type; `reason` gets why a pattern was refused. */
static int judge(struct mcp_arena *a, const struct mcp_json *pattern,
                 const struct mcp_json *text, char *reason, size_t size)
{
    struct mcp_regex_scratch scratch = {.arena = a};
    struct mcp_regex *re = NULL;
    bool matched = false;
    enum mcp_err err;

    if (mcp_regex_compile(pattern->u.text, pattern->count, &re, reason, size) !=
        MCP_OK)
        return MCP_JSON_NULL;
    err = mcp_regex_match(re, text->u.text, text->count, 1000000, &scratch,
                          &matched, NULL);
    mcp_regex_free(re);
    assert_int_equal(err, MCP_OK);
    return matched ? MCP_JSON_TRUE : MCP_JSON_FALSE;
}

/* One line of the generator: is our verdict the same? What only PCRE2 refuses
 * (a lookbehind that is not of fixed length) does not count. */
static bool agrees(const char *line)
{
    struct mcp_arena *a = mcp_arena_new(1 << 24);
    const struct mcp_json *list = parse_text(a, line);
    char reason[200] = "";
    int ours =
        judge(a, &list->u.items[0], &list->u.items[1], reason, sizeof(reason));
    bool same =
        ours == list->u.items[2].type || strstr(reason, "lookbehind") != NULL;

    if (!same)
        print_error("%s ours: %d %s\n", line, ours, reason);
    mcp_arena_free(a);
    return same;
}

static void verdicts_agree(void **state)
{
    char command[600], *line = malloc(LINE_BYTES);
    size_t pairs = 0, same = 0;
    FILE *f;

    (void)state;
    assert_non_null(line);
    (void)snprintf(command, sizeof(command),
                   "node '%s/tests/unit/base/regex_node.mjs' %s %s 2>/dev/null",
                   MCP_SOURCE_DIR, setting("MCP_REGEX_PAIRS", "5000"),
                   setting("MCP_REGEX_SEED", "1"));
    f = popen(command, "r");
    assert_non_null(f);
    while (fgets(line, LINE_BYTES, f) != NULL) {
        pairs++;
        same += agrees(line);
    }
    (void)pclose(f);
    free(line);
    if (pairs == 0) {
        print_message("skipped: no node\n");
        skip();
    }
    print_message("agreed with node on %zu of %zu pairs\n", same, pairs);
    assert_int_equal(same, pairs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts_agree),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
