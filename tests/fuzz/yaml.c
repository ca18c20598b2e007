/*
 * yaml.c - fuzzing front matter
 *
 * What must hold: a text becomes an object within the limits, whose JSON is
 * read back as the same values, or it is refused with a line of it and a short
 * reason in UTF-8; both twice alike; doubts are of lines that are there.
 */
#include <stdlib.h>

#include "base/yaml.h"

enum { ARENA_BYTES = 64 << 20, JSON_BYTES = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void check_line(int line, const char *text, size_t len)
{
    int lines = 2; /* behind the last line end there is one more */

    for (size_t i = 0; i < len; i++)
        lines += text[i] == '\n' || text[i] == '\r';
    must(line >= 1 && line <= lines);
}

static void check_error(const struct mcp_yaml_error *e, const char *text,
                        size_t len)
{
    must(e->reason[0] != '\0' && e->advice != NULL);
    must(mcp_utf8_valid(e->reason, strlen(e->reason), NULL));
    check_line(e->line, text, len);
}

static void check_tree(const struct mcp_json *tree)
{
    struct mcp_arena *a = mcp_arena_new(ARENA_BYTES);
    const struct mcp_json *again;
    struct mcp_buf b;

    must(a != NULL && tree->type == MCP_JSON_OBJECT);
    mcp_buf_init(&b, JSON_BYTES);
    mcp_json_write(&b, tree);
    must(!b.failed);
    must(mcp_json_parse(a, b.data, b.len, NULL, &again, NULL) == MCP_OK);
    must(mcp_json_equal(tree, again));
    mcp_buf_free(&b);
    mcp_arena_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mcp_arena *a = mcp_arena_new(ARENA_BYTES);
    const char *text = (const char *)data;
    const struct mcp_json *one, *two;
    struct mcp_yaml_doubts doubts;
    struct mcp_yaml_error error;
    enum mcp_err err;

    must(a != NULL);
    err = mcp_yaml_parse(a, text, size, &one, &doubts, &error);
    must(err == MCP_OK || err == MCP_EINVAL || err == MCP_ELIMIT);
    must(mcp_yaml_parse(a, text, size, &two, NULL, NULL) == err);
    if (err != MCP_OK) {
        check_error(&error, text, size);
    } else {
        check_tree(one);
        must(mcp_json_equal(one, two));
        for (size_t i = 0; i < doubts.count; i++)
            check_line(doubts.items[i].line, text, size);
    }
    mcp_arena_free(a);
    return 0;
}
