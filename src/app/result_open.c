/*
 * result_open.c - mcp.text, mcp.image, ...: checked, marked, in MCP spelling
 *
 * Each function reads its arguments, raises when one is wrong, and returns a
 * new table. They hold no C memory, so lack of Lua memory may raise anywhere.
 */
#include <lauxlib.h>
#include <math.h>
#include <string.h>

#include "app/host.h"
#include "app/result.h"
#include "app/result_block.h"
#include "app/result_write.h"
#include "app/value.h"
#include "base/suggest.h"

enum { MAX_FIELDS = 10 };

/* A field of a constructor's table. */
struct field {
    const char *name; /* in Lua                              */
    const char *wire; /* in MCP; NULL: the caller places it  */
    int type;         /* of Lua; LUA_TNONE: any but nil      */
    bool required;
};

static void set_mark(lua_State *L, int ref)
{
    lua_rawgeti(L, LUA_REGISTRYINDEX, ref);
    lua_setmetatable(L, -2);
}

/* Raises for the field whose key is at the top. */
static void refuse_field(lua_State *L, const char *what,
                         const struct field *fields)
{
    const char *names[MAX_FIELDS], *near = NULL, *key;
    size_t n, len;

    if (lua_type(L, -1) != LUA_TSTRING)
        luaL_error(L, "mcp.%s: the table has a %s as a key", what,
                   luaL_typename(L, -1));
    for (n = 0; fields[n].name != NULL; n++)
        names[n] = fields[n].name;
    key = lua_tolstring(L, -1, &len);
    near = mcp_suggest(key, len, names, n);
    if (near != NULL)
        luaL_error(L, "mcp.%s: unknown field \"%s\"; did you mean \"%s\"?",
                   what, key, near);
    lua_pushliteral(L, "");
    for (size_t i = 0; i < n; i++) {
        lua_pushfstring(L, "%s%s%s", lua_tostring(L, -1), i == 0 ? "" : ", ",
                        names[i]);
        lua_remove(L, -2);
    }
    luaL_error(L, "mcp.%s: unknown field \"%s\"; there is %s", what, key,
               lua_tostring(L, -1));
}

/* The entry of fields[] whose name is the key at index -2; raises. */
static const struct field *find_field(lua_State *L, const char *what,
                                      const struct field *fields)
{
    const struct field *f;
    const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";

    for (f = fields; f->name != NULL; f++)
        if (strcmp(f->name, key) == 0)
            return f;
    lua_pop(L, 1);
    refuse_field(L, what, fields);
    return NULL;
}

static void check_required(lua_State *L, const char *what,
                           const struct field *fields)
{
    const struct field *f;

    for (f = fields; f->name != NULL; f++) {
        if (f->required && !mcp_field_push(L, 1, f->name))
            luaL_error(L, "mcp.%s: `%s` is missing", what, f->name);
        if (f->required)
            lua_pop(L, 1);
    }
}

/* Checks the table that is the only argument against fields[] and copies what
 * has a wire name into the table at `to`. */
static void read_fields(lua_State *L, const char *what,
                        const struct field *fields, int to)
{
    const struct field *f;

    check_required(L, what, fields);
    lua_pushnil(L);
    while (lua_next(L, 1)) {
        f = find_field(L, what, fields);
        if (f->type != LUA_TNONE && lua_type(L, -1) != f->type)
            luaL_error(L, "mcp.%s: `%s` must be a %s, got %s", what, f->name,
                       lua_typename(L, f->type), luaL_typename(L, -1));
        if (f->wire == NULL) {
            lua_pop(L, 1);
            continue;
        }
        lua_pushstring(L, f->wire);
        lua_insert(L, -2);
        lua_rawset(L, to);
    }
}

/* Makes sure that the one argument is a table, and the only one. */
static void check_table(lua_State *L, const char *what)
{
    if (!lua_istable(L, 1))
        luaL_error(L, "mcp.%s wants a table, got %s", what,
                   luaL_typename(L, 1));
    lua_settop(L, 1);
}

static void check_string(lua_State *L, int arg, const char *what,
                         const char *name)
{
    if (!lua_isstring(L, arg))
        luaL_error(L, "mcp.%s: the %s must be a string, got %s", what, name,
                   luaL_typename(L, arg));
}

/* Sets field `name` of the table at the top to the value at `idx`. */
static void set_field(lua_State *L, const char *name, int idx)
{
    lua_pushstring(L, name);
    lua_pushvalue(L, idx);
    lua_rawset(L, -3);
}

static void new_block(lua_State *L, const char *type, int fields)
{
    lua_createtable(L, 0, fields + 1);
    lua_pushstring(L, "type");
    lua_pushstring(L, type);
    lua_rawset(L, -3);
    set_mark(L, MCP_REF_BLOCK_MARK);
}

/* mcp.text(text) -> block */
static int make_text(lua_State *L)
{
    check_string(L, 1, "text", "text");
    (void)lua_tostring(L, 1);
    new_block(L, "text", 1);
    set_field(L, "text", 1);
    return 1;
}

/* Raises unless the string at `idx` looks like "image/png". */
static void check_mime(lua_State *L, int idx, const char *what)
{
    size_t len;
    const char *s = lua_tolstring(L, idx, &len);
    const char *slash = memchr(s, '/', len);

    if (slash == NULL || slash == s || slash == s + len - 1)
        luaL_error(L,
                   "mcp.%s: mime_type must look like \"image/png\", got "
                   "\"%.64s\"",
                   what, s);
}

/* The same for the optional field `mime_type` of the argument. */
static void check_mime_field(lua_State *L, const char *what)
{
    if (!mcp_field_push(L, 1, "mime_type"))
        return;
    check_mime(L, -1, what);
    lua_pop(L, 1);
}

static int make_media(lua_State *L, const char *type)
{
    check_string(L, 1, type, "bytes");
    check_string(L, 2, type, "mime_type");
    (void)lua_tostring(L, 1);
    check_mime(L, 2, type);
    new_block(L, type, 2);
    set_field(L, "data", 1);
    set_field(L, "mimeType", 2);
    return 1;
}

/* mcp.image(bytes, mime_type) -> block */
static int make_image(lua_State *L)
{
    return make_media(L, "image");
}

/* mcp.audio(bytes, mime_type) -> block */
static int make_audio(lua_State *L)
{
    return make_media(L, "audio");
}

/* mcp.blob(bytes, mime_type?) -> the bytes of a resource, marked as a block of
 * a type that only resources know */
static int make_blob(lua_State *L)
{
    check_string(L, 1, "blob", "bytes");
    (void)lua_tostring(L, 1);
    if (!lua_isnoneornil(L, 2)) {
        check_string(L, 2, "blob", "mime_type");
        check_mime(L, 2, "blob");
    }
    lua_settop(L, 2);
    new_block(L, "blob", 2);
    set_field(L, "data", 1);
    if (!lua_isnil(L, 2))
        set_field(L, "mimeType", 2);
    return 1;
}

/* A prompt's message { role, content }. */
static int make_message(lua_State *L, const char *role)
{
    if (lua_type(L, 1) != LUA_TSTRING && !mcp_block_is(L, 1, MCP_BLOCKS_ANY))
        luaL_error(L, "mcp.%s wants a string or one content block, got %s",
                   role,
                   lua_istable(L, 1) ? "another table" : luaL_typename(L, 1));
    lua_createtable(L, 0, 2);
    lua_pushstring(L, "role");
    lua_pushstring(L, role);
    lua_rawset(L, -3);
    set_field(L, "content", 1);
    return 1;
}

/* mcp.user(content) -> message */
static int make_user(lua_State *L)
{
    return make_message(L, "user");
}

/* mcp.assistant(content) -> message */
static int make_assistant(lua_State *L)
{
    return make_message(L, "assistant");
}

/* mcp.resource_link{ uri, name, title?, description?, mime_type?, size?,
 * annotations?, icons?, meta? } -> block */
static int make_resource_link(lua_State *L)
{
    static const struct field fields[] = {
        {"uri", "uri", LUA_TSTRING, true},
        {"name", "name", LUA_TSTRING, true},
        {"title", "title", LUA_TSTRING, false},
        {"description", "description", LUA_TSTRING, false},
        {"mime_type", "mimeType", LUA_TSTRING, false},
        {"size", "size", LUA_TNUMBER, false},
        {"annotations", "annotations", LUA_TTABLE, false},
        {"icons", "icons", LUA_TTABLE, false},
        {"meta", "_meta", LUA_TTABLE, false},
        {NULL, NULL, 0, false},
    };
    double size;

    check_table(L, "resource_link");
    new_block(L, "resource_link", 9);
    read_fields(L, "resource_link", fields, 2);
    check_mime_field(L, "resource_link");
    if (mcp_field_push(L, 1, "size")) {
        size = lua_tonumber(L, -1);
        if (!(size >= 0) || size != floor(size) || isinf(size))
            luaL_error(L, "mcp.resource_link: `size` must be a count of bytes");
        lua_pop(L, 1);
    }
    return 1;
}

/* Copies field `name` of the argument into the table at the top as `wire`. */
static void copy_field(lua_State *L, const char *name, const char *wire)
{
    if (!mcp_field_push(L, 1, name))
        return;
    lua_pushstring(L, wire);
    lua_insert(L, -2);
    lua_rawset(L, -3);
}

/* mcp.embedded{ uri, text | blob, mime_type?, annotations?, meta? } -> block */
static int make_embedded(lua_State *L)
{
    static const struct field fields[] = {
        {"uri", "uri", LUA_TSTRING, true},
        {"text", "text", LUA_TSTRING, false},
        {"blob", "blob", LUA_TSTRING, false},
        {"mime_type", "mimeType", LUA_TSTRING, false},
        {"annotations", NULL, LUA_TTABLE, false},
        {"meta", NULL, LUA_TTABLE, false},
        {NULL, NULL, 0, false},
    };
    int n = 0;

    check_table(L, "embedded");
    new_block(L, "resource", 3);
    lua_createtable(L, 0, 3);
    read_fields(L, "embedded", fields, 3);
    check_mime_field(L, "embedded");
    n += mcp_field_push(L, 1, "text");
    n += mcp_field_push(L, 1, "blob");
    if (n != 1)
        luaL_error(L, "mcp.embedded wants `text` or `blob`%s",
                   n == 2 ? ", not both" : "");
    lua_settop(L, 3);
    lua_pushstring(L, "resource");
    lua_insert(L, -2);
    lua_rawset(L, 2);
    copy_field(L, "annotations", "annotations");
    copy_field(L, "meta", "_meta");
    return 1;
}

/* mcp.result{ content?, structured?, is_error?, meta? } -> result */
static int make_result(lua_State *L)
{
    static const struct field fields[] = {
        {"content", "content", LUA_TNONE, false},
        {"structured", "structuredContent", LUA_TNONE, false},
        {"is_error", "isError", LUA_TBOOLEAN, false},
        {"meta", "_meta", LUA_TTABLE, false},
        {NULL, NULL, 0, false},
    };
    int type;

    check_table(L, "result");
    lua_createtable(L, 0, 4);
    read_fields(L, "result", fields, 2);
    if (mcp_field_push(L, 1, "content")) {
        type = lua_type(L, -1);
        if (type != LUA_TTABLE && type != LUA_TSTRING)
            luaL_error(L,
                       "mcp.result: `content` must be a string, a content "
                       "block or a list of them, got %s",
                       luaL_typename(L, -1));
        lua_pop(L, 1);
    }
    set_mark(L, MCP_REF_RESULT_MARK);
    return 1;
}

/* The status of mcp.http at the top, which it pops. */
static int check_status(lua_State *L)
{
    double v = lua_tonumber(L, -1);

    if (!(v >= 200 && v <= 599) || v != floor(v))
        luaL_error(L, "mcp.http: `status` must be a whole number from 200 to "
                      "599");
    lua_pop(L, 1);
    return (int)v;
}

/* mcp.http{ status?, headers?, body? } -> an answer of HTTP */
static int make_http(lua_State *L)
{
    static const struct field fields[] = {
        {"status", "status", LUA_TNUMBER, false},
        {"headers", "headers", LUA_TTABLE, false},
        {"body", "body", LUA_TNONE, false},
        {NULL, NULL, 0, false},
    };
    int status = 200;

    check_table(L, "http");
    lua_createtable(L, 0, 3);
    read_fields(L, "http", fields, 2);
    if (mcp_field_push(L, 1, "status"))
        status = check_status(L);
    if (mcp_field_push(L, 1, "headers"))
        mcp_result_check_headers(L, lua_gettop(L));
    lua_settop(L, 2);
    if ((status == 204 || status == 304) && mcp_field_push(L, 1, "body"))
        return luaL_error(L, "mcp.http: an answer with status %d has no body",
                          status);
    set_mark(L, MCP_REF_HTTP_MARK);
    return 1;
}

/* The table argument, or a new one, at the top; another metatable is kept from
 * being lost. */
static int mark_argument(lua_State *L, const char *what, int ref)
{
    bool ours;

    if (lua_isnoneornil(L, 1)) {
        lua_settop(L, 0);
        lua_newtable(L);
    }
    check_table(L, what);
    ours = mcp_mark_is(L, 1, MCP_REF_ARRAY_MARK) ||
           mcp_mark_is(L, 1, MCP_REF_OBJECT_MARK);
    if (!ours && lua_getmetatable(L, 1))
        luaL_error(L, "mcp.%s: the table has a metatable already", what);
    set_mark(L, ref);
    return 1;
}

/* mcp.array(table?) -> the same table, an array also when empty */
static int make_array(lua_State *L)
{
    return mark_argument(L, "array", MCP_REF_ARRAY_MARK);
}

/* mcp.object(table?) -> the same table, an object also when empty */
static int make_object(lua_State *L)
{
    return mark_argument(L, "object", MCP_REF_OBJECT_MARK);
}

/* mcp.is_null(value) -> boolean */
static int is_null(lua_State *L)
{
    lua_pushboolean(L,
                    lua_islightuserdata(L, 1) && lua_touserdata(L, 1) == NULL);
    return 1;
}

void mcp_result_open(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"array", make_array},
        {"object", make_object},
        {"is_null", is_null},
        {"text", make_text},
        {"image", make_image},
        {"audio", make_audio},
        {"resource_link", make_resource_link},
        {"embedded", make_embedded},
        {"blob", make_blob},
        {"user", make_user},
        {"assistant", make_assistant},
        {"result", make_result},
        {"http", make_http},
        {NULL, NULL},
    };

    luaL_register(L, NULL, functions);
    lua_pushstring(L, "null");
    lua_pushlightuserdata(L, NULL);
    lua_rawset(L, -3);
}
