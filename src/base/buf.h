/*
 * buf.h - a growing byte buffer with a maximum
 *
 * Answers and log lines are written into one. A failed append marks the buffer
 * and every later append does nothing, so a writer checks once, at the end.
 *
 * Layer:  base. Uses base/err.
 * Thread: one at a time.
 */
#ifndef MCP_BASE_BUF_H
#define MCP_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/err.h"

struct mcp_buf {
    char *data; /* not NUL-terminated; NULL while cap is 0 */
    size_t len, cap;
    size_t max;  /* never grows beyond; set by mcp_buf_init() */
    bool failed; /* out of memory, or max reached             */
};

/* An empty buffer that grows to at most `max` bytes. */
void mcp_buf_init(struct mcp_buf *b, size_t max);

/* Frees the bytes; the buffer is empty and usable again. */
void mcp_buf_free(struct mcp_buf *b);

/* Forgets the content and the failure, keeps the memory. */
static inline void mcp_buf_clear(struct mcp_buf *b)
{
    b->len = 0;
    b->failed = false;
}

/* Room for `n` more bytes: the place to write them, or NULL (now failed). The
 * caller adds what it wrote to b->len. */
char *mcp_buf_reserve(struct mcp_buf *b, size_t n) MCP_MUST_USE;

static inline void mcp_buf_add(struct mcp_buf *b, const void *p, size_t n)
{
    char *to;

    if (n == 0)
        return;
    to = !b->failed && b->cap - b->len >= n ? b->data + b->len
                                            : mcp_buf_reserve(b, n);
    if (to == NULL)
        return;
    memcpy(to, p, n);
    b->len += n;
}

static inline void mcp_buf_puts(struct mcp_buf *b, const char *text)
{
    mcp_buf_add(b, text, strlen(text));
}

static inline void mcp_buf_putc(struct mcp_buf *b, char c)
{
    mcp_buf_add(b, &c, 1);
}

void mcp_buf_printf(struct mcp_buf *b, const char *fmt, ...) MCP_PRINTF(2, 3);

/* Takes the bytes out: OWNED, give them to free(). The buffer is empty after.
 * `*len` gets their count. NULL when the buffer is empty or has failed. */
char *mcp_buf_take(struct mcp_buf *b, size_t *len) MCP_MUST_USE;

#endif
