/*
 * schema_format.c - fuzzing patterns and formats
 *
 * The first line is a pattern, the rest a text for it and for each format.
 * What must hold: checking a pattern and compiling it agree (but for what only
 * PCRE2 refuses), matching ends, and reads nothing beyond the text.
 */
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "base/json.h"
#include "base/regex.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void try_pattern(const char *pattern, size_t len, const char *text,
                        size_t text_len)
{
    struct mcp_regex_scratch scratch = {.arena = mcp_arena_new(32 << 20)};
    struct mcp_regex *re = NULL;
    char message[200] = "";
    uint64_t work = 0;
    bool matched;

    must(scratch.arena != NULL);
    if (mcp_regex_compile(pattern, len, &re, message, sizeof(message)) ==
        MCP_OK) {
        must(mcp_format_regex(pattern, len));
        if (mcp_regex_match(re, text, text_len, 20000, &scratch, &matched,
                            &work) == MCP_OK)
            must(work > 0);
    } else
        must(message[0] != '\0');
    mcp_regex_free(re);
    mcp_arena_free(scratch.arena);
}

static void try_formats(const char *text, size_t len)
{
    static const char *const names[] = {
        "date-time",    "date",          "time",
        "duration",     "email",         "idn-email",
        "hostname",     "idn-hostname",  "ipv4",
        "ipv6",         "uri",           "uri-reference",
        "iri",          "iri-reference", "uuid",
        "uri-template", "json-pointer",  "relative-json-pointer",
        "regex"};
    size_t i;

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        (void)mcp_format_find(names[i], strlen(names[i]))->check(text, len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *copy = malloc(size + 1), *text, *line_end;
    size_t pattern_len, text_len;

    must(copy != NULL);
    if (size > 0)
        memcpy(copy, data, size);
    if (!mcp_utf8_valid(copy, size, NULL)) {
        free(copy);
        return 0;
    }
    line_end = size > 0 ? memchr(copy, '\n', size) : NULL;
    pattern_len = line_end != NULL ? (size_t)(line_end - copy) : size;
    text_len = line_end != NULL ? size - pattern_len - 1 : 0;
    /* in a block of its own size, so that reading beyond is seen */
    text = malloc(text_len > 0 ? text_len : 1);
    must(text != NULL);
    if (text_len > 0)
        memcpy(text, line_end + 1, text_len);
    try_pattern(copy, pattern_len, text, text_len);
    try_formats(text, text_len);
    free(text);
    free(copy);
    return 0;
}
