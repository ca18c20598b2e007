/*
 * trim.h - memory that was freed, back to the system
 *
 * After a flood of calls or of streams the C library keeps what they have
 * freed: it only gives back what lies at the end of its heaps.
 *
 * Layer:  base.
 * Thread: one at a time.
 */
#ifndef MCP_BASE_TRIM_H
#define MCP_BASE_TRIM_H

#include <stdbool.h>
#include <stddef.h>

enum { MCP_TRIM_BYTES = 32 << 20 };

/* Gives it back if MCP_TRIM_BYTES more are free than after the last time; that
 * takes about 0.3 ms a MiB. Otherwise costs some microseconds. Called every few
 * seconds. Returns whether it did. */
bool mcp_trim(void);

#endif
