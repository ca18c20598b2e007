/*
 * errors.h - every error that a peer can see: code, HTTP status, body
 *
 * The one table of codes and statuses, and the one map from enum mcp_err.
 *
 * Layer:  protocol. Uses features/request, base.
 * Thread: the owner of the call.
 * Source: MCP 2026-07-28, basic, "Error Codes"; streamable-http, "Server
 *         Validation"; JSON-RPC 2.0, section 5.1.
 */
#ifndef MCP_PROTOCOL_ERRORS_H
#define MCP_PROTOCOL_ERRORS_H

#include "base/call.h"
#include "features/request.h"

enum mcp_refusal {
    MCP_REFUSE_PARSE,        /* not JSON                                   */
    MCP_REFUSE_ENVELOPE,     /* JSON, but no message that we take          */
    MCP_REFUSE_SIZE,         /* needs more memory than one message may     */
    MCP_REFUSE_META,         /* a required member of _meta                 */
    MCP_REFUSE_MISMATCH,     /* headers against body                       */
    MCP_REFUSE_VERSION,      /* a revision that we do not speak            */
    MCP_REFUSE_METHOD,       /* unknown method                             */
    MCP_REFUSE_PARAMS,       /* bad parameters, unknown names              */
    MCP_REFUSE_SESSION,      /* unknown or ended session                   */
    MCP_REFUSE_NO_SESSION,   /* sessions = "required" and none was named   */
    MCP_REFUSE_EARLY,        /* stdio: before initialize                   */
    MCP_REFUSE_ACCEPT,       /* only an event stream would do              */
    MCP_REFUSE_EVENT,        /* Last-Event-ID is of no use                 */
    MCP_REFUSE_HTTP_METHOD,  /* GET or DELETE where there is none          */
    MCP_REFUSE_HTTP_VERSION, /* legacy: MCP-Protocol-Version is not ours   */
    MCP_REFUSE_BUSY,         /* the queue or the session table is full     */
    MCP_REFUSE_TOO_LARGE,    /* an answer beyond what the transport holds  */
    MCP_REFUSE_INTERNAL,     /* our bug                                    */
    MCP_REFUSE_MEMORY,       /* no memory even to begin                    */
};

/* Makes the error response of `call`: status, body, Retry-After. The id is
 * call->id, left out when NULL. `data` is JSON text or NULL. A body that does
 * not fit becomes an internal error. */
void mcp_error_refuse(struct mcp_call *call, enum mcp_refusal why,
                      const char *message, const char *data);

/* The same for what a feature reports. A code of the app's own travels with
 * 200, but -32021 (a client capability is missing) with 400 in the modern era;
 * the transport ignores the status once it has streamed. */
void mcp_error_fault(struct mcp_call *call, const struct mcp_fault *fault);

/* The body alone: code, message[0..len) and data in call->out, which is
 * cleared first. */
void mcp_error_write(struct mcp_call *call, int code, const char *message,
                     size_t len, const char *data, size_t data_len);

#endif
