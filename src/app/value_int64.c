/*
 * value_int64.c - find the type id in front of a cdata's payload
 *
 * struct GCcdata is { next, uint8_t marked, gct; uint16_t ctypeid }, padded to
 * 8 or 16 bytes, with the payload behind it; lua_topointer() gives the
 * payload. The id is 6 bytes in front of it with 64-bit references, 2 with
 * 32-bit ones.
 */
#include "app/value_int64.h"

#include <inttypes.h>
#include <lauxlib.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "app/host.h"

enum { TYPE_CDATA = 10 }; /* LuaJIT's lua_type() of a cdata */

/* Facts of the linked LuaJIT, constant once found. */
static struct {
    size_t distance; /* from the id to the payload; 0: not found */
    uint16_t int64, uint64;
} layout;
static pthread_once_t layout_once = PTHREAD_ONCE_INIT;

static uint16_t id_before(const void *payload, size_t distance)
{
    uint16_t id;

    memcpy(&id, (const char *)payload - distance, sizeof(id));
    return id;
}

static void find_layout(void)
{
    static const size_t distances[] = {6, 2};
    lua_State *L = luaL_newstate();
    const void *one, *two;
    size_t i, d;

    if (L == NULL)
        return;
    if (luaL_loadstring(L, "return 1LL, 1ULL, 2LL") == 0 &&
        lua_pcall(L, 0, 3, 0) == 0 && lua_type(L, 1) == TYPE_CDATA) {
        for (i = 0; i < 2 && layout.distance == 0; i++) {
            d = distances[i];
            one = lua_topointer(L, 1);
            two = lua_topointer(L, 2);
            if (id_before(one, d) == 11 && id_before(two, d) == 12 &&
                id_before(lua_topointer(L, 3), d) == 11) {
                layout.int64 = id_before(one, d);
                layout.uint64 = id_before(two, d);
                layout.distance = d;
            }
        }
    }
    lua_close(L);
}

bool mcp_int64_read(lua_State *L, int idx, uint64_t *bits, bool *is_unsigned)
{
    const void *payload;
    uint16_t id;

    if (lua_type(L, idx) != TYPE_CDATA)
        return false;
    (void)pthread_once(&layout_once, find_layout);
    if (layout.distance == 0)
        return false;
    payload = lua_topointer(L, idx);
    id = id_before(payload, layout.distance);
    if (id != layout.int64 && id != layout.uint64)
        return false;
    memcpy(bits, payload, sizeof(*bits));
    *is_unsigned = id == layout.uint64;
    return true;
}

bool mcp_int64_write(lua_State *L, int idx, struct mcp_buf *out)
{
    bool is_unsigned;
    uint64_t bits;

    if (!mcp_int64_read(L, idx, &bits, &is_unsigned))
        return false;
    if (is_unsigned)
        mcp_buf_printf(out, "%" PRIu64, bits);
    else
        mcp_buf_printf(out, "%" PRId64, (int64_t)bits);
    return true;
}

/* The C API makes no cdata: lua/mcp/sandbox.lua does. */
void mcp_int64_push_bits(lua_State *L, uint64_t bits, bool is_unsigned)
{
    luaL_checkstack(L, 5, "a value is nested too deep");
    lua_rawgeti(L, LUA_REGISTRYINDEX, MCP_REF_SANDBOX);
    lua_getfield(L, -1, is_unsigned ? "uint64" : "int64");
    lua_remove(L, -2);
    lua_pushnumber(L, is_unsigned ? (double)(bits >> 32)
                                  : (double)((int64_t)bits >> 32));
    lua_pushnumber(L, (double)(bits & UINT64_C(0xffffffff)));
    lua_call(L, 2, 1);
}

void mcp_int64_push(lua_State *L, const struct mcp_json *v)
{
    int64_t value = (int64_t)v->number;
    char text[24];

    if ((v->flags & MCP_JSON_F_INTEGER) && v->count < sizeof(text)) {
        memcpy(text, v->u.text, v->count);
        text[v->count] = '\0';
        value = strtoll(text, NULL, 10);
    }
    mcp_int64_push_bits(L, (uint64_t)value, false);
}
