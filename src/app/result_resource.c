/*
 * result_resource.c - what a resource's handler returned, as contents
 *
 *   string                            text; bytes that are none: a blob
 *   mcp.blob, mcp.image, mcp.audio    a blob
 *   mcp.embedded, or a list of them   with URIs of their own
 *   table, number, boolean            JSON text
 *   nil                               there is no such resource
 *
 * MIME type: told with the value, else declared, else by the URI, else by the
 * content.
 */
#include <lauxlib.h>
#include <stdio.h>

#include "app/result_block.h"
#include "app/result_write.h"
#include "app/value.h"
#include "base/codec.h"
#include "base/mime.h"

/* One of the contents; strings are on the Lua stack or of the options. */
struct content {
    const char *uri, *mime_type; /* NULL: by the content */
    const char *bytes;
    size_t len;
    bool is_blob;
};

static enum mcp_err refuse(struct mcp_result_writer *w, const char *path,
                           const char *message)
{
    (void)snprintf(w->error.path, sizeof(w->error.path), "%s", path);
    (void)snprintf(w->error.message, sizeof(w->error.message), "%s", message);
    return MCP_EINVAL;
}

static enum mcp_err refuse_size(struct mcp_result_writer *w, const char *path,
                                size_t size)
{
    char message[128];

    (void)snprintf(message, sizeof(message),
                   "has %zu bytes, more than max_blob_bytes (%zu)", size,
                   w->options->max_blob_bytes);
    return refuse(w, path, message);
}

static void write_member(struct mcp_buf *out, const char *name,
                         const char *text)
{
    mcp_buf_printf(out, "\"%s\":", name);
    mcp_json_write_string(out, text, strlen(text));
    mcp_buf_putc(out, ',');
}

/* { "uri", "mimeType", "text" | "blob" } without its last brace. */
static enum mcp_err write_content(struct mcp_result_writer *w,
                                  const struct content *c, const char *path)
{
    struct mcp_buf *out = &w->o->text;
    const char *mime = c->mime_type;

    if (mime == NULL)
        mime =
            c->is_blob ? mcp_mime_by_content(c->bytes, c->len) : "text/plain";
    if (c->is_blob && c->len > w->options->max_blob_bytes)
        return refuse_size(w, path, c->len);
    if (!mcp_utf8_valid(c->uri, strlen(c->uri), NULL) ||
        !mcp_utf8_valid(mime, strlen(mime), NULL))
        return refuse(w, path,
                      "has a URI or MIME type that is not valid UTF-8");
    if (!c->is_blob && !mcp_utf8_valid(c->bytes, c->len, NULL))
        return refuse(w, path, "has a text that is not valid UTF-8");
    mcp_buf_putc(out, '{');
    write_member(out, "uri", c->uri);
    write_member(out, "mimeType", mime);
    if (c->is_blob) {
        mcp_buf_puts(out, "\"blob\":\"");
        mcp_base64_write(out, MCP_BASE64, c->bytes, c->len);
        mcp_buf_putc(out, '"');
    } else {
        mcp_buf_puts(out, "\"text\":");
        mcp_json_write_string(out, c->bytes, c->len);
    }
    return MCP_OK;
}

/* What the declaration and the URI tell of the content that is read. */
static struct content present(const struct mcp_result_writer *w)
{
    const struct mcp_result_options *options = w->options;
    struct content c = {.uri = options->uri, .mime_type = options->mime_type};

    if (c.mime_type == NULL)
        c.mime_type = mcp_mime_by_name(c.uri);
    return c;
}

/* ---- strings ---- */

static enum mcp_err write_string(struct mcp_result_writer *w, int idx)
{
    struct content c = present(w);
    enum mcp_err err;

    c.bytes = lua_tolstring(w->L, idx, &c.len);
    c.is_blob = !mcp_utf8_valid(c.bytes, c.len, NULL);
    err = write_content(w, &c, "");
    mcp_buf_putc(&w->o->text, '}');
    return err;
}

/* ---- blocks ---- */

/* The string field `name` of the table at `idx`, which keeps it; NULL: none. */
static const char *string_field(lua_State *L, int idx, const char *name,
                                size_t *len)
{
    const char *text = NULL;

    if (!mcp_field_push(L, idx, name))
        return NULL;
    if (lua_type(L, -1) == LUA_TSTRING)
        text = lua_tolstring(L, -1, len);
    lua_pop(L, 1);
    return text;
}

/* `_meta` of the block at `idx`, for the revisions that know it. */
static enum mcp_err write_meta(struct mcp_result_writer *w, int idx)
{
    struct mcp_buf *out = &w->o->text;
    enum mcp_err err;

    if (w->options->revision < MCP_2025_06_18 ||
        !mcp_field_push(w->L, idx, "_meta"))
        return MCP_OK;
    mcp_buf_puts(out, ",\"_meta\":");
    err = mcp_value_write(w->L, -1, out, NULL, &w->error);
    lua_pop(w->L, 1);
    return err;
}

/* mcp.embedded at `idx`: contents with a URI of their own. */
static enum mcp_err write_embedded(struct mcp_result_writer *w, int idx,
                                   const char *path)
{
    lua_State *L = w->L;
    struct content c = {0};
    size_t len;
    enum mcp_err err;
    int resource;

    if (!mcp_field_push(L, idx, "resource") || !lua_istable(L, -1))
        return refuse(w, path, "is no mcp.embedded any more");
    resource = lua_gettop(L);
    c.uri = string_field(L, resource, "uri", &len);
    c.mime_type = string_field(L, resource, "mimeType", &len);
    c.bytes = string_field(L, resource, "text", &c.len);
    if (c.bytes == NULL) {
        c.is_blob = true;
        c.bytes = string_field(L, resource, "blob", &c.len);
    }
    if (c.uri == NULL || c.bytes == NULL)
        return refuse(w, path, "is no mcp.embedded any more");
    if (c.mime_type == NULL)
        c.mime_type = mcp_mime_by_name(c.uri);
    err = write_content(w, &c, path);
    if (err == MCP_OK)
        err = write_meta(w, idx);
    mcp_buf_putc(&w->o->text, '}');
    return err;
}

/* mcp.blob, mcp.image, mcp.audio, mcp.text at `idx`. */
static enum mcp_err write_bytes(struct mcp_result_writer *w, int idx,
                                const char *field)
{
    struct content c = present(w);
    size_t len;
    const char *own = string_field(w->L, idx, "mimeType", &len);
    enum mcp_err err;

    c.bytes = string_field(w->L, idx, field, &c.len);
    c.is_blob = strcmp(field, "data") == 0;
    if (own != NULL)
        c.mime_type = own;
    if (c.bytes == NULL)
        return refuse(w, "", "is a content block without its bytes");
    err = write_content(w, &c, "");
    mcp_buf_putc(&w->o->text, '}');
    return err;
}

/* Is the field `type` of the table at `idx` this one? */
static bool has_type(lua_State *L, int idx, const char *type)
{
    size_t len;
    const char *own = string_field(L, idx, "type", &len);

    return own != NULL && strcmp(own, type) == 0;
}

static enum mcp_err write_block(struct mcp_result_writer *w, int idx)
{
    lua_State *L = w->L;

    if (has_type(L, idx, "resource"))
        return write_embedded(w, idx, "");
    if (has_type(L, idx, "text"))
        return write_bytes(w, idx, "text");
    if (has_type(L, idx, "resource_link"))
        return refuse(w, "",
                      "is a link; return what is there, by mcp.embedded");
    return write_bytes(w, idx, "data");
}

/* The `count` blocks of the list at `idx`. */
static enum mcp_err write_list(struct mcp_result_writer *w, int idx, int count)
{
    enum mcp_err err = MCP_OK;
    int top = lua_gettop(w->L);
    char path[32];

    for (int i = 1; err == MCP_OK && i <= count; i++) {
        (void)snprintf(path, sizeof(path), "/%d", i - 1);
        if (i > 1)
            mcp_buf_putc(&w->o->text, ',');
        lua_rawgeti(w->L, idx, i);
        err = has_type(w->L, top + 1, "resource")
                  ? write_embedded(w, top + 1, path)
                  : refuse(w, path,
                           "is no mcp.embedded: of several contents each has "
                           "a URI");
        lua_settop(w->L, top);
    }
    return err;
}

/* ---- data ---- */

/* The JSON text comes first; the contents that quote it behind it. */
static void write_data(struct mcp_result_writer *w, int idx)
{
    const char *mime = w->options->mime_type;
    struct mcp_outcome *o = w->o;
    struct mcp_span json;
    size_t at;

    if (!mcp_result_write_json(w, idx, NULL, "", &json))
        return;
    at = o->text.len;
    mcp_buf_puts(&o->text, "[{");
    write_member(&o->text, "uri", w->options->uri);
    write_member(&o->text, "mimeType",
                 mime != NULL ? mime : "application/json");
    mcp_buf_puts(&o->text, "\"text\":");
    mcp_result_add_quoted(&o->text, json);
    mcp_buf_puts(&o->text, "}]");
    o->content = mcp_span_from(o, at);
}

/* Writes the value at `idx`, which is a string or `count` blocks. */
static void write_contents(struct mcp_result_writer *w, int idx, int count)
{
    struct mcp_outcome *o = w->o;
    enum mcp_err err;

    mcp_buf_putc(&o->text, '[');
    if (lua_type(w->L, idx) == LUA_TSTRING)
        err = write_string(w, idx);
    else if (count < 0)
        err = write_block(w, idx);
    else
        err = write_list(w, idx, count);
    mcp_buf_putc(&o->text, ']');
    o->content = mcp_span_from(o, 0);
    if (err == MCP_OK && o->text.failed)
        err = MCP_ENOMEM;
    if (err != MCP_OK)
        mcp_result_set_write_fault(w, err, "contents that cannot be sent", "");
}

static void write_value(struct mcp_result_writer *w, int idx)
{
    int count = -1;

    if (lua_type(w->L, idx) != LUA_TSTRING &&
        !mcp_block_is(w->L, idx, MCP_BLOCKS_MARKED)) {
        count = mcp_block_list_count(w->L, idx, MCP_BLOCKS_MARKED);
        if (count <= 0) {
            write_data(w, idx);
            return;
        }
    }
    write_contents(w, idx, count);
}

void mcp_result_write_resource(struct mcp_result_writer *w, int first,
                               int count)
{
    if (count > 0 && !lua_isnil(w->L, first)) {
        write_value(w, first);
    } else if (count > 1 && !lua_isnil(w->L, first + 1)) {
        mcp_result_write_failure(w, first + 1, true);
    } else {
        w->o->kind = MCP_OUTCOME_NOT_FOUND;
    }
}
