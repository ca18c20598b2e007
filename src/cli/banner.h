/*
 * banner.h - the lines on stderr that say what is served, and where
 *
 *     mcpluad 0.1.0  coffee 1.2.0
 *     http://127.0.0.1:8000/mcp   3 tools   isolation: request (image copy, \
 *     94 KiB)   ready in 4.1 ms   reloading on save
 *     warning: ...
 *
 * In a log of JSON lines the same is one line, and each warning another.
 *
 * Layer:  cli. Uses base/buf, base/log.
 * Thread: main.
 */
#ifndef MCP_CLI_BANNER_H
#define MCP_CLI_BANNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct mcp_banner {
    const char *name;    /* of the app; NULL: not told    */
    const char *version; /* of the app; NULL: not told    */
    const char *where;   /* URL, or "stdio"               */
    size_t tool_count, resource_count,
        prompt_count;   /* templates are resources   */
    size_t skill_count; /* those of sources are not known */
    size_t route_count;
    const char *isolation;   /* mcp_app_isolation()       */
    bool dev;                /* reloading when a file changes */
    uint64_t ready_ns;       /* from the start of main()  */
    size_t connection_limit; /* 0: as many as asked for   */
    int64_t max_connections; /* what was asked for        */
};

/* Writes the lines. */
void mcp_banner_write(struct mcp_buf *out, const struct mcp_banner *b);

/* Writes them to the log instead. */
void mcp_banner_log(const struct mcp_banner *b);

/* Writes `text` so that it stays on its line and moves no cursor: each run of
 * control characters becomes one space. */
void mcp_banner_put(struct mcp_buf *out, const char *text);
void mcp_banner_add(struct mcp_buf *out, const char *text, size_t len);

#endif
