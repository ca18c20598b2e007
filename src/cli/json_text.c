/*
 * json_text.c - see json_text.h
 */
#include "cli/json_text.h"

#include <string.h>

size_t mcp_json_text_skip(const char *text, size_t len, size_t at)
{
    while (at < len && strchr(" \t\r\n", text[at]) != NULL && text[at] != '\0')
        at++;
    return at;
}

/* Behind the string that begins at `at`. */
static size_t end_of_string(const char *text, size_t len, size_t at)
{
    for (at++; at < len && text[at] != '"'; at++)
        if (text[at] == '\\')
            at++;
    return at < len ? at + 1 : len;
}

size_t mcp_json_text_end(const char *text, size_t len, size_t at)
{
    size_t depth = 0;

    while (at < len) {
        char c = text[at];

        if (c == '"') {
            at = end_of_string(text, len, at);
        } else if (c == '{' || c == '[') {
            depth++;
            at++;
        } else if (c == '}' || c == ']') {
            depth--;
            at++;
        } else if (depth > 0) {
            at++;
            continue;
        } else { /* a number, true, false, null */
            while (at < len && strchr(" \t\r\n,]}", text[at]) == NULL)
                at++;
        }
        if (depth == 0)
            return at;
    }
    return len;
}

size_t mcp_json_text_value(const char *text, size_t len, size_t at)
{
    at = mcp_json_text_skip(text, len, end_of_string(text, len, at));
    return mcp_json_text_skip(text, len, at + 1); /* the colon */
}

bool mcp_json_text_next(const char *text, size_t len, size_t *at, size_t *begin)
{
    size_t i = *at;

    if (i < len && (text[i] == '{' || text[i] == '[')) {
        i = mcp_json_text_skip(text, len, i + 1);
    } else {
        i = mcp_json_text_skip(text, len, i);
        if (i < len && text[i] == ',')
            i = mcp_json_text_skip(text, len, i + 1);
    }
    *begin = *at = i;
    return i < len && text[i] != '}' && text[i] != ']';
}

size_t mcp_json_text_find(const char *text, size_t len, size_t at,
                          const char *name)
{
    size_t key, count = strlen(name);

    while (mcp_json_text_next(text, len, &at, &key)) {
        at = mcp_json_text_value(text, len, key);
        if (len - key > count + 1 && text[key + count + 1] == '"' &&
            memcmp(text + key + 1, name, count) == 0)
            return at;
        at = mcp_json_text_end(text, len, at);
    }
    return len;
}
