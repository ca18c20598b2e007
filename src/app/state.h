/*
 * state.h - one Lua state with the app loaded, ready to run calls
 *
 * Layer:  app, private to it. Includes lua.h.
 * Thread: one at a time.
 */
#ifndef MCP_APP_STATE_H
#define MCP_APP_STATE_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/host.h"
#include "base/err.h"

struct mcp_runner;

struct mcp_state {
    struct mcp_host host; /* first: the allocator's user data is the host */
    lua_State *L;
    bool has_image; /* mcp_state_reset() works                            */
    const struct mcp_generation *orphan_of; /* given up while it was stuck in C:
                                               a REF of its generation     */
    bool renewed; /* by the last mcp_state_renew()                      */
    bool lost;    /* its Lua side cannot be closed any more             */
    size_t limit; /* bytes of Lua memory                                */
    bool faulted; /* a page fault happened while a call ran             */
    struct mcp_state *next; /* for lists of whoever has it                 */
};

struct mcp_state_options {
    const char *app_path;
    size_t memory_limit; /* bytes                                    */
    double load_timeout_s;
    struct mcp_sources *sources; /* BORROWED for the state's life            */
    struct mcp_load *load;       /* BORROWED for this call                   */
    struct mcp_runner *runner;   /* of the calling thread                    */
    const struct mcp_listener *listener; /* BORROWED for the state's life    */
    struct mcp_shared *shared;           /* the same                         */
    bool kept; /* isolation = worker: mcp_state_renew()    */
    bool jit;  /* with `kept` only                         */
};

/* Makes a state and loads the app into it. `*out` is OWNED: mcp_state_close().
 * Errors, with a one-line `message`: MCP_ENOENT no such file; MCP_EINVAL the
 * script failed; MCP_ETIMEOUT load_timeout passed; MCP_ENOMEM. */
enum mcp_err mcp_state_new(const struct mcp_state_options *options,
                           struct mcp_state **out, char *message,
                           size_t message_size) MCP_MUST_USE;

/* Keeps the present memory, to which each reset goes back. Errors: MCP_ENOMEM.
 */
enum mcp_err mcp_state_snapshot(struct mcp_state *st) MCP_MUST_USE;

/* Lets the state use `extra_bytes` (at most 1 MiB) more than memory_limit. */
void mcp_state_allow(struct mcp_state *st, size_t extra_bytes);

/* Closes the files that are open, without Lua: before a reset, and before a
 * drop. Waiting for the program at the end of a pipe is seen as being blocked
 * in C, no more. */
void mcp_state_close_files(struct mcp_state *st, struct mcp_runner *runner);
/* Back to the snapshot. */
void mcp_state_reset(struct mcp_state *st);

/* Kept states: makes this one ready for its next call. False: it is of no use
 * any more (nearly out of memory, or broken); close it. */
bool mcp_state_renew(struct mcp_state *st,
                     struct mcp_runner *runner) MCP_MUST_USE;

/* Runs the finalizers (for at most a second) and frees all. A state with an
 * image has none to run and is just dropped. */
void mcp_state_close(struct mcp_state *st, struct mcp_runner *runner);

/* Frees the memory of a state whose Lua side is lost. */
void mcp_state_drop(struct mcp_state *st);

#endif
