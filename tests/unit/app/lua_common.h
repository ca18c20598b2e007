/*
 * lua_common.h - Lua states for the tests of app/
 *
 * Each state is made by lua_newstate() with an allocator that counts, can
 * refuse, and whose user data is a host as everywhere in app/.
 */
#ifndef MCP_TEST_LUA_COMMON_H
#define MCP_TEST_LUA_COMMON_H

#include <lua.h>
#include <stddef.h>

#include "app/host.h"
#include "base/json.h"

struct test_lua {
    struct mcp_host host; /* first */
    lua_State *L;
    size_t used_bytes, blocks;
    size_t allocations; /* so far, refused ones too                        */
    size_t refuse_at;   /* the number of the allocation to refuse; 0: none */
    size_t refused;
};

/* A state with all libraries, the marks, and the constructors as global `mcp`.
 */
void test_lua_open(struct test_lua *t);

/* Closes the state and checks that nothing of it is left. */
void test_lua_close(struct test_lua *t);

/* Runs `code` and leaves what it returns on the stack, which was emptied
 * before; returns how many values. */
int test_lua_run(struct test_lua *t, const char *code);

/* The same for code that must raise: leaves the error value. */
void test_lua_raise(struct test_lua *t, const char *code);

/* `text` as a tree in `a`, which is made on first use; the test frees it. */
const struct mcp_json *test_json(struct mcp_arena **a, const char *text);

#endif
