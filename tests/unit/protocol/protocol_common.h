/*
 * protocol_common.h - an endpoint over a fake app, and messages to it
 *
 * The app functions that the endpoint calls are defined in protocol_common.c:
 * handlers are chosen by the name of the tool, nothing runs Lua.
 */
#ifndef PROTOCOL_COMMON_H
#define PROTOCOL_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/call.h"
#include "protocol/endpoint.h"

#define META                                                                   \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","   \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"
#define SIGNED                                                                 \
    "\"_meta\":{\"io.modelcontextprotocol/serverInfo\":{\"name\":\"test\","    \
    "\"version\":\"1.0\",\"title\":\"The test\"}}"
#define MODERN(method)                                                         \
    "MCP-Protocol-Version: 2026-07-28\nMcp-Method: " method "\n"
#define CALLING(name) MODERN("tools/call") "Mcp-Name: " name "\n"

struct fixture;

/* How the fake app answers mcp_app_run(). */
enum fake_mode {
    FAKE_NOW,     /* the handler runs at once                      */
    FAKE_LATER,   /* the job waits for fixture_run_waiting()      */
    FAKE_BUSY,    /* the queue is full */
    FAKE_THREADS, /* workers run it: fixture_workers() */
};

struct answer {
    bool done;
    int status;
    char body[8192]; /* NUL-terminated */
    size_t body_len;
    char headers[512];  /* "Name: value\n" each */
    char emitted[4096]; /* messages ahead of it, one a line */
};

/* A call that is still on its way. */
struct flying;

/* An endpoint whose app has the tools of protocol_common.c; `with_tools`
 * false: none. */
struct fixture *fixture_new(bool with_tools);
void fixture_free(struct fixture *f);

struct mcp_endpoint *fixture_endpoint(struct fixture *f);
struct mcp_subscriptions *fixture_subscriptions(struct fixture *f);
/* The arena of each call from now on. */
void fixture_arena(struct fixture *f, size_t max_bytes);
/* From now on handlers end with a result although they were cancelled. */
void fixture_stubborn(struct fixture *f);
void fixture_mode(struct fixture *f, enum fake_mode mode);
/* Sets an option of the app's config; before fixture_publish(). */
void fixture_set(struct fixture *f, const char *name, const char *value);
/* The same for session_idle, below what the option allows. */
void fixture_idle(struct fixture *f, double seconds);
/* Publishes a new generation with the options set so far. */
void fixture_publish(struct fixture *f, bool with_tools);
/* The same with the tools and: the static resource t://one, the template
 * t://{id} (t://none is not there), the prompt greet/hello that wants `who`,
 * which has a completer. */
void fixture_publish_all(struct fixture *f);
/* Runs what FAKE_LATER has kept, oldest first. */
void fixture_run_waiting(struct fixture *f);
/* Starts that many workers for FAKE_THREADS; 0: stops them. */
void fixture_workers(struct fixture *f, int count);
/* How often a handler has begun, and mcp_app_cancel() was called. */
int fixture_runs(const struct fixture *f);
int fixture_cancels(const struct fixture *f);

/* Sends a message: `headers` is "Name: value\n" each. The answer is BORROWED
 * until the next of these calls. */
const struct answer *post(struct fixture *f, const char *headers,
                          const char *body);
const struct answer *post_bytes(struct fixture *f, const char *headers,
                                const char *body, size_t len);
const struct answer *request(struct fixture *f, const char *http_method,
                             const char *headers);
const struct answer *line(struct fixture *f, const char *body); /* stdio */

/* The same without waiting. land() gives the answer (done or not) and frees
 * the call once it is done. */
struct flying *launch(struct fixture *f, enum mcp_transport transport,
                      const char *headers, const char *body);
/* A GET of the endpoint's URL. */
struct flying *launch_get(struct fixture *f, const char *headers);
const struct answer *land(struct fixture *f, struct flying *fl);
/* For threads, each its own calls: waits until the call is done; its answer,
 * BORROWED from it; frees it. */
void wait_for(struct flying *fl);
const struct answer *peek(const struct flying *fl);
void release(struct flying *fl);
void hang_up(struct fixture *f, struct flying *fl);

/* Initializes a session of `version`: "Mcp-Session-Id: ...\n", BORROWED from
 * a ring of 8. */
const char *open_session(struct fixture *f, const char *version);

/* The answer's status and whole body. */
void expect(const struct answer *a, int status, const char *body);
/* The answer's status, and parts of its body or headers. */
void expect_part(const struct answer *a, int status, const char *part);

#endif
