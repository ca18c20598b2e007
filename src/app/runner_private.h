/*
 * runner_private.h - what runner.c and runner_supervisor.c share
 *
 * Layer:  app, private to those two.
 */
#ifndef MCP_APP_RUNNER_PRIVATE_H
#define MCP_APP_RUNNER_PRIVATE_H

#include "app/runner.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#define MCP_SIGNAL SIGURG /* its default action is to do nothing */

enum {
    TICK_MS = 5,      /* between looks while something runs       */
    TAKEN_MAX = 16,   /* stuck runs given up in one look          */
    STUCK_MS = 1000,  /* overdue for so long: blocked in C ...    */
    STUCK_HEARD = 20, /* ... if the thread has had time to hear so many signals
                         of this run; a busy machine gives it none     */
    DEAF_MS = 60000,  /* or: overdue for so long, without any signal   */
    DEAF_LOOKS = 10000, /* that came through while so many were sent     */
    STAGE_2_MS = 100,   /* overdue for so long: jump out            */
    HOOKED_MIN = 5,     /* but not before so many signals were seen */
    ALT_STACK_BYTES = 64 << 10,
    GUARD_SLACK = 128 << 10,  /* below the stack: counts as overflow */
    RESERVE_BYTES = 64 << 10, /* lowest part of the stack, see on_fault() */
};

struct mcp_runner {
    struct mcp_supervisor *owner;
    pthread_t thread;
    struct mcp_runner *next;
    char *stack_low; /* lowest address of the thread's stack */
    void *alt_stack;
    bool has_reserve;                   /* closed between runs */
    volatile sig_atomic_t reserve_open; /* set by on_fault()   */

    /* Written by the runner, read by the supervisor. `seq` is odd during a
     * run; it changes with each. */
    atomic_uint seq;
    _Atomic uint64_t deadline_ns;
    const void *_Atomic token;

    /* What a stuck run may lose. Written by the runner between runs; `claim` is
     * the run's sequence number while it may still be given up, else 0. */
    const struct mcp_giving_up *giving_up;
    atomic_uint claim;

    /* Under the supervisor's lock: the run that was cancelled, and when. */
    unsigned cancel_seq;
    uint64_t cancel_ns;
    /* The same: the run that is overdue, and how often that was seen. */
    unsigned overdue_seq, overdue_looks;

    /* Written by the supervisor, read by the signal handler. */
    atomic_uint kill_seq;
    atomic_int kill_stage;

    /* Only on the runner's thread. */
    lua_State *L;
    volatile sig_atomic_t interrupt; /* enum mcp_interrupt, set by handler */
    volatile sig_atomic_t hooked;    /* signals of this run that set the hook */
    atomic_uint heard; /* signals of this run; the supervisor reads it       */
    atomic_int kill_reason;
    sigjmp_buf escape;
    unsigned claim_seq; /* != 0: this run may be given up and has not claimed */
    long faults;        /* of the thread, when last asked */
};

/* What was taken from a run that is stuck, to be finished. */
struct taken {
    void (*finish)(void *user);
    void *user;
};

struct mcp_supervisor {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake, ticked;
    struct mcp_runner *runners;
    atomic_size_t stuck;
    struct taken taken[TAKEN_MAX]; /* under lock */
    size_t taken_count;
    atomic_bool asleep; /* nobody runs: woken by the next run */
    bool stop, poked, cancel_all, ticking;
    uint64_t (*tick)(void *user, uint64_t now_ns);
    void *tick_user;
};

/* The handlers of MCP_SIGNAL and of memory faults, once a process. */
void mcp_runner_install_handlers(void);

#endif
