/*
 * test_host.h - Lua module mcp.test_host: an app in the process of its specs
 *
 * What lua/mcp/test.lua is made of: it opens an app with everything that
 * serves it but a transport, sends it messages, and hands out what comes back.
 *
 *     open(path, options) -> host | nil, message
 *     host:start(message, headers) -> call
 *     host:start_http(method, path, query, body, headers) -> call
 *     call:head() -> status, headers  of its answer
 *     call:next(seconds) -> message, is_last | nil (nothing came in time)
 *     call:leave()                    the client is gone
 *     host:advance(seconds)           puts the clock of the process forward
 *     host:shared_get|set|delete|keys(name, ...)
 *     host:reload(), host:generation() -> number, host:close()
 *     encode(value) -> JSON, decode(JSON) -> value, array(t), object(t), null
 *
 * Layer:  cli. Uses cli/service, app/value, app/shared_value; includes lua.h.
 * Thread: the one of the specs; answers come from any.
 */
#ifndef MCP_CLI_TEST_HOST_H
#define MCP_CLI_TEST_HOST_H

#include <lua.h>
#include <stdbool.h>

/* Pushes the module. Raises on lack of memory. */
int mcp_test_host_open(lua_State *L);

struct mcp_app;

/* The app of the host at 1; raises when it is closed. */
struct mcp_app *mcp_test_host_app(lua_State *L);

/* Closes every app that is still open. False: a handler is blocked inside a C
 * library; the process has to end. */
bool mcp_test_host_close_all(void);

#endif
