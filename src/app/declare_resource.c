/*
 * declare_resource.c - see declare_resource.h; the rule of declare.c holds here
 * too
 */
#include "app/declare_resource.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#include "app/declare_field.h"
#include "base/mime.h"

/* The content: none when there is a handler; of a file it comes later. */
static void read_content(lua_State *L, struct mcp_resource *r)
{
    lua_getfield(L, 1, "content");
    if (!lua_isnil(L, -1))
        r->content = luaL_checklstring(L, -1, &r->content_len);
    r->is_blob = mcp_field_boolean(L, 1, "is_blob");
    lua_getfield(L, 1, "handler");
    r->handler.slot = lua_isfunction(L, -1);
    lua_pop(L, 1);
}

static void read_cache(lua_State *L, struct mcp_cache_hint *cache)
{
    static const char *const scopes[] = {
        [MCP_CACHE_PRIVATE] = "private", [MCP_CACHE_PUBLIC] = "public", NULL};

    cache->ttl_ms = (int64_t)mcp_field_number(L, 1, "ttl_ms", -1);
    cache->scope = -1;
    lua_getfield(L, 1, "cache_scope");
    if (!lua_isnil(L, -1))
        cache->scope = luaL_checkoption(L, -1, NULL, scopes);
    lua_pop(L, 1);
}

static void read_resource(lua_State *L, struct mcp_resource *r)
{
    r->name = mcp_field_string(L, 1, "name");
    r->title = mcp_field_string(L, 1, "title");
    r->description = mcp_field_string(L, 1, "description");
    r->mime_type = mcp_field_string(L, 1, "mime_type");
    r->annotations = mcp_field_string(L, 1, "annotations");
    r->icons = mcp_field_string(L, 1, "icons");
    r->meta = mcp_field_string(L, 1, "meta");
    r->file = mcp_field_string(L, 1, "file");
    r->line = (int)mcp_field_number(L, 1, "line", 0);
    r->size_bytes = (int64_t)mcp_field_number(L, 1, "size", -1);
    r->handler.kind = MCP_KIND_RESOURCE;
    r->handler.name = r->uri;
    r->handler.timeout_s = mcp_field_number(L, 1, "timeout", 0);
    read_cache(L, &r->cache);
    read_content(L, r);
    mcp_field_binds(L, &r->handler);
    r->route = mcp_field_route(L);
    r->completers = mcp_field_completers(L, &r->completer_count);
}

/* Declared, else by extension, else by content; a handler's is known when it
 * has run. */
static void find_mime_type(struct mcp_resource *r, const char *file)
{
    if (r->mime_type == NULL && file != NULL)
        r->mime_type = mcp_mime_by_name(file);
    if (r->mime_type == NULL)
        r->mime_type = mcp_mime_by_name(r->uri);
    if (r->mime_type == NULL && r->content != NULL)
        r->mime_type = r->is_blob
                           ? mcp_mime_by_content(r->content, r->content_len)
                           : "text/plain";
}

/* Adds `r` to the builder. Raises nothing. */
static enum mcp_err add_first(const struct mcp_host *host,
                              struct mcp_resource *r, const char *file,
                              bool is_template, char *message,
                              size_t message_size)
{
    struct mcp_builder *b = host->load->builder;

    if (file != NULL) {
        r->content = mcp_declare_read_file(host, file, &r->content_len, message,
                                           message_size);
        if (r->content == NULL)
            return MCP_ENOENT;
        r->is_blob = !mcp_mime_is_text(r->content, r->content_len);
    }
    find_mime_type(r, file);
    if (is_template)
        return mcp_builder_add_template(b, r, message, message_size);
    return mcp_builder_add_resource(b, r, message, message_size);
}

static const struct mcp_resource *find(const struct mcp_generation *gen,
                                       const char *uri, bool is_template)
{
    size_t len = strlen(uri);

    return is_template ? mcp_generation_find_template(gen, uri, len)
                       : mcp_generation_find_resource(gen, uri, len);
}

static enum mcp_err follow(const struct mcp_load *load,
                           const struct mcp_resource *r, bool is_template,
                           char *message, size_t message_size)
{
    const struct mcp_resource *known = find(load->follow, r->uri, is_template);
    char parent[160];
    enum mcp_err err =
        mcp_declare_follow(load, known != NULL ? &known->handler : NULL,
                           &r->handler, message, message_size);

    if (err != MCP_OK)
        return err;
    (void)snprintf(parent, sizeof(parent), "resource %.128s", r->uri);
    return mcp_declare_follow_completers(
        load, known->completers, known->completer_count, r->completers,
        r->completer_count, parent, message, message_size);
}

int mcp_declare_add_resource(lua_State *L)
{
    struct mcp_load *load = mcp_declare_load(L);
    char message[MCP_DECLARE_MESSAGE_SIZE];
    struct mcp_resource r = {0};
    const struct mcp_resource *known;
    const char *text, *file;
    enum mcp_err err;

    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    luaL_checkstack(L, 32, "add_resource");
    r.uri = mcp_field_string(L, 1, "uri");
    text = mcp_field_string(L, 1, "uri_template");
    file = mcp_field_string(L, 1, "content_file");
    if ((r.uri == NULL) == (text == NULL))
        return luaL_error(L, "add_resource needs uri or uri_template");
    if (text != NULL)
        r.uri = text;
    read_resource(L, &r);
    if ((r.handler.slot != 0) + (r.content != NULL) + (file != NULL) != 1)
        return luaL_error(L, "add_resource needs one kind of content");

    if (load->follow == NULL)
        err = add_first(mcp_host_of(L), &r, file, text != NULL, message,
                        sizeof(message));
    else
        err = follow(load, &r, text != NULL, message, sizeof(message));
    if (err != MCP_OK)
        return mcp_declare_refuse(L, message);
    known = find(mcp_declare_generation(load), r.uri, text != NULL);
    mcp_declare_keep(L, 1, known->handler.slot);
    mcp_declare_keep_completers(L, known->completers, known->completer_count);
    lua_pushboolean(L, 1);
    return 1;
}

int mcp_declare_read_content(lua_State *L)
{
    const struct mcp_host *host = mcp_host_of(L);
    const char *file = luaL_checkstring(L, 1), *bytes;
    char message[MCP_DECLARE_MESSAGE_SIZE];
    size_t len;

    (void)mcp_declare_load(L); /* raises when nothing loads */
    bytes = mcp_declare_read_file(host, file, &len, message, sizeof(message));
    if (bytes == NULL)
        return mcp_declare_refuse(L, message);
    lua_pushlstring(L, bytes, len);
    lua_pushboolean(L, mcp_mime_is_text(bytes, len));
    lua_pushstring(L, mcp_mime_by_name(file));
    return 3;
}
