/*
 * run.c - see run.h
 *
 *   lend a state -> push handler and arguments (protected) -> resume
 *        -> returned, raised, parked, ended, interrupted or lost
 *        -> outcome -> reset the state -> finish
 *
 * The coroutine of calls is part of the state's image, with mcp_bind_call() on
 * its stack: a reset makes it new.
 */
#include "app/run.h"

#include <lauxlib.h>
#include <stdarg.h>
#include <stdio.h>

#include "app/apart.h"
#include "app/ask_wait.h"
#include "app/bind_ask.h"
#include "app/heap.h"
#include "app/host.h"
#include "app/loader.h"
#include "app/result.h"
#include "app/result_job.h"
#include "app/slots.h"
#include "app/state.h"
#include "app/traceback.h"
#include "app/value.h"
#include "app/wiring.h"
#include "base/clock.h"
#include "base/log.h"

enum {
    INTERNAL_ERROR = -32603,
    INTERNAL_STATUS = 500,   /* of a route                                */
    RESULTS_MAX = 8,         /* of what a handler returns two matter      */
    ENDING_BYTES = 64 << 10, /* beyond the limit, for writing the outcome */
};

#define NOBODY_TO_ASK                                                          \
    "mcp.input_required: a request of plain HTTP has no client that could be " \
    "asked"

/* One stretch of a job on a worker: from start or wake-up to end or park. */
struct stretch {
    struct mcp_job *job;
    struct mcp_state *st;
    struct mcp_runner *runner;
    bool started; /* goes on after a park */
    bool parked;
    bool lost; /* it was stuck in C for so long that the job was given up */
};

/* The handler was ended: "The tool took longer than ...". Tools and routes say
 * so in a result, everything else in an error. */
MCP_PRINTF(2, 3)
static void fail(struct mcp_job *job, const char *fmt, ...)
{
    char what[256], text[320];
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(what, sizeof(what), fmt, ap);
    va_end(ap);
    (void)snprintf(text, sizeof(text), "The %s %s",
                   mcp_kind_name(job->handler->kind), what);
    mcp_outcome_clear(&job->outcome);
    if (job->handler->kind == MCP_KIND_TOOL)
        mcp_outcome_set_failure(&job->outcome, text, strlen(text));
    else if (job->handler->kind == MCP_KIND_ROUTE)
        mcp_outcome_set_http_failure(&job->outcome, INTERNAL_STATUS, true, text,
                                     strlen(text));
    else
        mcp_outcome_set_error(&job->outcome, INTERNAL_ERROR, text, NULL);
}

/* ---- in Lua ---------------------------------------------------------------
 */

/* What the log calls the job: "tool NAME (FILE:LINE)". Errors of tail-called C
 * functions have no position of their own. */
static const char *log_name(const struct mcp_job *job, char out[static 256])
{
    const char *file = job->tool != NULL       ? job->tool->file
                       : job->resource != NULL ? job->resource->file
                       : job->prompt != NULL   ? job->prompt->file
                       : job->route != NULL    ? job->route->signature.file
                                               : NULL;
    int line = job->tool != NULL       ? job->tool->line
               : job->resource != NULL ? job->resource->line
               : job->prompt != NULL   ? job->prompt->line
               : job->route != NULL    ? job->route->signature.line
                                       : 0;
    int n = snprintf(out, 256, "%s %s", mcp_kind_name(job->handler->kind),
                     job->handler->name);

    if (file != NULL && n > 0 && n < 256)
        (void)snprintf(out + n, (size_t)(256 - n), " (%s:%d)", file, line);
    return out;
}

/* Tells the log why the outcome is a failure. */
static void log_failure(const struct mcp_job *job)
{
    const struct mcp_outcome *o = &job->outcome;
    struct mcp_span why = o->reason.len > 0 ? o->reason : o->message;
    char name[256];

    mcp_log(MCP_LOG_ERROR, "app", "%s: %.*s", log_name(job, name), (int)why.len,
            why.len > 0 ? o->text.data + why.at : "");
}

/* A fault of the script is worth a warning, a message for the caller is not. */
static enum mcp_log_level fault_level(lua_State *co)
{
    return mcp_traceback_is_fault(co) ? MCP_LOG_WARNING : MCP_LOG_INFO;
}

/* Logs the traceback of the coroutine whose error is on top of its stack. */
static int push_traceback(lua_State *L)
{
    char name[256];
    lua_State *co = lua_touserdata(L, 1);

    mcp_traceback_push(L, co);
    mcp_log(fault_level(co), "app", "%s: %s",
            log_name(mcp_host_of(L)->job, name), lua_tostring(L, -1));
    return 0;
}

static void log_traceback(struct stretch *s)
{
    if (lua_type(s->st->host.co, -1) == LUA_TSTRING &&
        mcp_log_enabled(fault_level(s->st->host.co)))
        (void)lua_cpcall(s->st->L, push_traceback, s->st->host.co);
}

static void fail_memory(struct mcp_job *job)
{
    char name[256];
    long long kib = (long long)job->gen->config->memory_limit / 1024;

    mcp_log(MCP_LOG_WARNING, "app", "%s: ran out of memory (memory_limit)",
            log_name(job, name));
    fail(job, "ran out of memory: it may use %lld KiB (memory_limit)", kib);
}

/* Completers, timers and plain HTTP have no client that could be asked. */
static bool may_ask(const struct mcp_job *job)
{
    return job->handler->kind != MCP_KIND_COMPLETER &&
           job->handler->kind != MCP_KIND_SKILL_SOURCE &&
           job->handler->kind != MCP_KIND_SKILL_READER &&
           job->handler->kind != MCP_KIND_TIMER &&
           job->handler->kind != MCP_KIND_ROUTE;
}

/* The results of the handler, moved from its coroutine, become the outcome. */
static int write_results(lua_State *L)
{
    struct stretch *s = lua_touserdata(L, 1);
    struct mcp_result_options options = mcp_result_job_options(s->job);
    lua_State *co = s->st->host.co;
    int count;
    const char *fault = NULL;

    if (lua_gettop(co) > RESULTS_MAX)
        lua_settop(co, RESULTS_MAX);
    count = lua_gettop(co);
    lua_xmove(co, L, count);
    if (count > 0 && may_ask(s->job) &&
        mcp_bind_ask_is_required(L, lua_gettop(L) - count + 1)) {
        mcp_bind_ask_require(L, lua_gettop(L) - count + 1);
        return 0;
    }
    if (options.kind == MCP_KIND_ROUTE && count > 0 &&
        mcp_bind_ask_is_required(L, lua_gettop(L) - count + 1)) {
        mcp_outcome_set_http_failure(&s->job->outcome, INTERNAL_STATUS, true,
                                     NOBODY_TO_ASK, strlen(NOBODY_TO_ASK));
        return 0;
    }
    mcp_result_write(L, count, &options, &s->job->outcome, &fault);
    if (fault != NULL)
        log_failure(s->job);
    return 0;
}

/* The same for what it raised; to its author with the traceback. */
static int write_raised(lua_State *L)
{
    struct stretch *s = lua_touserdata(L, 1);
    struct mcp_result_options options = mcp_result_job_options(s->job);
    lua_State *co = s->st->host.co;

    if (s->job->gen->config->dev && lua_type(co, -1) == LUA_TSTRING)
        mcp_traceback_push(L, co);
    else
        lua_xmove(co, L, 1);
    mcp_result_write_error(L, -1, &options, &s->job->outcome);
    if (options.kind == MCP_KIND_COMPLETER)
        log_failure(s->job); /* nobody else is told */
    return 0;
}

/* Runs `write` protected: a call that has used up its memory is refused even
 * the stack slots that writing needs. */
static void write_outcome(struct stretch *s, lua_CFunction write)
{
    if (lua_cpcall(s->st->L, write, s) == 0)
        return;
    lua_pop(s->st->L, 1);
    fail_memory(s->job);
}

static void ended_by_return(struct stretch *s)
{
    lua_State *co = s->st->host.co;

    if (lua_gettop(co) > 2)
        lua_settop(co, 2); /* no further result means anything */
    write_outcome(s, write_results);
}

static void ended_by_error(struct stretch *s, int status)
{
    const struct mcp_host *host = &s->st->host;

    if (status == LUA_ERRMEM ||
        (mcp_heap_was_refused(host->heap) &&
         lua_type(host->co, -1) == LUA_TSTRING &&
         strcmp(lua_tostring(host->co, -1), "not enough memory") == 0)) {
        fail_memory(s->job);
        return;
    }
    log_traceback(s);
    write_outcome(s, write_raised);
}

static void ended_by_yield(struct stretch *s)
{
    if (s->st->host.pending == MCP_PENDING_SLEEP ||
        s->st->host.pending == MCP_PENDING_ASK) {
        s->parked = true;
        return;
    }
    fail(s->job, "yielded out of its handler: coroutine.yield() "
                 "belongs into a coroutine of the handler's own");
}

/* The whole stretch; under the runner. */
static void in_lua(void *user)
{
    struct stretch *s = user;
    struct mcp_host *host = &s->st->host;
    int status = 0;

    mcp_state_allow(s->st, 0);
    if (!s->started)
        status = lua_pcall(host->co, 0, LUA_MULTRET, 0);
    host->pending = MCP_PENDING_NONE;
    if (status == 0)
        status =
            lua_resume(host->co, s->started ? 0 : lua_gettop(host->co) - 1);
    s->lost = !mcp_runner_claim(s->runner);
    if (s->lost)
        return;
    mcp_state_allow(s->st, ENDING_BYTES);
    if (!host->ended &&
        mcp_runner_interrupted(s->runner) == MCP_INTERRUPT_NONE) {
        if (status == LUA_YIELD)
            ended_by_yield(s);
        else if (status == 0)
            ended_by_return(s);
        else
            ended_by_error(s, status);
    }
    lua_settop(s->st->L, 0);
}

/* ---- around it ------------------------------------------------------------
 */

/* How long the job may take, in seconds, and what says so. */
static double limit_of(const struct mcp_job *job, const char **option)
{
    *option = "timeout";
    if (job->handler->timeout_s > 0)
        return job->handler->timeout_s;
    *option = job->apart != NULL ? "task_timeout" : "call_timeout";
    return job->apart != NULL ? job->apart->timeout_s
                              : job->gen->config->call_timeout;
}

/* What the end of the run says where the handler could not: `why` is of the
 * runner. True when the handler's own outcome stands. */
static void settle(struct mcp_job *job, enum mcp_run_end end,
                   enum mcp_interrupt why)
{
    const char *option;
    double limit = limit_of(job, &option);
    char name[256];

    if (job->outcome.kind != MCP_OUTCOME_NONE && end == MCP_RUN_RETURNED)
        return;
    mcp_outcome_clear(&job->outcome);
    if (atomic_load(&job->call->cancelled) || why == MCP_INTERRUPT_CANCEL) {
        job->outcome.kind = MCP_OUTCOME_CANCELED;
        return;
    }
    if (end == MCP_RUN_STACK_OVERFLOW) {
        fail(job, "overflowed the C stack: it recursed too deeply "
                  "through a C function");
        return;
    }
    fail(job, "took longer than %g s and was stopped (%s)", limit, option);
    job->outcome.timed_out = true;
    mcp_log(MCP_LOG_WARNING, "app", "%s: stopped after %g s%s",
            log_name(job, name), limit,
            end == MCP_RUN_ESCAPED ? ", inside the VM" : "");
}

static void give_back(struct mcp_pool *pool, struct mcp_runner *runner,
                      const struct mcp_generation *gen, struct mcp_state *st,
                      enum mcp_slot_end end)
{
    struct mcp_job *next =
        mcp_slots_give_back(mcp_loader_slots(gen), runner, st, end);

    if (next != NULL)
        mcp_pool_resume(pool, next);
}

/* Closing a pipe may take as long as the program at its other end: the caller
 * is answered first then. */
static void end_job(struct mcp_pool *pool, struct mcp_runner *runner,
                    struct mcp_job *job, enum mcp_slot_end end)
{
    const struct mcp_generation *gen = job->gen;
    struct mcp_state *st = job->state;

    job->state = NULL;
    st->host.job = NULL;
    mcp_ask_wait_free(job);
    if (st->host.files.count == 0) {
        give_back(pool, runner, gen, st, end);
        job->finish(job);
        return;
    }
    mcp_generation_retain(gen);
    job->finish(job);
    give_back(pool, runner, gen, st, end);
    mcp_generation_release(gen);
}

static bool borrow(struct mcp_runner *runner, struct mcp_job *job)
{
    struct mcp_state *st;
    char message[512];
    enum mcp_err err = mcp_slots_lend(mcp_loader_slots(job->gen), runner, job,
                                      &st, message, sizeof(message));
    const char *option;

    if (err == MCP_EBUSY)
        return false;
    if (err != MCP_OK) {
        mcp_log(MCP_LOG_ERROR, "app", "no Lua state for a call: %s", message);
        mcp_outcome_set_error(&job->outcome, -32603, "Internal error", NULL);
        job->finish(job);
        return false;
    }
    st->host.job = job;
    st->host.pending = MCP_PENDING_NONE;
    st->host.ended = false;
    st->host.foreign_in_call = false;
    st->host.finish_expected = false;
    job->state = st;
    job->deadline_ns =
        mcp_clock_now_ns() + mcp_clock_from_seconds(limit_of(job, &option));
    return true;
}

/* Stuck in C long after its deadline: the caller is told, and the state, which
 * the worker still uses, keeps its generation until the worker comes back. */
static void take(void *user)
{
    struct mcp_job *job = user;
    struct mcp_state *st = job->state;

    mcp_generation_retain(job->gen);
    st->orphan_of = job->gen;
    st->host.job = NULL;
}

static void finish_taken(void *user)
{
    struct mcp_job *job = user;
    char name[256];

    if (job->outcome.kind == MCP_OUTCOME_NONE)
        settle(job, MCP_RUN_RETURNED, MCP_INTERRUPT_DEADLINE);
    mcp_log(MCP_LOG_ERROR, "app", "%s: is blocked inside a C library",
            log_name(job, name));
    job->state = NULL;
    mcp_ask_wait_free(job);
    job->finish(job);
}

/* The worker is back from where it was stuck: nothing of the job is left. */
static void bury(struct mcp_pool *pool, struct mcp_runner *runner,
                 struct mcp_state *st)
{
    const struct mcp_generation *gen = st->orphan_of;
    struct mcp_job *next =
        mcp_slots_give_back(mcp_loader_slots(gen), runner, st, MCP_SLOT_LOST);

    if (next != NULL)
        mcp_pool_resume(pool, next);
    mcp_generation_release(gen);
}

/* The job is parked next: its state waits beside those that are lent. */
static void set_aside(struct mcp_pool *pool, struct mcp_job *job)
{
    struct mcp_job *next = mcp_slots_set_aside(mcp_loader_slots(job->gen));

    if (next != NULL)
        mcp_pool_resume(pool, next);
    job->aside = true;
}

/* The job goes on after it was parked. */
static void take_up(struct mcp_job *job)
{
    if (job->aside)
        mcp_slots_take_up(mcp_loader_slots(job->gen));
    job->aside = false;
}

static void park(struct mcp_pool *pool, struct mcp_job *job)
{
    if (job->apart != NULL) {
        job->resting = true;
        job->apart->rest(job, true);
    }
    mcp_pool_park(pool, job);
}

/* The first time: reads what the call brings. After waiting for a client: the
 * time limit runs again. False: the job has ended. */
static bool begin(struct mcp_job *job)
{
    struct mcp_ask *ask = job->ask;
    bool right = true;

    take_up(job);
    if (job->resting)
        job->apart->rest(job, false);
    job->resting = false;
    if (ask == NULL) {
        right = mcp_ask_open(job);
    } else if (ask->waits != NULL) {
        mcp_ask_wait_end(job);
        job->deadline_ns = mcp_clock_now_ns() + ask->left_ns;
    }
    if (right && ask != NULL && ask->again) {
        right = !atomic_load(&job->call->cancelled) && mcp_bind_ask_take(job);
        if (!right && job->outcome.kind == MCP_OUTCOME_NONE)
            job->outcome.kind = MCP_OUTCOME_CANCELED;
    }
    if (!right) {
        mcp_ask_wait_free(job);
        job->finish(job);
    }
    return right;
}

/* The handler waits for its client, or of a task for anything, with its state.
 */
static void park_aside(struct mcp_pool *pool, struct mcp_job *job)
{
    set_aside(pool, job);
    park(pool, job);
}

/* The handler has ended and will run again when its client has answered. */
static void park_again(struct mcp_pool *pool, struct mcp_runner *runner,
                       struct mcp_job *job)
{
    struct mcp_state *st = job->state;
    enum mcp_run_end end = mcp_wiring_finish(runner, st, job);

    job->state = NULL;
    st->host.job = NULL;
    give_back(pool, runner, job->gen, st,
              end == MCP_RUN_RETURNED ? MCP_SLOT_USED : MCP_SLOT_LOST);
    park(pool, job);
}

void mcp_run(struct mcp_pool *pool, struct mcp_runner *runner,
             struct mcp_job *job)
{
    struct stretch s = {
        .job = job, .runner = runner, .started = job->state != NULL};
    const struct mcp_giving_up giving_up = {job, take, finish_taken};
    enum mcp_run_end end = MCP_RUN_RETURNED;
    enum mcp_interrupt why = MCP_INTERRUPT_NONE;
    uint64_t began_ns = mcp_clock_now_ns();

    if (!begin(job) || (!s.started && !borrow(runner, job)))
        return;
    s.st = job->state;
    if (!atomic_load(&job->call->cancelled) &&
        !(s.started && mcp_clock_now_ns() >= job->deadline_ns)) {
        end = mcp_runner_run_for(runner, s.st->L, job->deadline_ns, job->call,
                                 &giving_up, in_lua, &s);
        if (end != MCP_RUN_RETURNED)
            s.lost = !mcp_runner_claim(runner);
        if (s.lost) {
            bury(pool, runner, s.st);
            return;
        }
        mcp_slots_took(mcp_loader_slots(job->gen), job->handler,
                       mcp_clock_now_ns() - began_ns);
        why = mcp_runner_interrupted(runner);
        if (mcp_heap_watches_faults(s.st->host.heap))
            s.st->faulted |= mcp_runner_faulted(runner);
    }
    if (s.parked && end == MCP_RUN_RETURNED && why == MCP_INTERRUPT_NONE) {
        bool asks = s.st->host.pending == MCP_PENDING_ASK;

        if (!asks)
            job->wake_ns = s.st->host.wake_ns;
        if (asks || job->apart != NULL)
            park_aside(pool, job);
        else
            park(pool, job);
        return;
    }
    if (job->ask != NULL && job->ask->again && end == MCP_RUN_RETURNED &&
        why == MCP_INTERRUPT_NONE) {
        park_again(pool, runner, job);
        return;
    }
    if (s.parked)
        mcp_outcome_clear(&job->outcome);
    settle(job, end, why);
    if (job->check != NULL && job->outcome.kind == MCP_OUTCOME_RESULT)
        job->check(job);
    if (end == MCP_RUN_RETURNED)
        end = mcp_wiring_finish(runner, s.st, job);
    end_job(pool, runner, job,
            end == MCP_RUN_RETURNED ? MCP_SLOT_USED : MCP_SLOT_LOST);
}
