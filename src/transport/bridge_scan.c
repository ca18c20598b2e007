/*
 * bridge_scan.c - see bridge_scan.h
 */
#include "transport/bridge_scan.h"

#include <string.h>

static void append(char *text, size_t *len, char c)
{
    if (*len < MCP_SCAN_TEXT_BYTES)
        text[(*len)++] = c;
}

static bool key_is(const struct mcp_bridge_scan *s, const char *name)
{
    return s->key_len == strlen(name) && memcmp(s->key, name, s->key_len) == 0;
}

/* A byte of a key or a value of the outermost object, quotes included. */
static void keep(struct mcp_bridge_scan *s, char c)
{
    if (!s->at_value)
        append(s->key, &s->key_len, c);
    else if (key_is(s, "\"id\""))
        append(s->id, &s->id_len, c);
}

static void take_in_string(struct mcp_bridge_scan *s, char c)
{
    if (s->depth == 1)
        keep(s, c);
    if (s->escaped)
        s->escaped = false;
    else if (c == '\\')
        s->escaped = true;
    else if (c == '"')
        s->in_string = false;
}

/* A byte of the outermost object, outside of strings. */
static void take_outer(struct mcp_bridge_scan *s, char c)
{
    if (c == ':') {
        s->at_value = true;
        s->has_method = s->has_method || key_is(s, "\"method\"");
        if (key_is(s, "\"id\""))
            s->id_len = 0;
    } else if (c == ',') {
        s->at_value = false;
        s->key_len = 0;
    } else if (strchr(" \t\r\n", c) == NULL) {
        keep(s, c);
    }
}

void mcp_bridge_scan_feed(struct mcp_bridge_scan *s, const char *bytes,
                          size_t len)
{
    for (size_t i = 0; i < len; i++) {
        char c = bytes[i];

        if (s->in_string) {
            take_in_string(s, c);
            continue;
        }
        if (s->depth == 1 && c != '}')
            take_outer(s, c);
        s->in_string = c == '"';
        if (c == '[' && s->depth == 0)
            s->is_array = true;
        if (c == '{' || c == '[')
            s->depth++;
        if ((c == '}' || c == ']') && s->depth > 0)
            s->depth--;
    }
}

/* A string or an integer? */
static bool is_id(const char *text, size_t len)
{
    size_t i = len > 0 && text[0] == '-' ? 1 : 0;

    if (len >= 2 && text[0] == '"')
        return text[len - 1] == '"';
    if (i == len)
        return false;
    for (; i < len; i++)
        if (text[i] < '0' || text[i] > '9')
            return false;
    return true;
}

const char *mcp_bridge_scan_id(const struct mcp_bridge_scan *s, size_t *len)
{
    if (s->is_array || !s->has_method || s->id_len == MCP_SCAN_TEXT_BYTES ||
        !is_id(s->id, s->id_len))
        return NULL;
    *len = s->id_len;
    return s->id;
}
