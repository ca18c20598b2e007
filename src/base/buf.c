/*
 * buf.c - doubling growth up to the maximum
 */
#include "base/buf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIRST_BYTES = 512 };

void mcp_buf_init(struct mcp_buf *b, size_t max)
{
    memset(b, 0, sizeof(*b));
    b->max = max;
}

void mcp_buf_free(struct mcp_buf *b)
{
    free(b->data);
    mcp_buf_init(b, b->max);
}

/* One byte more than `cap` is allocated: vsnprintf() writes a NUL there. */
char *mcp_buf_reserve(struct mcp_buf *b, size_t n)
{
    size_t cap = b->cap > 0 ? b->cap : FIRST_BYTES;
    char *data;

    if (b->failed)
        return NULL;
    if (n > b->max || b->len > b->max - n) {
        b->failed = true;
        return NULL;
    }
    if (b->cap - b->len >= n && b->data != NULL)
        return b->data + b->len;
    while (cap < b->len + n && cap <= b->max / 2)
        cap *= 2;
    if (cap < b->len + n || cap > b->max)
        cap = b->max;
    data = cap < SIZE_MAX ? realloc(b->data, cap + 1) : NULL;
    if (data == NULL) {
        b->failed = true;
        return NULL;
    }
    b->data = data;
    b->cap = cap;
    return data + b->len;
}

void mcp_buf_printf(struct mcp_buf *b, const char *fmt, ...)
{
    va_list ap;
    char *to;
    int n;

    va_start(ap, fmt);
    n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    to = n < 0 ? NULL : mcp_buf_reserve(b, (size_t)n);
    if (to == NULL) {
        b->failed = true;
        return;
    }
    va_start(ap, fmt);
    (void)vsnprintf(to, (size_t)n + 1, fmt, ap);
    va_end(ap);
    b->len += (size_t)n;
}

char *mcp_buf_take(struct mcp_buf *b, size_t *len)
{
    char *data = b->data;

    if (b->failed || b->len == 0) {
        mcp_buf_free(b);
        return NULL;
    }
    *len = b->len;
    mcp_buf_init(b, b->max);
    return data;
}
