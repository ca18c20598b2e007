/*
 * bind_shared.c - see bind_shared.h
 *
 * Rule: arguments first, C second, results last. What crosses into Lua crosses
 * in a protected call, so that no buffer is lost when Lua memory is refused;
 * no lock is ever held in Lua.
 */
#include "app/bind_shared.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "app/host.h"
#include "app/shared_value.h"
#include "base/clock.h"

#define TYPE_NAME "mcp.shared"

enum {
    /* Of C stack that an operation may need. Touched before a lock is taken:
     * a run that overflows its stack is left by a jump, which must not be out
     * of a locked region. */
    STACK_BYTES = 16 << 10,
    PAGE_BYTES = 4 << 10,
    KEYS_MAX_BYTES = 1 << 30,
};

__attribute__((noinline)) static void touch_stack(void)
{
    volatile char room[STACK_BYTES];

    for (size_t i = STACK_BYTES; i > 0; i -= PAGE_BYTES)
        room[i - 1] = 0;
    (void)room[PAGE_BYTES - 1];
}

/* ---- arguments ------------------------------------------------------------
 */

static struct mcp_shared_dict *dict_at(lua_State *L)
{
    void *dict = luaL_testudata(L, 1, TYPE_NAME);

    if (dict == NULL)
        luaL_error(L,
                   "a method of mcp.shared is called with a colon, like "
                   "s:get(key); its first argument was a %s",
                   luaL_typename(L, 1));
    return *(struct mcp_shared_dict **)dict;
}

/* A string or a number, which becomes one. */
static struct mcp_shared_text check_key(lua_State *L, int arg)
{
    struct mcp_shared_text key;

    key.data = luaL_checklstring(L, arg, &key.len);
    return key;
}

/* Seconds; absent or nil: 0, for good. */
static uint64_t check_ttl(lua_State *L, int arg)
{
    double s;
    uint64_t ns;

    if (lua_isnoneornil(L, arg))
        return 0;
    s = luaL_checknumber(L, arg);
    luaL_argcheck(L, s > 0, arg, "the time to live is more than 0 seconds");
    ns = mcp_clock_from_seconds(s);
    return ns > 0 ? ns : 1;
}

/* A further load of the app writes nothing. */
static bool may_write(lua_State *L)
{
    const struct mcp_load *load = mcp_host_of(L)->load;

    return load == NULL || load->follow == NULL;
}

/* ---- errors ---------------------------------------------------------------
 */

static int raise(lua_State *L, struct mcp_shared_dict *d, enum mcp_err err,
                 struct mcp_shared_text key)
{
    char name[80];

    (void)snprintf(name, sizeof(name), "\"%.*s\"%s",
                   (int)(key.len < 64 ? key.len : 64), key.data,
                   key.len > 64 ? "..." : "");
    if (err == MCP_EINVAL)
        return luaL_error(L, "the value of %s is no number", name);
    if (err == MCP_ECANCELED)
        return luaL_error(
            L, "the value of %s would be no whole number of 64 bits", name);
    if (err == MCP_ELIMIT)
        return luaL_error(
            L, "the value of %s does not fit: \"%s\" has %f bytes (max_bytes)",
            name, mcp_shared_name(d), (double)mcp_shared_max_bytes(d));
    return luaL_error(L, "not enough memory");
}

/* The value at `arg` as bytes in `out`, which is empty when this raises. */
static void encode(lua_State *L, int arg, struct mcp_shared_dict *d,
                   struct mcp_shared_text key, struct mcp_buf *out)
{
    struct mcp_value_error error = {"", ""};
    enum mcp_err err;

    luaL_checkstack(L, MCP_SHARED_VALUE_STACK, "a shared value");
    mcp_buf_init(out, mcp_shared_max_bytes(d));
    err = mcp_shared_value_write(L, arg, out, &error);
    if (err == MCP_OK)
        return;
    mcp_buf_free(out);
    if (err == MCP_ENOMEM)
        (void)raise(L, d, MCP_ELIMIT, key);
    luaL_error(L, "%s%s %s", error.path[0] != '\0' ? "value " : "the value",
               error.path, error.message);
}

/* ---- results --------------------------------------------------------------
 */

static int push_value(lua_State *L)
{
    const struct mcp_buf *buf = lua_touserdata(L, 1);

    mcp_shared_value_push(L, (struct mcp_shared_text){buf->data, buf->len});
    return 1;
}

/* Calls the function below the argument at the top, then frees `buf`. */
static int give(lua_State *L, struct mcp_buf *buf)
{
    int failed = lua_pcall(L, 1, 1, 0);

    mcp_buf_free(buf);
    return failed ? lua_error(L) : 1;
}

/* ---- methods --------------------------------------------------------------
 */

/* get(key) -> value | nil */
static int shared_get(lua_State *L)
{
    struct mcp_shared_dict *d = dict_at(L);
    struct mcp_shared_text key = check_key(L, 2);
    struct mcp_buf value;
    enum mcp_err err;

    touch_stack();
    luaL_checkstack(L, 4, "a shared value");
    lua_pushcfunction(L, push_value);
    lua_pushlightuserdata(L, &value);
    mcp_buf_init(&value, SIZE_MAX / 2);
    err = mcp_shared_get(d, key, &value);
    if (err == MCP_OK)
        return give(L, &value);
    mcp_buf_free(&value);
    return err == MCP_ENOENT ? 0 : raise(L, d, err, key);
}

/* Is there one, without writing? */
static bool is_there(struct mcp_shared_dict *d, struct mcp_shared_text key)
{
    struct mcp_buf value;
    enum mcp_err err;

    mcp_buf_init(&value, SIZE_MAX / 2);
    err = mcp_shared_get(d, key, &value);
    mcp_buf_free(&value);
    return err != MCP_ENOENT;
}

/* set(key, value, ttl?); nil deletes */
static int shared_set(lua_State *L)
{
    struct mcp_shared_dict *d = dict_at(L);
    struct mcp_shared_text key = check_key(L, 2);
    uint64_t ttl_ns = check_ttl(L, 4);
    struct mcp_buf value;
    enum mcp_err err;

    luaL_checkany(L, 3);
    touch_stack();
    if (lua_isnil(L, 3)) {
        if (may_write(L))
            (void)mcp_shared_delete(d, key);
        return 0;
    }
    encode(L, 3, d, key, &value);
    err = may_write(L)
              ? mcp_shared_set(d, key,
                               (struct mcp_shared_text){value.data, value.len},
                               ttl_ns)
              : MCP_OK;
    mcp_buf_free(&value);
    return err == MCP_OK ? 0 : raise(L, d, err, key);
}

/* add(key, value, ttl?) -> was there none? */
static int shared_add(lua_State *L)
{
    struct mcp_shared_dict *d = dict_at(L);
    struct mcp_shared_text key = check_key(L, 2);
    uint64_t ttl_ns = check_ttl(L, 4);
    struct mcp_buf value;
    enum mcp_err err;

    luaL_checkany(L, 3);
    luaL_argcheck(L, !lua_isnil(L, 3), 3, "nil cannot be added");
    touch_stack();
    encode(L, 3, d, key, &value);
    if (may_write(L))
        err = mcp_shared_add(
            d, key, (struct mcp_shared_text){value.data, value.len}, ttl_ns);
    else
        err = is_there(d, key) ? MCP_EEXIST : MCP_OK;
    mcp_buf_free(&value);
    if (err != MCP_OK && err != MCP_EEXIST)
        return raise(L, d, err, key);
    lua_pushboolean(L, err == MCP_OK);
    return 1;
}

/* The number that is there, 0 when there is none. */
static enum mcp_err look(struct mcp_shared_dict *d, struct mcp_shared_text key,
                         struct mcp_shared_number *now)
{
    struct mcp_buf value;
    enum mcp_err err;

    *now = (struct mcp_shared_number){MCP_SHARED_DOUBLE, {.d = 0}};
    mcp_buf_init(&value, SIZE_MAX / 2);
    err = mcp_shared_get(d, key, &value);
    if (err == MCP_OK &&
        !mcp_shared_number_read((struct mcp_shared_text){value.data, value.len},
                                now))
        err = MCP_EINVAL;
    mcp_buf_free(&value);
    return err == MCP_ENOENT ? MCP_OK : err;
}

/* incr(key, n?, ttl?) -> the new value */
static int shared_incr(lua_State *L)
{
    struct mcp_shared_dict *d = dict_at(L);
    struct mcp_shared_text key = check_key(L, 2);
    struct mcp_shared_number by = {MCP_SHARED_DOUBLE, {.d = 1}}, now;
    uint64_t ttl_ns = check_ttl(L, 4);
    enum mcp_err err;

    if (!lua_isnoneornil(L, 3))
        luaL_argcheck(L, mcp_shared_value_number(L, 3, &by), 3,
                      "must be a number");
    touch_stack();
    err = may_write(L) ? mcp_shared_incr(d, key, by, ttl_ns, &now)
                       : look(d, key, &now);
    if (err != MCP_OK)
        return raise(L, d, err, key);
    mcp_shared_value_push_number(L, now);
    return 1;
}

/* delete(key) -> was there one? */
static int shared_delete(lua_State *L)
{
    struct mcp_shared_dict *d = dict_at(L);
    struct mcp_shared_text key = check_key(L, 2);

    touch_stack();
    lua_pushboolean(L, may_write(L) ? mcp_shared_delete(d, key)
                                    : is_there(d, key));
    return 1;
}

/* ---- keys ----------------------------------------------------------------
 */

/* Keys in byte order; they lie in `bytes`. */
struct key_list {
    struct mcp_buf bytes;
    struct mcp_shared_text *keys; /* OWNED */
    size_t count;
};

static int compare(const void *left, const void *right)
{
    const struct mcp_shared_text *a = left, *b = right;
    size_t len = a->len < b->len ? a->len : b->len;
    int order = memcmp(a->data, b->data, len);

    if (order != 0)
        return order;
    return a->len < b->len ? -1 : a->len > b->len;
}

/* The length at `at` of the bytes. */
static size_t length_at(const struct key_list *list, size_t at)
{
    size_t len;

    memcpy(&len, list->bytes.data + at, sizeof(len));
    return len;
}

/* Finds the keys in the bytes and puts them in order; false: no memory. */
static bool sort_keys(struct key_list *list)
{
    size_t at;

    for (at = 0; at < list->bytes.len; list->count++)
        at += sizeof(size_t) + length_at(list, at);
    list->keys = calloc(list->count + 1, sizeof(*list->keys));
    if (list->keys == NULL)
        return false;
    at = 0;
    for (size_t i = 0; i < list->count; i++) {
        list->keys[i].len = length_at(list, at);
        list->keys[i].data = list->bytes.data + at + sizeof(size_t);
        at += sizeof(size_t) + list->keys[i].len;
    }
    qsort(list->keys, list->count, sizeof(*list->keys), compare);
    return true;
}

static int push_keys(lua_State *L)
{
    const struct key_list *list = lua_touserdata(L, 1);

    lua_createtable(L, (int)list->count, 0);
    for (size_t i = 0; i < list->count; i++) {
        lua_pushlstring(L, list->keys[i].data, list->keys[i].len);
        lua_rawseti(L, -2, (int)i + 1);
    }
    mcp_value_mark_array(L, lua_gettop(L));
    return 1;
}

/* keys(prefix?) -> list */
static int shared_keys(lua_State *L)
{
    struct mcp_shared_dict *d = dict_at(L);
    struct mcp_shared_text prefix = {"", 0};
    struct key_list list = {0};
    int failed;

    if (!lua_isnoneornil(L, 2))
        prefix = check_key(L, 2);
    touch_stack();
    luaL_checkstack(L, 4, "keys");
    lua_pushcfunction(L, push_keys);
    lua_pushlightuserdata(L, &list);
    mcp_buf_init(&list.bytes, KEYS_MAX_BYTES);
    if (mcp_shared_keys(d, prefix, &list.bytes) != MCP_OK ||
        !sort_keys(&list)) {
        mcp_buf_free(&list.bytes);
        return luaL_error(L, "not enough memory");
    }
    failed = lua_pcall(L, 1, 1, 0);
    free(list.keys);
    mcp_buf_free(&list.bytes);
    return failed ? lua_error(L) : 1;
}

/* ---- dictionaries ---------------------------------------------------------
 */

static int shared_tostring(lua_State *L)
{
    lua_pushfstring(L, "mcp.shared(\"%s\")", mcp_shared_name(dict_at(L)));
    return 1;
}

/* shared(name, max_bytes?) -> dictionary | nil, message */
static int core_shared(lua_State *L)
{
    struct mcp_shared_text name = check_key(L, 1);
    double max_bytes = luaL_optnumber(L, 2, 0);
    struct mcp_shared_dict *d, **box;
    struct mcp_shared *store = mcp_host_of(L)->shared;
    enum mcp_err err = MCP_ENOMEM;

    luaL_argcheck(L,
                  name.len > 0 && name.len <= MCP_SHARED_MAX_NAME &&
                      memchr(name.data, '\0', name.len) == NULL,
                  1, "must be 1 to 128 bytes without NUL");
    luaL_argcheck(L, max_bytes >= 0 && max_bytes < 0x1p53, 2, "out of range");
    touch_stack();
    box = lua_newuserdata(L, sizeof(struct mcp_shared_dict *));
    *box = NULL;
    if (store != NULL)
        err = mcp_shared_open(store, name, may_write(L) ? (size_t)max_bytes : 0,
                              &d);
    if (err != MCP_OK) {
        lua_pushnil(L);
        lua_pushstring(L, err == MCP_ELIMIT
                              ? "there are 1024 dictionaries already"
                              : "out of memory");
        return 2;
    }
    *box = d;
    luaL_getmetatable(L, TYPE_NAME);
    lua_setmetatable(L, -2);
    return 1;
}

void mcp_bind_shared_open(lua_State *L)
{
    static const luaL_Reg methods[] = {
        {"get", shared_get},   {"set", shared_set},       {"add", shared_add},
        {"incr", shared_incr}, {"delete", shared_delete}, {"keys", shared_keys},
        {NULL, NULL},
    };

    (void)luaL_newmetatable(L, TYPE_NAME);
    lua_newtable(L);
    luaL_register(L, NULL, methods);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, shared_tostring);
    lua_setfield(L, -2, "__tostring");
    lua_pushliteral(L, TYPE_NAME);
    lua_setfield(L, -2, "__metatable");
    lua_pop(L, 1);
    lua_pushcfunction(L, core_shared);
    lua_setfield(L, -2, "shared");
}
