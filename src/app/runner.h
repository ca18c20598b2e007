/*
 * runner.h - running Lua under a deadline that nothing escapes
 *
 * A runner is one thread that runs Lua. It announces each run; the supervisor
 * thread watches all of them. When a run's deadline passes or its call is
 * cancelled, the supervisor signals the thread again and again until the run
 * has ended:
 *
 *   stage 1  the signal handler sets a count hook that raises an error at the
 *            next instruction, and at each one after it, so pcall and
 *            coroutines do not help
 *   stage 2  (a tenth of a second later; a loop in a finalizer, a string
 *            pattern without end) when the interrupted instruction lies inside
 *            LuaJIT itself, the handler jumps out of the run: the Lua state is
 *            lost and must be thrown away
 *
 * A run that overflows its C stack ends like stage 2. A run blocked inside a C
 * library is not ended, only seen (mcp_supervisor_stuck).
 *
 * Layer:  app. Includes lua.h.
 * Thread: a runner belongs to its thread; the supervisor has its own.
 */
#ifndef MCP_APP_RUNNER_H
#define MCP_APP_RUNNER_H

#include <lua.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/call.h"
#include "base/err.h"

struct mcp_runner;
struct mcp_supervisor;

/* Why a run was interrupted. */
enum mcp_interrupt {
    MCP_INTERRUPT_NONE,
    MCP_INTERRUPT_DEADLINE,
    MCP_INTERRUPT_CANCEL,
};

/* How mcp_runner_run() ended. */
enum mcp_run_end {
    MCP_RUN_RETURNED,       /* `body` returned; see mcp_runner_interrupted()  */
    MCP_RUN_ESCAPED,        /* jumped out: the Lua state must be thrown away  */
    MCP_RUN_STACK_OVERFLOW, /* the C stack ended: the same                    */
};

/* The supervisor thread. OWNED. NULL: out of memory or of threads. */
void mcp_supervisor_free(struct mcp_supervisor *s);
struct mcp_supervisor *mcp_supervisor_new(void)
    MCP_OWNED(mcp_supervisor_free) MCP_MUST_USE;

/* Calls `tick(user)` from the supervisor thread: at `ns` (CLOCK_MONOTONIC),
 * and whenever mcp_supervisor_wake() was called; tick returns the next time
 * that it wants to be called, UINT64_MAX for never. When this returns, the
 * tick before it has ended and will not be called again. */
void mcp_supervisor_set_tick(struct mcp_supervisor *s,
                             uint64_t (*tick)(void *user, uint64_t now_ns),
                             void *user);
void mcp_supervisor_wake(struct mcp_supervisor *s);

/* Makes the calling thread a runner. OWNED; free it on the same thread. NULL:
 * out of memory. */
void mcp_runner_free(struct mcp_runner *r);
struct mcp_runner *mcp_runner_new(struct mcp_supervisor *s)
    MCP_OWNED(mcp_runner_free) MCP_MUST_USE;

/* Runs body(user), which runs Lua in the global state of `L`, until
 * `deadline_ns` (UINT64_MAX: none) or until mcp_supervisor_cancel(`token`).
 * `token` is compared, never followed; NULL: cannot be cancelled. */
enum mcp_run_end mcp_runner_run(struct mcp_runner *r, lua_State *L,
                                uint64_t deadline_ns, const void *token,
                                void (*body)(void *user), void *user);

/* A run that may be given up: when it is stuck in C long after its end, what it
 * works on is taken away from it, so that someone hears of its end. */
struct mcp_giving_up {
    void *user; /* what the run works on                                     */
    /* On the supervisor's thread, under its lock: takes `user` from the run. */
    void (*take)(void *user);
    /* Then, without the lock: `user` is the supervisor's alone.             */
    void (*finish)(void *user);
};

/* As mcp_runner_run(); the run may be given up until it calls
 * mcp_runner_claim(). `giving_up` is BORROWED for the run. */
enum mcp_run_end mcp_runner_run_for(struct mcp_runner *r, lua_State *L,
                                    uint64_t deadline_ns, const void *token,
                                    const struct mcp_giving_up *giving_up,
                                    void (*body)(void *user), void *user);

/* Is what this run works on still its own? From a true answer on it is for
 * good; after a false one take() has ended. Call it when Lua has stopped,
 * before anything of `user` is touched. */
bool mcp_runner_claim(struct mcp_runner *r);

/* Interrupts the run that has this token, if there is one; NULL: every run
 * that has a token, and those that start from now on. Any thread. */
void mcp_supervisor_cancel(struct mcp_supervisor *s, const void *token);

/* Has this thread had a page fault since it was last asked? Or it is the first
 * time. One system call. */
bool mcp_runner_faulted(struct mcp_runner *r);

/* What the last run of this runner was told. */
enum mcp_interrupt mcp_runner_interrupted(const struct mcp_runner *r);

/* How many runs are blocked inside a C library: a second beyond their end. */
size_t mcp_supervisor_stuck(const struct mcp_supervisor *s);

/* Inside a run: makes every further instruction of this global state raise
 * `message` (static), so that the run ends though the app catches errors. */
void mcp_runner_end_run(lua_State *L, const char *message);

#endif
