/*
 * state.c - making a Lua state, loading the app, putting it back
 */
#include "app/state.h"

#include <errno.h>
#include <lauxlib.h>
#include <luajit.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/bind_ask.h"
#include "app/bind_call.h"
#include "app/bind_core.h"
#include "app/bind_ctx.h"
#include "app/bind_files.h"
#include "app/bind_shared.h"
#include "app/bind_wiring.h"
#include "app/declare.h"
#include "app/heap.h"
#include "app/result.h"
#include "app/runner.h"
#include "app/sources.h"
#include "app/value.h"
#include "base/clock.h"
#include "embedded_lua.h"

enum {
    SCRATCH_MAX = 1 << 20,
    LOAD_MEMORY_MIN = 64 << 20, /* while loading, whatever the limit is    */
    FREE_RUN = 4 << 20,         /* bytes before the first collection       */
};

/* What the protected part of a load needs and finds. */
struct loading {
    const struct mcp_state_options *options;
    struct mcp_state *state;
    int status;   /* of lua_cpcall                        */
    bool missing; /* the app's file cannot be read        */
    char missing_text[256];
    char message[1024]; /* of the error, one line               */
};

/* As lua_Alloc; `ud` is the host. */
static void *allocate(void *ud, void *ptr, size_t old_size, size_t new_size)
{
    return mcp_heap_realloc(((struct mcp_host *)ud)->heap, ptr, old_size,
                            new_size);
}

/* ---- inside the protected call --------------------------------------------
 */

/* Pushes the module's function: its bytecode, or, for a LuaJIT that is another
 * than that of the build, its source. */
static void push_embedded(lua_State *L, const struct mcp_embedded_lua *m)
{
    if (m->code_len > 0 &&
        luaL_loadbuffer(L, (const char *)m->code, m->code_len, m->chunk) == 0)
        return;
    lua_settop(L, 0);
    if (luaL_loadbuffer(L, (const char *)m->data, m->len, m->chunk) != 0)
        (void)lua_error(L);
}

static int load_embedded(lua_State *L)
{
    const struct mcp_embedded_lua *m = lua_touserdata(L, lua_upvalueindex(1));

    push_embedded(L, m);
    lua_pushstring(L, m->module);
    lua_call(L, 1, 1);
    return 1;
}

static void preload_embedded(lua_State *L)
{
    size_t i;

    lua_getglobal(L, "package");
    lua_getfield(L, -1, "preload");
    for (i = 0; i < mcp_embedded_lua_count; i++) {
        lua_pushlightuserdata(L, (void *)&mcp_embedded_lua[i]);
        lua_pushcclosure(L, load_embedded, 1);
        lua_setfield(L, -2, mcp_embedded_lua[i].module);
    }
    lua_pop(L, 2);
}

static void open_core(lua_State *L)
{
    mcp_value_open(L);
    lua_newtable(L);
    lua_rawseti(L, LUA_REGISTRYINDEX, MCP_REF_HANDLERS);
    lua_newtable(L);
    mcp_declare_open(L);
    mcp_result_open(L);
    mcp_bind_core_open(L);
    mcp_bind_ask_open(L);
    mcp_bind_files_open(L);
    mcp_bind_shared_open(L);
    mcp_bind_wiring_open(L);
    lua_getfield(L, LUA_REGISTRYINDEX, "_LOADED");
    lua_pushvalue(L, -2);
    lua_setfield(L, -2, "mcp.core");
    lua_pop(L, 2);
    mcp_bind_ctx_open(L);
}

/* package.KEY = `ours` .. package.KEY, where `ours` is made of templates with
 * the app's folder in the place of %s. */
static void prepend_path(lua_State *L, const char *key, const char *folder,
                         const char *const *templates)
{
    luaL_Buffer b;

    lua_getglobal(L, "package");
    luaL_buffinit(L, &b);
    for (; *templates != NULL; templates++) {
        lua_pushfstring(L, *templates, folder);
        luaL_addvalue(&b);
        luaL_addchar(&b, ';');
    }
    lua_getfield(L, 1, key);
    luaL_addvalue(&b);
    luaL_pushresult(&b);
    lua_setfield(L, 1, key);
    lua_settop(L, 0);
}

/* Returns the app's folder; the string lives as long as the state. */
static const char *set_paths(lua_State *L, const char *app_path)
{
    static const char *const lua_paths[] = {
        "%s/?.lua", "%s/?/init.lua", "%s/lua_modules/share/lua/5.1/?.lua",
        "%s/lua_modules/share/lua/5.1/?/init.lua", NULL};
    static const char *const c_paths[] = {
        "%s/?.so", "%s/lua_modules/lib/lua/5.1/?.so", NULL};
    static const char *const home_lua[] = {
        "%s/.luarocks/share/lua/5.1/?.lua",
        "%s/.luarocks/share/lua/5.1/?/init.lua", NULL};
    static const char *const home_c[] = {"%s/.luarocks/lib/lua/5.1/?.so", NULL};
    const char *slash = strrchr(app_path, '/');
    const char *home = getenv("HOME");

    if (home != NULL && home[0] == '/') {
        prepend_path(L, "path", home, home_lua);
        prepend_path(L, "cpath", home, home_c);
    }
    lua_settop(L, 0);
    if (slash == NULL)
        lua_pushliteral(L, ".");
    else
        lua_pushlstring(L, app_path, (size_t)(slash - app_path));
    lua_setfield(L, LUA_REGISTRYINDEX, "mcp.folder");
    lua_getfield(L, LUA_REGISTRYINDEX, "mcp.folder");
    app_path = lua_tostring(L, -1);
    lua_settop(L, 0); /* anchored in the registry */
    prepend_path(L, "path", app_path, lua_paths);
    prepend_path(L, "cpath", app_path, c_paths);
    return app_path;
}

static void set_arg(lua_State *L, const char *app_path)
{
    lua_createtable(L, 0, 1);
    lua_pushstring(L, app_path);
    lua_rawseti(L, -2, 0);
    lua_setglobal(L, "arg");
}

static void run_sandbox(lua_State *L)
{
    lua_getglobal(L, "require");
    lua_pushliteral(L, "mcp.sandbox");
    lua_call(L, 1, 1);
    lua_rawseti(L, LUA_REGISTRYINDEX, MCP_REF_SANDBOX);
}

/* The script cannot be read. */
static void refuse_script(lua_State *L, const char *path)
{
    struct stat st;
    size_t len = strlen(path);

    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        luaL_error(L, "%s: a folder, not a script; is it %s%sapp.lua?", path,
                   path, len > 0 && path[len - 1] == '/' ? "" : "/");
    if (access(path, R_OK) != 0 && errno == EACCES)
        luaL_error(L, "%s: permission to read it is missing", path);
    luaL_error(L, "%s: no such file, or it cannot be read", path);
}

static void run_app(lua_State *L, struct loading *ld)
{
    const char *path = ld->options->app_path;
    size_t len;
    const char *bytes = mcp_sources_read(ld->options->sources, path, &len);

    if (bytes == NULL) {
        ld->missing = true;
        refuse_script(L, path);
    }
    if (len == 0) /* also what an editor leaves for a moment while it saves */
        luaL_error(L, "%s: the file is empty", path);
    lua_pushfstring(L, "@%s", path);
    if (luaL_loadbuffer(L, bytes, len, lua_tostring(L, -1)) != 0)
        lua_error(L);
    lua_call(L, 0, 0);
}

/* Counts what the sandbox watches; after a full collection only what the app
 * still holds is left. */
static void judge(lua_State *L, struct mcp_host *host)
{
    size_t files;

    lua_gc(L, LUA_GCCOLLECT, 0);
    lua_gc(L, LUA_GCCOLLECT, 0);
    files = host->files.count;
    lua_rawgeti(L, LUA_REGISTRYINDEX, MCP_REF_SANDBOX);
    lua_getfield(L, -1, "loaded");
    lua_call(L, 0, 0);
    lua_pop(L, 1);
    if (files > 0 && host->unsafe[0] == '\0')
        (void)snprintf(host->unsafe, sizeof(host->unsafe),
                       "%zu open file%s held by the app", files,
                       files == 1 ? " is" : "s are");
}

/* A reset puts the generator back as well: each call seeds it anew. */
static void keep_randomseed(lua_State *L)
{
    lua_getglobal(L, "math");
    lua_getfield(L, -1, "randomseed");
    lua_rawseti(L, LUA_REGISTRYINDEX, MCP_REF_RANDOMSEED);
    lua_pop(L, 1);
}

static void make_coroutine(lua_State *L, struct mcp_host *host)
{
    host->co = lua_newthread(L);
    lua_pushcfunction(host->co, mcp_bind_call);
    lua_rawseti(L, LUA_REGISTRYINDEX, MCP_REF_CO);
}

static int load_main(lua_State *L)
{
    struct loading *ld = lua_touserdata(L, 1);
    struct mcp_host *host = &ld->state->host;

    lua_settop(L, 0);
    luaL_openlibs(L);
    (void)luaJIT_setmode(L, 0,
                         LUAJIT_MODE_ENGINE |
                             (host->jit ? LUAJIT_MODE_ON : LUAJIT_MODE_OFF));
    keep_randomseed(L);
    open_core(L);
    preload_embedded(L);
    ld->options->load->folder = set_paths(L, ld->options->app_path);
    set_arg(L, ld->options->app_path);
    run_sandbox(L);
    run_app(L, ld);
    if (ld->options->load->follow != NULL &&
        mcp_declare_missing(ld->options->load, ld->message,
                            sizeof(ld->message)) != NULL)
        luaL_error(L, "%s", ld->message);
    make_coroutine(L, host);
    judge(L, host);
    return 0;
}

/* ---- around it ------------------------------------------------------------
 */

/* The error on top of the stack as one line. */
static void keep_message(lua_State *L, struct loading *ld)
{
    const char *text = lua_tostring(L, -1);
    char *c;

    if (text != NULL)
        (void)snprintf(ld->message, sizeof(ld->message), "%s", text);
    else
        (void)snprintf(ld->message, sizeof(ld->message),
                       "%s: the script raised a %s, which says nothing",
                       ld->options->app_path, luaL_typename(L, -1));
    for (c = ld->message; *c != '\0'; c++)
        if (*c == '\n' || *c == '\r')
            *c = ' ';
}

static void load_body(void *user)
{
    struct loading *ld = user;
    lua_State *L = ld->state->L;

    ld->status = lua_cpcall(L, load_main, ld);
    if (ld->status != 0)
        keep_message(L, ld);
    lua_settop(L, 0);
}

static enum mcp_err explain(const struct loading *ld, enum mcp_run_end end,
                            enum mcp_interrupt interrupt, char *message,
                            size_t message_size)
{
    const char *path = ld->options->app_path;

    if (end != MCP_RUN_RETURNED || interrupt == MCP_INTERRUPT_DEADLINE) {
        (void)snprintf(message, message_size,
                       end == MCP_RUN_STACK_OVERFLOW
                           ? "%s: C stack overflow while loading"
                           : "%s: did not finish loading within %g s "
                             "(load_timeout)",
                       path, ld->options->load_timeout_s);
        return MCP_ETIMEOUT;
    }
    if (ld->status == LUA_ERRMEM) {
        (void)snprintf(message, message_size,
                       "%s: out of memory while loading (memory_limit)", path);
        return MCP_ENOMEM;
    }
    (void)snprintf(message, message_size, "%s", ld->message);
    return ld->missing ? MCP_ENOENT : MCP_EINVAL;
}

/* The first collection of a call comes late, the following ones as usual: most
 * calls end before any. LuaJIT has no emergency collection, so the pause must
 * fit the limit. */
static void tune_collector(lua_State *L, size_t limit)
{
    size_t used = mcp_heap_used_bytes(mcp_host_of(L)->heap);
    size_t room = limit > used ? (limit - used) / 4 : 0;
    size_t threshold = used + (room < FREE_RUN ? room : (size_t)FREE_RUN);

    (void)lua_gc(L, LUA_GCSETPAUSE, (int)(threshold * 100 / (used + 1)));
    (void)lua_gc(L, LUA_GCRESTART, -1);
    (void)lua_gc(L, LUA_GCSETPAUSE, 130);
    (void)lua_gc(L, LUA_GCSETSTEPMUL, 400);
}

static struct mcp_state *state_alloc(const struct mcp_state_options *options)
{
    struct mcp_state *st = calloc(1, sizeof(*st));
    size_t limit = options->memory_limit;

    if (st == NULL)
        return NULL;
    mcp_buf_init(&st->host.scratch, SCRATCH_MAX);
    if (getrandom(&st->host.seed, sizeof(st->host.seed), 0) < 0)
        st->host.seed = mcp_clock_now_ns();
    st->host.sources = options->sources;
    st->host.listener = options->listener;
    st->host.shared = options->shared;
    st->host.load = options->load;
    st->host.kept = options->kept;
    st->host.jit = options->kept && options->jit;
    st->host.heap =
        mcp_heap_new(limit > LOAD_MEMORY_MIN ? limit : (size_t)LOAD_MEMORY_MIN);
    if (st->host.heap != NULL)
        st->L = lua_newstate(allocate, &st->host);
    if (st->L == NULL) {
        mcp_heap_free(st->host.heap);
        free(st);
        return NULL;
    }
    return st;
}

enum mcp_err mcp_state_new(const struct mcp_state_options *options,
                           struct mcp_state **out, char *message,
                           size_t message_size)
{
    struct mcp_state *st = state_alloc(options);
    struct loading ld = {.options = options, .state = st};
    enum mcp_run_end end;
    enum mcp_interrupt interrupt;
    enum mcp_err err;

    if (st == NULL) {
        (void)snprintf(message, message_size, "out of memory");
        return MCP_ENOMEM;
    }
    end = mcp_runner_run(options->runner, st->L,
                         mcp_clock_now_ns() +
                             mcp_clock_from_seconds(options->load_timeout_s),
                         NULL, load_body, &ld);
    interrupt = mcp_runner_interrupted(options->runner);
    if (end != MCP_RUN_RETURNED || ld.status != 0) {
        err = explain(&ld, end, interrupt, message, message_size);
        if (end == MCP_RUN_RETURNED)
            mcp_state_close(st, options->runner);
        else
            mcp_state_drop(st);
        return err;
    }
    (void)lua_sethook(st->L, NULL, 0, 0);
    st->host.load = NULL;
    /* A refusal inside compiled code would not be survived. */
    if (!st->host.jit)
        mcp_heap_set_limit(st->host.heap, options->memory_limit);
    st->limit = options->memory_limit;
    if (!st->host.kept)
        tune_collector(st->L, options->memory_limit);
    *out = st;
    return MCP_OK;
}

enum mcp_err mcp_state_snapshot(struct mcp_state *st)
{
    enum mcp_err err = mcp_heap_snapshot(st->host.heap);

    st->has_image = err == MCP_OK;
    return err;
}

void mcp_state_allow(struct mcp_state *st, size_t extra_bytes)
{
    if (!st->host.jit)
        mcp_heap_set_limit(st->host.heap, st->limit + extra_bytes);
}

void mcp_state_reset(struct mcp_state *st)
{
    mcp_heap_reset(st->host.heap, st->faulted);
    st->faulted = false;
}

static int renew_main(lua_State *L)
{
    struct mcp_state *st = lua_touserdata(L, 1);

    mcp_bind_ctx_open(L);
    make_coroutine(L, &st->host);
    if (mcp_heap_used_bytes(st->host.heap) > st->limit / 2)
        (void)lua_gc(L, LUA_GCCOLLECT, 0);
    return 0;
}

static void renew_body(void *user)
{
    struct mcp_state *st = user;

    st->renewed = lua_cpcall(st->L, renew_main, st) == 0;
    lua_settop(st->L, 0);
}

bool mcp_state_renew(struct mcp_state *st, struct mcp_runner *runner)
{
    enum mcp_run_end end;

    (void)lua_sethook(st->L, NULL, 0, 0);
    st->renewed = false;
    end = mcp_runner_run(runner, st->L, mcp_clock_now_ns() + MCP_NS_PER_S, NULL,
                         renew_body, st);
    (void)lua_sethook(st->L, NULL, 0, 0);
    st->lost = end != MCP_RUN_RETURNED;
    return !st->lost && st->renewed &&
           mcp_heap_used_bytes(st->host.heap) < st->limit / 10 * 9;
}

static void close_files_body(void *user)
{
    mcp_files_close(&((struct mcp_state *)user)->host.files);
}

void mcp_state_close_files(struct mcp_state *st, struct mcp_runner *runner)
{
    if (st->host.files.count > 0)
        (void)mcp_runner_run(runner, st->L, mcp_clock_now_ns() + MCP_NS_PER_S,
                             NULL, close_files_body, st);
}

void mcp_state_drop(struct mcp_state *st)
{
    mcp_files_close(&st->host.files);
    mcp_buf_free(&st->host.scratch);
    mcp_heap_free(st->host.heap);
    free(st);
}

static void close_body(void *user)
{
    lua_close(((struct mcp_state *)user)->L);
}

void mcp_state_close(struct mcp_state *st, struct mcp_runner *runner)
{
    if (st == NULL)
        return;
    if (!st->has_image && !st->lost) {
        (void)lua_sethook(st->L, NULL, 0, 0);
        mcp_heap_set_limit(st->host.heap, (size_t)1 << 40);
        (void)mcp_runner_run(runner, st->L, mcp_clock_now_ns() + MCP_NS_PER_S,
                             NULL, close_body, st);
    }
    mcp_state_drop(st);
}
