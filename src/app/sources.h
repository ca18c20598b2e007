/*
 * sources.h - the very bytes that a generation was made of
 *
 * Every Lua state of a generation loads the same bytes, read from disk once.
 * A path that did not exist at first does not exist later either, so that all
 * states search alike.
 *
 * Layer:  app. Uses base/err. No Lua.
 * Thread: any.
 */
#ifndef MCP_APP_SOURCES_H
#define MCP_APP_SOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct mcp_sources;

void mcp_sources_free(struct mcp_sources *s);

/* OWNED. NULL: out of memory. */
struct mcp_sources *mcp_sources_new(void)
    MCP_OWNED(mcp_sources_free) MCP_MUST_USE;

/* The bytes of the regular file `path`, read now or kept from before.
 * BORROWED for the life of `s`. NULL: no such file, not readable, larger than
 * 64 MiB, or out of memory. */
const char *mcp_sources_read(struct mcp_sources *s, const char *path,
                             size_t *len);

/* The same, but only what was read before. */
const char *mcp_sources_find(struct mcp_sources *s, const char *path,
                             size_t *len);

/* Has any of the files changed, gone or come since it was read? Compares the
 * bytes; a touched file is not a changed one. */
bool mcp_sources_changed(struct mcp_sources *s);

/* Nanoseconds since the youngest of the files that are there was written;
 * UINT64_MAX when there is none, or when it is of the future. */
uint64_t mcp_sources_age_ns(struct mcp_sources *s);

/* Calls each(user, path) for every path that was asked for, those that were
 * not there included. `path` is BORROWED. `each` must not use `s`. */
void mcp_sources_each(struct mcp_sources *s,
                      void (*each)(void *user, const char *path), void *user);

#endif
