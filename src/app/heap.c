/*
 * heap.c - small blocks from runs, large blocks with boundary tags
 *
 * Large block: a tag of 8 bytes (its size, in 16s, and two flags), then the
 * payload. A free one also has two links at its start and its size again in
 * its last 8 bytes, where the block after it finds it when it is freed.
 * Payloads are 16-aligned, so tags lie at 8 modulo 16.
 *
 * Bins: four per power of two. A block of bin i is at least as large as the
 * bin's lower bound, so a search starts one bin above the exact one and takes
 * the first block there is; the exact bin is tried first, for a few steps.
 */
#include "app/heap.h"

#include "app/image.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    GRAIN = 16,
    TAG = 8,
    SMALL_MAX = 256, /* largest block without a tag           */
    SMALL_CLASSES = SMALL_MAX / GRAIN,
    RUN_BYTES = 2048, /* a run of small blocks                 */
    LARGE_MIN = 48,   /* tag, links, size at the end           */
    BINS = 4 * 44,
    EXACT_TRIES = 8,
    PAGES_FROM = 96 << 10,       /* images from here on: written pages only */
    KEEP_BEYOND_IMAGE = 1 << 20, /* dirty memory a reset leaves in place  */
};

#define FREE      ((size_t)1) /* this block is free                  */
#define PREV_FREE ((size_t)2) /* the block before this one is free   */
#define SIZE_MASK (~(size_t)15)

struct free_block {
    struct free_block *next, **link; /* link: what points to this one */
};

/* Lies at the start of the mapping, so a reset restores it as well. */
struct head {
    char *top;   /* first byte never used                     */
    size_t used; /* bytes of live blocks                      */
    void *small[SMALL_CLASSES + 1]; /* free small blocks by size / GRAIN */
    uint64_t bin_map[(BINS + 63) / 64];
    struct free_block *bins[BINS];
};

struct mcp_heap {
    struct head *head; /* = base of the mapping        */
    char *end;
    size_t size, limit;
    struct mcp_image *image;
    size_t image_len;
    char *high; /* highest top since the last trim */
    bool refused;
};

static inline size_t *tag_of(void *payload)
{
    return (size_t *)(void *)((char *)payload - TAG);
}

static inline size_t block_size(size_t tag)
{
    return tag & SIZE_MASK;
}

static inline void *after(void *payload)
{
    return (char *)payload + block_size(*tag_of(payload));
}

static unsigned bin_of(size_t size)
{
    unsigned log = 63u - (unsigned)__builtin_clzll(size);
    unsigned sub = (unsigned)(size >> (log - 2)) & 3u;

    return (log - 5) * 4 + sub;
}

static void bin_insert(struct head *hd, void *payload)
{
    size_t size = block_size(*tag_of(payload));
    unsigned bin = bin_of(size);
    struct free_block *b = payload;
    struct free_block **list = &hd->bins[bin];

    b->next = *list;
    b->link = list;
    if (*list != NULL)
        (*list)->link = &b->next;
    *list = b;
    hd->bin_map[bin / 64] |= UINT64_C(1) << (bin % 64);
    memcpy((char *)payload + size - 2 * TAG, &size, sizeof(size));
}

static void bin_remove(struct head *hd, void *payload)
{
    struct free_block *b = payload;
    unsigned bin = bin_of(block_size(*tag_of(payload)));

    *b->link = b->next;
    if (b->next != NULL)
        b->next->link = b->link;
    if (hd->bins[bin] == NULL)
        hd->bin_map[bin / 64] &= ~(UINT64_C(1) << (bin % 64));
}

/* The lowest bin from `bin` on that has a block, or BINS. */
static unsigned bin_next(const struct head *hd, unsigned bin)
{
    unsigned word = bin / 64;
    uint64_t bits;

    if (bin >= BINS)
        return BINS;
    bits = hd->bin_map[word] & (~UINT64_C(0) << (bin % 64));
    while (bits == 0) {
        if (++word >= sizeof(hd->bin_map) / sizeof(hd->bin_map[0]))
            return BINS;
        bits = hd->bin_map[word];
    }
    return word * 64 + (unsigned)__builtin_ctzll(bits);
}

static void *bin_find(struct head *hd, size_t size)
{
    unsigned bin = bin_of(size);
    struct free_block *b = hd->bins[bin];
    int tries;

    for (tries = 0; b != NULL && tries < EXACT_TRIES; tries++, b = b->next)
        if (block_size(*tag_of(b)) >= size)
            return b;
    bin = bin_next(hd, bin + 1);
    return bin < BINS ? (void *)hd->bins[bin] : NULL;
}

/* Tells the block after `payload` whether `payload` is free. */
static void tell_next(struct mcp_heap *h, void *payload, bool is_free)
{
    char *next = after(payload);

    if (next >= h->head->top)
        return;
    if (is_free)
        *tag_of(next) |= PREV_FREE;
    else
        *tag_of(next) &= ~PREV_FREE;
}

/* A block at the top, or NULL when the mapping is full. */
static void *take_top(struct mcp_heap *h, size_t size)
{
    struct head *hd = h->head;
    char *payload = hd->top;

    if ((size_t)(h->end - payload) < size + GRAIN)
        return NULL;
    *tag_of(payload) = size;
    hd->top = payload + size;
    if (hd->top > h->high)
        h->high = hd->top;
    return payload;
}

/* Joins the free block after `payload` to it; `payload` may be in use. */
static void join_next(struct mcp_heap *h, void *payload)
{
    char *next = after(payload);

    if (next >= h->head->top || !(*tag_of(next) & FREE))
        return;
    bin_remove(h->head, next);
    *tag_of(payload) += block_size(*tag_of(next));
}

static void large_free(struct mcp_heap *h, void *payload)
{
    join_next(h, payload);
    if (*tag_of(payload) & PREV_FREE) {
        size_t size;
        char *prev;

        memcpy(&size, (char *)payload - 2 * TAG, sizeof(size));
        prev = (char *)payload - size;
        bin_remove(h->head, prev);
        *tag_of(prev) += block_size(*tag_of(payload));
        payload = prev;
    }
    if ((char *)after(payload) >= h->head->top) {
        h->head->top = payload;
        return;
    }
    *tag_of(payload) |= FREE;
    tell_next(h, payload, true);
    bin_insert(h->head, payload);
}

/* Gives back what `payload` (in use) has beyond `size`. */
static void split(struct mcp_heap *h, void *payload, size_t size)
{
    size_t have = block_size(*tag_of(payload));
    char *rest = (char *)payload + size;

    if (have < size + LARGE_MIN)
        return;
    *tag_of(payload) = size | (*tag_of(payload) & PREV_FREE);
    *tag_of(rest) = have - size;
    large_free(h, rest);
}

static size_t large_size(size_t n)
{
    size_t size = (n + TAG + GRAIN - 1) & SIZE_MASK;

    return size < LARGE_MIN ? (size_t)LARGE_MIN : size;
}

static void *large_alloc(struct mcp_heap *h, size_t n)
{
    size_t size = large_size(n);
    void *payload = bin_find(h->head, size);

    if (payload == NULL)
        return take_top(h, size);
    bin_remove(h->head, payload);
    *tag_of(payload) &= ~FREE;
    tell_next(h, payload, false);
    split(h, payload, size);
    return payload;
}

/* Grows a large block where it is. */
static bool large_grow(struct mcp_heap *h, void *payload, size_t n)
{
    size_t size = large_size(n);

    join_next(h, payload);
    if ((char *)after(payload) >= h->head->top) {
        if ((size_t)(h->end - (char *)payload) < size + GRAIN)
            return false;
        if (block_size(*tag_of(payload)) < size) {
            *tag_of(payload) = size | (*tag_of(payload) & PREV_FREE);
            h->head->top = (char *)payload + size;
            if (h->head->top > h->high)
                h->high = h->head->top;
        }
        return true;
    }
    tell_next(h, payload, false);
    if (block_size(*tag_of(payload)) < size)
        return false;
    split(h, payload, size);
    return true;
}

/* Cuts a run into blocks of class `c` and returns one of them. */
static void *small_refill(struct mcp_heap *h, size_t c)
{
    size_t size = c * GRAIN;
    size_t count = RUN_BYTES / size, i;
    char *run = large_alloc(h, count * size);

    if (run == NULL)
        return NULL;
    for (i = count; i-- > 1;) {
        void **block = (void **)(void *)(run + i * size);

        *block = h->head->small[c];
        h->head->small[c] = block;
    }
    return run;
}

static void *small_alloc(struct mcp_heap *h, size_t n)
{
    size_t c = (n + GRAIN - 1) / GRAIN;
    void **block = h->head->small[c];

    if (block == NULL)
        return small_refill(h, c);
    h->head->small[c] = *block;
    return block;
}

static void release(struct mcp_heap *h, void *ptr, size_t n)
{
    if (n <= SMALL_MAX) {
        size_t c = (n + GRAIN - 1) / GRAIN;

        *(void **)ptr = h->head->small[c];
        h->head->small[c] = ptr;
    } else {
        large_free(h, ptr);
    }
}

static bool refuse(struct mcp_heap *h, size_t old_size, size_t new_size)
{
    if (new_size <= old_size)
        return false;
    if (new_size <= h->limit && h->head->used - old_size <= h->limit - new_size)
        return false;
    h->refused = true;
    return true;
}

void *mcp_heap_realloc(struct mcp_heap *h, void *ptr, size_t old_size,
                       size_t new_size)
{
    void *to;

    if (ptr == NULL || old_size == 0) {
        ptr = NULL;
        old_size = 0;
    }
    if (new_size == 0) {
        if (ptr != NULL)
            release(h, ptr, old_size);
        h->head->used -= old_size;
        return NULL;
    }
    if (refuse(h, old_size, new_size))
        return NULL;
    if (ptr != NULL && old_size > SMALL_MAX && new_size > SMALL_MAX &&
        (new_size <= old_size || large_grow(h, ptr, new_size))) {
        if (new_size < old_size)
            split(h, ptr, large_size(new_size));
        h->head->used += new_size - old_size;
        return ptr;
    }
    to = new_size <= SMALL_MAX ? small_alloc(h, new_size)
                               : large_alloc(h, new_size);
    if (to == NULL && new_size <= old_size) {
        /* A large block that is a small one from now on: it fits. */
        h->head->used += new_size - old_size;
        return ptr;
    }
    if (to == NULL) {
        h->refused = true;
        return NULL;
    }
    if (ptr != NULL) {
        memcpy(to, ptr, old_size < new_size ? old_size : new_size);
        release(h, ptr, old_size);
    }
    h->head->used += new_size - old_size;
    return to;
}

struct mcp_heap *mcp_heap_new(size_t limit_bytes)
{
    /* Runs, tags and holes: a quarter more than the live blocks. */
    size_t size = limit_bytes + limit_bytes / 4 + (4u << 20);
    struct mcp_heap *h = calloc(1, sizeof(*h));
    void *base;

    if (h == NULL)
        return NULL;
    size = (size + 4095) & ~(size_t)4095;
    base = mmap(NULL, size, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) {
        free(h);
        return NULL;
    }
    h->head = base;
    h->end = (char *)base + size;
    h->size = size;
    h->limit = limit_bytes;
    h->head->top =
        (char *)base + ((sizeof(struct head) + TAG + GRAIN - 1) & SIZE_MASK);
    h->high = h->head->top;
    return h;
}

void mcp_heap_free(struct mcp_heap *h)
{
    if (h == NULL)
        return;
    mcp_image_free(h->image);
    (void)munmap(h->head, h->size);
    free(h);
}

void mcp_heap_set_limit(struct mcp_heap *h, size_t limit_bytes)
{
    h->limit = limit_bytes;
}

size_t mcp_heap_used_bytes(const struct mcp_heap *h)
{
    return h->head->used;
}

bool mcp_heap_was_refused(const struct mcp_heap *h)
{
    return h->refused;
}

enum mcp_err mcp_heap_snapshot(struct mcp_heap *h)
{
    size_t len = (size_t)(h->head->top - (char *)h->head);

    assert(h->image == NULL);
    h->image = mcp_image_new(h->head, len, PAGES_FROM);
    if (h->image == NULL)
        return MCP_ENOMEM;
    h->image_len = len;
    h->high = h->head->top;
    h->refused = false;
    return MCP_OK;
}

void mcp_heap_reset(struct mcp_heap *h, bool faulted)
{
    char *keep = (char *)h->head + h->image_len + KEEP_BEYOND_IMAGE;

    if (h->high > keep) {
        keep = (char *)(((uintptr_t)keep + 4095) & ~(uintptr_t)4095);
        if (h->high > keep)
            (void)madvise(keep, (size_t)(h->high - keep), MADV_DONTNEED);
    }
    mcp_image_restore(h->image, faulted);
    h->high = h->head->top;
    h->refused = false;
}

bool mcp_heap_watches_faults(const struct mcp_heap *h)
{
    return h->image != NULL && mcp_image_uses_pages(h->image);
}

bool mcp_heap_is_worn(const struct mcp_heap *h)
{
    return h->image != NULL && mcp_image_is_worn(h->image);
}

size_t mcp_heap_image_bytes(const struct mcp_heap *h)
{
    return h->image_len;
}
