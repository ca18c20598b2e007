/*
 * image.c - see image.h
 */
#include "app/image.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    PAGE = 4096,
    CHUNK = 512,    /* pagemap entries read at once        */
    WORN_PART = 2,  /* worn when 1/2 of the pages are listed */
    WORN_MIN = 256, /* pages; fewer are never too many       */
};

/* Bits of a pagemap entry. */
#define PAGE_PRESENT (UINT64_C(1) << 63)
#define PAGE_SWAPPED (UINT64_C(1) << 62)
#define PAGE_OF_FILE (UINT64_C(1) << 61)

struct mcp_image {
    char *base;
    size_t len;
    char *bytes;       /* COPY: malloc; PAGES: the memfd, mapped shared   */
    size_t page_count; /* 0: COPY                                         */
    uint32_t *list;    /* PAGES: pages that were written, list_count many */
    size_t list_count;
    unsigned char *listed; /* PAGES: one flag a page                     */
    int pagemap;
};

static void close_fd(int fd)
{
    if (fd >= 0)
        (void)close(fd);
}

/* ---- making ---------------------------------------------------------------
 */

static bool write_all(int fd, const char *from, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, from, len);

        if (n <= 0)
            return false;
        from += n;
        len -= (size_t)n;
    }
    return true;
}

/* The memfd in place of the memory at img->base. First readable only, so that
 * populating it does not copy every page. */
static bool map_over(struct mcp_image *img, int fd, size_t size)
{
    void *at = mmap(img->base, size, PROT_READ,
                    MAP_PRIVATE | MAP_FIXED | MAP_POPULATE, fd, 0);

    if (at == MAP_FAILED)
        abort(); /* the memory under the Lua state may be gone: no way back */
    if (mprotect(img->base, size, PROT_READ | PROT_WRITE) != 0)
        abort();
    return true;
}

static bool use_pages(struct mcp_image *img)
{
    size_t count = (img->len + PAGE - 1) / PAGE, size = count * PAGE;
    int fd = memfd_create("mcpluad-image", MFD_CLOEXEC);
    void *shared = MAP_FAILED;

    img->pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    img->list = malloc(count * sizeof(*img->list));
    img->listed = calloc(count, 1);
    if (fd >= 0 && img->pagemap >= 0 && img->list != NULL &&
        img->listed != NULL && write_all(fd, img->base, size))
        shared = mmap(NULL, size, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);
    if (shared != MAP_FAILED && map_over(img, fd, size)) {
        img->bytes = shared;
        img->page_count = count;
    }
    close_fd(fd);
    return img->page_count > 0;
}

static void drop_pages(struct mcp_image *img)
{
    free(img->list);
    free(img->listed);
    close_fd(img->pagemap);
    img->list = NULL;
    img->listed = NULL;
    img->pagemap = -1;
}

struct mcp_image *mcp_image_new(void *base, size_t len, size_t pages_from)
{
    struct mcp_image *img = calloc(1, sizeof(*img));

    if (img == NULL)
        return NULL;
    img->base = base;
    img->len = len;
    img->pagemap = -1;
    if (len >= pages_from && sysconf(_SC_PAGESIZE) == PAGE && use_pages(img))
        return img;
    drop_pages(img);
    img->bytes = malloc(len);
    if (img->bytes == NULL) {
        free(img);
        return NULL;
    }
    memcpy(img->bytes, base, len);
    return img;
}

void mcp_image_free(struct mcp_image *img)
{
    if (img == NULL)
        return;
    if (img->page_count > 0)
        (void)munmap(img->bytes, img->page_count * PAGE);
    else
        free(img->bytes);
    drop_pages(img);
    free(img);
}

/* ---- putting back ---------------------------------------------------------
 */

/* A private copy is anonymous: neither of a file nor absent. */
static void look_at(struct mcp_image *img, size_t page, uint64_t entry)
{
    bool own =
        (entry & (PAGE_PRESENT | PAGE_SWAPPED)) && !(entry & PAGE_OF_FILE);

    if (own && !img->listed[page]) {
        img->listed[page] = 1;
        img->list[img->list_count++] = (uint32_t)page;
    }
}

/* False: pagemap could not be read. */
static bool find_written(struct mcp_image *img)
{
    uint64_t entries[CHUNK];
    size_t first = (uintptr_t)img->base / PAGE, done = 0, i;

    while (done < img->page_count) {
        size_t want = img->page_count - done;
        ssize_t n;

        if (want > CHUNK)
            want = CHUNK;
        n = pread(img->pagemap, entries, want * sizeof(entries[0]),
                  (off_t)((first + done) * sizeof(entries[0])));
        if (n < (ssize_t)sizeof(entries[0]))
            return false;
        for (i = 0; i < (size_t)n / sizeof(entries[0]); i++)
            look_at(img, done + i, entries[i]);
        done += i;
    }
    return true;
}

/* Without pagemap nothing is known: every page counts as written. */
static void list_all(struct mcp_image *img)
{
    size_t page;

    for (page = 0; page < img->page_count; page++)
        look_at(img, page, PAGE_PRESENT);
}

void mcp_image_restore(struct mcp_image *img, bool faulted)
{
    size_t i;

    if (img->page_count == 0) {
        memcpy(img->base, img->bytes, img->len);
        return;
    }
    if (faulted && !find_written(img))
        list_all(img);
    for (i = 0; i < img->list_count; i++) {
        size_t at = (size_t)img->list[i] * PAGE;

        memcpy(img->base + at, img->bytes + at, PAGE);
    }
}

bool mcp_image_uses_pages(const struct mcp_image *img)
{
    return img->page_count > 0;
}

bool mcp_image_is_worn(const struct mcp_image *img)
{
    return img->list_count > WORN_MIN &&
           img->list_count > img->page_count / WORN_PART;
}

size_t mcp_image_restored_bytes(const struct mcp_image *img)
{
    return img->page_count > 0 ? img->list_count * PAGE : img->len;
}
