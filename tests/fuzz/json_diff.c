/*
 * json_diff.c - fuzzer: our JSON parser and jansson must agree
 *
 * Both read the same bytes; they must accept or refuse alike, and build the
 * same tree. What we wrote from the tree must read back equal.
 *
 * Known differences, passed over:
 *   - jansson refuses integers outside int64 and reals outside double; we keep
 *     the text;
 *   - jansson refuses "\u0000" in a key even with JSON_ALLOW_NUL;
 *   - jansson loses a NUL byte behind a number or a word and accepts "1\\0"; a
 *     text with a NUL byte is only required to be refused by us;
 *   - depth: we stop at MCP_JSON_MAX_DEPTH here, jansson at 2048;
 *   - jansson stops at the first duplicate key, we go on to see whether the
 *     rest is JSON: both refuse, for reasons that may differ.
 *
 * Run: fuzz_json_diff -max_total_time=10 tests/fuzz/corpus/json
 */
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/json_number.h"

enum { ARENA_BYTES = 64 << 20, TEXT_BYTES = 64 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds, const char *what)
{
    if (holds)
        return;
    (void)fprintf(stderr, "json_diff: %s\n", what);
    abort();
}

static void same_tree(const struct mcp_json *ours, json_t *theirs);

static void same_number(const struct mcp_json *ours, const json_t *theirs)
{
    char text[32];
    struct mcp_json expected;
    const char *p = text;
    int n;

    check(ours->type == MCP_JSON_NUMBER, "number expected");
    if (json_is_real(theirs)) {
        check(ours->number == json_real_value(theirs), "real value");
        check((ours->flags & MCP_JSON_F_INTEGER) == 0, "real flag");
        return;
    }
    n = snprintf(text, sizeof(text), "%lld",
                 (long long)json_integer_value(theirs));
    check(mcp_json_number_parse(&p, text + n, &expected), "reparse");
    check(mcp_json_number_compare(ours, &expected) == 0, "integer value");
    check(ours->number == (double)json_integer_value(theirs), "double");
    check((ours->flags & MCP_JSON_F_INTEGER) != 0, "integer flag");
}

static void same_array(const struct mcp_json *ours, const json_t *theirs)
{
    uint32_t i;

    check(ours->type == MCP_JSON_ARRAY, "array expected");
    check(ours->count == json_array_size(theirs), "array size");
    for (i = 0; i < ours->count; i++)
        same_tree(&ours->u.items[i], json_array_get(theirs, i));
}

/* jansson keeps the order of insertion when it iterates. */
static void same_object(const struct mcp_json *ours, json_t *theirs)
{
    const struct mcp_json_member *m = ours->u.members;
    const char *key;
    json_t *value;

    check(ours->type == MCP_JSON_OBJECT, "object expected");
    check(ours->count == json_object_size(theirs), "object size");
    json_object_foreach(theirs, key, value)
    {
        check(mcp_json_equals_string(&m->key, key), "key");
        check(mcp_json_find(ours, key) == &m->value, "find");
        same_tree(&m->value, value);
        m++;
    }
}

static void same_tree(const struct mcp_json *ours, json_t *theirs)
{
    switch (json_typeof(theirs)) {
    case JSON_NULL:
        check(ours->type == MCP_JSON_NULL, "null expected");
        break;
    case JSON_TRUE:
        check(ours->type == MCP_JSON_TRUE, "true expected");
        break;
    case JSON_FALSE:
        check(ours->type == MCP_JSON_FALSE, "false expected");
        break;
    case JSON_STRING:
        check(ours->type == MCP_JSON_STRING, "string expected");
        check(ours->count == json_string_length(theirs), "string length");
        check(memcmp(ours->u.text, json_string_value(theirs), ours->count) == 0,
              "string bytes");
        break;
    case JSON_ARRAY:
        same_array(ours, theirs);
        break;
    case JSON_OBJECT:
        same_object(ours, theirs);
        break;
    default:
        same_number(ours, theirs);
        break;
    }
}

static void reads_back_equal(struct mcp_arena *a, const struct mcp_json *tree)
{
    const struct mcp_json_options options = {.max_depth = MCP_JSON_MAX_DEPTH};
    const struct mcp_json *again = NULL;
    struct mcp_buf out;

    mcp_buf_init(&out, TEXT_BYTES);
    mcp_json_write(&out, tree);
    check(!out.failed, "write");
    check(memchr(out.data, '\n', out.len) == NULL, "one line");
    check(mcp_json_parse(a, out.data, out.len, &options, &again, NULL) ==
              MCP_OK,
          "written text refused");
    check(mcp_json_equal(tree, again), "written text differs");
    mcp_buf_free(&out);
}

static bool known_difference(const json_error_t *error)
{
    enum json_error_code code = json_error_code(error);

    return code == json_error_numeric_overflow ||
           code == json_error_null_byte_in_key;
}

/* We refused for a duplicate key, so without that rule it must be JSON. */
static void json_but_for_duplicates(struct mcp_arena *a, const char *text,
                                    size_t size)
{
    const struct mcp_json_options options = {.max_depth = MCP_JSON_MAX_DEPTH,
                                             .allow_duplicate_keys = true};
    const struct mcp_json *tree = NULL;
    json_error_t error;
    json_t *theirs =
        json_loadb(text, size, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);

    check(mcp_json_parse(a, text, size, &options, &tree, NULL) == MCP_OK,
          "duplicate key reported, but not JSON");
    check(theirs != NULL || known_difference(&error),
          "duplicate key reported, but not JSON for jansson");
    json_decref(theirs);
}

static void compare(struct mcp_arena *a, const char *text, size_t size)
{
    const struct mcp_json_options options = {.max_depth = MCP_JSON_MAX_DEPTH};
    const struct mcp_json *ours = NULL;
    struct mcp_json_error refused = {0, NULL, false};
    enum mcp_err err = mcp_json_parse(a, text, size, &options, &ours, &refused);
    json_error_t error;
    json_t *theirs;

    check((err == MCP_OK) == (ours != NULL), "result and code");
    if (err == MCP_ENOMEM || err == MCP_ELIMIT)
        return;
    if (err != MCP_OK)
        check(refused.offset <= size && refused.reason != NULL, "error filled");
    if (memchr(text, '\0', size) != NULL) {
        check(err != MCP_OK, "a NUL byte accepted");
        return;
    }
    theirs = json_loadb(
        text, size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL,
        &error);
    if (theirs != NULL) {
        check(err == MCP_OK, "only jansson accepts");
        same_tree(ours, theirs);
        json_decref(theirs);
    } else {
        check(err != MCP_OK || known_difference(&error), "only we accept");
    }
    if (err == MCP_OK)
        reads_back_equal(a, ours);
    else if (refused.duplicate_key)
        json_but_for_duplicates(a, text, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mcp_arena *a = mcp_arena_new(ARENA_BYTES);

    check(a != NULL, "arena");
    compare(a, (const char *)data, size);
    mcp_arena_free(a);
    return 0;
}
