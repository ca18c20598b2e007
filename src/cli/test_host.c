/*
 * test_host.c - see test_host.h
 *
 * Rule: arguments first, C second, results last, as in app/bind_*.c.
 */
#include "cli/test_host.h"

#include <errno.h>
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/value.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "cli/service.h"
#include "cli/test_call.h"
#include "cli/test_shared.h"

#define HOST_TYPE "mcp.test_host"
#define CALL_TYPE "mcp.test_call"

enum {
    JSON_BYTES = 256 << 20,
    MESSAGE_BYTES = 1024,
    SETTLE_MS = 1000,
    HEADERS_MAX = 64,
};

/* A message that was sent; Lua holds it. */
struct sent {
    struct mcp_test_call *call; /* NULL: given up, or its app is closed */
    struct sent *next, **place; /* among those of the same host */
};

/* An open app; Lua holds it. */
struct host {
    struct mcp_service service;
    struct mcp_config *config;
    struct sent *sent;
    struct host *next, **place; /* among all; NULL: closed */
};

/* The open ones. The thread of the specs has them for itself. */
static struct host *hosts;

/* ---- values ---------------------------------------------------------------
 */

/* Pushes what `text` says, or nil and why not. */
static int l_decode(lua_State *L)
{
    const struct mcp_json_options options = {.max_depth = MCP_VALUE_MAX_DEPTH};
    struct mcp_json_error e = {.reason = "out of memory"};
    struct mcp_arena *arena;
    const struct mcp_json *tree;
    size_t len;
    const char *text = luaL_checklstring(L, 1, &len);

    arena = mcp_arena_new(JSON_BYTES);
    if (arena == NULL ||
        mcp_json_parse(arena, text, len, &options, &tree, &e) != MCP_OK) {
        mcp_arena_free(arena);
        lua_pushnil(L);
        lua_pushfstring(L, "%s at byte %d", e.reason, (int)e.offset);
        return 2;
    }
    mcp_value_push(L, tree);
    mcp_arena_free(arena);
    return 1;
}

static int l_encode(lua_State *L)
{
    struct mcp_value_error error = {"", ""};
    struct mcp_buf out;

    luaL_checkany(L, 1);
    luaL_checkstack(L, 4 * MCP_VALUE_MAX_DEPTH, "a value");
    mcp_buf_init(&out, JSON_BYTES);
    if (mcp_value_write(L, 1, &out, NULL, &error) != MCP_OK) {
        mcp_buf_free(&out);
        return luaL_error(L, "%s %s",
                          error.path[0] != '\0' ? error.path : "the value",
                          error.message);
    }
    lua_pushlstring(L, out.data, out.len);
    mcp_buf_free(&out);
    return 1;
}

static int l_array(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    mcp_value_mark_array(L, 1);
    lua_settop(L, 1);
    return 1;
}

static int l_object(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    mcp_value_mark_object(L, 1);
    lua_settop(L, 1);
    return 1;
}

/* ---- opening and closing --------------------------------------------------
 */

static void unlink_sent(struct sent *s)
{
    if (s->place == NULL)
        return;
    *s->place = s->next;
    if (s->next != NULL)
        s->next->place = s->place;
    s->place = NULL;
}

static bool host_close(struct host *h)
{
    if (h->place == NULL)
        return true;
    *h->place = h->next;
    if (h->next != NULL)
        h->next->place = h->place;
    h->place = NULL;
    if (h->service.endpoint != NULL)
        mcp_endpoint_end_streams(h->service.endpoint);
    while (h->sent != NULL) {
        struct sent *s = h->sent;

        unlink_sent(s);
        mcp_test_call_drop(s->call);
        s->call = NULL;
    }
    if (!mcp_service_close(&h->service))
        return false;
    mcp_config_free(h->config);
    h->config = NULL;
    return true;
}

bool mcp_test_host_close_all(void)
{
    bool closed = true;

    while (hosts != NULL)
        closed = host_close(hosts) && closed;
    return closed;
}

/* A handler blocked inside a C library still uses what would be freed. */
static void close_or_end(struct host *h)
{
    if (host_close(h))
        return;
    (void)fputs("mcpluad test: a handler is blocked inside a C library; "
                "its process ends\n",
                stderr);
    (void)fflush(NULL);
    _exit(EXIT_FAILURE);
}

static struct host *open_host(lua_State *L, int arg)
{
    struct host *h = luaL_checkudata(L, arg, HOST_TYPE);

    if (h->place == NULL)
        luaL_error(L, "the client has been closed");
    return h;
}

struct mcp_app *mcp_test_host_app(lua_State *L)
{
    return open_host(L, 1)->service.app;
}

/* Sets the options of the table at 2, all texts. False: `message` says why. */
static bool set_options(lua_State *L, struct mcp_config *config, char *message)
{
    enum mcp_err err = mcp_config_read_env(config, message, MESSAGE_BYTES);

    lua_pushnil(L);
    while (err == MCP_OK && lua_next(L, 2) != 0) {
        /* both are strings: test.lua made them so */
        err = mcp_config_set(config, lua_tostring(L, -2), lua_tostring(L, -1),
                             MCP_FROM_FLAG, message, MESSAGE_BYTES);
        lua_pop(L, 1);
    }
    lua_settop(L, 3);
    return err == MCP_OK;
}

/* Whatever store the app names: a spec begins without tasks and leaves none. */
static bool keep_tasks_here(struct mcp_config *config, char *message)
{
    return mcp_config_set(config, "task_store", "memory:", MCP_FROM_ENV,
                          message, MESSAGE_BYTES) == MCP_OK;
}

static bool start_host(lua_State *L, struct host *h, char *message)
{
    struct mcp_app_options options = {.path = lua_tostring(L, 1)};

    (void)snprintf(message, MESSAGE_BYTES, "out of memory");
    h->config = mcp_config_new();
    if (h->config == NULL || !keep_tasks_here(h->config, message) ||
        !set_options(L, h->config, message))
        return false;
    mcp_log_setup((enum mcp_log_level)h->config->log_level,
                  h->config->log_json);
    options.config = h->config;
    return mcp_service_open(&h->service, &options, message, MESSAGE_BYTES) ==
           MCP_OK;
}

/* open(path, options) -> host | nil, message */
static int l_open(lua_State *L)
{
    struct host *h;
    char message[MESSAGE_BYTES];

    luaL_checkstring(L, 1);
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_settop(L, 2);
    h = lua_newuserdata(L, sizeof(*h));
    memset(h, 0, sizeof(*h));
    luaL_getmetatable(L, HOST_TYPE);
    lua_setmetatable(L, 3);
    h->next = hosts;
    h->place = &hosts;
    if (hosts != NULL)
        hosts->place = &h->next;
    hosts = h;
    if (start_host(L, h, message))
        return 1;
    close_or_end(h);
    lua_pushnil(L);
    lua_pushstring(L, message);
    return 2;
}

static int l_close(lua_State *L)
{
    close_or_end(luaL_checkudata(L, 1, HOST_TYPE));
    return 0;
}

/* ---- messages -------------------------------------------------------------
 */

static struct sent *open_sent(lua_State *L)
{
    struct sent *s = luaL_checkudata(L, 1, CALL_TYPE);

    if (s->call == NULL)
        luaL_error(L, "the client has been closed");
    return s;
}

/* Pushes a call that has not been sent. */
static struct sent *push_sent(lua_State *L)
{
    struct sent *s = lua_newuserdata(L, sizeof(*s));

    memset(s, 0, sizeof(*s));
    luaL_getmetatable(L, CALL_TYPE);
    lua_setmetatable(L, -2);
    return s;
}

/* It has been sent, or there was no memory. */
static int keep_sent(lua_State *L, struct host *h, struct sent *s)
{
    if (s->call == NULL)
        return luaL_error(L, "not enough memory");
    s->next = h->sent;
    s->place = &h->sent;
    if (h->sent != NULL)
        h->sent->place = &s->next;
    h->sent = s;
    return 1;
}

/* host:start(message) -> call */
static int l_start(lua_State *L)
{
    struct host *h = open_host(L, 1);
    size_t len;
    const char *body = luaL_checklstring(L, 2, &len);
    struct sent *s = push_sent(L);

    s->call = mcp_test_call_start(h->service.endpoint, body, len);
    return keep_sent(L, h, s);
}

/* host:start_http(method, path, query | nil, body, { name, value, ... }) ->
 * call; the list has at most HEADERS_MAX headers, all texts */
static int l_start_http(lua_State *L)
{
    struct host *h = open_host(L, 1);
    struct mcp_header headers[HEADERS_MAX];
    struct mcp_test_http http = {.method = luaL_checkstring(L, 2),
                                 .path = luaL_checkstring(L, 3),
                                 .query = luaL_optstring(L, 4, NULL),
                                 .headers = headers};
    size_t len, count;
    const char *body = luaL_checklstring(L, 5, &len);
    struct sent *s;

    luaL_checktype(L, 6, LUA_TTABLE);
    luaL_checkstack(L, 2 * HEADERS_MAX + 4, "headers");
    count = lua_objlen(L, 6) / 2;
    luaL_argcheck(L, count <= HEADERS_MAX, 6, "too many headers");
    for (; http.header_count < count; http.header_count++) {
        lua_rawgeti(L, 6, (int)(2 * http.header_count + 1));
        lua_rawgeti(L, 6, (int)(2 * http.header_count + 2));
        headers[http.header_count].name = luaL_checkstring(L, -2);
        headers[http.header_count].value = luaL_checkstring(L, -1);
    }
    s = push_sent(L);
    s->call = mcp_test_call_start_http(h->service.endpoint, &http, body, len);
    return keep_sent(L, h, s);
}

static int push_text(lua_State *L)
{
    lua_pushlstring(L, lua_touserdata(L, 1), *(size_t *)lua_touserdata(L, 2));
    return 1;
}

/* call:next(seconds) -> message, is_last | nil */
static int l_next(lua_State *L)
{
    struct sent *s = open_sent(L);
    uint64_t wait_ns = mcp_clock_from_seconds(luaL_checknumber(L, 2));
    char *text = NULL;
    size_t len = 0;
    enum mcp_test_next next;
    int failed;

    luaL_checkstack(L, 4, "a message");
    next = mcp_test_call_next(s->call, wait_ns, &text, &len);
    if (next == MCP_TEST_NOTHING)
        return 0;
    if (text == NULL)
        return luaL_error(L, "not enough memory");
    lua_pushcfunction(L, push_text);
    lua_pushlightuserdata(L, text);
    lua_pushlightuserdata(L, &len);
    failed = lua_pcall(L, 2, 1, 0);
    free(text);
    if (failed)
        return lua_error(L);
    lua_pushboolean(L, next == MCP_TEST_ANSWER);
    return 2;
}

static void set_header(lua_State *L, const char *name, const char *value)
{
    lua_pushstring(L, value);
    lua_setfield(L, -2, name);
}

/* call:head() -> status, { name = value }: of the answer, which has come */
static int l_head(lua_State *L)
{
    const struct mcp_call *call = mcp_test_call_of(open_sent(L)->call);

    lua_pushinteger(L, call->status);
    lua_newtable(L);
    if (call->out.len > 0)
        set_header(L, "Content-Type",
                   call->reply_type != NULL ? call->reply_type
                                            : "application/json");
    if (call->allow != NULL)
        set_header(L, "Allow", call->allow);
    for (size_t i = 0; i < call->reply_header_count; i++)
        set_header(L, call->reply_headers[i].name,
                   call->reply_headers[i].value);
    for (size_t i = 0; i < call->app_header_count; i++)
        set_header(L, call->app_headers[i].name, call->app_headers[i].value);
    return 2;
}

static int l_leave(lua_State *L)
{
    mcp_test_call_leave(open_sent(L)->call);
    return 0;
}

static int l_drop(lua_State *L)
{
    struct sent *s = luaL_checkudata(L, 1, CALL_TYPE);

    unlink_sent(s);
    if (s->call != NULL)
        mcp_test_call_drop(s->call);
    s->call = NULL;
    return 0;
}

/* pause(seconds): of real time */
static int l_pause(lua_State *L)
{
    uint64_t ns = mcp_clock_from_seconds(luaL_checknumber(L, 1));
    struct timespec t = {.tv_sec = (time_t)(ns / MCP_NS_PER_S),
                         .tv_nsec = (long)(ns % MCP_NS_PER_S)};

    (void)nanosleep(&t, NULL);
    return 0;
}

/* ---- time and generations -------------------------------------------------
 */

/* Waits until every handler has ended or sleeps, a second at most: time passes
 * for those that are on their way to sleep as well. */
static void settle(void)
{
    for (int i = 0; i < SETTLE_MS; i++) {
        const struct timespec t = {.tv_nsec = (long)MCP_NS_PER_MS};
        bool idle = true;

        for (struct host *h = hosts; h != NULL; h = h->next)
            idle = mcp_app_is_idle(h->service.app) && idle;
        if (idle)
            return;
        (void)nanosleep(&t, NULL);
    }
}

/* host:advance(seconds): for every app of the process */
static int l_advance(lua_State *L)
{
    double seconds = luaL_checknumber(L, 2);

    (void)open_host(L, 1);
    luaL_argcheck(L, seconds >= 0 && seconds <= 1e9, 2,
                  "seconds from 0 to 1e9; time does not run backwards");
    settle();
    atomic_fetch_add(&mcp_clock_ahead_ns, mcp_clock_from_seconds(seconds));
    for (struct host *h = hosts; h != NULL; h = h->next) {
        mcp_endpoint_sweep(h->service.endpoint);
        mcp_app_clock_moved(h->service.app);
    }
    return 0;
}

static int l_reload(lua_State *L)
{
    mcp_app_reload(open_host(L, 1)->service.app);
    return 0;
}

static int l_generation(lua_State *L)
{
    const struct mcp_generation *gen =
        mcp_app_acquire(open_host(L, 1)->service.app);

    lua_pushnumber(L, (lua_Number)gen->number);
    mcp_generation_release(gen);
    return 1;
}

/* ---- the module -----------------------------------------------------------
 */

static void make_type(lua_State *L, const char *name, const luaL_Reg *methods)
{
    luaL_newmetatable(L, name);
    lua_pushvalue(L, -1);
    lua_setfield(L, -2, "__index");
    luaL_register(L, NULL, methods);
    lua_pop(L, 1);
}

int mcp_test_host_open(lua_State *L)
{
    static const luaL_Reg host_methods[] = {
        {"start", l_start},
        {"start_http", l_start_http},
        {"advance", l_advance},
        {"reload", l_reload},
        {"generation", l_generation},
        {"shared_get", mcp_test_shared_get},
        {"shared_set", mcp_test_shared_set},
        {"shared_delete", mcp_test_shared_delete},
        {"shared_keys", mcp_test_shared_keys},
        {"close", l_close},
        {"__gc", l_close},
        {NULL, NULL},
    };
    static const luaL_Reg call_methods[] = {
        {"next", l_next}, {"head", l_head}, {"leave", l_leave},
        {"__gc", l_drop}, {NULL, NULL},
    };
    static const luaL_Reg functions[] = {
        {"open", l_open},   {"encode", l_encode}, {"decode", l_decode},
        {"array", l_array}, {"object", l_object}, {"pause", l_pause},
        {NULL, NULL},
    };

    mcp_value_open(L);
    make_type(L, HOST_TYPE, host_methods);
    make_type(L, CALL_TYPE, call_methods);
    lua_newtable(L);
    luaL_register(L, NULL, functions);
    lua_pushlightuserdata(L, NULL);
    lua_setfield(L, -2, "null");
    return 1;
}
