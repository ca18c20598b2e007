/*
 * reset.c - what it costs to forget a call
 *
 * Heaps of several sizes are filled with blocks of 64 bytes, kept, and put back
 * after a "call" that wrote to a few of the old blocks and made some new ones.
 * Small heaps are copied whole, large ones page by page.
 *
 * Prints, a line each: name, n, ns/op, bytes/op; bytes: of the image.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "app/heap.h"

enum {
    BLOCK = 64,
    OLD_WRITES = 8,  /* to blocks of the image, far apart */
    NEW_BLOCKS = 32, /* made by the call                  */
    WARM = 100,
    ROUNDS = 7,
    OPS = 20000,
};

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Has this thread had a page fault since it was last asked? */
static bool faulted(void)
{
    static long before;
    struct rusage u;
    long now;
    bool moved;

    getrusage(RUSAGE_THREAD, &u);
    now = u.ru_minflt + u.ru_majflt;
    moved = now != before;
    before = now;
    return moved;
}

static void call(struct mcp_heap *h, char **blocks, size_t count)
{
    for (size_t i = 0; i < OLD_WRITES; i++)
        blocks[i * (count / OLD_WRITES)][0]++;
    for (size_t i = 0; i < NEW_BLOCKS; i++)
        if (mcp_heap_realloc(h, NULL, 0, BLOCK) == NULL)
            abort();
    mcp_heap_reset(h, mcp_heap_watches_faults(h) && faulted());
}

static void run(const char *name, size_t bytes)
{
    struct mcp_heap *h = mcp_heap_new(64 << 20);
    size_t count = bytes / BLOCK;
    char **blocks = malloc(count * sizeof(*blocks));
    uint64_t best = UINT64_MAX;

    if (h == NULL || blocks == NULL)
        abort();
    for (size_t i = 0; i < count; i++) {
        blocks[i] = mcp_heap_realloc(h, NULL, 0, BLOCK);
        if (blocks[i] == NULL)
            abort();
        memset(blocks[i], (int)i, BLOCK);
    }
    if (mcp_heap_snapshot(h) != MCP_OK)
        abort();
    for (int i = 0; i < WARM; i++)
        call(h, blocks, count);
    for (int r = 0; r < ROUNDS; r++) {
        uint64_t began = now_ns(), took;

        for (int i = 0; i < OPS; i++)
            call(h, blocks, count);
        took = now_ns() - began;
        best = took < best ? took : best;
    }
    printf("%-28s n=%d ns/op=%.0f bytes/op=%zu\n", name, OPS,
           (double)best / OPS, mcp_heap_image_bytes(h));
    free(blocks);
    mcp_heap_free(h);
}

int main(void)
{
    run("reset, heap of 100 KiB", 100 << 10);
    run("reset, heap of 600 KiB", 600 << 10);
    run("reset, heap of 2 MiB", 2 << 20);
    run("reset, heap of 8 MiB", 8 << 20);
    return 0;
}
