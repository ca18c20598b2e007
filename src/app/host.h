/*
 * host.h - what C knows about one Lua state, found from the state in no time
 *
 * Every lua_State here is made with our allocator; the allocator's user data
 * is its host. C functions called from Lua find everything through it, so
 * there is no C global and no look-up in the registry.
 *
 * Layer:  app, private to it. Includes lua.h.
 * Thread: the owner of the Lua state.
 */
#ifndef MCP_APP_HOST_H
#define MCP_APP_HOST_H

#include <lua.h>
#include <stdbool.h>
#include <stdint.h>

#include "app/files.h"
#include "base/buf.h"

struct mcp_builder;
struct mcp_generation;
struct mcp_heap;
struct mcp_job;
struct mcp_listener;
struct mcp_shared;
struct mcp_sources;

/* Registry integers (lua_rawgeti(L, LUA_REGISTRYINDEX, ...)) of every state.
 * LuaJIT itself uses 0, 1 and 2 and luaL_ref goes up from there, so ours are
 * far away. */
enum {
    MCP_REF_HANDLERS = 1 << 20, /* list of handlers by slot                  */
    MCP_REF_CTX,                /* the ctx object                            */
    MCP_REF_ARRAY_MARK,         /* metatable of arrays                       */
    MCP_REF_OBJECT_MARK,        /* metatable of objects made by mcp.object   */
    MCP_REF_BLOCK_MARK,         /* metatable of content blocks               */
    MCP_REF_RESULT_MARK,        /* metatable of mcp.result values            */
    MCP_REF_HTTP_MARK,          /* metatable of mcp.http values              */
    MCP_REF_CO,                 /* the coroutine of calls                    */
    MCP_REF_SANDBOX,            /* what lua/mcp/sandbox.lua returned         */
    MCP_REF_RANDOMSEED,         /* math.randomseed, as LuaJIT made it        */
    MCP_REF_FINISH,             /* keep_finish(): what ends a call           */
    MCP_REF_LIFE,               /* keep_life(): startup and its like         */
};

/* One load of the app, while it runs. The first load of a generation has
 * `follow` NULL and fills the builder; each further one must declare the same
 * things in any order: `seen` counts them. */
struct mcp_load {
    struct mcp_builder *builder;         /* NULL in follow loads           */
    const struct mcp_generation *follow; /* NULL in the first load         */
    unsigned char *seen;                 /* follow: one flag per slot      */
    size_t seen_count;
    bool has_life;      /* the app has hooks for startup or its like         */
    const char *folder; /* of the app's script, for input_schema_file; NULL:
                           the current one                                 */
};

/* Why the call's coroutine yielded to the host. */
enum mcp_pending {
    MCP_PENDING_NONE,  /* it did not, or the app yielded on its own          */
    MCP_PENDING_SLEEP, /* until wake_ns                                      */
    MCP_PENDING_ASK,   /* until the client has answered (app/ask_wait.h)     */
    MCP_PENDING_END,   /* the outcome is written, nothing more will run      */
};

struct mcp_host {
    struct mcp_heap *heap; /* first: the allocator's                         */
    struct mcp_load *load; /* while the app loads, else NULL                 */
    struct mcp_job *job;   /* while a call runs in this state, else NULL     */
    bool kept;             /* isolation = worker: never reset              */
    bool jit;              /* kept, and compiled                           */
    const struct mcp_listener *listener; /* BORROWED; NULL: nobody listens   */
    struct mcp_shared *shared; /* BORROWED: the dictionaries of all states   */
    struct mcp_sources *sources; /* what files the generation was made of    */
    lua_State *co;               /* the coroutine that runs calls            */
    struct mcp_buf scratch;      /* for one C function at a time             */
    uint64_t seed;               /* of math.random, another for each call    */
    struct mcp_files files;      /* that are open                            */

    /* of the present call */
    enum mcp_pending pending;
    uint64_t wake_ns;
    bool ended; /* the outcome is final though Lua may still run     */
    bool foreign_in_call; /* a C module or ffi was loaded by the call        */
    bool finish_expected; /* something is to be done when it has ended       */

    /* Why a snapshot of this state would be unsafe; "" while it is not. */
    char unsafe[160];
};

/* The host of this state (of any of its coroutines). Cannot fail. */
static inline struct mcp_host *mcp_host_of(lua_State *L)
{
    void *ud;

    (void)lua_getallocf(L, &ud);
    return ud;
}

#endif
