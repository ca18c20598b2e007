/*
 * result_block.c - one pass tells what a table is, one more writes it
 *
 * Fields are found by walking the table: a look-up would have to push the name
 * as a Lua string, which may take memory and run the collector.
 */
#include "app/result_block.h"

#include <lauxlib.h>
#include <stdio.h>

#include "app/host.h"
#include "base/codec.h"

/* ---- fields ---- */

bool mcp_mark_is(lua_State *L, int idx, int ref)
{
    bool same;

    if (!lua_istable(L, idx) || !lua_getmetatable(L, idx))
        return false;
    lua_rawgeti(L, LUA_REGISTRYINDEX, ref);
    same = lua_rawequal(L, -1, -2) != 0;
    lua_pop(L, 2);
    return same;
}

/* Is the value at `idx` the string `name`? */
static bool is_name(lua_State *L, int idx, const char *name)
{
    size_t len;
    const char *s;

    if (lua_type(L, idx) != LUA_TSTRING)
        return false;
    s = lua_tolstring(L, idx, &len);
    return strlen(name) == len && memcmp(s, name, len) == 0;
}

static int absolute(lua_State *L, int idx)
{
    return idx > 0 ? idx : lua_gettop(L) + 1 + idx;
}

bool mcp_field_push(lua_State *L, int idx, const char *name)
{
    idx = absolute(L, idx);
    lua_pushnil(L);
    while (lua_next(L, idx)) {
        if (is_name(L, -2, name)) {
            lua_replace(L, -2);
            return true;
        }
        lua_pop(L, 1);
    }
    return false;
}

/* ---- what is a block ---- */

enum {
    HAS_TEXT = 1 << 0,
    HAS_DATA = 1 << 1,
    HAS_MIME = 1 << 2,
    HAS_URI = 1 << 3,
    HAS_NAME = 1 << 4,
    HAS_RESOURCE = 1 << 5,
    HAS_BLOB = 1 << 6,
};

struct member {
    const char *name;
    size_t len;
    int type; /* of Lua */
    unsigned bit;
};

/* clang-format off */
static const struct member members[] = {
    {"text",     4, LUA_TSTRING, HAS_TEXT},
    {"data",     4, LUA_TSTRING, HAS_DATA},
    {"mimeType", 8, LUA_TSTRING, HAS_MIME},
    {"uri",      3, LUA_TSTRING, HAS_URI},
    {"name",     4, LUA_TSTRING, HAS_NAME},
    {"resource", 8, LUA_TTABLE,  HAS_RESOURCE},
    {"blob",     4, LUA_TSTRING, HAS_BLOB},
};
/* clang-format on */

struct block_type {
    const char *name;
    unsigned needs;
};

static const struct block_type types[] = {
    {"text", HAS_TEXT},
    {"image", HAS_DATA | HAS_MIME},
    {"audio", HAS_DATA | HAS_MIME},
    {"resource_link", HAS_URI | HAS_NAME},
    {"resource", HAS_RESOURCE},
};
enum { TYPES = sizeof(types) / sizeof(types[0]) };

/* The bit of the member key[0..len) whose value is at the top, 0: none. */
static unsigned member_bit(lua_State *L, const char *key, size_t len)
{
    size_t i;

    for (i = 0; i < sizeof(members) / sizeof(members[0]); i++)
        if (members[i].len == len && memcmp(members[i].name, key, len) == 0 &&
            lua_type(L, -1) == members[i].type)
            return members[i].bit;
    return 0;
}

static const struct block_type *type_named(lua_State *L)
{
    size_t i;

    for (i = 0; i < TYPES; i++)
        if (is_name(L, -1, types[i].name))
            return &types[i];
    return NULL;
}

/* Which members the table at `idx` has; `*type` is its block type or NULL. A
 * table with a key that is no string has none. */
static unsigned look_at(lua_State *L, int idx, const struct block_type **type)
{
    unsigned bits = 0;
    const char *key;
    size_t len;

    *type = NULL;
    lua_pushnil(L);
    while (lua_next(L, idx)) {
        if (lua_type(L, -2) != LUA_TSTRING) {
            lua_pop(L, 2);
            *type = NULL;
            return 0;
        }
        key = lua_tolstring(L, -2, &len);
        if (len == 4 && memcmp(key, "type", 4) == 0)
            *type = type_named(L);
        else
            bits |= member_bit(L, key, len);
        lua_pop(L, 1);
    }
    return bits;
}

/* Is the `resource` of the block at `idx` one? */
static bool has_contents(lua_State *L, int idx)
{
    const struct block_type *type;
    unsigned bits;

    if (!mcp_field_push(L, idx, "resource"))
        return false;
    bits = look_at(L, lua_gettop(L), &type);
    lua_pop(L, 1);
    return (bits & HAS_URI) != 0 && (bits & (HAS_TEXT | HAS_BLOB)) != 0;
}

/* The type of the table at `idx` when it has all members of it, else NULL. */
static const struct block_type *complete_type(lua_State *L, int idx)
{
    const struct block_type *type;
    unsigned bits = look_at(L, idx, &type);

    if (type == NULL || (bits & type->needs) != type->needs)
        return NULL;
    if (type->needs == HAS_RESOURCE && !has_contents(L, idx))
        return NULL;
    return type;
}

bool mcp_block_is(lua_State *L, int idx, enum mcp_block_rule rule)
{
    idx = absolute(L, idx);
    if (!lua_istable(L, idx))
        return false;
    if (mcp_mark_is(L, idx, MCP_REF_BLOCK_MARK))
        return true;
    return rule == MCP_BLOCKS_ANY && complete_type(L, idx) != NULL;
}

int mcp_block_list_count(lua_State *L, int idx, enum mcp_block_rule rule)
{
    int count = 0, i;

    idx = absolute(L, idx);
    if (!lua_istable(L, idx))
        return -1;
    lua_pushnil(L);
    while (lua_next(L, idx)) {
        if (lua_type(L, -2) != LUA_TNUMBER || !mcp_block_is(L, -1, rule)) {
            lua_pop(L, 2);
            return -1;
        }
        count++;
        lua_pop(L, 1);
    }
    for (i = 1; i <= count; i++) {
        lua_rawgeti(L, idx, i);
        if (lua_isnil(L, -1))
            count = -1;
        lua_pop(L, 1);
    }
    return count;
}

/* ---- writing ---- */

/* `path`, then "/key" unless it is NULL, then `rest`, as the error's path. */
static enum mcp_err refuse(struct mcp_block_writer *w, const char *path,
                           const char *key, const char *rest,
                           const char *message)
{
    size_t room = sizeof(w->error->path);
    int n = snprintf(w->error->path, room, "%s%s%s%s", path,
                     key != NULL ? "/" : "", key != NULL ? key : "", rest);

    if (n < 0 || (size_t)n >= room)
        memcpy(w->error->path + room - 4, "...", 4);
    (void)snprintf(w->error->message, sizeof(w->error->message), "%s", message);
    return MCP_EINVAL;
}

static enum mcp_err refuse_size(struct mcp_block_writer *w, const char *path,
                                const char *key, size_t size)
{
    char message[sizeof(w->error->message)];

    (void)snprintf(message, sizeof(message),
                   "has %zu bytes, more than max_blob_bytes (%zu)", size,
                   w->options->max_blob_bytes);
    w->too_big = true;
    return refuse(w, path, key, "", message);
}

/* Writes the value at the top as the member `key`. */
static enum mcp_err write_plain(struct mcp_block_writer *w, const char *path,
                                const char *key)
{
    struct mcp_value_error error;
    enum mcp_err err = mcp_value_write(w->L, -1, w->out, NULL, &error);

    if (err == MCP_EINVAL)
        return refuse(w, path, key, error.path, error.message);
    return err;
}

/* Writes the string at the top: bytes, or base64 text of the author. */
static enum mcp_err write_bytes(struct mcp_block_writer *w, const char *path,
                                const char *key, bool marked)
{
    size_t len, size;
    const char *s = lua_tolstring(w->L, -1, &len);
    long long decoded =
        marked ? (long long)len : mcp_base64_check(MCP_BASE64, s, len);

    if (decoded < 0)
        return refuse(w, path, key, "",
                      "is not base64; mcp.image, mcp.audio and mcp.embedded "
                      "take the bytes themselves");
    size = (size_t)decoded;
    if (size > w->options->max_blob_bytes)
        return refuse_size(w, path, key, size);
    mcp_buf_putc(w->out, '"');
    if (marked)
        mcp_base64_write(w->out, MCP_BASE64, s, len);
    else
        mcp_buf_add(w->out, s, len);
    mcp_buf_putc(w->out, '"');
    return MCP_OK;
}

/* Has the client's revision no member of this name in blocks? */
static bool is_unknown(const struct mcp_block_writer *w, const char *key)
{
    enum mcp_revision r = w->options->revision;

    return (strcmp(key, "_meta") == 0 && r < MCP_2025_06_18) ||
           (strcmp(key, "icons") == 0 && r < MCP_2025_11_25);
}

static enum mcp_err write_members(struct mcp_block_writer *w, int idx,
                                  const char *path, bool marked, bool inside);

static enum mcp_err write_resource(struct mcp_block_writer *w, const char *path,
                                   bool marked)
{
    char below[64];
    enum mcp_err err;

    (void)snprintf(below, sizeof(below), "%s/resource", path);
    mcp_buf_putc(w->out, '{');
    err = write_members(w, lua_gettop(w->L), below, marked, true);
    mcp_buf_putc(w->out, '}');
    return err;
}

/* Writes text[0..len), which is UTF-8, behind the prefix, if there is one. */
static void write_prefixed(struct mcp_block_writer *w, const char *text,
                           size_t len)
{
    if (w->prefix == NULL) {
        mcp_json_write_string(w->out, text, len);
        return;
    }
    mcp_buf_putc(w->out, '"');
    mcp_json_write_escaped(w->out, w->prefix, strlen(w->prefix));
    mcp_buf_puts(w->out, "\\n\\n");
    mcp_json_write_escaped(w->out, text, len);
    mcp_buf_putc(w->out, '"');
    w->prefix = NULL;
}

/* Writes the string at the top as the `text` of a text block. */
static enum mcp_err write_text(struct mcp_block_writer *w, const char *path)
{
    size_t len;
    const char *s = lua_tolstring(w->L, -1, &len);

    if (w->prefix == NULL || !mcp_utf8_valid(s, len, NULL))
        return write_plain(w, path, "text");
    write_prefixed(w, s, len);
    return MCP_OK;
}

/* Writes the value of the member at the top of the stack. */
static enum mcp_err write_member(struct mcp_block_writer *w, const char *path,
                                 const char *key, bool marked, bool inside)
{
    int type = lua_type(w->L, -1);

    if (type == LUA_TSTRING && strcmp(key, inside ? "blob" : "data") == 0)
        return write_bytes(w, path, key, marked);
    if (type == LUA_TTABLE && !inside && strcmp(key, "resource") == 0)
        return write_resource(w, path, marked);
    if (type == LUA_TSTRING && !inside && strcmp(key, "text") == 0)
        return write_text(w, path);
    return write_plain(w, path, key);
}

/* Writes the members of the table at `idx`; in the block itself behind the
 * type, which has been written. */
static enum mcp_err write_members(struct mcp_block_writer *w, int idx,
                                  const char *path, bool marked, bool inside)
{
    const char *key, *before = inside ? "" : ",";
    enum mcp_err err;
    size_t len;

    lua_pushnil(w->L);
    for (; lua_next(w->L, idx); lua_pop(w->L, 1)) {
        if (lua_type(w->L, -2) != LUA_TSTRING)
            return refuse(w, path, NULL, "", "has a key that is no string");
        key = lua_tolstring(w->L, -2, &len);
        if (is_unknown(w, key) || (!inside && strcmp(key, "type") == 0))
            continue;
        if (!mcp_utf8_valid(key, len, NULL))
            return refuse(w, path, NULL, "",
                          "has a key that is not valid UTF-8");
        mcp_buf_puts(w->out, before);
        before = ",";
        mcp_json_write_string(w->out, key, len);
        mcp_buf_putc(w->out, ':');
        err = write_member(w, path, key, marked, inside);
        if (err != MCP_OK)
            return err;
    }
    return MCP_OK;
}

/* 2025-03-26 knows no links: the URI as text. */
static enum mcp_err write_link_as_text(struct mcp_block_writer *w, int idx,
                                       const char *path)
{
    char below[64];
    const char *s;
    size_t len;

    (void)snprintf(below, sizeof(below), "%s/uri", path);
    (void)mcp_field_push(w->L, idx, "uri");
    s = lua_tolstring(w->L, -1, &len);
    return mcp_block_write_text(w, s, len, below);
}

static enum mcp_err write_block(struct mcp_block_writer *w, int idx,
                                const char *path)
{
    const struct block_type *type = complete_type(w->L, idx);
    enum mcp_err err;

    if (type == NULL)
        return refuse(w, path, NULL, "",
                      "is a content block with a member missing or of the "
                      "wrong type");
    if ((type->needs & HAS_URI) != 0 && w->options->revision < MCP_2025_06_18)
        return write_link_as_text(w, idx, path);
    mcp_buf_puts(w->out, "{\"type\":\"");
    mcp_buf_puts(w->out, type->name);
    mcp_buf_putc(w->out, '"');
    err = write_members(w, idx, path,
                        mcp_mark_is(w->L, idx, MCP_REF_BLOCK_MARK), false);
    mcp_buf_putc(w->out, '}');
    return err;
}

enum mcp_err mcp_block_write(struct mcp_block_writer *w, int idx,
                             const char *path)
{
    int top = lua_gettop(w->L);
    enum mcp_err err;

    err = write_block(w, absolute(w->L, idx), path);
    lua_settop(w->L, top);
    return err != MCP_OK || !w->out->failed ? err : MCP_ENOMEM;
}

enum mcp_err mcp_block_write_text(struct mcp_block_writer *w, const char *text,
                                  size_t len, const char *path)
{
    char message[64];
    size_t bad;

    if (!mcp_utf8_valid(text, len, &bad)) {
        (void)snprintf(message, sizeof(message),
                       "is not valid UTF-8 (byte %zu)", bad + 1);
        return refuse(w, path, NULL, "", message);
    }
    mcp_buf_puts(w->out, "{\"type\":\"text\",\"text\":");
    write_prefixed(w, text, len);
    mcp_buf_putc(w->out, '}');
    return MCP_OK;
}

enum mcp_err mcp_block_write_list(struct mcp_block_writer *w, int idx,
                                  int count, const char *path)
{
    enum mcp_err err = MCP_OK;
    char below[64];
    const char *s;
    size_t len;
    int i;

    idx = absolute(w->L, idx);
    mcp_buf_putc(w->out, '[');
    for (i = 1; i <= count && err == MCP_OK; i++) {
        if (i > 1)
            mcp_buf_putc(w->out, ',');
        (void)snprintf(below, sizeof(below), "%s/%d", path, i - 1);
        lua_rawgeti(w->L, idx, i);
        if (lua_type(w->L, -1) == LUA_TSTRING) {
            s = lua_tolstring(w->L, -1, &len);
            err = mcp_block_write_text(w, s, len, below);
        } else {
            err = mcp_block_write(w, -1, below);
        }
        lua_pop(w->L, 1);
    }
    mcp_buf_putc(w->out, ']');
    return err != MCP_OK || !w->out->failed ? err : MCP_ENOMEM;
}
