/*
 * request.h - one request as a feature sees it
 *
 * The protocol has checked everything and chosen the method; the feature
 * appends its result, one JSON object, to call->out (which already holds the
 * start of the JSON-RPC answer) or says in `fault` why there is none. Its last
 * act, now or later on a worker, is one call of end().
 *
 * Layer:  features. Uses app/registry, base/call.
 * Thread: the owner of the call.
 */
#ifndef MCP_FEATURES_REQUEST_H
#define MCP_FEATURES_REQUEST_H

#include "app/registry.h"
#include "base/call.h"
#include "base/err.h"

struct mcp_app;
struct mcp_tasks;

/* Why there is no result. All texts live as long as the call. */
struct mcp_fault {
    enum mcp_err err;    /* MCP_OK: there is a result, or `code` says more */
    int code;            /* a JSON-RPC code that the app chose, or 0       */
    const char *message; /* NULL: the usual one of `err`                   */
    size_t message_len;
    const char *data; /* JSON text or NULL */
    size_t data_len;
};

struct mcp_request {
    struct mcp_call *call;
    struct mcp_app *app;
    struct mcp_tasks *tasks; /* NULL: every tool is called as it is          */
    const struct mcp_generation *gen; /* held by the protocol until end()   */
    struct mcp_fault fault;
    bool failed; /* the result says isError: for the log */
    bool silent; /* the peer took the call back: no answer at all */
    void (*end)(struct mcp_request *rq); /* the request is gone after it */
};

/* Sets the fault; `message` and `data` (NUL-terminated JSON text) may be NULL.
 */
static inline void mcp_request_fail(struct mcp_request *rq, enum mcp_err err,
                                    const char *message, const char *data)
{
    rq->fault.err = err;
    rq->fault.message = message;
    rq->fault.message_len = message == NULL ? 0 : strlen(message);
    rq->fault.data = data;
    rq->fault.data_len = data == NULL ? 0 : strlen(data);
}

#endif
