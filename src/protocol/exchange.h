/*
 * exchange.h - one message being answered, and the parts of an endpoint
 *
 * An exchange lies in the call's arena from the moment the message is read
 * until call->ops->done(). Private to protocol/.
 *
 *     begin --> [refuse | run a method --> end()] --> landed --> done()
 *
 * Layer:  protocol. Uses protocol/errors, flight, replay, session;
 *         features/request, features/subscriptions.
 * Thread: the owner of the call.
 */
#ifndef MCP_PROTOCOL_EXCHANGE_H
#define MCP_PROTOCOL_EXCHANGE_H

#include "features/request.h"
#include "features/subscriptions.h"
#include "protocol/errors.h"
#include "protocol/flight.h"
#include "protocol/replay.h"
#include "protocol/rpc.h"
#include "protocol/session.h"

struct mcp_batch;

struct mcp_endpoint {
    struct mcp_app *app;
    struct mcp_subscriptions *subscriptions; /* BORROWED */
    struct mcp_tasks *tasks;                 /* BORROWED, or NULL */
    struct mcp_session_table *sessions;
    struct mcp_replay *replay;
    struct mcp_flights pipe_flights; /* calls of the stdio pipe          */
    struct mcp_session *pipe;        /* of legacy stdio; NULL before initialize;
                                        touched by the reading thread only      */
};

struct mcp_exchange {
    struct mcp_request rq; /* first: a cast converts both ways */
    struct mcp_endpoint *ep;
    struct mcp_message message;
    struct mcp_flights *flights; /* where `flight` is listed, or NULL */
    struct mcp_flight flight;
    struct mcp_stream stream;     /* when it stays open to tell of changes */
    struct mcp_batch *batch;      /* this exchange is a whole batch, or NULL */
    struct mcp_replay_end replay; /* of a legacy session over HTTP */
};

static inline struct mcp_exchange *mcp_exchange_of(struct mcp_request *rq)
{
    return (struct mcp_exchange *)rq;
}

/* Gives a fresh call its defaults and an exchange that holds the present
 * generation. NULL: no memory; the call has been refused and is done. */
struct mcp_exchange *mcp_exchange_begin(struct mcp_endpoint *ep,
                                        struct mcp_call *call);

/* The exchange has entered its session, over HTTP: what it emits can be sent
 * again. */
void mcp_exchange_keep(struct mcp_exchange *x);

/* Ends a GET that read the stream of a call (what mcp_replay_finish() and
 * others return); NULL: nothing happens. */
void mcp_exchange_end_reader(struct mcp_replay_end *reader);

/* Ends the exchange with an error response. */
void mcp_exchange_refuse(struct mcp_exchange *x, enum mcp_refusal why,
                         const char *message, const char *data);

/* Ends it without a body, with this HTTP status. */
void mcp_exchange_silence(struct mcp_exchange *x, int status);

/* Ends it with what call->out and call->status hold. */
void mcp_exchange_finish(struct mcp_exchange *x);

/* Writes the start of a response to call->out and hands the request to `run`.
 * `flies`: it may run on a worker and be cancelled by its id. */
void mcp_exchange_run(struct mcp_exchange *x,
                      void (*run)(struct mcp_request *rq), bool flies);

#endif
