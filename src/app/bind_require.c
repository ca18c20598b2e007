/*
 * bind_require.c - mcp.input_required: a handler returns its questions
 *
 * In the 2025 revisions they go out at once; the state goes back, and the
 * handler runs again from the top when the answers are here.
 */
#include "app/bind_ask.h"

#include <lauxlib.h>
#include <string.h>

#include "app/ask_wait.h"
#include "app/value.h"

#define REQUIRED_MARK "mcp.input_required"

enum { ANSWERS_MAX_BYTES = 64 << 20 };

int mcp_bind_ask_input_required(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    (void)luaL_newmetatable(L, REQUIRED_MARK);
    lua_setmetatable(L, 1);
    return 1;
}

bool mcp_bind_ask_is_required(lua_State *L, int idx)
{
    bool is;

    if (!lua_istable(L, idx) || !lua_getmetatable(L, idx))
        return false;
    lua_getfield(L, LUA_REGISTRYINDEX, REQUIRED_MARK);
    is = lua_istable(L, -1) && lua_rawequal(L, -1, -2);
    lua_pop(L, 2);
    return is;
}

/* The questions go out; the handler runs again when the answers are here. */
static void ask_again(struct mcp_job *job, const struct mcp_question *q,
                      size_t count, const struct mcp_json *state)
{
    static const char nothing[] =
        "mcp.input_required without requests is for 2026-07-28 only, and not "
        "for tasks";
    enum mcp_err err;

    if (count == 0) {
        mcp_ask_fail(job, nothing, sizeof(nothing) - 1);
        return;
    }
    err = mcp_ask_wait_begin(job, q, count);
    if (err != MCP_OK) {
        const char *why = mcp_ask_wait_problem(err);

        mcp_ask_fail(job, why, strlen(why));
        return;
    }
    job->ask->next_state = state;
    job->ask->again = true;
}

void mcp_bind_ask_require(lua_State *L, int idx)
{
    struct mcp_job *job = mcp_ask_job_of(L);
    const struct mcp_json *state = NULL;
    struct mcp_value_error error;
    struct mcp_question *q;
    size_t count;

    luaL_checkstack(L, 20, "no stack for questions");
    lua_getfield(L, idx, "state");
    if (!lua_isnil(L, -1))
        state = mcp_ask_to_json(L, lua_gettop(L), job, &error);
    lua_pop(L, 1);
    lua_getfield(L, idx, "questions");
    q = mcp_ask_read_questions(L, lua_gettop(L), job, &count);
    lua_pop(L, 1);
    if (!mcp_ask_may(job, q, count))
        return;
    if (!mcp_call_is_modern(job->call) || job->apart != NULL)
        ask_again(job, q, count, state);
    else
        mcp_ask_write_required(job, q, count,
                               state != NULL ? state->u.text : NULL,
                               state != NULL ? state->count : 0);
}

/* {key:result,...} of all that was answered; false: one was not. */
static bool write_answers(struct mcp_job *job, struct mcp_buf *b)
{
    const struct mcp_ask_wait *w;
    const char *why = NULL;

    mcp_buf_putc(b, '{');
    for (w = job->ask->waits; w != NULL; w = w->next) {
        const struct mcp_json *answer = mcp_ask_read_wait(job, w, &why);

        if (answer == NULL) {
            if (why == NULL)
                why = "an answer is missing";
            mcp_ask_fail(job, why, strlen(why));
            return false;
        }
        mcp_buf_puts(b, w == job->ask->waits ? "" : ",");
        mcp_json_write_string(b, w->question->key, w->question->key_len);
        mcp_buf_putc(b, ':');
        mcp_json_write(b, answer);
    }
    mcp_buf_putc(b, '}');
    return true;
}

bool mcp_bind_ask_take(struct mcp_job *job)
{
    const struct mcp_json_options options = {.max_depth = MCP_JSON_MAX_DEPTH,
                                             .allow_duplicate_keys = true};
    static const char full[] = "there is no memory left for the answers";
    struct mcp_ask *ask = job->ask;
    struct mcp_buf b;
    char *text;
    bool ok;

    mcp_buf_init(&b, ANSWERS_MAX_BYTES);
    ok = write_answers(job, &b);
    if (ok) {
        text = b.failed ? NULL : mcp_arena_dup(job->call->arena, b.data, b.len);
        ok = text != NULL &&
             mcp_json_parse(job->call->arena, text, b.len, &options,
                            &ask->responses, NULL) == MCP_OK;
        if (!ok)
            mcp_ask_fail(job, full, sizeof(full) - 1);
    }
    mcp_buf_free(&b);
    mcp_ask_wait_free(job);
    ask->again = false;
    ask->state = ask->next_state;
    if (ok)
        (void)mcp_ask_tell_kept(job);
    ask->asked = NULL;
    memset(ask->numbers, 0, sizeof(ask->numbers));
    return ok;
}
