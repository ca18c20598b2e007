/*
 * bind_ctx.c - see bind_ctx.h
 *
 *   ctx.progress(done, total?, message?)   ctx.log(level, data, logger?)
 *   ctx.debug/info/warning/error(data, logger?)   ctx.sleep(seconds)
 *   ctx.cancelled() -> boolean   ctx.deadline -> seconds left
 *   ctx.client, ctx.request, ctx.item -> tables   ctx.auth -> nil
 *   ctx.arguments -> table, of a completer   ctx.task -> { id }, in a task
 *
 * Functions may be called with a dot or, as people do, with a colon.
 *
 * Rule: arguments first, C second, results last; no C memory is held across a
 * Lua call that may raise. Texts are built in host->scratch.
 */
#include "app/bind_ctx.h"

#include <errno.h>
#include <lauxlib.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "app/apart.h"
#include "app/bind_ask.h"
#include "app/host.h"
#include "app/job.h"
#include "app/value.h"
#include "base/clock.h"

static const char *const levels[] = {"debug",   "info",      "notice",
                                     "warning", "error",     "critical",
                                     "alert",   "emergency", NULL};

/* The running call's job. Raises outside of a call. Drops the ctx object that
 * `ctx:f()` passes first. */
static struct mcp_job *job_of(lua_State *L)
{
    struct mcp_host *host = mcp_host_of(L);

    if (host->job == NULL)
        luaL_error(L, "ctx can be used while a call runs only");
    if (lua_gettop(L) == 0)
        return host->job;
    lua_rawgeti(L, LUA_REGISTRYINDEX, MCP_REF_CTX);
    if (lua_rawequal(L, 1, -1))
        lua_remove(L, 1);
    lua_pop(L, 1);
    return host->job;
}

static void emit_log(lua_State *L, struct mcp_job *job, const char *level,
                     int data, const char *logger)
{
    struct mcp_buf *text = &mcp_host_of(L)->scratch;
    struct mcp_value_error error;

    mcp_buf_clear(text);
    if (mcp_value_write(L, data, text, NULL, &error) != MCP_OK)
        luaL_error(L, "log data%s %s", error.path, error.message);
    if (job->call->notify != NULL)
        job->call->notify->log(job->call, level, logger, text->data, text->len);
}

/* The level named by the argument at `arg`. */
static const char *check_level(lua_State *L, int arg)
{
    const char *name = luaL_checkstring(L, arg);
    int i;

    for (i = 0; levels[i] != NULL; i++)
        if (strcmp(levels[i], name) == 0)
            return levels[i];
    luaL_argerror(L, arg,
                  "must be debug, info, notice, warning, error, critical, "
                  "alert or emergency");
    return NULL;
}

/* log(level, data, logger?) */
static int ctx_log(lua_State *L)
{
    struct mcp_job *job = job_of(L);
    const char *level = check_level(L, 1);
    const char *logger = luaL_optstring(L, 3, NULL);

    luaL_checkany(L, 2);
    emit_log(L, job, level, 2, logger);
    return 0;
}

/* debug(data, logger?) and its like; the level is an upvalue. */
static int ctx_log_at(lua_State *L)
{
    struct mcp_job *job = job_of(L);
    const char *logger = luaL_optstring(L, 2, NULL);

    luaL_checkany(L, 1);
    emit_log(L, job, lua_tostring(L, lua_upvalueindex(1)), 1, logger);
    return 0;
}

/* progress(done, total?, message?) */
static int ctx_progress(lua_State *L)
{
    struct mcp_job *job = job_of(L);
    double done = luaL_checknumber(L, 1);
    double total = luaL_optnumber(L, 2, NAN);
    size_t len = 0;
    const char *message = luaL_optlstring(L, 3, NULL, &len);
    size_t bad;

    if (!isfinite(done))
        return luaL_argerror(L, 1, "must be a finite number");
    if (!lua_isnoneornil(L, 2) && !isfinite(total))
        return luaL_argerror(L, 2, "must be a finite number");
    if (message != NULL && !mcp_utf8_valid(message, len, &bad))
        return luaL_argerror(L, 3, "must be UTF-8");
    if (job->call->notify != NULL)
        job->call->notify->progress(job->call, done, total, message, len);
    return 0;
}

static bool is_over(struct mcp_job *job)
{
    return atomic_load(&job->call->cancelled) ||
           mcp_clock_now_ns() >= job->deadline_ns;
}

/* Sleeps on this very thread: where a yield cannot reach the host. */
static void block_until(struct mcp_job *job, uint64_t wake_ns)
{
    uint64_t now = mcp_clock_now_ns();

    while (now < wake_ns && !is_over(job)) {
        uint64_t step = wake_ns - now < 5 * MCP_NS_PER_MS ? wake_ns - now
                                                          : 5 * MCP_NS_PER_MS;
        struct timespec t = {0, (long)step};

        (void)nanosleep(&t, NULL);
        now = mcp_clock_now_ns();
    }
}

/* sleep(seconds) */
static int ctx_sleep(lua_State *L)
{
    struct mcp_job *job = job_of(L);
    struct mcp_host *host = mcp_host_of(L);
    double seconds = luaL_checknumber(L, 1);
    uint64_t wake_ns;

    if (!(seconds >= 0))
        return luaL_argerror(L, 1, "must not be negative");
    wake_ns = mcp_clock_now_ns() + mcp_clock_from_seconds(seconds);
    if (L == host->co && lua_isyieldable(L)) {
        host->pending = MCP_PENDING_SLEEP;
        host->wake_ns = wake_ns;
        return lua_yield(L, 0);
    }
    block_until(job, wake_ns);
    return 0;
}

/* cancelled() -> boolean */
static int ctx_cancelled(lua_State *L)
{
    const struct mcp_job *job = job_of(L);

    lua_pushboolean(L, atomic_load(&job->call->cancelled) ||
                           atomic_load(&job->call->unwanted));
    return 1;
}

/* ---- fields ---------------------------------------------------------------
 */

static void push_deadline(lua_State *L, struct mcp_job *job)
{
    uint64_t now = mcp_clock_now_ns();

    lua_pushnumber(
        L, now < job->deadline_ns ? (double)(job->deadline_ns - now) / 1e9 : 0);
}

static void set_string(lua_State *L, const char *key, const char *value)
{
    if (value == NULL)
        return;
    lua_pushstring(L, value);
    lua_setfield(L, -2, key);
}

static void set_json(lua_State *L, const char *key, const struct mcp_json *v)
{
    if (v == NULL)
        return;
    mcp_value_push(L, v);
    lua_setfield(L, -2, key);
}

static void push_client(lua_State *L, struct mcp_job *job)
{
    lua_createtable(L, 0, 3);
    if (job->route != NULL)
        return; /* plain HTTP tells none of it */
    set_json(L, "info", job->call->client.info);
    set_json(L, "capabilities", job->call->client.capabilities);
    set_string(L, "protocol_version", mcp_revision_name(job->call->revision));
}

/* Header names in lower case; of several with one name, joined by ", ". */
static void push_headers(lua_State *L, const struct mcp_call *call)
{
    size_t i;

    lua_createtable(L, 0, (int)call->header_count);
    for (i = 0; i < call->header_count; i++) {
        luaL_Buffer b;
        const char *c;

        luaL_buffinit(L, &b);
        for (c = call->headers[i].name; *c != '\0'; c++)
            luaL_addchar(&b, (char)(*c >= 'A' && *c <= 'Z' ? *c | 32 : *c));
        luaL_pushresult(&b);
        lua_pushvalue(L, -1);
        lua_rawget(L, -3);
        if (lua_isnil(L, -1)) {
            lua_pop(L, 1);
            lua_pushstring(L, call->headers[i].value);
        } else {
            lua_pushfstring(L, "%s, %s", lua_tostring(L, -1),
                            call->headers[i].value);
            lua_remove(L, -2);
        }
        lua_rawset(L, -3);
    }
}

static void push_request(lua_State *L, struct mcp_job *job)
{
    const struct mcp_call *call = job->call;

    lua_createtable(L, 0, 7);
    set_json(L, "id", call->id);
    set_string(L, "method", call->method);
    set_string(L, "transport",
               call->transport == MCP_TRANSPORT_HTTP ? "http" : "stdio");
    set_string(L, "path", call->path);
    set_string(L, "query", call->query);
    set_json(L, "meta", call->meta);
    push_headers(L, call);
    lua_setfield(L, -2, "headers");
}

static void push_item(lua_State *L, struct mcp_job *job)
{
    const char *kind = mcp_kind_name(job->handler->kind);
    const char *name = job->handler->name, *text = NULL;
    const struct mcp_json *tree = NULL;

    if (job->resource != NULL) {
        kind = "resource";
        name = job->resource->name;
        text = job->resource->annotations;
    } else if (job->prompt != NULL) {
        kind = "prompt";
        name = job->prompt->name;
    } else if (job->tool != NULL) {
        name = job->tool->name;
        text = job->tool->annotations;
    }
    lua_createtable(L, 0, 4);
    set_string(L, "kind", kind);
    set_string(L, "name", name);
    set_string(L, "uri", job->uri);
    if (text != NULL && mcp_json_parse(job->call->arena, text, strlen(text),
                                       NULL, &tree, NULL) == MCP_OK)
        set_json(L, "annotations", tree);
}

/* Of a completer: the arguments that are chosen already. */
static void push_arguments(lua_State *L, struct mcp_job *job)
{
    if (job->handler->kind == MCP_KIND_COMPLETER)
        mcp_value_push(L, mcp_json_find(job->args, "arguments"));
    else
        lua_pushnil(L);
}

static void push_task(lua_State *L, struct mcp_job *job)
{
    if (job->apart == NULL) {
        lua_pushnil(L);
        return;
    }
    lua_createtable(L, 0, 1);
    set_string(L, "id", job->apart->id);
}

/* ctx.KEY for keys that ctx does not have yet. Tables are kept in ctx, so that
 * a second look sees the same one. upvalue 1: the table of functions. */
static int ctx_index(lua_State *L)
{
    static const struct {
        const char *key;
        void (*push)(lua_State *L, struct mcp_job *job);
        bool keep;
    } fields[] = {
        {"deadline", push_deadline, false},
        {"client", push_client, true},
        {"request", push_request, true},
        {"item", push_item, true},
        {"arguments", push_arguments, true},
        {"input_responses", mcp_bind_ask_push_responses, true},
        {"request_state", mcp_bind_ask_push_state, true},
        {"task", push_task, true},
    };
    const char *key;
    size_t i;

    lua_pushvalue(L, 2);
    lua_rawget(L, lua_upvalueindex(1));
    if (!lua_isnil(L, -1))
        return 1;
    key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
    for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        struct mcp_job *job;

        if (strcmp(key, fields[i].key) != 0)
            continue;
        job = mcp_host_of(L)->job;
        if (job == NULL)
            return luaL_error(L, "ctx can be used while a call runs only");
        fields[i].push(L, job);
        if (fields[i].keep) {
            lua_pushvalue(L, -1);
            lua_setfield(L, 1, key);
        }
        return 1;
    }
    return 0;
}

void mcp_bind_ctx_open(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"log", ctx_log},     {"progress", ctx_progress},
        {"sleep", ctx_sleep}, {"cancelled", ctx_cancelled},
        {NULL, NULL},
    };
    static const char *const shorthands[] = {"debug", "info", "warning",
                                             "error"};
    size_t i;

    lua_newtable(L);          /* ctx */
    lua_createtable(L, 0, 1); /* its metatable */
    lua_newtable(L);
    luaL_register(L, NULL, functions);
    for (i = 0; i < sizeof(shorthands) / sizeof(shorthands[0]); i++) {
        lua_pushstring(L, shorthands[i]);
        lua_pushcclosure(L, ctx_log_at, 1);
        lua_setfield(L, -2, shorthands[i]);
    }
    lua_pushcclosure(L, ctx_index, 1);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
    lua_rawseti(L, LUA_REGISTRYINDEX, MCP_REF_CTX);
}
