/*
 * image.h - the pristine copy of a piece of memory, and putting it back
 *
 * Two ways, with one meaning. COPY keeps the bytes and copies all of them back:
 * best for small images. PAGES moves the bytes into a memfd and maps it
 * privately over the same addresses, so that the kernel gives each page that is
 * written a copy of its own; /proc/self/pagemap tells which, and a reset puts
 * only those back. A page that was written once stays on the list, so it costs
 * one fault in its life and a copy of 4 KiB for each reset.
 *
 * Layer:  app. Linux: memfd_create(2), pagemap (Documentation/admin-guide/mm).
 * Thread: one at a time.
 */
#ifndef MCP_APP_IMAGE_H
#define MCP_APP_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

struct mcp_image;

void mcp_image_free(struct mcp_image *img);

/* Keeps base[0..len) as it is now. `base` is at the start of a page of a
 * private mapping, which must reach to the end of the last page and outlives
 * the image. PAGES is used from `pages_from` bytes on, if the system can; else
 * COPY. OWNED. NULL: out of memory. */
struct mcp_image *mcp_image_new(void *base, size_t len, size_t pages_from);

/* Puts the memory back. `faulted` false: the caller knows that no page fault
 * has happened since the last reset while the memory was used, so no new page
 * can be on the list. */
void mcp_image_restore(struct mcp_image *img, bool faulted);

/* Does it need to know about faults? */
bool mcp_image_uses_pages(const struct mcp_image *img);

/* PAGES: have so many pages been written that a new state is cheaper? */
bool mcp_image_is_worn(const struct mcp_image *img);

/* Bytes put back by the last reset. */
size_t mcp_image_restored_bytes(const struct mcp_image *img);

#endif
