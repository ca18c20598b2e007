/*
 * schema.c - fuzzing the schema compiler, the validator and the fillers
 *
 * The first byte chooses the options, the first line is the schema, each
 * further line a value. What must hold: a refusal has a message; with and
 * without a list of faults the verdict is the same; a fault has texts that are
 * short and UTF-8; the fillers end.
 */
#include <stdlib.h>

#include "base/schema.h"

enum { ARENA_BYTES = 32 << 20, MAX_TEXT = 512 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void check_text(const char *text)
{
    must(strlen(text) < MAX_TEXT);
    must(mcp_utf8_valid(text, strlen(text), NULL));
}

static void check_errors(const struct mcp_schema_errors *e)
{
    size_t i;

    must(e->count > 0);
    for (i = 0; i < e->count; i++) {
        check_text(e->items[i].instance_path);
        check_text(e->items[i].schema_path);
        check_text(e->items[i].keyword);
        check_text(e->items[i].message);
        must(e->items[i].message[0] != '\0');
    }
}

static void prepare(const struct mcp_schema *s, const struct mcp_json *v,
                    struct mcp_arena *a)
{
    struct mcp_buf out;

    if (mcp_schema_normalize(s, v, a, &v) != MCP_OK ||
        mcp_schema_fill_defaults(s, v, a, &v) != MCP_OK)
        return;
    mcp_buf_init(&out, ARENA_BYTES);
    mcp_json_write(&out, v);
    mcp_buf_free(&out);
}

static void try_value(const struct mcp_schema *s, const char *text, size_t len)
{
    struct mcp_arena *a = mcp_arena_new(ARENA_BYTES);
    struct mcp_schema_errors e = {NULL, 0, false};
    const struct mcp_json *v;
    enum mcp_err quick, full;

    must(a != NULL);
    if (mcp_json_parse(a, text, len, NULL, &v, NULL) == MCP_OK) {
        quick = mcp_schema_validate(s, v, a, NULL);
        full = mcp_schema_validate(s, v, a, &e);
        must(quick == full || full == MCP_ENOMEM || quick == MCP_ENOMEM);
        if (full == MCP_EINVAL)
            check_errors(&e);
        prepare(s, v, a);
    }
    mcp_arena_free(a);
}

static void try_values(const struct mcp_schema *s, const char *p,
                       const char *end)
{
    const char *line_end;

    while (p < end) {
        line_end = memchr(p, '\n', (size_t)(end - p));
        if (line_end == NULL)
            line_end = end;
        try_value(s, p, (size_t)(line_end - p));
        p = line_end + 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mcp_schema_options options = {.max_steps = 200000,
                                         .pattern_match_limit = 20000};
    const char *p = (const char *)data + 1, *end = p + size - 1, *line_end;
    const struct mcp_json *doc;
    struct mcp_schema *s = NULL;
    struct mcp_arena *a;
    char message[300] = "";

    if (size < 2)
        return 0;
    a = mcp_arena_new(ARENA_BYTES);
    must(a != NULL);
    options.assert_format = (data[0] & 1) != 0;
    options.default_draft = (enum mcp_schema_draft)(data[0] / 2 % 3);
    line_end = memchr(p, '\n', (size_t)(end - p));
    if (line_end == NULL)
        line_end = end;
    if (mcp_json_parse(a, p, (size_t)(line_end - p), NULL, &doc, NULL) !=
        MCP_OK) {
        mcp_arena_free(a);
        return 0;
    }
    if (mcp_schema_compile(doc, &options, &s, message, sizeof(message)) ==
        MCP_OK) {
        mcp_arena_free(a); /* the program must not need it */
        a = NULL;
        if (line_end < end)
            try_values(s, line_end + 1, end);
    } else
        must(message[0] != '\0' &&
             mcp_utf8_valid(message, strlen(message), NULL));
    mcp_schema_free(s);
    mcp_arena_free(a);
    return 0;
}
