/*
 * schema_ajv_test.c - random schemas and values: our verdict is ajv's
 *
 * schema_ajv.mjs makes the pairs. Needs node and ajv, which the end-to-end
 * tests install; without them the test says so. MCP_AJV_PAIRS (default 2000)
 * and MCP_AJV_SEED (default 1) choose how many and which.
 */
#include "schema_common.h"

enum { LINE_BYTES = 1 << 20 };

static const char *setting(const char *name, const char *otherwise)
{
    const char *v = getenv(name);

    return v != NULL && v[0] != '\0' && strspn(v, "0123456789") == strlen(v)
               ? v
               : otherwise;
}

/* Our verdict; -1 when the schema does not compile. */
static int judge(const char *schema, const char *value)
{
    struct mcp_arena *a = mcp_arena_new(1 << 24);
    struct mcp_schema_errors errors;
    struct mcp_schema *s = NULL;
    char message[300] = "";
    int verdict = -1;

    if (mcp_schema_compile(parse_text(a, schema), NULL, &s, message,
                           sizeof(message)) == MCP_OK)
        verdict = validate_text(s, value, a, &errors) == MCP_OK;
    else
        print_error("%s\n", message);
    mcp_schema_free(s);
    mcp_arena_free(a);
    return verdict;
}

/* One line of the generator: is our verdict the same? */
static bool agrees(char *line)
{
    char *value = strchr(line, '\t'), *verdict;

    assert_non_null(value);
    *value++ = '\0';
    verdict = strchr(value, '\t');
    assert_non_null(verdict);
    *verdict++ = '\0';
    if (judge(line, value) == (strncmp(verdict, "valid", 5) == 0))
        return true;
    print_error("%s by %s: ajv says %s", value, line, verdict);
    return false;
}

static void verdicts_agree(void **state)
{
    char command[600], *line = malloc(LINE_BYTES);
    size_t pairs = 0, same = 0;
    FILE *f;

    (void)state;
    assert_non_null(line);
    (void)snprintf(command, sizeof(command),
                   "node '%s/tests/unit/base/schema_ajv.mjs' %s %s 2>/dev/null",
                   MCP_SOURCE_DIR, setting("MCP_AJV_PAIRS", "2000"),
                   setting("MCP_AJV_SEED", "1"));
    f = popen(command, "r");
    assert_non_null(f);
    while (fgets(line, LINE_BYTES, f) != NULL) {
        pairs++;
        same += agrees(line);
    }
    (void)pclose(f);
    free(line);
    if (pairs == 0) {
        print_message("skipped: no node, or no ajv in tests/e2e/node_modules "
                      "(npm ci there)\n");
        skip();
    }
    print_message("agreed with ajv on %zu of %zu pairs\n", same, pairs);
    assert_int_equal(same, pairs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts_agree),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
