/*
 * value_refuse.c - where in a value something is wrong, and what
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "app/value_write.h"
#include "base/codec.h"

/* Appends one segment of a JSON pointer (RFC 6901); false: no room. */
static bool add_segment(char *path, size_t size, size_t *len,
                        const struct mcp_place *at)
{
    size_t i, n = *len;
    int digits;
    char c;

    if (at->key == NULL) {
        digits = snprintf(path + n, size - n, "/%zu", at->n);
        if (digits < 0 || (size_t)digits >= size - n)
            return false;
        *len = n + (size_t)digits;
        return true;
    }
    if (size - n < 2)
        return false;
    path[n++] = '/';
    for (i = 0; i < at->n && size - n > 2; i++) {
        c = at->key[i];
        if (c == '~' || c == '/') {
            path[n++] = '~';
            c = c == '~' ? '0' : '1';
        }
        path[n++] = c;
    }
    *len = n;
    return i == at->n;
}

static void tell_path(struct mcp_value_error *error, const struct mcp_place *at)
{
    const struct mcp_place *chain[MCP_VALUE_MAX_DEPTH + 2];
    char *path = error->path;
    size_t len = 0, count = 0, room = sizeof(error->path) - 3;
    bool whole = true;

    for (; at->up != NULL; at = at->up)
        chain[count++] = at;
    while (whole && count > 0)
        whole = add_segment(path, room, &len, chain[--count]);
    if (!whole) {
        (void)mcp_utf8_valid(path, len, &len);
        memcpy(path + len, "...", 3);
        len += 3;
    }
    path[len] = '\0';
}

enum mcp_err mcp_value_refuse(struct mcp_value_writer *w,
                              const struct mcp_place *at, const char *fmt, ...)
{
    va_list ap;

    tell_path(w->error, at);
    va_start(ap, fmt);
    (void)vsnprintf(w->error->message, sizeof(w->error->message), fmt, ap);
    va_end(ap);
    return MCP_EINVAL;
}

/* Is the table at `at` one of those around it? */
static bool is_around_itself(const struct mcp_place *at)
{
    for (const struct mcp_place *p = at->up; p != NULL; p = p->up)
        if (p->table == at->table)
            return true;
    return false;
}

enum mcp_err mcp_value_refuse_depth(struct mcp_value_writer *w,
                                    const struct mcp_place *at)
{
    const struct mcp_place *closing = NULL;

    for (const struct mcp_place *p = at; p != NULL; p = p->up)
        if (is_around_itself(p))
            closing = p;
    if (closing == NULL)
        return mcp_value_refuse(w, at, "is nested more than %d deep",
                                MCP_VALUE_MAX_DEPTH);
    return mcp_value_refuse(w, closing,
                            "is one of the tables that it is in; a table must "
                            "not contain itself");
}
