/*
 * bind_core.c - see bind_core.h
 *
 * Rule: arguments first, C second, results last; no C memory is held across a
 * Lua call that may raise.
 */
#include "app/bind_core.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#include "app/host.h"
#include "app/job.h"
#include "app/listener.h"
#include "app/registry.h"
#include "app/result.h"
#include "app/result_job.h"
#include "app/runner.h"
#include "app/sources.h"
#include "base/json.h"
#include "base/log.h"

/* note_foreign(why) */
static int note_foreign(lua_State *L)
{
    struct mcp_host *host = mcp_host_of(L);
    const char *why = luaL_checkstring(L, 1);

    if (host->unsafe[0] == '\0')
        (void)snprintf(host->unsafe, sizeof(host->unsafe), "%s", why);
    if (host->job != NULL)
        host->foreign_in_call = true;
    return 0;
}

/* load_source(path) -> bytes | nil */
static int load_source(lua_State *L)
{
    const char *path = luaL_checkstring(L, 1);
    size_t len;
    const char *bytes = mcp_sources_read(mcp_host_of(L)->sources, path, &len);

    if (bytes == NULL)
        return 0;
    lua_pushlstring(L, bytes, len);
    return 1;
}

/* source(chunkname) -> bytes | nil */
static int source(lua_State *L)
{
    const char *chunk = luaL_checkstring(L, 1);
    const char *bytes = NULL;
    size_t len;

    if (chunk[0] == '@')
        bytes = mcp_sources_find(mcp_host_of(L)->sources, chunk + 1, &len);
    if (bytes == NULL)
        return 0;
    lua_pushlstring(L, bytes, len);
    return 1;
}

/* Writes what the table at 2 says of the end; NULL, or what is wrong with it.
 */
static const char *write_end(lua_State *L, const struct mcp_job *job,
                             struct mcp_outcome *o, const char *kind,
                             char *problem, size_t size)
{
    struct mcp_result_options options = mcp_result_job_options(job);

    if (strcmp(kind, "failure") == 0)
        return mcp_result_write_ending(L, 2, &options, o, problem, size)
                   ? NULL
                   : problem;
    if (strcmp(kind, "protocol_error") == 0)
        return mcp_result_write_protocol_error(L, 2, o, problem, size)
                   ? NULL
                   : problem;
    (void)snprintf(problem, size, "unknown kind \"%.40s\"", kind);
    return problem;
}

/* end_call(kind, table): writes the outcome, then leaves by yield, which no
 * pcall can catch; where a yield cannot reach the host, every further
 * instruction raises until the call is off. */
static int end_call(lua_State *L)
{
    struct mcp_host *host = mcp_host_of(L);
    const char *kind = luaL_checkstring(L, 1), *why;
    char problem[200];

    luaL_checktype(L, 2, LUA_TTABLE);
    if (host->job == NULL)
        return luaL_error(L, "there is no call to end here");
    why = write_end(L, host->job, &host->job->outcome, kind, problem,
                    sizeof(problem));
    if (why != NULL)
        return luaL_error(L, "%s", why);
    host->ended = true;
    if (L == host->co && lua_isyieldable(L)) {
        host->pending = MCP_PENDING_END;
        return lua_yield(L, 0);
    }
    mcp_runner_end_run(L, "the call has ended");
    return 0;
}

/* developing() -> boolean: --dev; while the app loads */
static int developing(lua_State *L)
{
    const struct mcp_load *load = mcp_host_of(L)->load;
    bool dev = false;

    if (load != NULL && load->follow != NULL)
        dev = load->follow->config->dev;
    else if (load != NULL)
        dev = mcp_builder_config(load->builder)->dev;
    lua_pushboolean(L, dev);
    return 1;
}

/* warn(text): one line of the log */
static int warn(lua_State *L)
{
    mcp_log(MCP_LOG_WARNING, "app", "%s", luaL_checkstring(L, 1));
    return 0;
}

/* isolation() -> "request" | "worker", jit: boolean */
static int isolation(lua_State *L)
{
    const struct mcp_host *host = mcp_host_of(L);

    lua_pushstring(L, host->kept ? "worker" : "request");
    lua_pushboolean(L, host->jit);
    return 2;
}

static int tell(lua_State *L, enum mcp_notice what, const char *uri, size_t len)
{
    const struct mcp_host *host = mcp_host_of(L);

    if (host->load != NULL)
        return luaL_error(L, "nothing can be told while the app loads: clients "
                             "hear of a changed list by themselves");
    if (host->listener != NULL && host->listener->notify != NULL)
        host->listener->notify(host->listener->user, what, uri, len);
    return 0;
}

/* notify_resource_updated(uri) */
static int notify_resource_updated(lua_State *L)
{
    size_t len, bad;
    const char *uri = luaL_checklstring(L, 1, &len);

    luaL_argcheck(L, len > 0, 1, "must be a URI");
    luaL_argcheck(L, mcp_utf8_valid(uri, len, &bad), 1, "must be UTF-8");
    return tell(L, MCP_NOTICE_RESOURCE, uri, len);
}

/* notify_list_changed("tools" | "prompts" | "resources") */
static int notify_list_changed(lua_State *L)
{
    static const char *const names[] = {
        [MCP_NOTICE_TOOLS] = "tools",
        [MCP_NOTICE_PROMPTS] = "prompts",
        [MCP_NOTICE_RESOURCES] = "resources",
    };
    const char *name = luaL_checkstring(L, 1);
    int i;

    for (i = 0; i <= (int)MCP_NOTICE_RESOURCES; i++)
        if (strcmp(names[i], name) == 0)
            return tell(L, (enum mcp_notice)i, NULL, 0);
    return luaL_argerror(L, 1,
                         "must be \"tools\", \"prompts\" or "
                         "\"resources\"");
}

void mcp_bind_core_open(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"note_foreign", note_foreign},
        {"load_source", load_source},
        {"source", source},
        {"end_call", end_call},
        {"isolation", isolation},
        {"developing", developing},
        {"warn", warn},
        {"notify_resource_updated", notify_resource_updated},
        {"notify_list_changed", notify_list_changed},
        {NULL, NULL},
    };

    luaL_register(L, NULL, functions);
}
