/*
 * bind_ask.c - see bind_ask.h
 *
 * Rule: arguments first, C second, results last; memory is the call's arena,
 * so that nothing is lost when Lua raises.
 */
#include "app/bind_ask.h"

#include <lauxlib.h>
#include <string.h>
#include <sys/random.h>

#include "app/ask_wait.h"
#include "app/host.h"
#include "app/result_block.h"
#include "app/result_job.h"
#include "app/value.h"

enum {
    PROBLEM_MAX_BYTES = 256 << 10,
    VALUE_MAX_BYTES = MCP_ASK_STATE_MAX_BYTES,
    CONTENT_MAX_BYTES = 64 << 20,
    ID_BYTES = 16,
};

struct mcp_job *mcp_ask_job_of(lua_State *L)
{
    struct mcp_job *job = mcp_host_of(L)->job;

    if (job == NULL)
        luaL_error(L, "the client can be asked while a call runs only");
    else if (mcp_ask_of(job) == NULL)
        luaL_error(L, "there is no memory left for questions");
    return job;
}

/* Raises without a position: ours would say nothing to the app's author. */
static int raise(lua_State *L, const char *message)
{
    lua_pushstring(L, message);
    return lua_error(L);
}

/* ---- questions ---- */

static enum mcp_ask_kind check_kind(lua_State *L, int idx)
{
    static const char *const kinds[] = {"elicit", "sample", "roots", NULL};

    return (enum mcp_ask_kind)luaL_checkoption(L, idx, NULL, kinds);
}

/* A copy of field `name` of the table at the top; NULL: it has none. */
static const char *copy_field(lua_State *L, struct mcp_arena *a,
                              const char *name, size_t *len)
{
    const char *text, *kept = NULL;

    lua_getfield(L, -1, name);
    text = lua_tolstring(L, -1, len);
    if (text != NULL) {
        kept = mcp_arena_dup(a, text, *len);
        if (kept == NULL)
            luaL_error(L, "there is no memory left for questions");
    }
    lua_pop(L, 1);
    return kept;
}

/* The question at the top of the stack. */
static void read_question(lua_State *L, struct mcp_arena *a,
                          struct mcp_question *q)
{
    const char *schema;
    size_t len;

    luaL_checktype(L, -1, LUA_TTABLE);
    *q = (struct mcp_question){0};
    q->key = copy_field(L, a, "key", &q->key_len);
    q->request = copy_field(L, a, "request", &q->request_len);
    q->feature = copy_field(L, a, "feature", &len);
    schema = copy_field(L, a, "schema", &len);
    if (q->key == NULL || q->request == NULL)
        luaL_error(L, "a question needs key and request");
    if (schema != NULL &&
        mcp_json_parse(a, schema, len, NULL, &q->schema, NULL) != MCP_OK)
        luaL_error(L, "the schema of a question is no JSON");
    lua_getfield(L, -1, "kind");
    q->kind = check_kind(L, lua_gettop(L));
    lua_pop(L, 1);
}

/* The list at `idx`, in the arena. */
struct mcp_question *mcp_ask_read_questions(lua_State *L, int idx,
                                            struct mcp_job *job, size_t *count)
{
    struct mcp_arena *a = job->call->arena;
    struct mcp_question *q;
    size_t i;

    luaL_checktype(L, idx, LUA_TTABLE);
    *count = lua_objlen(L, idx);
    q = mcp_arena_alloc(a, (*count + 1) * sizeof(*q));
    if (q == NULL)
        luaL_error(L, "there is no memory left for questions");
    for (i = 0; i < *count; i++) {
        lua_rawgeti(L, idx, (int)i + 1);
        read_question(L, a, &q[i]);
        lua_pop(L, 1);
    }
    return q;
}

/* A key stands for one question of a call. */
static void note_key(lua_State *L, struct mcp_job *job,
                     const struct mcp_question *q)
{
    static const struct mcp_json yes = {.type = MCP_JSON_TRUE};

    if (mcp_ask_find(job->ask->asked, q->key, q->key_len) != NULL) {
        lua_pushfstring(L,
                        "the question \"%s\" has been asked already in this "
                        "call; give each its own key",
                        q->key);
        lua_error(L);
    }
    if (!mcp_ask_keep(job, &job->ask->asked, q->key, q->key_len, &yes))
        luaL_error(L, "there is no memory left for questions");
}

/* ---- ending the call ---- */

/* The outcome is written: leave by yield. Only where it reaches the host. */
static int leave(lua_State *L)
{
    struct mcp_host *host = mcp_host_of(L);

    host->ended = true;
    host->pending = MCP_PENDING_END;
    return lua_yield(L, 0);
}

static void check_place(lua_State *L)
{
    if (L != mcp_host_of(L)->co || !lua_isyieldable(L))
        (void)raise(L, "a question cannot be asked from inside a callback of a "
                       "C function (table.sort, string.gsub) or a coroutine of "
                       "the app's own: call it from the handler itself");
}

/* Takes the answer when it is right. False: the outcome says what is wrong. */
static bool take_answer(lua_State *L, struct mcp_job *job,
                        const struct mcp_question *q,
                        const struct mcp_json *answer)
{
    const struct mcp_json *kept = NULL;
    struct mcp_buf problem;
    enum mcp_err err;

    mcp_buf_init(&problem, PROBLEM_MAX_BYTES);
    err = mcp_ask_check(job, q, answer, &kept, &problem);
    if (err == MCP_OK &&
        !mcp_ask_keep(job, &job->ask->answers, q->key, q->key_len, kept))
        err = MCP_ENOMEM;
    if (err != MCP_OK && problem.len > 0)
        mcp_ask_fail(job, problem.data, problem.len);
    mcp_buf_free(&problem);
    if (err == MCP_ENOMEM)
        luaL_error(L, "there is no memory left for an answer");
    return err == MCP_OK;
}

/* Moves what has no answer to the front of q[0..count). False: an answer is
 * wrong, the outcome says so. */
static bool find_missing(lua_State *L, struct mcp_job *job,
                         struct mcp_question *q, size_t count, size_t *missing)
{
    const struct mcp_json *response;

    *missing = 0;
    for (size_t i = 0; i < count; i++) {
        if (mcp_ask_find(job->ask->answers, q[i].key, q[i].key_len) != NULL)
            continue;
        response = mcp_json_find_n(job->ask->responses, q[i].key, q[i].key_len);
        if (response == NULL)
            q[(*missing)++] = q[i];
        else if (!take_answer(L, job, &q[i], response))
            return false;
    }
    return true;
}

/* Can they all be asked? False: the outcome says why not. */
bool mcp_ask_may(struct mcp_job *job, const struct mcp_question *q,
                 size_t count)
{
    static const char stateless[] =
        "This call asks the client a question, and that needs a session: "
        "initialize first";
    bool possible = true;

    if (!mcp_call_is_modern(job->call) && job->call->session == NULL) {
        mcp_ask_fail(job, stateless, sizeof(stateless) - 1);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        possible &= mcp_ask_is_possible(job, &q[i]);
    if (!possible)
        mcp_ask_refuse(job, q, count);
    return possible;
}

const char *mcp_ask_wait_problem(enum mcp_err err)
{
    switch (err) {
    case MCP_EBUSY:
        return "too many calls wait for their clients";
    case MCP_ECANCELED:
        return "the client has left";
    case MCP_EINVAL:
        return "the client takes no questions on this call: it must accept "
               "text/event-stream";
    case MCP_ELIMIT:
        return "the client reads too slowly to be asked";
    default:
        return "there is no memory left for questions";
    }
}

/* ask(questions) */
static int core_ask(lua_State *L)
{
    struct mcp_job *job = mcp_ask_job_of(L);
    struct mcp_host *host = mcp_host_of(L);
    struct mcp_question *q;
    size_t count, missing;
    enum mcp_err err;

    check_place(L);
    if (job->handler->kind == MCP_KIND_COMPLETER ||
        job->handler->kind == MCP_KIND_SKILL_SOURCE ||
        job->handler->kind == MCP_KIND_SKILL_READER ||
        job->handler->kind == MCP_KIND_TIMER ||
        job->handler->kind == MCP_KIND_ROUTE)
        return raise(L, "only tools, prompts and resources can ask the client");
    q = mcp_ask_read_questions(L, 1, job, &count);
    for (size_t i = 0; i < count; i++)
        note_key(L, job, &q[i]);
    if (!find_missing(L, job, q, count, &missing))
        return leave(L);
    if (missing == 0)
        return 0;
    if (!mcp_ask_may(job, q, missing))
        return leave(L);
    if (mcp_call_is_modern(job->call) && job->apart == NULL) {
        mcp_ask_write_required(job, q, missing, NULL, 0);
        return leave(L);
    }
    err = mcp_ask_wait_begin(job, q, missing);
    if (err != MCP_OK)
        return raise(L, mcp_ask_wait_problem(err));
    host->pending = MCP_PENDING_ASK;
    return lua_yield(L, 0);
}

/* require_capabilities(text): ends the call when the client lacks one of them.
 */
static int core_require_capabilities(lua_State *L)
{
    struct mcp_job *job = mcp_ask_job_of(L);
    const struct mcp_json *needed;
    size_t len;
    const char *text = luaL_checklstring(L, 1, &len);

    check_place(L);
    text = mcp_arena_dup(job->call->arena, text, len);
    if (text == NULL || mcp_json_parse(job->call->arena, text, len, NULL,
                                       &needed, NULL) != MCP_OK)
        return luaL_error(L, "there is no memory left for capabilities");
    return mcp_ask_require(job, needed) ? 0 : leave(L);
}

/* ---- answers of a legacy client ---- */

/* The result in the response of `w`; NULL, with `why`: there is none. */
static const struct mcp_json *read_response(struct mcp_job *job,
                                            const struct mcp_ask_wait *w,
                                            const char **why)
{
    const struct mcp_json_options options = {.max_depth = MCP_JSON_MAX_DEPTH,
                                             .allow_duplicate_keys = true};
    struct mcp_arena *a = job->call->arena;
    const struct mcp_json *tree, *error, *message, *code;
    char *text;

    *why = "there is no memory left for an answer";
    text = w->text == NULL ? NULL : mcp_arena_dup(a, w->text, w->len);
    if (text == NULL ||
        mcp_json_parse(a, text, w->len, &options, &tree, NULL) != MCP_OK)
        return NULL;
    error = mcp_json_find(tree, "error");
    if (error == NULL)
        return mcp_json_find(tree, "result");
    message = mcp_json_find(error, "message");
    code = mcp_json_find(error, "code");
    *why = mcp_arena_printf(
        a, "the client answered \"%s\" with an error: %.*s (%.*s)",
        w->question->key,
        mcp_json_is(message, MCP_JSON_STRING) ? (int)message->count : 10,
        mcp_json_is(message, MCP_JSON_STRING) ? message->u.text : "no message",
        mcp_json_is(code, MCP_JSON_NUMBER) ? (int)code->count : 7,
        mcp_json_is(code, MCP_JSON_NUMBER) ? code->u.text : "no code");
    return NULL;
}

/* The same for whatever became of the question. */
const struct mcp_json *mcp_ask_read_wait(struct mcp_job *job,
                                         const struct mcp_ask_wait *w,
                                         const char **why)
{
    switch (w->end) {
    case MCP_ASK_ANSWERED:
        return read_response(job, w, why);
    case MCP_ASK_SESSION_ENDED:
        *why = "the session ended before the client answered";
        return NULL;
    case MCP_ASK_CLIENT_LEFT:
        *why = "the client left before it answered";
        return NULL;
    case MCP_ASK_OPEN:
        break;
    }
    *why = mcp_arena_printf(job->call->arena,
                            "the client did not answer within %g s",
                            job->gen->config->waiting_timeout);
    return NULL;
}

/* ask_settle(questions) */
static int core_ask_settle(lua_State *L)
{
    struct mcp_job *job = mcp_ask_job_of(L);
    struct mcp_ask_wait *w = job->ask->waits;
    const char *why = NULL;
    bool right = true;

    for (; w != NULL && right && why == NULL; w = w->next) {
        const struct mcp_json *answer = mcp_ask_read_wait(job, w, &why);

        if (answer != NULL) {
            why = NULL;
            right = take_answer(L, job, w->question, answer);
        } else if (why == NULL) {
            why = "there is no memory left for an answer";
        }
    }
    mcp_ask_wait_free(job);
    if (!right)
        return leave(L);
    if (why != NULL)
        return raise(L, why);
    return 0;
}

/* ask_answer(key) -> value */
static int core_ask_answer(lua_State *L)
{
    struct mcp_job *job = mcp_ask_job_of(L);
    size_t len;
    const char *key = luaL_checklstring(L, 1, &len);

    mcp_value_push(L, mcp_ask_find(job->ask->answers, key, len));
    return 1;
}

/* ask_number(kind) -> integer */
static int core_ask_number(lua_State *L)
{
    struct mcp_job *job = mcp_ask_job_of(L);

    lua_pushinteger(L, (lua_Integer)++job->ask->numbers[check_kind(L, 1)]);
    return 1;
}

/* ask_id() -> text */
static int core_ask_id(lua_State *L)
{
    static const char hex[] = "0123456789abcdef";
    unsigned char bits[ID_BYTES];
    char text[2 * ID_BYTES];

    if (getrandom(bits, sizeof(bits), 0) != (ssize_t)sizeof(bits))
        return luaL_error(L, "no random bytes");
    for (size_t i = 0; i < sizeof(bits); i++) {
        text[2 * i] = hex[bits[i] >> 4];
        text[2 * i + 1] = hex[bits[i] & 15];
    }
    lua_pushlstring(L, text, sizeof(text));
    return 1;
}

/* ask_legacy() -> boolean */
static int core_ask_legacy(lua_State *L)
{
    lua_pushboolean(L, !mcp_call_is_modern(mcp_ask_job_of(L)->call));
    return 1;
}

/* ---- ctx.memo ---- */

static void push_memo(lua_State *L, const struct mcp_json *v)
{
    if (v->type == MCP_JSON_NULL)
        lua_pushnil(L);
    else
        mcp_value_push(L, v);
}

/* memo_get(key) -> found, value */
static int core_memo_get(lua_State *L)
{
    struct mcp_job *job = mcp_ask_job_of(L);
    size_t len;
    const char *key = luaL_checklstring(L, 1, &len);
    const struct mcp_json *v = mcp_ask_find(job->ask->memos, key, len);

    lua_pushboolean(L, v != NULL);
    if (v == NULL)
        return 1;
    push_memo(L, v);
    return 2;
}

/* The value at `idx` as JSON in the arena; NULL, with the reason in `error`. */
const struct mcp_json *mcp_ask_to_json(lua_State *L, int idx,
                                       struct mcp_job *job,
                                       struct mcp_value_error *error)
{
    static const struct mcp_json null = {.type = MCP_JSON_NULL};
    const struct mcp_json *tree = NULL;
    struct mcp_buf b;
    char *text;

    if (lua_isnoneornil(L, idx))
        return &null;
    luaL_checkstack(L, 400, "no stack for a value");
    mcp_buf_init(&b, VALUE_MAX_BYTES);
    *error = (struct mcp_value_error){.message = "is too large"};
    if (mcp_value_write(L, idx, &b, NULL, error) == MCP_OK) {
        text = mcp_arena_dup(job->call->arena, b.data, b.len);
        if (text == NULL || mcp_json_parse(job->call->arena, text, b.len, NULL,
                                           &tree, NULL) != MCP_OK)
            tree = NULL;
    }
    mcp_buf_free(&b);
    return tree;
}

/* memo_set(key, value) -> value */
static int core_memo_set(lua_State *L)
{
    struct mcp_job *job = mcp_ask_job_of(L);
    struct mcp_value_error error;
    size_t len;
    const char *key = luaL_checklstring(L, 1, &len);
    const struct mcp_json *v;

    lua_settop(L, 2);
    v = mcp_ask_to_json(L, 2, job, &error);
    if (v == NULL)
        return luaL_error(L, "ctx.memo: the value%s %s", error.path,
                          error.message);
    if (!mcp_ask_keep(job, &job->ask->memos, key, len, v))
        return luaL_error(L, "ctx.memo: there is no memory left");
    if (!mcp_ask_tell_kept(job))
        return luaL_error(L, "ctx.memo: the values are too large to be kept");
    push_memo(L, v);
    return 1;
}

/* ---- small parts ---- */

/* encode_content(block) -> text */
static int core_encode_content(lua_State *L)
{
    struct mcp_result_options options =
        mcp_result_job_options(mcp_ask_job_of(L));
    struct mcp_value_error error = {.message = "is too large"};
    struct mcp_buf b;
    struct mcp_block_writer w = {
        .L = L, .options = &options, .out = &b, .error = &error};
    enum mcp_err err;

    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_checkstack(L, 500, "no stack for a block");
    mcp_buf_init(&b, CONTENT_MAX_BYTES);
    err = mcp_block_write(&w, 1, "");
    if (err == MCP_OK)
        lua_pushlstring(L, b.data, b.len);
    mcp_buf_free(&b);
    if (err != MCP_OK)
        return luaL_error(L, "content%s %s", error.path, error.message);
    return 1;
}

/* without_ctx(...) -> ... */
static int core_without_ctx(lua_State *L)
{
    lua_rawgeti(L, LUA_REGISTRYINDEX, MCP_REF_CTX);
    if (lua_gettop(L) > 1 && lua_rawequal(L, 1, -1))
        lua_remove(L, 1);
    lua_pop(L, 1);
    return lua_gettop(L);
}

/* add_to_ctx(functions): ctx finds its functions in an upvalue of __index. */
static int core_add_to_ctx(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_rawgeti(L, LUA_REGISTRYINDEX, MCP_REF_CTX);
    if (!lua_getmetatable(L, -1))
        return luaL_error(L, "ctx has no metatable");
    lua_getfield(L, -1, "__index");
    if (lua_getupvalue(L, -1, 1) == NULL)
        return luaL_error(L, "ctx has no functions");
    lua_pushnil(L);
    while (lua_next(L, 1) != 0) {
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        lua_rawset(L, -4);
    }
    return 0;
}

void mcp_bind_ask_push_responses(lua_State *L, struct mcp_job *job)
{
    mcp_value_push(L, job->ask == NULL ? NULL : job->ask->responses);
}

void mcp_bind_ask_push_state(lua_State *L, struct mcp_job *job)
{
    mcp_value_push(L, job->ask == NULL ? NULL : job->ask->state);
}

void mcp_bind_ask_open(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"ask", core_ask},
        {"ask_settle", core_ask_settle},
        {"require_capabilities", core_require_capabilities},
        {"ask_answer", core_ask_answer},
        {"ask_number", core_ask_number},
        {"ask_id", core_ask_id},
        {"ask_legacy", core_ask_legacy},
        {"memo_get", core_memo_get},
        {"memo_set", core_memo_set},
        {"encode_content", core_encode_content},
        {"input_required", mcp_bind_ask_input_required},
        {"without_ctx", core_without_ctx},
        {"add_to_ctx", core_add_to_ctx},
        {NULL, NULL},
    };

    luaL_register(L, NULL, functions);
}
