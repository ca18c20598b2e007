/*
 * wiring.c - see wiring.h
 */
#include "app/wiring.h"

#include <string.h>

#include "app/heap.h"
#include "app/host.h"
#include "app/outcome.h"
#include "base/clock.h"
#include "base/log.h"

enum {
    FINISH_BYTES = 1 << 20, /* beyond the limit, for what ends a call       */
    FINISH_STEPS = 1000,    /* no call leaves more to be done               */
};

/* ---- the end of a call ----------------------------------------------------
 */

/* One step, and what came of it. */
struct step {
    struct mcp_state *st;
    const char *text; /* NULL: nil                                           */
    size_t len;
    int ref;     /* the function                                             */
    bool more;   /* what it returned                                         */
    bool failed; /* it raised                                                */
};

static int step_main(lua_State *L)
{
    struct step *s = lua_touserdata(L, 1);

    lua_rawgeti(L, LUA_REGISTRYINDEX, s->ref);
    if (s->text == NULL)
        lua_pushnil(L);
    else
        lua_pushlstring(L, s->text, s->len);
    lua_call(L, 1, 1);
    s->more = lua_toboolean(L, -1);
    return 0;
}

static void step_body(void *user)
{
    struct step *s = user;

    s->failed = lua_cpcall(s->st->L, step_main, s) != 0;
    lua_settop(s->st->L, 0);
}

static enum mcp_run_end run_step(struct mcp_runner *runner, struct step *s,
                                 double seconds)
{
    enum mcp_run_end end;

    s->more = s->failed = false;
    (void)lua_sethook(s->st->L, NULL, 0, 0);
    end = mcp_runner_run(runner, s->st->L,
                         mcp_clock_now_ns() + mcp_clock_from_seconds(seconds),
                         NULL, step_body, s);
    if (end == MCP_RUN_RETURNED)
        (void)lua_sethook(s->st->L, NULL, 0, 0);
    if (mcp_heap_watches_faults(s->st->host.heap))
        s->st->faulted |= mcp_runner_faulted(runner);
    return end;
}

/* What is told of the outcome: why the call failed, or NULL. */
static const char *fault_of(const struct mcp_outcome *o, size_t *len)
{
    static const char canceled[] = "the call was cancelled";
    static const char failed[] = "the call failed";
    const struct mcp_span *span = o->reason.len > 0 ? &o->reason : &o->message;

    if (o->kind == MCP_OUTCOME_CANCELED) {
        *len = sizeof(canceled) - 1;
        return canceled;
    }
    if ((o->kind == MCP_OUTCOME_RESULT && !o->is_error) ||
        o->kind == MCP_OUTCOME_INPUT_REQUIRED)
        return NULL;
    if (span->len == 0) {
        *len = sizeof(failed) - 1;
        return failed;
    }
    *len = span->len;
    return o->text.data + span->at;
}

enum mcp_run_end mcp_wiring_finish(struct mcp_runner *runner,
                                   struct mcp_state *st,
                                   const struct mcp_job *job)
{
    struct step s = {.st = st, .ref = MCP_REF_FINISH};
    enum mcp_run_end end = MCP_RUN_RETURNED;
    int steps = 0;

    if (!st->host.finish_expected)
        return MCP_RUN_RETURNED;
    s.text = fault_of(&job->outcome, &s.len);
    mcp_state_allow(st, FINISH_BYTES);
    do {
        end = run_step(runner, &s, 1);
        if (end != MCP_RUN_RETURNED || s.failed)
            mcp_log(MCP_LOG_WARNING, "app", "%s %s: a hook or a cleanup %s",
                    mcp_kind_name(job->handler->kind), job->handler->name,
                    mcp_runner_interrupted(runner) != MCP_INTERRUPT_NONE
                        ? "was stopped after a second"
                        : "could not be run");
    } while (end == MCP_RUN_RETURNED && (s.more || s.failed) &&
             ++steps < FINISH_STEPS);
    st->host.finish_expected = false;
    return end;
}

/* ---- hooks of the app's life ----------------------------------------------
 */

enum mcp_run_end mcp_wiring_life(struct mcp_runner *runner,
                                 struct mcp_state *st, const char *name,
                                 double seconds)
{
    struct step s = {
        .st = st, .text = name, .len = strlen(name), .ref = MCP_REF_LIFE};
    enum mcp_run_end end = run_step(runner, &s, seconds);

    if (end != MCP_RUN_RETURNED || s.failed)
        mcp_log(MCP_LOG_WARNING, "app", "%s was stopped after %g s", name,
                seconds);
    return end;
}
