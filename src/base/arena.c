/*
 * arena.c - a chain of chunks, each twice as large as the one before
 *
 * Under AddressSanitizer what is not handed out is poisoned, so a read behind
 * a block or after a reset is reported.
 */
#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAVE_ASAN
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(HAVE_ASAN)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, n)   ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

enum { FIRST_CHUNK_BYTES = 8192, MAX_CHUNK_BYTES = 1 << 20, ALIGN = 16 };

struct chunk {
    struct chunk *next; /* older chunk */
    size_t cap;
    _Alignas(ALIGN) char data[];
};

struct mcp_arena {
    struct chunk *top;
    size_t top_used;
    size_t used_bytes;
    size_t max_bytes;
};

static struct chunk *chunk_new(size_t cap, struct chunk *next)
{
    struct chunk *c = malloc(sizeof(*c) + cap);

    if (c != NULL) {
        c->cap = cap;
        c->next = next;
        ASAN_POISON_MEMORY_REGION(c->data, cap);
    }
    return c;
}

static void chunk_free(struct chunk *c)
{
    ASAN_UNPOISON_MEMORY_REGION(c->data, c->cap);
    free(c);
}

struct mcp_arena *mcp_arena_new(size_t max_bytes)
{
    struct mcp_arena *a = calloc(1, sizeof(*a));

    if (a == NULL)
        return NULL;
    a->top = chunk_new(FIRST_CHUNK_BYTES, NULL);
    if (a->top == NULL) {
        free(a);
        return NULL;
    }
    a->max_bytes = max_bytes;
    return a;
}

void mcp_arena_free(struct mcp_arena *a)
{
    struct chunk *c, *next;

    if (a == NULL)
        return;
    for (c = a->top; c != NULL; c = next) {
        next = c->next;
        chunk_free(c);
    }
    free(a);
}

/* Puts a chunk that holds `size` bytes on top. */
static int grow(struct mcp_arena *a, size_t size)
{
    size_t cap = a->top->cap < MAX_CHUNK_BYTES ? a->top->cap * 2
                                               : (size_t)MAX_CHUNK_BYTES;
    struct chunk *c = chunk_new(size > cap ? size : cap, a->top);

    if (c == NULL)
        return 0;
    a->top = c;
    a->top_used = 0;
    return 1;
}

void *mcp_arena_alloc(struct mcp_arena *a, size_t size)
{
    size_t padded;
    void *p;

    if (size > mcp_arena_left_bytes(a) || size > SIZE_MAX / 2)
        return NULL;
    padded = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    if (a->top->cap - a->top_used < padded && !grow(a, padded))
        return NULL;
    p = a->top->data + a->top_used;
    ASAN_UNPOISON_MEMORY_REGION(p, size);
    a->top_used += padded;
    a->used_bytes += padded;
    return p;
}

char *mcp_arena_dup(struct mcp_arena *a, const char *text, size_t len)
{
    char *copy = len < SIZE_MAX ? mcp_arena_alloc(a, len + 1) : NULL;

    if (copy != NULL) {
        if (len > 0)
            memcpy(copy, text, len);
        copy[len] = '\0';
    }
    return copy;
}

char *mcp_arena_printf(struct mcp_arena *a, const char *fmt, ...)
{
    va_list ap;
    char *text;
    int n;

    va_start(ap, fmt);
    n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    text = n < 0 ? NULL : mcp_arena_alloc(a, (size_t)n + 1);
    if (text == NULL)
        return NULL;
    va_start(ap, fmt);
    (void)vsnprintf(text, (size_t)n + 1, fmt, ap);
    va_end(ap);
    return text;
}

void mcp_arena_reset(struct mcp_arena *a)
{
    while (a->top->next != NULL) {
        struct chunk *older = a->top->next;

        chunk_free(a->top);
        a->top = older;
    }
    ASAN_POISON_MEMORY_REGION(a->top->data, a->top->cap);
    a->top_used = 0;
    a->used_bytes = 0;
}

size_t mcp_arena_used_bytes(const struct mcp_arena *a)
{
    return a->used_bytes;
}

size_t mcp_arena_left_bytes(const struct mcp_arena *a)
{
    return a->used_bytes < a->max_bytes ? a->max_bytes - a->used_bytes : 0;
}
