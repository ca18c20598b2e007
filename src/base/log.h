/*
 * log.h - one structured line per event, on stderr
 *
 * Text form:  2026-11-29T22:13:19.123Z info  http: listening url=http://...
 * JSON form:  {"time":"...","level":"info","part":"http","message":"..."}
 * Control characters and invalid UTF-8 are escaped, so a line is always one
 * line. A line is one write(2), a long one into a pipe several; a failed write
 * (full disk, closed pipe, a pipe that nobody reads) is counted and forgotten:
 * logging never blocks a caller for long, never fails.
 *
 * Layer:  base. Uses base/buf, base/clock, base/json.
 * Thread: any.
 */
#ifndef MCP_BASE_LOG_H
#define MCP_BASE_LOG_H

#include <stdbool.h>

#include "base/err.h"

enum mcp_log_level {
    MCP_LOG_DEBUG,
    MCP_LOG_INFO,
    MCP_LOG_WARNING,
    MCP_LOG_ERROR,
    MCP_LOG_OFF,
};

/* From now on drop what is below `level`; JSON lines when `json`. */
void mcp_log_setup(enum mcp_log_level level, bool json);

/* Would a line of this level be written? Cheap; for costly arguments. */
bool mcp_log_enabled(enum mcp_log_level level);

/* Are lines JSON? */
bool mcp_log_is_json(void);

/* Writes one line. `part` is the module that speaks ("http", "app", ...). At
 * most 64 KiB of message are kept. errno is as before. */
void mcp_log(enum mcp_log_level level, const char *part, const char *fmt, ...)
    MCP_PRINTF(3, 4);

/* Lines that could not be written, or not whole, since the start. */
unsigned long long mcp_log_lost(void);

#endif
