/*
 * bridge_sse.h - server-sent events, parsed as they arrive
 *
 * Bytes go in as they come, in pieces of any size; each event that carries
 * data is given to a callback once its blank line is there. An event that the
 * end of the stream cuts off is dropped, as the standard has it.
 *
 * Layer:  transport; private to bridge*.c. Uses base/buf.
 * Thread: one at a time.
 * Source: WHATWG HTML, "Server-sent events", 9.2.6 "Interpreting an event
 *         stream".
 */
#ifndef MCP_TRANSPORT_BRIDGE_SSE_H
#define MCP_TRANSPORT_BRIDGE_SSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum { MCP_SSE_ID_BYTES = 1024, MCP_SSE_NO_RETRY = -1 };

struct mcp_sse {
    struct mcp_buf line, data;
    bool after_cr;             /* an LF now belongs to the line before      */
    bool has_data;             /* the event has a data field                */
    bool other_type;           /* its type is not "message"                 */
    bool begun;                /* past the place of a byte order mark       */
    char id[MCP_SSE_ID_BYTES]; /* the last event id; "" when none    */
    char next_id[MCP_SSE_ID_BYTES]; /* of the event being read       */
    int64_t retry_ms; /* what `retry` said, or MCP_SSE_NO_RETRY     */
    void (*event)(void *user, const char *data, size_t len);
    void *user;
};

/* `event` gets the data of each event of type "message" that has any; lines
 * are joined with LF. No line and no data may have more than `max_bytes`. */
void mcp_sse_init(struct mcp_sse *s, size_t max_bytes,
                  void (*event)(void *user, const char *data, size_t len),
                  void *user);

/* Frees what it holds; it may be initialised again. */
void mcp_sse_free(struct mcp_sse *s);

/* Takes bytes[0..len). Errors: MCP_ELIMIT a line or the data of an event is
 * too long (or there is no memory): the stream cannot be read on. */
enum mcp_err mcp_sse_feed(struct mcp_sse *s, const char *bytes,
                          size_t len) MCP_MUST_USE;

#endif
