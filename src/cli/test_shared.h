/*
 * test_shared.h - the dictionaries of mcp.shared, for specs
 *
 * Methods of a host (cli/test_host.h):
 *
 *     host:shared_get(name, key) -> value | nil
 *     host:shared_set(name, key, value, ttl)
 *     host:shared_delete(name, key) -> was there one?
 *     host:shared_keys(name, prefix) -> list, in no order
 *
 * Layer:  cli. Uses app/shared_value, cli/test_host; includes lua.h.
 * Thread: the one of the specs.
 */
#ifndef MCP_CLI_TEST_SHARED_H
#define MCP_CLI_TEST_SHARED_H

#include <lua.h>

int mcp_test_shared_get(lua_State *L);
int mcp_test_shared_set(lua_State *L);
int mcp_test_shared_delete(lua_State *L);
int mcp_test_shared_keys(lua_State *L);

#endif
