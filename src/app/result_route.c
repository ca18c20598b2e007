/*
 * result_route.c - what a route's handler returned, as an answer of HTTP
 *
 *   string                            text; bytes that are none: a blob
 *   mcp.blob, mcp.image, mcp.audio    the bytes
 *   mcp.text                          the text
 *   table, number, boolean            JSON
 *   mcp.result, other content blocks  the JSON that a tool's client would get
 *   nil                               no body
 *   mcp.http                          status, headers and one of the above
 *
 * Content type: told with the value, else declared, else by its kind.
 */
#include <lauxlib.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "app/host.h"
#include "app/result_block.h"
#include "app/result_write.h"
#include "app/value.h"
#include "base/http_status.h"
#include "base/mime.h"

#define TYPE_TEXT "text/plain; charset=utf-8"
#define TYPE_JSON "application/json"

/* ---- parts ---- */

static void add_type(struct mcp_result_writer *w, const char *type)
{
    size_t at = w->o->text.len;

    if (w->o->mime_type.len > 0)
        return; /* told already */
    mcp_buf_puts(&w->o->text, type);
    w->o->mime_type = mcp_span_from(w->o, at);
}

/* `own` is told with the value, `usual` is that of its kind. */
static void set_type(struct mcp_result_writer *w, const char *own,
                     const char *usual)
{
    if (own == NULL)
        own = w->options->mime_type;
    add_type(w, own != NULL ? own : usual);
}

/* The body is bytes[0..len). False: a fault is set. */
static bool set_bytes(struct mcp_result_writer *w, const char *bytes,
                      size_t len, const char *own, bool is_text)
{
    size_t max = w->options->max_blob_bytes, at = w->o->text.len;

    if (!is_text && len > max) {
        mcp_result_set_fault(w, "a blob that is too large",
                             "The result of route \"%s\" cannot be sent: it "
                             "has %zu bytes, more than max_blob_bytes (%zu)",
                             w->options->name, len, max);
        return false;
    }
    mcp_buf_add(&w->o->text, bytes, len);
    w->o->content = mcp_span_from(w->o, at);
    set_type(w, own, is_text ? TYPE_TEXT : mcp_mime_by_content(bytes, len));
    return true;
}

static void write_string(struct mcp_result_writer *w, int idx)
{
    size_t len;
    const char *s = lua_tolstring(w->L, idx, &len);
    bool is_text = mcp_utf8_valid(s, len, NULL);

    if (!set_bytes(w, s, len, NULL, is_text) || !is_text ||
        w->options->output_tree == NULL)
        return;
    (void)mcp_result_write_json(w, idx, NULL, "", &w->o->structured);
}

/* The body is the JSON of the value at `idx`. */
static void write_json(struct mcp_result_writer *w, int idx)
{
    struct mcp_span json;

    if (!mcp_result_write_json(w, idx, w->options->output_tree, "", &json))
        return;
    w->o->content = w->o->structured = json;
    set_type(w, NULL, TYPE_JSON);
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

/* Appends ,"name":json of what is in the same buffer. */
static void add_member(struct mcp_buf *out, const char *name,
                       struct mcp_span json)
{
    if (json.len == 0 || mcp_buf_reserve(out, json.len + 64) == NULL)
        return;
    mcp_buf_printf(out, ",\"%s\":", name);
    mcp_buf_add(out, out->data + json.at, json.len);
}

/* Content blocks and mcp.result: as a tool's client would get them. */
static void write_as_tool(struct mcp_result_writer *w, int idx)
{
    struct mcp_outcome *o = w->o;
    size_t at;

    mcp_result_write_tool(w, idx, 1);
    if (w->fault != NULL)
        return;
    at = o->text.len;
    mcp_buf_printf(&o->text, "{\"isError\":%s", o->is_error ? "true" : "false");
    add_member(&o->text, "content", o->content);
    add_member(&o->text, "structuredContent", o->structured);
    add_member(&o->text, "_meta", o->meta);
    mcp_buf_putc(&o->text, '}');
    o->content = mcp_span_from(o, at);
    add_type(w, TYPE_JSON);
    if (o->is_error)
        o->http_status = 500;
}

static void write_block(struct mcp_result_writer *w, int idx)
{
    size_t len, type_len;
    const char *type = string_field(w->L, idx, "type", &type_len);
    const char *own = string_field(w->L, idx, "mimeType", &type_len);
    const char *text = string_field(w->L, idx, "text", &len), *bytes;

    if (type != NULL && strcmp(type, "text") == 0 && text != NULL) {
        lua_pushlstring(w->L, text, len);
        write_string(w, lua_gettop(w->L));
        return;
    }
    bytes = string_field(w->L, idx, "data", &len);
    if (bytes != NULL)
        (void)set_bytes(w, bytes, len, own, false);
    else
        write_as_tool(w, idx);
}

static void write_value(struct mcp_result_writer *w, int idx)
{
    lua_State *L = w->L;

    if (lua_type(L, idx) == LUA_TSTRING)
        write_string(w, idx);
    else if (mcp_block_is(L, idx, MCP_BLOCKS_MARKED))
        write_block(w, idx);
    else if (mcp_mark_is(L, idx, MCP_REF_RESULT_MARK) ||
             mcp_block_list_count(L, idx, MCP_BLOCKS_MARKED) > 0)
        write_as_tool(w, idx);
    else
        write_json(w, idx);
}

/* ---- mcp.http ---- */

bool mcp_result_is_http(lua_State *L, int idx)
{
    return lua_istable(L, idx) && mcp_mark_is(L, idx, MCP_REF_HTTP_MARK);
}

static int status_of(lua_State *L, int idx)
{
    int status = 200;

    if (mcp_field_push(L, idx, "status")) {
        status = (int)lua_tointeger(L, -1);
        lua_pop(L, 1);
    }
    return status;
}

/* Is text[0..len) one or more of the characters of a header's name? */
static bool is_token(const char *text, size_t len)
{
    return len > 0 &&
           strspn(text, "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
                        "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == len;
}

/* Those that the server writes itself. */
static bool is_ours(const char *name)
{
    static const char *const ours[] = {"Content-Length", "Transfer-Encoding",
                                       "Connection",     "Keep-Alive",
                                       "Upgrade",        "Date"};

    for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
        if (strcasecmp(ours[i], name) == 0)
            return true;
    return false;
}

/* The value of a header at the top. */
static void check_value(lua_State *L, const char *name)
{
    size_t len;
    const char *value = lua_isstring(L, -1) ? lua_tolstring(L, -1, &len) : NULL;

    if (value == NULL)
        luaL_error(L,
                   "mcp.http: the header %s must be a string or a list of "
                   "strings, got %s",
                   name, luaL_typename(L, -1));
    else if (strlen(value) != len || strpbrk(value, "\r\n") != NULL)
        luaL_error(L, "mcp.http: the header %s has a line end or a NUL inside",
                   name);
}

void mcp_result_check_headers(lua_State *L, int idx)
{
    lua_pushnil(L);
    while (lua_next(L, idx)) {
        size_t len = 0;
        const char *name =
            lua_type(L, -2) == LUA_TSTRING ? lua_tolstring(L, -2, &len) : "";

        if (!is_token(name, len))
            luaL_error(L, "mcp.http: \"%s\" cannot be the name of a header",
                       name);
        if (is_ours(name))
            luaL_error(L, "mcp.http: the header %s is the server's to write",
                       name);
        if (lua_istable(L, -1)) {
            for (size_t i = 1; i <= lua_objlen(L, -1); i++) {
                lua_rawgeti(L, -1, (int)i);
                lua_pushvalue(L, -1); /* tostring changes numbers in place */
                check_value(L, name);
                lua_pop(L, 2);
            }
        } else {
            lua_pushvalue(L, -1);
            check_value(L, name);
            lua_pop(L, 1);
        }
        lua_pop(L, 1);
    }
}

/* The header at the top, below it its name, which stay. */
static void add_header(struct mcp_result_writer *w, const char *name)
{
    struct mcp_buf *out = &w->o->text;
    const char *value;

    lua_pushvalue(w->L, -1);
    value = lua_tostring(w->L, -1);
    if (value == NULL || strpbrk(value, "\r\n") != NULL) {
        mcp_result_set_fault(w, "a header that cannot be sent",
                             "The result of route \"%s\" cannot be sent: the "
                             "header %s is no text without line ends",
                             w->options->name, name);
    } else if (strcasecmp(name, "Content-Type") != 0) {
        mcp_buf_add(out, name, strlen(name) + 1);
        mcp_buf_add(out, value, strlen(value) + 1);
    }
    lua_pop(w->L, 1);
}

/* The headers of the answer at `idx`. False: a fault is set. */
static bool add_headers(struct mcp_result_writer *w, int idx)
{
    lua_State *L = w->L;
    size_t at = w->o->text.len, len;
    const char *type = NULL;

    if (!mcp_field_push(L, idx, "headers"))
        return true;
    idx = lua_gettop(L);
    for (lua_pushnil(L); w->fault == NULL && lua_next(L, idx); lua_pop(L, 1)) {
        const char *name =
            lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";

        if (strcasecmp(name, "Content-Type") == 0)
            type = lua_tolstring(L, -1, &len);
        if (!is_token(name, strlen(name)) || is_ours(name))
            continue; /* put there after mcp.http had looked */
        if (!lua_istable(L, -1)) {
            add_header(w, name);
            continue;
        }
        for (size_t i = 1; w->fault == NULL && i <= lua_objlen(L, -1); i++) {
            lua_rawgeti(L, -1, (int)i);
            add_header(w, name);
            lua_pop(L, 1);
        }
    }
    if (w->fault != NULL)
        return false;
    w->o->headers = mcp_span_from(w->o, at);
    if (type != NULL)
        add_type(w, type);
    return true;
}

static void write_http(struct mcp_result_writer *w, int idx)
{
    int status = status_of(w->L, idx);

    if (status < 200 || status > 599) { /* changed behind mcp.http */
        mcp_result_set_fault(w, "a status that HTTP does not have",
                             "The result of route \"%s\" cannot be sent: "
                             "/status must be from 200 to 599",
                             w->options->name);
        return;
    }
    if (!add_headers(w, idx))
        return;
    if (mcp_field_push(w->L, idx, "body"))
        write_value(w, lua_gettop(w->L));
    if (w->fault != NULL)
        return;
    w->o->http_status = status;
    w->o->is_error = status >= 400;
    w->o->structured = (struct mcp_span){0, 0}; /* the author's own affair */
}

bool mcp_result_open_http(struct mcp_result_writer *w, int idx)
{
    struct mcp_buf *text = &mcp_host_of(w->L)->scratch;
    int status = status_of(w->L, idx);
    bool has_body = mcp_field_push(w->L, idx, "body");

    if (status < 400) {
        if (!has_body)
            lua_pushnil(w->L);
        return true;
    }
    if (status == 404 && w->options->kind == MCP_KIND_RESOURCE) {
        w->o->kind = MCP_OUTCOME_NOT_FOUND;
        return false;
    }
    mcp_buf_clear(text);
    if (has_body && lua_type(w->L, -1) == LUA_TSTRING) {
        size_t len;
        const char *s = lua_tolstring(w->L, -1, &len);

        mcp_buf_add(text, s, len);
    } else if (!has_body ||
               mcp_value_write(w->L, -1, text, NULL, &w->error) != MCP_OK) {
        mcp_buf_clear(text);
        mcp_buf_printf(text, "%d %s", status, mcp_http_phrase(status));
    }
    w->status = status;
    mcp_result_fail(w, true, text->data, text->len);
    mcp_result_set_content(w, idx, "body");
    return false;
}

void mcp_result_set_http_body(struct mcp_result_writer *w, int idx,
                              const char *name)
{
    struct mcp_outcome *o = w->o;
    size_t at = o->text.len, len;
    bool is_text;

    if (!mcp_field_push(w->L, idx, name))
        return;
    is_text = lua_type(w->L, -1) == LUA_TSTRING;
    if (is_text) {
        const char *s = lua_tolstring(w->L, -1, &len);

        mcp_buf_add(&o->text, s, len);
    } else if (mcp_value_write(w->L, -1, &o->text, NULL, &w->error) != MCP_OK) {
        o->text.len = at;
    }
    lua_pop(w->L, 1);
    if (!o->text.failed && o->text.len > at) {
        o->content = mcp_span_from(o, at);
        o->mime_type = (struct mcp_span){0, 0};
        add_type(w, is_text ? TYPE_TEXT : TYPE_JSON);
    }
    o->text.failed = false; /* the message alone had room */
}

/* ---- the whole ---- */

void mcp_result_write_route(struct mcp_result_writer *w, int first, int count)
{
    w->o->http_status = w->options->http_status;
    if (count > 0 && mcp_result_is_http(w->L, first))
        write_http(w, first);
    else if (count > 0 && !lua_isnil(w->L, first))
        write_value(w, first);
    else if (count > 1 && !lua_isnil(w->L, first + 1))
        mcp_result_write_failure(w, first + 1, true);
    else if (w->options->output_tree != NULL)
        mcp_result_set_fault(w, "nothing under an output schema",
                             "Route \"%s\" returned nothing, but its output "
                             "schema asks for a value",
                             w->options->name);
}
