/*
 * event_id.h - the text that names an event of a stream: "key-stream-number"
 *
 * The key has 16 hexadecimal digits and is its session's secret; the numbers
 * are decimal. One event has one spelling.
 *
 * Layer:  protocol, private to replay.
 * Thread: any.
 */
#ifndef MCP_PROTOCOL_EVENT_ID_H
#define MCP_PROTOCOL_EVENT_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MCP_EVENT_ID_BYTES = 64 }; /* with its NUL */

void mcp_event_id_write(char to[MCP_EVENT_ID_BYTES], uint64_t key,
                        uint64_t stream, uint64_t number);

/* Reads id[0..len). False: it is none, or has another key. Both numbers are
 * below 10^18. */
bool mcp_event_id_read(const char *id, size_t len, uint64_t key,
                       uint64_t *stream, uint64_t *number);

#endif
