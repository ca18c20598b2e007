/*
 * test_call.h - one message of a spec to the endpoint, and what comes back
 *
 *     start --> [message]... --> the answer --> freed by the last who holds it
 *
 * Layer:  cli. Uses protocol/endpoint, base.
 * Thread: start, next, leave, drop: one; messages come on any.
 */
#ifndef MCP_CLI_TEST_CALL_H
#define MCP_CLI_TEST_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/call.h"

struct mcp_endpoint;
struct mcp_test_call;

/* Gives it up; the endpoint may still be at it. */
void mcp_test_call_drop(struct mcp_test_call *c);

/* Sends body[0..len). NULL: out of memory. OWNED: mcp_test_call_drop(). */
struct mcp_test_call *mcp_test_call_start(struct mcp_endpoint *endpoint,
                                          const char *body,
                                          size_t len) MCP_MUST_USE;

/* A request of plain HTTP, to a route. Texts are copied. */
struct mcp_test_http {
    const char *method, *path, *query; /* query NULL: none               */
    const struct mcp_header *headers;
    size_t header_count;
};

/* The same for a request of plain HTTP, with this body. */
struct mcp_test_call *mcp_test_call_start_http(struct mcp_endpoint *endpoint,
                                               const struct mcp_test_http *http,
                                               const char *body,
                                               size_t len) MCP_MUST_USE;

/* What came of it: its status and its type; after MCP_TEST_ANSWER. BORROWED
 * until the call is dropped. */
const struct mcp_call *mcp_test_call_of(const struct mcp_test_call *c);

enum mcp_test_next {
    MCP_TEST_NOTHING, /* came in this time, or will ever come    */
    MCP_TEST_MESSAGE, /* ahead of the answer                     */
    MCP_TEST_ANSWER,  /* the last one; empty: there is no answer */
};

/* Waits for what comes next, `wait_ns` of real time at most. `*text` is OWNED
 * by the caller: free(). */
enum mcp_test_next mcp_test_call_next(struct mcp_test_call *c, uint64_t wait_ns,
                                      char **text, size_t *len);

/* The client has left: as when a connection is closed. */
void mcp_test_call_leave(struct mcp_test_call *c);

#endif
