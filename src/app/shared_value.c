/*
 * shared_value.c - see shared_value.h
 *
 *   'z' mcp.null   'f' 't' booleans   'd' 'i' 'u' and 8 bytes
 *   's' length, bytes
 *   '{' mark, count, items 1..count, count, pairs of key and value
 *
 * Lengths and counts are size_t in the order of this machine: the bytes never
 * leave the process.
 */
#include "app/shared_value.h"

#include <lauxlib.h>
#include <math.h>
#include <string.h>

#include "app/host.h"
#include "app/value_int64.h"
#include "app/value_write.h"

enum { TYPE_CDATA = 10 }; /* LuaJIT's lua_type() of a cdata */

/* A mark and the letter that stands for it. */
static const struct {
    char letter;
    int ref;
} marks[] = {
    {'a', MCP_REF_ARRAY_MARK},
    {'o', MCP_REF_OBJECT_MARK},
    {'b', MCP_REF_BLOCK_MARK},
    {'r', MCP_REF_RESULT_MARK},
};

enum { MARK_COUNT = sizeof(marks) / sizeof(marks[0]) };

/* ---- writing --------------------------------------------------------------
 */

static enum mcp_err write_any(struct mcp_value_writer *w,
                              const struct mcp_place *at);

/* Of the table at the top. */
static char mark_of(lua_State *L)
{
    char letter = '-';

    if (!lua_getmetatable(L, -1))
        return letter;
    for (size_t i = 0; i < MARK_COUNT && letter == '-'; i++) {
        lua_rawgeti(L, LUA_REGISTRYINDEX, marks[i].ref);
        if (lua_rawequal(L, -1, -2))
            letter = marks[i].letter;
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return letter;
}

static void write_size(struct mcp_buf *out, size_t n)
{
    mcp_buf_add(out, &n, sizeof(n));
}

static void write_string(lua_State *L, int idx, struct mcp_buf *out)
{
    size_t len;
    const char *text = lua_tolstring(L, idx, &len);

    mcp_buf_putc(out, 's');
    write_size(out, len);
    mcp_buf_add(out, text, len);
}

static void write_number(struct mcp_buf *out, struct mcp_shared_number n)
{
    char bytes[MCP_SHARED_NUMBER_BYTES];

    mcp_shared_number_write(n, bytes);
    mcp_buf_add(out, bytes, sizeof(bytes));
}

/* Is the key at -2 one of the items 1..count? */
static bool is_item(lua_State *L, size_t count)
{
    double key;

    if (lua_type(L, -2) != LUA_TNUMBER)
        return false;
    key = lua_tonumber(L, -2);
    return key >= 1 && key <= (double)count && key == floor(key);
}

/* The key at -2; `child` gets its place. A key that is no string is told as a
 * string in paths: `text` has room for it. */
static enum mcp_err write_key(struct mcp_value_writer *w,
                              const struct mcp_place *at,
                              struct mcp_place *child, char text[static 32])
{
    lua_State *L = w->L;

    child->key = text;
    switch (lua_type(L, -2)) {
    case LUA_TSTRING:
        child->key = lua_tolstring(L, -2, &child->n);
        write_string(L, -2, w->out);
        return MCP_OK;
    case LUA_TNUMBER:
        (void)snprintf(text, 32, "%.14g", lua_tonumber(L, -2));
        break;
    case LUA_TBOOLEAN:
        (void)snprintf(text, 32, "%s", lua_toboolean(L, -2) ? "true" : "false");
        break;
    default:
        return mcp_value_refuse(w, at, "has a key that is a %s",
                                luaL_typename(L, -2));
    }
    child->n = strlen(text);
    lua_pushvalue(L, -2);
    (void)!write_any(w, child); /* a number or a boolean */
    lua_pop(L, 1);
    return MCP_OK;
}

/* All pairs of the table at `t` but its items. */
static enum mcp_err write_pairs(struct mcp_value_writer *w,
                                const struct mcp_place *at, int t, size_t items)
{
    struct mcp_place child = {.up = at, .depth = at->depth + 1};
    size_t count_at = w->out->len, count = 0;
    enum mcp_err err = MCP_OK;
    char text[32];

    write_size(w->out, 0);
    lua_pushnil(w->L);
    while (lua_next(w->L, t)) {
        if (!is_item(w->L, items)) {
            err = write_key(w, at, &child, text);
            if (err == MCP_OK)
                err = write_any(w, &child);
            if (err != MCP_OK)
                return err;
            count++;
        }
        lua_pop(w->L, 1);
    }
    if (!w->out->failed)
        memcpy(w->out->data + count_at, &count, sizeof(count));
    return err;
}

static enum mcp_err write_table(struct mcp_value_writer *w,
                                const struct mcp_place *at)
{
    struct mcp_place here = *at;
    struct mcp_place child = {.up = &here, .depth = at->depth + 1};
    int t = lua_gettop(w->L);
    size_t count = lua_objlen(w->L, t);

    here.table = lua_topointer(w->L, t);
    if (here.depth >= MCP_VALUE_MAX_DEPTH)
        return mcp_value_refuse_depth(w, &here);
    mcp_buf_putc(w->out, '{');
    mcp_buf_putc(w->out, mark_of(w->L));
    write_size(w->out, count);
    for (child.n = 0; child.n < count; child.n++) {
        enum mcp_err err;

        lua_rawgeti(w->L, t, (int)child.n + 1);
        err = write_any(w, &child);
        if (err != MCP_OK)
            return err;
        lua_pop(w->L, 1);
    }
    return write_pairs(w, &here, t, count);
}

static enum mcp_err refuse_type(struct mcp_value_writer *w,
                                const struct mcp_place *at)
{
    return mcp_value_refuse(
        w, at, "is a %s, which cannot be shared",
        lua_type(w->L, -1) == TYPE_CDATA ? "cdata" : luaL_typename(w->L, -1));
}

/* The value at the top of the stack, which stays there. */
static enum mcp_err write_any(struct mcp_value_writer *w,
                              const struct mcp_place *at)
{
    struct mcp_shared_number n;

    if (w->out->failed)
        return MCP_ENOMEM;
    switch (lua_type(w->L, -1)) {
    case LUA_TNIL: /* an item beside a border of a list with holes */
        mcp_buf_putc(w->out, 'n');
        return MCP_OK;
    case LUA_TBOOLEAN:
        mcp_buf_putc(w->out, lua_toboolean(w->L, -1) ? 't' : 'f');
        return MCP_OK;
    case LUA_TSTRING:
        write_string(w->L, -1, w->out);
        return MCP_OK;
    case LUA_TTABLE:
        return write_table(w, at);
    case LUA_TLIGHTUSERDATA:
        if (lua_touserdata(w->L, -1) != NULL)
            return refuse_type(w, at);
        mcp_buf_putc(w->out, 'z');
        return MCP_OK;
    default:
        if (!mcp_shared_value_number(w->L, -1, &n))
            return refuse_type(w, at);
        write_number(w->out, n);
        return MCP_OK;
    }
}

enum mcp_err mcp_shared_value_write(lua_State *L, int idx, struct mcp_buf *out,
                                    struct mcp_value_error *error)
{
    struct mcp_value_writer w = {.L = L, .out = out, .error = error};
    const struct mcp_place root = {0};
    int top = lua_gettop(L);
    enum mcp_err err;

    lua_pushvalue(L, idx);
    err = write_any(&w, &root);
    lua_settop(L, top);
    return err == MCP_OK && out->failed ? MCP_ENOMEM : err;
}

bool mcp_shared_value_number(lua_State *L, int idx,
                             struct mcp_shared_number *out)
{
    bool is_unsigned;

    if (lua_type(L, idx) == LUA_TNUMBER) {
        out->tag = MCP_SHARED_DOUBLE;
        out->as.d = lua_tonumber(L, idx);
        return true;
    }
    if (!mcp_int64_read(L, idx, &out->as.u, &is_unsigned))
        return false;
    out->tag = is_unsigned ? MCP_SHARED_UINT64 : MCP_SHARED_INT64;
    return true;
}

/* ---- reading --------------------------------------------------------------
 */

/* Where the next byte is; what is there was written above. */
struct reader {
    const char *at;
};

static void push_any(lua_State *L, struct reader *r);

static size_t read_size(struct reader *r)
{
    size_t n;

    memcpy(&n, r->at, sizeof(n));
    r->at += sizeof(n);
    return n;
}

static void push_string(lua_State *L, struct reader *r)
{
    size_t len = read_size(r);

    lua_pushlstring(L, r->at, len);
    r->at += len;
}

void mcp_shared_value_push_number(lua_State *L, struct mcp_shared_number n)
{
    if (n.tag == MCP_SHARED_DOUBLE)
        lua_pushnumber(L, n.as.d);
    else
        mcp_int64_push_bits(L, n.as.u, n.tag == MCP_SHARED_UINT64);
}

static void push_number(lua_State *L, struct reader *r)
{
    struct mcp_shared_number n = {.tag = MCP_SHARED_DOUBLE};

    (void)!mcp_shared_number_read(
        (struct mcp_shared_text){r->at, MCP_SHARED_NUMBER_BYTES}, &n);
    r->at += MCP_SHARED_NUMBER_BYTES;
    mcp_shared_value_push_number(L, n);
}

static void set_mark(lua_State *L, char letter)
{
    for (size_t i = 0; i < MARK_COUNT; i++)
        if (marks[i].letter == letter) {
            lua_rawgeti(L, LUA_REGISTRYINDEX, marks[i].ref);
            lua_setmetatable(L, -2);
        }
}

static void push_table(lua_State *L, struct reader *r)
{
    char mark = *r->at++;
    size_t i, count = read_size(r);

    luaL_checkstack(L, 4, "a shared value is nested too deep");
    lua_createtable(L, (int)count, 0);
    for (i = 1; i <= count; i++) {
        push_any(L, r);
        lua_rawseti(L, -2, (int)i);
    }
    for (count = read_size(r); count > 0; count--) {
        push_any(L, r);
        push_any(L, r);
        lua_rawset(L, -3);
    }
    set_mark(L, mark);
}

static void push_any(lua_State *L, struct reader *r)
{
    switch (*r->at) {
    case MCP_SHARED_DOUBLE:
    case MCP_SHARED_INT64:
    case MCP_SHARED_UINT64:
        push_number(L, r);
        return;
    default:
        break;
    }
    switch (*r->at++) {
    case 's':
        push_string(L, r);
        break;
    case '{':
        push_table(L, r);
        break;
    case 't':
        lua_pushboolean(L, 1);
        break;
    case 'f':
        lua_pushboolean(L, 0);
        break;
    case 'z':
        lua_pushlightuserdata(L, NULL);
        break;
    default:
        lua_pushnil(L);
        break;
    }
}

void mcp_shared_value_push(lua_State *L, struct mcp_shared_text value)
{
    struct reader r = {value.data};

    luaL_checkstack(L, 4, "a shared value");
    push_any(L, &r);
}
