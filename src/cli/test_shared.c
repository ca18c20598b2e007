/*
 * test_shared.c - see test_shared.h
 *
 * Rule: arguments first, C second, results last, as in app/bind_*.c.
 */
#include "cli/test_shared.h"

#include <lauxlib.h>
#include <string.h>

#include "app/app.h"
#include "app/shared_value.h"
#include "base/clock.h"
#include "cli/test_host.h"

enum { VALUE_BYTES = 256 << 20 };

static struct mcp_shared_text text_at(lua_State *L, int arg)
{
    struct mcp_shared_text text;

    text.data = luaL_checklstring(L, arg, &text.len);
    return text;
}

static struct mcp_shared_dict *dict_of(lua_State *L)
{
    struct mcp_app *app = mcp_test_host_app(L);
    struct mcp_shared_text name = text_at(L, 2);
    struct mcp_shared_dict *d;

    if (mcp_shared_open(mcp_app_shared(app), name, 0, &d) != MCP_OK)
        luaL_error(L, "no memory for a dictionary");
    return d;
}

static int push_shared(lua_State *L)
{
    const struct mcp_buf *buf = lua_touserdata(L, 1);

    mcp_shared_value_push(L, (struct mcp_shared_text){buf->data, buf->len});
    return 1;
}

/* host:shared_get(name, key) -> value | nil */
int mcp_test_shared_get(lua_State *L)
{
    struct mcp_shared_dict *d = dict_of(L);
    struct mcp_shared_text key = text_at(L, 3);
    struct mcp_buf value;
    int failed;

    mcp_buf_init(&value, VALUE_BYTES);
    if (mcp_shared_get(d, key, &value) != MCP_OK) {
        mcp_buf_free(&value);
        return 0;
    }
    lua_pushcfunction(L, push_shared);
    lua_pushlightuserdata(L, &value);
    failed = lua_pcall(L, 1, 1, 0);
    mcp_buf_free(&value);
    return failed ? lua_error(L) : 1;
}

/* host:shared_set(name, key, value, ttl) */
int mcp_test_shared_set(lua_State *L)
{
    struct mcp_shared_dict *d = dict_of(L);
    struct mcp_shared_text key = text_at(L, 3);
    uint64_t ttl_ns = mcp_clock_from_seconds(luaL_optnumber(L, 5, 0));
    struct mcp_value_error error = {"", ""};
    struct mcp_buf value;
    enum mcp_err err;

    luaL_checkany(L, 4);
    luaL_checkstack(L, MCP_SHARED_VALUE_STACK, "a shared value");
    mcp_buf_init(&value, mcp_shared_max_bytes(d));
    err = mcp_shared_value_write(L, 4, &value, &error);
    if (err == MCP_OK)
        err = mcp_shared_set(
            d, key, (struct mcp_shared_text){value.data, value.len}, ttl_ns);
    mcp_buf_free(&value);
    if (err == MCP_EINVAL)
        return luaL_error(L, "value %s %s", error.path, error.message);
    return err == MCP_OK ? 0 : luaL_error(L, "the value does not fit");
}

/* host:shared_delete(name, key) -> was there one? */
int mcp_test_shared_delete(lua_State *L)
{
    struct mcp_shared_dict *d = dict_of(L);

    lua_pushboolean(L, mcp_shared_delete(d, text_at(L, 3)));
    return 1;
}

static int push_keys(lua_State *L)
{
    const struct mcp_buf *buf = lua_touserdata(L, 1);
    size_t at = 0;
    int n = 0;

    lua_newtable(L);
    while (at < buf->len) {
        size_t len;

        memcpy(&len, buf->data + at, sizeof(len));
        lua_pushlstring(L, buf->data + at + sizeof(len), len);
        lua_rawseti(L, -2, ++n);
        at += sizeof(len) + len;
    }
    return 1;
}

/* host:shared_keys(name, prefix) -> list, in no order */
int mcp_test_shared_keys(lua_State *L)
{
    struct mcp_shared_dict *d = dict_of(L);
    struct mcp_shared_text prefix = text_at(L, 3);
    struct mcp_buf keys;
    int failed;

    mcp_buf_init(&keys, VALUE_BYTES);
    failed = mcp_shared_keys(d, prefix, &keys) != MCP_OK;
    if (!failed) {
        lua_pushcfunction(L, push_keys);
        lua_pushlightuserdata(L, &keys);
        failed = lua_pcall(L, 1, 1, 0);
    } else {
        lua_pushliteral(L, "not enough memory");
    }
    mcp_buf_free(&keys);
    return failed ? lua_error(L) : 1;
}
