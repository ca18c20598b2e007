/*
 * runner.c - runs, the signal that ends them, and the thread that sends it
 */
#include "app/runner_private.h"

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
    atomic_fetch_add(&r->heard, 1);
    r->interrupt = atomic_load(&r->kill_reason);
    /* On a busy machine the thread may not have run since stage 1. */
    if (atomic_load(&r->kill_stage) == 1 || r->hooked < HOOKED_MIN) {
        lua_sethook(r->L, raise_interrupt, LUA_MASKCOUNT, 1);
        r->hooked = r->hooked + 1;
    } else if (inside_luajit(context)) {
        siglongjmp(r->escape, MCP_RUN_ESCAPED);
    }
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

void mcp_runner_install_handlers(void)
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
    r->hooked = 0;
    atomic_store_explicit(&r->heard, 0, memory_order_relaxed);
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
