/*
 * slots.h - the Lua states of one generation, lent to one call each
 *
 * In image mode a state that comes back is reset by copying its memory and
 * lent again. When a copy would not restore everything (a C module, ffi, an
 * open file) the generation runs in fresh mode: a state serves one call and is
 * closed, and the loader thread makes new ones ahead of time. In kept mode
 * (isolation = worker) a state is lent again as the call before left it.
 *
 * Layer:  app, private to it. Uses app/state, app/registry.
 * Thread: any; the runner is the caller's.
 */
#ifndef MCP_APP_SLOTS_H
#define MCP_APP_SLOTS_H

#include <stdbool.h>
#include <stddef.h>

#include "app/registry.h"
#include "app/runner.h"
#include "app/state.h"

struct mcp_slots;

/* See above. */
enum mcp_slot_mode {
    MCP_SLOTS_IMAGE,
    MCP_SLOTS_FRESH,
    MCP_SLOTS_KEPT,
};

/* How a state comes back. */
enum mcp_slot_end {
    MCP_SLOT_USED, /* the call ended as calls do                           */
    MCP_SLOT_LOST, /* its Lua side cannot be trusted any more: drop it     */
};

struct mcp_slots_options {
    const char *app_path;
    const struct mcp_generation *gen; /* BORROWED: whose states these are   */
    struct mcp_sources *sources;      /* TAKEN                              */
    const struct mcp_listener *listener; /* BORROWED for the states' life */
    struct mcp_shared *shared;           /* the same                      */
    size_t max_states;
    size_t max_idle;          /* more than these are not kept       */
    size_t ready_states;      /* fresh mode: made ahead of time     */
    void (*need)(void *user); /* the loader has work: make_ready()  */
    void *user;
};

/* Closes every state that is here; all must be back. */
void mcp_slots_free(struct mcp_slots *s, struct mcp_runner *runner);

/* OWNED. NULL: out of memory. */
struct mcp_slots *
mcp_slots_new(const struct mcp_slots_options *options) MCP_MUST_USE;

/* Adds a state that has loaded the app; TAKEN. The first one decides the mode.
 */
enum mcp_err mcp_slots_add(struct mcp_slots *s,
                           struct mcp_state *st) MCP_MUST_USE;

/* Loads one more state and adds it. Errors as mcp_state_new(). */
enum mcp_err mcp_slots_grow(struct mcp_slots *s, struct mcp_runner *runner,
                            char *message, size_t message_size) MCP_MUST_USE;

/* Loads one more state, which is not one of these: `*out` is OWNED,
 * mcp_state_close(). Errors as mcp_state_new(). */
enum mcp_err mcp_slots_load_apart(struct mcp_slots *s,
                                  struct mcp_runner *runner,
                                  struct mcp_state **out, char *message,
                                  size_t message_size) MCP_MUST_USE;

/* Lends a state, made on the spot when none is here. Errors: MCP_EBUSY the
 * maximum is out, `job` was put in the line before the door and comes back
 * from mcp_slots_give_back(); others as mcp_state_new(). */
enum mcp_err mcp_slots_lend(struct mcp_slots *s, struct mcp_runner *runner,
                            struct mcp_job *job, struct mcp_state **out,
                            char *message, size_t message_size) MCP_MUST_USE;

/* Takes a lent state back. Returns the first job of the line, or NULL. */
struct mcp_job *mcp_slots_give_back(struct mcp_slots *s,
                                    struct mcp_runner *runner,
                                    struct mcp_state *st,
                                    enum mcp_slot_end end);

/* A lent state waits for a client: it does not count towards the maximum until
 * it is taken up again. Returns the first job of the line, or NULL. */
struct mcp_job *mcp_slots_set_aside(struct mcp_slots *s) MCP_MUST_USE;
void mcp_slots_take_up(struct mcp_slots *s);

/* May a run of this handler begin on a thread that has other things to do? It
 * has been quick so far, and its state costs nothing to get. */
bool mcp_slots_is_quick(struct mcp_slots *s, const struct mcp_handler *handler);

/* A stretch of it took `ns`. */
void mcp_slots_took(struct mcp_slots *s, const struct mcp_handler *handler,
                    uint64_t ns);

/* Fresh mode: makes states until enough are ready. On the loader thread. */
void mcp_slots_make_ready(struct mcp_slots *s, struct mcp_runner *runner);

/* "image copy, 94 KiB" or "fresh states: ..."; BORROWED. */
const char *mcp_slots_describe(struct mcp_slots *s);

#endif
