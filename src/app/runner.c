/*
 * runner.c - runs, the signal that ends them, and the thread that sends it
 */
#include "app/runner.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <lauxlib.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

#define MCP_SIGNAL SIGURG /* its default action is to do nothing */

enum {
    TICK_MS = 5,      /* between looks while something runs       */
    TAKEN_MAX = 16,   /* stuck runs given up in one look          */
    STUCK_MS = 1000,  /* overdue for so long: blocked in C        */
    STAGE_2_MS = 100, /* overdue for so long: jump out            */
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

    /* Written by the supervisor, read by the signal handler. */
    atomic_uint kill_seq;
    atomic_int kill_stage;

    /* Only on the runner's thread. */
    lua_State *L;
    volatile sig_atomic_t interrupt; /* enum mcp_interrupt, set by handler */
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

static _Thread_local struct mcp_runner *self;

/* ---- where LuaJIT's code lies ---------------------------------------------
 */

static uintptr_t luajit_low, luajit_high;

static int find_luajit(struct dl_phdr_info *info, size_t size, void *data)
{
    uintptr_t pc = *(uintptr_t *)data;
    int i;

    (void)size;
    for (i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t low = info->dlpi_addr + p->p_vaddr;

        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
            continue;
        if (pc >= low && pc < low + p->p_memsz) {
            luajit_low = low;
            luajit_high = low + p->p_memsz;
            return 1;
        }
    }
    return 0;
}

/* The linker may give us a stub for lua_gc; dlsym gives the real place. */
static void locate_luajit(void)
{
    uintptr_t pc = (uintptr_t)dlsym(RTLD_DEFAULT, "lua_gc");

    (void)dl_iterate_phdr(find_luajit, &pc);
}

static bool inside_luajit(const ucontext_t *uc)
{
#if defined(__x86_64__)
    uintptr_t pc = (uintptr_t)uc->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    uintptr_t pc = (uintptr_t)uc->uc_mcontext.pc;
#else
    uintptr_t pc = 0;
#endif

    return pc >= luajit_low && pc < luajit_high;
}

/* ---- signal handlers ------------------------------------------------------
 */

static void raise_interrupt(lua_State *L, lua_Debug *ar)
{
    (void)ar;
    luaL_error(L, "the call was interrupted");
}

static void raise_end(lua_State *L, lua_Debug *ar)
{
    (void)ar;
    luaL_error(L, "the call has ended");
}

void mcp_runner_end_run(lua_State *L, const char *message)
{
    lua_sethook(L, raise_end, LUA_MASKCOUNT, 1);
    luaL_error(L, "%s", message);
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
    struct mcp_runner *r = self;
    int saved = errno;

    (void)sig;
    (void)info;
    if (r == NULL || !(atomic_load(&r->seq) & 1) ||
        atomic_load(&r->kill_seq) != atomic_load(&r->seq))
        return;
    r->interrupt = atomic_load(&r->kill_reason);
    if (atomic_load(&r->kill_stage) == 1)
        lua_sethook(r->L, raise_interrupt, LUA_MASKCOUNT, 1);
    else if (inside_luajit(context))
        siglongjmp(r->escape, MCP_RUN_ESCAPED);
    errno = saved;
}

static void jump_out(lua_State *L, lua_Debug *ar)
{
    (void)L;
    (void)ar;
    siglongjmp(self->escape, MCP_RUN_STACK_OVERFLOW);
}

/* Opens the reserve for code that must not be jumped out of. False: it is open
 * already, or the fault is below it. */
static bool open_reserve(struct mcp_runner *r, const char *at)
{
    if (!r->has_reserve || r->reserve_open || at < r->stack_low ||
        mprotect(r->stack_low, RESERVE_BYTES, PROT_READ | PROT_WRITE) != 0)
        return false;
    r->reserve_open = 1;
    return true;
}

static void close_reserve(struct mcp_runner *r)
{
    if (r->reserve_open)
        (void)mprotect(r->stack_low, RESERVE_BYTES, PROT_NONE);
    r->reserve_open = 0;
}

/* A C stack that ends inside LuaJIT is left at once. Elsewhere a lock may be
 * held, of malloc or of the time zone: that code goes on in the reserve, and
 * the next Lua instruction jumps out. */
static void on_fault(int sig, siginfo_t *info, void *context)
{
    static const char fault[] = "mcpluad: a memory fault; the stack:\n";
    struct mcp_runner *r = self;
    char *at = info->si_addr;
    void *frames[64];

    if (r != NULL && (atomic_load(&r->seq) & 1) &&
        at < r->stack_low + GUARD_SLACK && at >= r->stack_low - GUARD_SLACK) {
        if (inside_luajit(context) || !open_reserve(r, at))
            siglongjmp(r->escape, MCP_RUN_STACK_OVERFLOW);
        lua_sethook(r->L, jump_out, LUA_MASKCOUNT, 1);
        return;
    }
    /* A real fault: say where, then let it happen again without us. */
    (void)!write(STDERR_FILENO, fault, sizeof(fault) - 1);
    backtrace_symbols_fd(frames, backtrace(frames, 64), STDERR_FILENO);
    (void)signal(sig, SIG_DFL);
}

static void install_handlers(void)
{
    struct sigaction sa;
    void *first;

    locate_luajit();
    (void)backtrace(&first, 1); /* loads libgcc now, not in the handler */
    memset(&sa, 0, sizeof(sa));
    sigemptyset(&sa.sa_mask);
    sa.sa_sigaction = on_signal;
    sa.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    (void)sigaction(MCP_SIGNAL, &sa, NULL);
    sa.sa_sigaction = on_fault;
    sa.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    (void)sigaction(SIGSEGV, &sa, NULL);
    (void)sigaction(SIGBUS, &sa, NULL);
}

static void unblock_signals(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, MCP_SIGNAL);
    sigaddset(&set, SIGSEGV);
    sigaddset(&set, SIGBUS);
    (void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/* ---- the runner -----------------------------------------------------------
 */

static char *stack_low_of_this_thread(void)
{
    pthread_attr_t attr;
    void *low = NULL;
    size_t size;

    if (pthread_getattr_np(pthread_self(), &attr) != 0)
        return NULL;
    (void)pthread_attr_getstack(&attr, &low, &size);
    (void)pthread_attr_destroy(&attr);
    return low;
}

static bool use_alt_stack(struct mcp_runner *r)
{
    stack_t ss;

    r->alt_stack = malloc(ALT_STACK_BYTES);
    if (r->alt_stack == NULL)
        return false;
    memset(&ss, 0, sizeof(ss));
    ss.ss_sp = r->alt_stack;
    ss.ss_size = ALT_STACK_BYTES;
    return sigaltstack(&ss, NULL) == 0;
}

struct mcp_runner *mcp_runner_new(struct mcp_supervisor *s)
{
    struct mcp_runner *r = calloc(1, sizeof(*r));

    if (r == NULL)
        return NULL;
    if (!use_alt_stack(r)) {
        free(r->alt_stack);
        free(r);
        return NULL;
    }
    r->owner = s;
    r->faults = -1;
    r->thread = pthread_self();
    r->stack_low = stack_low_of_this_thread();
    r->has_reserve = r->stack_low != NULL &&
                     mprotect(r->stack_low, RESERVE_BYTES, PROT_NONE) == 0;
    self = r;
    unblock_signals();
    (void)pthread_mutex_lock(&s->lock);
    r->next = s->runners;
    s->runners = r;
    (void)pthread_mutex_unlock(&s->lock);
    return r;
}

void mcp_runner_free(struct mcp_runner *r)
{
    struct mcp_runner **link;
    stack_t off;

    if (r == NULL)
        return;
    (void)pthread_mutex_lock(&r->owner->lock);
    for (link = &r->owner->runners; *link != r; link = &(*link)->next)
        ;
    *link = r->next;
    (void)pthread_mutex_unlock(&r->owner->lock);
    self = NULL;
    if (r->has_reserve)
        (void)mprotect(r->stack_low, RESERVE_BYTES, PROT_READ | PROT_WRITE);
    memset(&off, 0, sizeof(off));
    off.ss_flags = SS_DISABLE;
    (void)sigaltstack(&off, NULL);
    free(r->alt_stack);
    free(r);
}

bool mcp_runner_claim(struct mcp_runner *r)
{
    unsigned seq = r->claim_seq;

    if (seq == 0)
        return true;
    r->claim_seq = 0;
    if (atomic_compare_exchange_strong(&r->claim, &seq, 0))
        return true;
    (void)pthread_mutex_lock(&r->owner->lock); /* take() is under it */
    (void)pthread_mutex_unlock(&r->owner->lock);
    return false;
}

enum mcp_run_end mcp_runner_run(struct mcp_runner *r, lua_State *L,
                                uint64_t deadline_ns, const void *token,
                                void (*body)(void *user), void *user)
{
    return mcp_runner_run_for(r, L, deadline_ns, token, NULL, body, user);
}

enum mcp_run_end mcp_runner_run_for(struct mcp_runner *r, lua_State *L,
                                    uint64_t deadline_ns, const void *token,
                                    const struct mcp_giving_up *giving_up,
                                    void (*body)(void *user), void *user)
{
    int jumped = sigsetjmp(r->escape, 0);

    if (jumped != 0) {
        atomic_fetch_add(&r->seq, 1);
        close_reserve(r);
        unblock_signals();
        return (enum mcp_run_end)jumped;
    }
    r->L = L;
    r->interrupt = MCP_INTERRUPT_NONE;
    atomic_store_explicit(&r->deadline_ns, deadline_ns, memory_order_relaxed);
    atomic_store_explicit(&r->token, token, memory_order_relaxed);
    r->giving_up = giving_up;
    r->claim_seq = giving_up != NULL ? atomic_load(&r->seq) + 1 : 0;
    atomic_store(&r->claim, r->claim_seq);
    atomic_fetch_add(&r->seq, 1);
    if (atomic_load(&r->owner->asleep))
        mcp_supervisor_wake(r->owner);
    body(user);
    atomic_fetch_add(&r->seq, 1);
    close_reserve(r);
    return MCP_RUN_RETURNED;
}

bool mcp_runner_faulted(struct mcp_runner *r)
{
    struct rusage u;
    bool moved;

    if (getrusage(RUSAGE_THREAD, &u) != 0)
        return true;
    moved = u.ru_minflt + u.ru_majflt != r->faults;
    r->faults = u.ru_minflt + u.ru_majflt;
    return moved;
}

enum mcp_interrupt mcp_runner_interrupted(const struct mcp_runner *r)
{
    return (enum mcp_interrupt)r->interrupt;
}

/* ---- the supervisor -------------------------------------------------------
 */

static void interrupt_runner(struct mcp_runner *r, unsigned seq, int reason,
                             uint64_t overdue_ns)
{
    bool late = overdue_ns > STAGE_2_MS * MCP_NS_PER_MS;

    atomic_store(&r->kill_reason, reason);
    atomic_store(&r->kill_stage, late ? 2 : 1);
    atomic_store(&r->kill_seq, seq);
    (void)pthread_kill(r->thread, MCP_SIGNAL);
}

static void mark_cancelled(struct mcp_runner *r, unsigned seq)
{
    if (r->cancel_seq == seq)
        return;
    r->cancel_seq = seq;
    r->cancel_ns = mcp_clock_now_ns();
}

/* Looks at one runner; true when it runs something. A signal that comes after
 * its run has ended finds another sequence number and does nothing. */
static bool watch(struct mcp_runner *r, uint64_t now)
{
    unsigned seq = atomic_load(&r->seq);
    uint64_t deadline = atomic_load(&r->deadline_ns);

    const void *token = atomic_load(&r->token);

    if (!(seq & 1) || atomic_load(&r->seq) != seq)
        return false;
    if (r->owner->cancel_all && token != NULL)
        mark_cancelled(r, seq);
    if (r->cancel_seq == seq)
        interrupt_runner(r, seq, MCP_INTERRUPT_CANCEL, now - r->cancel_ns);
    else if (now >= deadline)
        interrupt_runner(r, seq, MCP_INTERRUPT_DEADLINE, now - deadline);
    return true;
}

void mcp_supervisor_cancel(struct mcp_supervisor *s, const void *token)
{
    struct mcp_runner *r;

    (void)pthread_mutex_lock(&s->lock);
    for (r = s->runners; r != NULL; r = r->next) {
        unsigned seq = atomic_load(&r->seq);

        if ((seq & 1) && token != NULL && atomic_load(&r->token) == token &&
            atomic_load(&r->seq) == seq)
            mark_cancelled(r, seq);
    }
    s->cancel_all |= token == NULL;
    s->poked = true;
    (void)pthread_cond_signal(&s->wake);
    (void)pthread_mutex_unlock(&s->lock);
}

/* When this run should have ended. */
static uint64_t end_of(const struct mcp_runner *r)
{
    return r->cancel_seq == atomic_load(&r->seq) ? r->cancel_ns
                                                 : atomic_load(&r->deadline_ns);
}

/* Takes away what a stuck run works on. It stays in the list until the lock is
 * given up. */
static void give_up(struct mcp_supervisor *s, struct mcp_runner *r)
{
    unsigned seq = atomic_load(&r->seq), none = 0;
    const struct mcp_giving_up *g = r->giving_up;

    if (!(seq & 1) || s->taken_count == TAKEN_MAX ||
        !atomic_compare_exchange_strong(&r->claim, &seq, none))
        return;
    g->take(g->user);
    s->taken[s->taken_count].finish = g->finish;
    s->taken[s->taken_count++].user = g->user;
}

/* Ends what was taken. The lock is given up meanwhile. */
static void finish_taken(struct mcp_supervisor *s)
{
    while (s->taken_count > 0) {
        struct taken t = s->taken[--s->taken_count];

        (void)pthread_mutex_unlock(&s->lock);
        t.finish(t.user);
        (void)pthread_mutex_lock(&s->lock);
    }
}

static bool watch_all(struct mcp_supervisor *s, uint64_t now)
{
    struct mcp_runner *r;
    size_t stuck = 0;
    bool busy = false;

    for (r = s->runners; r != NULL; r = r->next)
        if (watch(r, now)) {
            uint64_t end = end_of(r);

            busy = true;
            if (now > end && now - end > STUCK_MS * MCP_NS_PER_MS) {
                stuck++;
                give_up(s, r);
            }
        }
    atomic_store(&s->stuck, stuck);
    return busy;
}

size_t mcp_supervisor_stuck(const struct mcp_supervisor *s)
{
    return atomic_load(&s->stuck);
}

static void wait_until(struct mcp_supervisor *s, uint64_t ns)
{
    struct timespec t;

    if (ns == UINT64_MAX) {
        (void)pthread_cond_wait(&s->wake, &s->lock);
        return;
    }
    t.tv_sec = (time_t)(ns / MCP_NS_PER_S);
    t.tv_nsec = (long)(ns % MCP_NS_PER_S);
    (void)pthread_cond_timedwait(&s->wake, &s->lock, &t);
}

/* Without the lock, so that the tick may take locks of its own. */
static uint64_t call_tick(struct mcp_supervisor *s, uint64_t now)
{
    uint64_t (*tick)(void *user, uint64_t now_ns) = s->tick;
    void *user = s->tick_user;
    uint64_t next;

    s->ticking = true;
    (void)pthread_mutex_unlock(&s->lock);
    next = tick(user, now);
    (void)pthread_mutex_lock(&s->lock);
    s->ticking = false;
    (void)pthread_cond_broadcast(&s->ticked);
    return next;
}

/* Sleeps while nothing runs: the next run wakes it. `asleep` is set before the
 * last look, so a run that starts meanwhile is seen by one side. */
static void supervise(struct mcp_supervisor *s)
{
    uint64_t next = UINT64_MAX, now;
    bool busy;

    while (!s->stop) {
        s->poked = false;
        now = mcp_clock_now_ns();
        if (s->tick != NULL) {
            next = call_tick(s, now);
        }
        busy = watch_all(s, now);
        if (!busy) {
            atomic_store(&s->asleep, true);
            busy = watch_all(s, now);
        }
        finish_taken(s);
        if (busy && next > now + TICK_MS * MCP_NS_PER_MS)
            next = now + TICK_MS * MCP_NS_PER_MS;
        if (!s->stop && !s->poked)
            wait_until(s, next);
        atomic_store(&s->asleep, false);
    }
}

static void *supervisor_main(void *arg)
{
    struct mcp_supervisor *s = arg;

    (void)pthread_mutex_lock(&s->lock);
    supervise(s);
    (void)pthread_mutex_unlock(&s->lock);
    return NULL;
}

struct mcp_supervisor *mcp_supervisor_new(void)
{
    struct mcp_supervisor *s = calloc(1, sizeof(*s));
    pthread_condattr_t attr;

    if (s == NULL)
        return NULL;
    install_handlers();
    (void)pthread_mutex_init(&s->lock, NULL);
    (void)pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&s->wake, &attr);
    (void)pthread_cond_init(&s->ticked, NULL);
    (void)pthread_condattr_destroy(&attr);
    if (pthread_create(&s->thread, NULL, supervisor_main, s) != 0) {
        (void)pthread_mutex_destroy(&s->lock);
        (void)pthread_cond_destroy(&s->wake);
        free(s);
        return NULL;
    }
    return s;
}

void mcp_supervisor_free(struct mcp_supervisor *s)
{
    if (s == NULL)
        return;
    (void)pthread_mutex_lock(&s->lock);
    s->stop = true;
    (void)pthread_cond_signal(&s->wake);
    (void)pthread_mutex_unlock(&s->lock);
    (void)pthread_join(s->thread, NULL);
    (void)pthread_mutex_destroy(&s->lock);
    (void)pthread_cond_destroy(&s->wake);
    (void)pthread_cond_destroy(&s->ticked);
    free(s);
}

void mcp_supervisor_set_tick(struct mcp_supervisor *s,
                             uint64_t (*tick)(void *user, uint64_t now_ns),
                             void *user)
{
    (void)pthread_mutex_lock(&s->lock);
    while (s->ticking)
        (void)pthread_cond_wait(&s->ticked, &s->lock);
    s->tick = tick;
    s->tick_user = user;
    s->poked = true;
    (void)pthread_cond_signal(&s->wake);
    (void)pthread_mutex_unlock(&s->lock);
}

void mcp_supervisor_wake(struct mcp_supervisor *s)
{
    (void)pthread_mutex_lock(&s->lock);
    s->poked = true;
    (void)pthread_cond_signal(&s->wake);
    (void)pthread_mutex_unlock(&s->lock);
}
