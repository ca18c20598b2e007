/*
 * schema_check.c - judges values by schemas, a JSON line in and one out
 *
 *     {"schema": ..., "values": [...]}  -->  {"valid": [true, false, ...]}
 *                                       -->  {"error": "/type: unknown ..."}
 *
 * With "name" beside it a schema is kept under that name, and a line with the
 * name alone uses it again.
 *
 * For tests that compare the engine with another one (tests/e2e). A verdict is
 * true, false, or a string when there is none: "limit", "memory", or "differs"
 * when asking for the errors changed the answer.
 *
 * Layer:  none; a program of its own. Thread: one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/schema.h"

enum {
    ARENA_BYTES = 64 << 20,
    OUT_BYTES = 64 << 20,
    MAX_DEPTH = 500,
    KEPT_MAX = 400,
    NAME_MAX_BYTES = 100,
};

static struct {
    char name[NAME_MAX_BYTES];
    struct mcp_schema *schema;
} kept[KEPT_MAX];
static int kept_count;

static const char *verdict_name(enum mcp_err err)
{
    switch (err) {
    case MCP_OK:
        return "true";
    case MCP_EINVAL:
        return "false";
    case MCP_ELIMIT:
        return "\"limit\"";
    default:
        return "\"memory\"";
    }
}

/* Both ways of asking must give one answer, and a refusal its reasons. */
static const char *judge(const struct mcp_schema *s,
                         const struct mcp_json *value)
{
    struct mcp_arena *a = mcp_arena_new(ARENA_BYTES);
    struct mcp_schema_errors errors = {NULL, 0, false};
    enum mcp_err quick, full;

    if (a == NULL)
        return verdict_name(MCP_ENOMEM);
    quick = mcp_schema_validate(s, value, a, NULL);
    mcp_arena_reset(a);
    full = mcp_schema_validate(s, value, a, &errors);
    if (full == MCP_EINVAL && errors.count == 0)
        full = MCP_EINTERNAL;
    mcp_arena_free(a);
    return quick == full ? verdict_name(quick) : "\"differs\"";
}

static void write_error(struct mcp_buf *out, const char *message)
{
    mcp_buf_puts(out, "{\"error\":");
    mcp_json_write_cstring(out, message);
    mcp_buf_puts(out, "}\n");
}

/* The schema kept under the name, or NULL. */
static struct mcp_schema *find_kept(const struct mcp_json *name)
{
    for (int i = 0; i < kept_count; i++)
        if (mcp_json_equals_string(name, kept[i].name))
            return kept[i].schema;
    return NULL;
}

/* The name's schema, now and later. False: there is no room. */
static bool keep(const struct mcp_json *name, struct mcp_schema *schema)
{
    if (!mcp_json_is(name, MCP_JSON_STRING) || name->count >= NAME_MAX_BYTES ||
        kept_count == KEPT_MAX)
        return false;
    memcpy(kept[kept_count].name, name->u.text, name->count);
    kept[kept_count++].schema = schema;
    return true;
}

static void judge_all(struct mcp_buf *out, const struct mcp_schema *s,
                      const struct mcp_json *values)
{
    mcp_buf_puts(out, "{\"valid\":[");
    for (uint32_t i = 0; i < values->count; i++) {
        if (i > 0)
            mcp_buf_putc(out, ',');
        mcp_buf_puts(out, judge(s, &values->u.items[i]));
    }
    mcp_buf_puts(out, "]}\n");
}

static void check(struct mcp_buf *out, const struct mcp_json *line)
{
    const struct mcp_json *schema = mcp_json_find(line, "schema");
    const struct mcp_json *name = mcp_json_find(line, "name");
    const struct mcp_json *values = mcp_json_find(line, "values");
    struct mcp_schema *s = name != NULL ? find_kept(name) : NULL;
    char message[600] = "";

    if ((s == NULL && schema == NULL) || !mcp_json_is(values, MCP_JSON_ARRAY)) {
        write_error(out, "the line lacks schema or values");
        return;
    }
    if (s != NULL) {
        judge_all(out, s, values);
        return;
    }
    if (mcp_schema_compile(schema, NULL, &s, message, sizeof(message)) !=
        MCP_OK) {
        write_error(out, message);
        return;
    }
    judge_all(out, s, values);
    if (name == NULL || !keep(name, s))
        mcp_schema_free(s);
}

static void check_line(struct mcp_buf *out, const char *text, size_t len)
{
    const struct mcp_json_options options = {.max_depth = MAX_DEPTH};
    struct mcp_arena *a = mcp_arena_new(ARENA_BYTES);
    struct mcp_json_error error = {0, "out of memory", false};
    const struct mcp_json *line;

    if (a == NULL ||
        mcp_json_parse(a, text, len, &options, &line, &error) != MCP_OK)
        write_error(out, error.reason);
    else
        check(out, line);
    mcp_arena_free(a);
}

int main(void)
{
    struct mcp_buf out;
    char *text = NULL;
    size_t cap = 0;
    ssize_t len;
    bool good = true;

    mcp_buf_init(&out, OUT_BYTES);
    while (good && (len = getline(&text, &cap, stdin)) > 0) {
        mcp_buf_clear(&out);
        check_line(&out, text, (size_t)len);
        good = !out.failed && fwrite(out.data, 1, out.len, stdout) == out.len &&
               fflush(stdout) == 0; /* whoever asks may wait for it */
    }
    while (kept_count > 0)
        mcp_schema_free(kept[--kept_count].schema);
    free(text);
    mcp_buf_free(&out);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
