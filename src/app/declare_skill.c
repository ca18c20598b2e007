/*
 * declare_skill.c - see declare_skill.h; the rule of declare.c holds here too
 */
#include "app/declare_skill.h"

#include <errno.h>
#include <lauxlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "app/declare_field.h"
#include "base/codec.h"

static int done(lua_State *L, enum mcp_err err, const char *message)
{
    if (err != MCP_OK)
        return mcp_declare_refuse(L, message);
    lua_pushboolean(L, 1);
    return 1;
}

/* ---- options ---- */

static bool is_false(lua_State *L, const char *key)
{
    bool no;

    lua_getfield(L, 1, key);
    no = lua_isboolean(L, -1) && !lua_toboolean(L, -1);
    lua_pop(L, 1);
    return no;
}

int mcp_declare_set_skills(lua_State *L)
{
    static const char *const scopes[] = {
        [MCP_CACHE_PRIVATE] = "private", [MCP_CACHE_PUBLIC] = "public", NULL};
    struct mcp_load *load = mcp_declare_load(L);
    struct mcp_skills_declared o = {0};

    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    o.hidden = is_false(L, "expose");
    o.no_directories = is_false(L, "directory_read");
    o.max_files = (uint32_t)mcp_field_number(L, 1, "max_files", 0);
    o.max_bytes = (uint64_t)mcp_field_number(L, 1, "max_bytes", 0);
    o.cache.ttl_ms = (int64_t)mcp_field_number(L, 1, "ttl_ms", -1);
    o.cache.scope = -1;
    lua_getfield(L, 1, "cache_scope");
    if (!lua_isnil(L, -1))
        o.cache.scope = luaL_checkoption(L, -1, NULL, scopes);
    if (load->follow == NULL)
        mcp_builder_set_skills(load->builder, &o);
    return done(L, MCP_OK, NULL);
}

/* ---- folders ---- */

/* `path` as it can be opened, in `full`. Errors: MCP_ENOENT no folder is there.
 */
static enum mcp_err find_folder(const struct mcp_load *load, const char *path,
                                char *full, size_t size, char *message,
                                size_t message_size)
{
    const char *folder = path[0] == '/' ? NULL : load->folder;
    struct stat st;
    int n = snprintf(full, size, "%s%s%s", folder == NULL ? "" : folder,
                     folder == NULL ? "" : "/", path);

    if (n < 0 || (size_t)n >= size) {
        (void)snprintf(message, message_size, "the path is too long");
        return MCP_EINVAL;
    }
    errno = ENOTDIR;
    if (stat(full, &st) == 0 && S_ISDIR(st.st_mode))
        return MCP_OK;
    (void)snprintf(message, message_size,
                   "the skills path \"%.256s\" is no folder that can be read: "
                   "%s",
                   path, strerror(errno));
    return MCP_ENOENT;
}

int mcp_declare_add_skill_folder(lua_State *L)
{
    struct mcp_load *load = mcp_declare_load(L);
    char message[MCP_DECLARE_MESSAGE_SIZE], full[4096];
    struct mcp_skill_decl_folder f = {0};
    enum mcp_err err;

    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    f.path = mcp_field_string(L, 1, "path");
    f.prefix = mcp_field_string(L, 1, "prefix");
    if (f.path == NULL || f.prefix == NULL)
        return luaL_error(L, "add_skill_folder needs path and prefix");
    if (load->follow != NULL)
        return done(L, MCP_OK, NULL);
    err =
        find_folder(load, f.path, full, sizeof(full), message, sizeof(message));
    f.path = full;
    if (err == MCP_OK)
        err = mcp_builder_add_skill_folder(load->builder, &f, message,
                                           sizeof(message));
    return done(L, err, message);
}

/* ---- skills in code ---- */

/* The file at the top of the stack; its strings stay in it, or in the
 * generation's sources. */
static enum mcp_err read_file(lua_State *L, struct mcp_skill_decl_file *out,
                              char *message, size_t message_size)
{
    int at = lua_gettop(L);
    const char *file = mcp_field_string(L, at, "content_file");

    *out = (struct mcp_skill_decl_file){
        .path = mcp_field_string(L, at, "path"),
        .mime_type = mcp_field_string(L, at, "mime_type"),
    };
    if (file != NULL) {
        out->bytes = mcp_declare_read_file(mcp_host_of(L), file, &out->len,
                                           message, message_size);
        return out->bytes == NULL ? MCP_ENOENT : MCP_OK;
    }
    lua_getfield(L, at, "content");
    out->bytes = luaL_checklstring(L, -1, &out->len);
    return MCP_OK;
}

static enum mcp_err read_files(lua_State *L, struct mcp_skill_decl *skill,
                               char *message, size_t message_size)
{
    struct mcp_skill_decl_file *files;
    enum mcp_err err = MCP_OK;
    int list;

    lua_getfield(L, 1, "files");
    luaL_checktype(L, -1, LUA_TTABLE);
    list = lua_gettop(L);
    skill->file_count = lua_objlen(L, list);
    files = lua_newuserdata(L, (skill->file_count + 1) * sizeof(*files));
    skill->files = files;
    for (size_t i = 0; err == MCP_OK && i < skill->file_count; i++) {
        int top = lua_gettop(L);

        lua_rawgeti(L, list, (int)i + 1);
        luaL_checktype(L, -1, LUA_TTABLE);
        err = read_file(L, &files[i], message, message_size);
        lua_settop(L, top); /* the table keeps the strings */
    }
    return err;
}

int mcp_declare_add_skill(lua_State *L)
{
    struct mcp_load *load = mcp_declare_load(L);
    char message[MCP_DECLARE_MESSAGE_SIZE];
    struct mcp_skill_decl skill = {0};
    enum mcp_err err;

    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    luaL_checkstack(L, 32, "add_skill");
    skill.prefix = mcp_field_string(L, 1, "prefix");
    skill.file = mcp_field_string(L, 1, "file");
    skill.line = (int)mcp_field_number(L, 1, "line", 0);
    lua_getfield(L, 1, "text");
    skill.text = luaL_checklstring(L, -1, &skill.text_len);
    if (load->follow != NULL)
        return done(L, MCP_OK, NULL);
    err = read_files(L, &skill, message, sizeof(message));
    if (err == MCP_OK)
        err = mcp_builder_add_skill(load->builder, &skill, message,
                                    sizeof(message));
    return done(L, err, message);
}

/* ---- sources ---- */

int mcp_declare_add_skill_source(lua_State *L)
{
    static const char *const ops[] = {[MCP_SKILL_OP_LIST] = "list",
                                      [MCP_SKILL_OP_GET] = "get",
                                      [MCP_SKILL_OP_READ] = "read",
                                      [MCP_SKILL_OP_GUARD] = "guard",
                                      NULL};
    struct mcp_load *load = mcp_declare_load(L);
    char message[MCP_DECLARE_MESSAGE_SIZE];
    struct mcp_skill_source s = {0};
    const struct mcp_skill_source *known;
    enum mcp_err err;

    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    luaL_checkstack(L, 32, "add_skill_source");
    s.name = mcp_field_string(L, 1, "name");
    s.prefix = mcp_field_string(L, 1, "prefix");
    lua_getfield(L, 1, "op");
    s.op = (enum mcp_skill_op)luaL_checkoption(L, -1, NULL, ops);
    if (s.name == NULL || s.prefix == NULL)
        return luaL_error(L, "add_skill_source needs name and prefix");
    s.handler.kind = MCP_KIND_SKILL_SOURCE;
    s.handler.name = s.name;
    s.handler.slot = 1;
    mcp_field_binds(L, &s.handler);
    known = mcp_generation_find_skill_source(mcp_declare_generation(load),
                                             s.name, strlen(s.name));
    if (load->follow == NULL)
        err = mcp_builder_add_skill_source(load->builder, &s, message,
                                           sizeof(message));
    else
        err = mcp_declare_follow(load, known != NULL ? &known->handler : NULL,
                                 &s.handler, message, sizeof(message));
    if (err != MCP_OK)
        return mcp_declare_refuse(L, message);
    known = mcp_generation_find_skill_source(mcp_declare_generation(load),
                                             s.name, strlen(s.name));
    mcp_declare_keep(L, 1, known->handler.slot);
    return done(L, MCP_OK, NULL);
}

/* ---- digests ---- */

int mcp_declare_sha256(lua_State *L)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char digest[MCP_SHA256_BYTES];
    char hex[2 * MCP_SHA256_BYTES];
    size_t len;
    const char *bytes = luaL_checklstring(L, 1, &len);

    if (mcp_sha256(bytes, len, digest) != MCP_OK)
        return luaL_error(L, "SHA-256 is not available");
    for (size_t i = 0; i < MCP_SHA256_BYTES; i++) {
        hex[2 * i] = digits[digest[i] >> 4];
        hex[2 * i + 1] = digits[digest[i] & 15];
    }
    lua_pushlstring(L, hex, sizeof(hex));
    return 1;
}
