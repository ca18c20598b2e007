/*
 * result.c - the table "What a tool may return", line by line
 */
#include "app/result.h"

#include <lauxlib.h>
#include <stdarg.h>
#include <stdio.h>

#include "app/host.h"
#include "app/result_block.h"
#include "app/result_write.h"
#include "app/value.h"

/* ---- failures ---- */

void mcp_result_set_fault(struct mcp_result_writer *w, const char *reason,
                          const char *fmt, ...)
{
    char text[1024];
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    w->fault = reason;
    mcp_result_fail(w, false, text, strlen(text));
}

void mcp_result_set_write_fault(struct mcp_result_writer *w, enum mcp_err err,
                                const char *reason, const char *path)
{
    const char *below = w->error.path;
    bool nameless = *path == '\0' && *below == '\0';

    if (err != MCP_EINVAL) {
        mcp_result_set_fault(w, "the result is too large",
                             "The result of %s \"%s\" is too large to be sent",
                             mcp_kind_name(w->options->kind), w->options->name);
        return;
    }
    mcp_result_set_fault(w, reason,
                         "The result of %s \"%s\" cannot be sent: %s%s %s",
                         mcp_kind_name(w->options->kind), w->options->name,
                         path, nameless ? "it" : below, w->error.message);
}

/* ---- parts of a result ---- */

/* Of what a string must escape only quotes and backslashes are in there. */
void mcp_result_add_quoted(struct mcp_buf *out, struct mcp_span json)
{
    size_t i, escapes = 0;
    const char *from;
    char *to;

    if (out->failed)
        return;
    for (i = 0; i < json.len; i++)
        escapes +=
            out->data[json.at + i] == '"' || out->data[json.at + i] == '\\';
    to = mcp_buf_reserve(out, json.len + escapes + 2);
    if (to == NULL)
        return;
    from = out->data + json.at;
    out->len += json.len + escapes + 2;
    *to++ = '"';
    for (i = 0; i < json.len; i++) {
        if (from[i] == '"' || from[i] == '\\')
            *to++ = '\\';
        *to++ = from[i];
    }
    *to = '"';
}

/* content = one text block with the JSON text of `json`. */
static void set_content_json(struct mcp_outcome *o, struct mcp_span json)
{
    size_t at = o->text.len;

    mcp_buf_puts(&o->text, "[{\"type\":\"text\",\"text\":");
    mcp_result_add_quoted(&o->text, json);
    mcp_buf_puts(&o->text, "}]");
    o->content = mcp_span_from(o, at);
}

static void set_content_empty(struct mcp_outcome *o)
{
    size_t at = o->text.len;

    mcp_buf_puts(&o->text, "[]");
    o->content = mcp_span_from(o, at);
}

bool mcp_result_write_json(struct mcp_result_writer *w, int idx,
                           const struct mcp_json *shape, const char *path,
                           struct mcp_span *span)
{
    struct mcp_outcome *o = w->o;
    size_t at = o->text.len;
    enum mcp_err err;

    err = mcp_value_write(w->L, idx, &o->text, shape, &w->error);
    if (err != MCP_OK) {
        mcp_result_set_write_fault(w, err, "a value that JSON cannot carry",
                                   path);
        return false;
    }
    *span = mcp_span_from(o, at);
    return true;
}

/* ---- data ---- */

static void write_data(struct mcp_result_writer *w, int idx)
{
    const struct mcp_json *shape = w->options->output_tree;
    struct mcp_span json;

    if (!mcp_result_write_json(w, idx, shape, "", &json))
        return;
    if (shape != NULL)
        w->o->structured = json;
    set_content_json(w->o, json);
}

/* Does `schema` allow strings, as far as its root tells? */
static bool allows_string(const struct mcp_json *schema)
{
    const struct mcp_json *type = mcp_json_find(schema, "type");
    uint32_t i;

    if (mcp_json_is(type, MCP_JSON_ARRAY)) {
        for (i = 0; i < type->count; i++)
            if (mcp_json_equals_string(&type->u.items[i], "string"))
                return true;
        return false;
    }
    return type == NULL || mcp_json_equals_string(type, "string");
}

static void write_string(struct mcp_result_writer *w, int idx)
{
    static const char head[] = "[{\"type\":\"text\",\"text\":";
    const struct mcp_json *schema = w->options->output_tree;
    struct mcp_outcome *o = w->o;
    struct mcp_span json;

    if (schema != NULL && !allows_string(schema)) {
        mcp_result_set_fault(
            w, "a string under an output schema of another type",
            "Tool \"%s\" returned a string, but its output schema wants "
            "something else",
            w->options->name);
        return;
    }
    mcp_buf_puts(&o->text, head);
    if (!mcp_result_write_json(w, idx, NULL, "", &json))
        return;
    mcp_buf_puts(&o->text, "}]");
    o->content = mcp_span_from(o, 0);
    if (schema != NULL)
        o->structured = json;
}

/* A success without structured content under an output schema? */
static bool lacks_structured(struct mcp_result_writer *w, const char *what)
{
    if (w->options->output_tree == NULL)
        return false;
    mcp_result_set_fault(
        w, "no structured content under an output schema",
        "Tool \"%s\" returned %s, but its output schema asks for "
        "structured content",
        w->options->name, what);
    return true;
}

/* ---- blocks and results ---- */

static struct mcp_block_writer block_writer(struct mcp_result_writer *w)
{
    return (struct mcp_block_writer){.L = w->L,
                                     .options = w->options,
                                     .out = &w->o->text,
                                     .error = &w->error};
}

/* content = the `count` entries at `idx`, or one block when `count` < 0. */
static bool write_blocks(struct mcp_result_writer *w, int idx, int count,
                         const char *path)
{
    struct mcp_block_writer b = block_writer(w);
    size_t at = w->o->text.len;
    enum mcp_err err;

    if (count >= 0) {
        err = mcp_block_write_list(&b, idx, count, path);
    } else {
        mcp_buf_putc(b.out, '[');
        err = mcp_block_write(&b, idx, path);
        mcp_buf_putc(b.out, ']');
    }
    if (err == MCP_OK && b.out->failed)
        err = MCP_ENOMEM;
    if (err != MCP_OK) {
        mcp_result_set_write_fault(w, err,
                                   b.too_big ? "a blob beyond max_blob_bytes"
                                             : "a malformed content block",
                                   "");
        return false;
    }
    w->o->content = mcp_span_from(w->o, at);
    return true;
}

/* The count of entries of a list of blocks and strings at `idx`, or -1. */
static int mixed_list_count(lua_State *L, int idx)
{
    int count = 0;
    size_t keys = 0;

    lua_pushnil(L);
    for (; lua_next(L, idx); lua_pop(L, 1))
        keys++;
    for (;; count++) {
        lua_rawgeti(L, idx, count + 1);
        if (lua_type(L, -1) != LUA_TSTRING &&
            !mcp_block_is(L, -1, MCP_BLOCKS_ANY))
            break;
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return (size_t)count == keys ? count : -1;
}

/* The count of entries of a list of strings and of marked blocks, which has one
 * of these at least, or 0. Of data the first entries tell. */
static int strings_and_blocks(lua_State *L, int idx)
{
    int i = 0, count;
    bool is_string;

    do {
        lua_rawgeti(L, idx, ++i);
        is_string = lua_type(L, -1) == LUA_TSTRING;
        if (!is_string && !mcp_block_is(L, -1, MCP_BLOCKS_MARKED)) {
            lua_pop(L, 1);
            return 0;
        }
        lua_pop(L, 1);
    } while (is_string);
    count = mixed_list_count(L, idx);
    return count > 0 ? count : 0;
}

/* The `content` of a result at the top of the stack. */
static bool write_content(struct mcp_result_writer *w)
{
    int idx = lua_gettop(w->L), count;

    if (lua_type(w->L, idx) == LUA_TSTRING) {
        struct mcp_block_writer b = block_writer(w);
        size_t at = w->o->text.len, len;
        const char *s = lua_tolstring(w->L, idx, &len);
        enum mcp_err err;

        mcp_buf_putc(b.out, '[');
        err = mcp_block_write_text(&b, s, len, "/content");
        mcp_buf_putc(b.out, ']');
        w->o->content = mcp_span_from(w->o, at);
        if (err != MCP_OK)
            mcp_result_set_write_fault(w, err, "a value that JSON cannot carry",
                                       "");
        return err == MCP_OK;
    }
    if (mcp_block_is(w->L, idx, MCP_BLOCKS_ANY))
        return write_blocks(w, idx, -1, "/content");
    count = lua_istable(w->L, idx) ? mixed_list_count(w->L, idx) : -1;
    if (count < 0) {
        mcp_result_set_fault(
            w, "a malformed result",
            "The result of tool \"%s\" cannot be sent: /content is no "
            "list of content blocks",
            w->options->name);
        return false;
    }
    return write_blocks(w, idx, count, "/content");
}

/* The `isError` at the top of the stack. */
static bool read_is_error(struct mcp_result_writer *w)
{
    if (!lua_isboolean(w->L, -1)) {
        mcp_result_set_fault(
            w, "a malformed result",
            "The result of tool \"%s\" cannot be sent: /isError is a "
            "%s, not a boolean",
            w->options->name, luaL_typename(w->L, -1));
        return false;
    }
    w->o->is_error = lua_toboolean(w->L, -1) != 0;
    return true;
}

/* The `_meta` at the top of the stack. */
static bool write_meta(struct mcp_result_writer *w)
{
    struct mcp_outcome *o = w->o;

    if (!mcp_result_write_json(w, -1, NULL, "/_meta", &o->meta))
        return false;
    if (o->text.data[o->meta.at] == '{')
        return true;
    mcp_result_set_fault(
        w, "a malformed result",
        "The result of tool \"%s\" cannot be sent: /_meta is no object",
        w->options->name);
    return false;
}

/* Writes the members of the result at `idx`; false: a fault is set. */
static bool write_parts(struct mcp_result_writer *w, int idx)
{
    struct mcp_outcome *o = w->o;
    const struct mcp_json *shape = w->options->output_tree;
    lua_State *L = w->L;
    bool ok = true;

    if (mcp_field_push(L, idx, "isError"))
        ok = read_is_error(w);
    if (ok && mcp_field_push(L, idx, "structuredContent")) {
        ok = mcp_result_write_json(w, -1, shape, "/structuredContent",
                                   &o->structured);
        o->structured_by_author = ok;
    }
    if (ok && mcp_field_push(L, idx, "_meta"))
        ok = write_meta(w);
    if (!ok)
        return false;
    if (mcp_field_push(L, idx, "content"))
        return write_content(w);
    if (o->structured.len > 0)
        set_content_json(o, o->structured);
    else
        set_content_empty(o);
    return true;
}

static void write_result(struct mcp_result_writer *w, int idx)
{
    int top = lua_gettop(w->L);
    bool ok = write_parts(w, idx);

    lua_settop(w->L, top);
    if (ok && !w->o->is_error && w->o->structured.len == 0)
        (void)lacks_structured(w, "a result without `structured`");
}

/* ---- which of them is it ---- */

/* Are all keys of the table at `idx` those of a CallToolResult? */
static bool has_result_keys(lua_State *L, int idx)
{
    static const char *const keys[] = {"content", "structuredContent",
                                       "isError", "_meta"};
    bool known = true;
    const char *s;
    size_t i;

    lua_pushnil(L);
    while (known && lua_next(L, idx)) {
        known = false;
        s = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
        for (i = 0; i < 4 && !known; i++)
            known = strcmp(s, keys[i]) == 0;
        lua_pop(L, 1);
    }
    if (!known)
        lua_pop(L, 1);
    return known;
}

static bool has_field(lua_State *L, int idx, const char *name)
{
    bool there = mcp_field_push(L, idx, name);

    if (there)
        lua_pop(L, 1);
    return there;
}

/* Is the unmarked table at `idx` a result? Under an output schema an object
 * with one property `content` must stay data: there it takes structured
 * content, isError or marked blocks to be a result. */
static bool is_raw_result(struct mcp_result_writer *w, int idx)
{
    enum mcp_block_rule rule = MCP_BLOCKS_ANY;
    int count;

    if (!has_result_keys(w->L, idx))
        return false;
    if (w->options->output_tree != NULL &&
        !has_field(w->L, idx, "structuredContent") &&
        !has_field(w->L, idx, "isError"))
        rule = MCP_BLOCKS_MARKED;
    if (!mcp_field_push(w->L, idx, "content"))
        return false;
    count = mcp_block_list_count(w->L, -1, rule);
    lua_pop(w->L, 1);
    return rule == MCP_BLOCKS_ANY ? count >= 0 : count > 0;
}

static void write_table(struct mcp_result_writer *w, int idx)
{
    enum mcp_block_rule rule =
        w->options->output_tree != NULL ? MCP_BLOCKS_MARKED : MCP_BLOCKS_ANY;
    bool block;
    int count;

    if (mcp_mark_is(w->L, idx, MCP_REF_RESULT_MARK) || is_raw_result(w, idx)) {
        write_result(w, idx);
        return;
    }
    block = mcp_block_is(w->L, idx, rule);
    count = block ? -1 : mcp_block_list_count(w->L, idx, rule);
    if (!block && count <= 0)
        count = strings_and_blocks(w->L, idx);
    if (!block && count <= 0)
        write_data(w, idx);
    else if (!lacks_structured(w, "content blocks"))
        (void)write_blocks(w, idx, count, "");
}

static void write_value(struct mcp_result_writer *w, int idx)
{
    switch (lua_type(w->L, idx)) {
    case LUA_TSTRING:
        write_string(w, idx);
        break;
    case LUA_TTABLE:
        write_table(w, idx);
        break;
    default:
        write_data(w, idx);
    }
}

void mcp_result_write_tool(struct mcp_result_writer *w, int first, int count)
{
    if (count > 0 && !lua_isnil(w->L, first))
        write_value(w, first);
    else if (count > 1 && !lua_isnil(w->L, first + 1))
        mcp_result_write_failure(w, first + 1, true);
    else if (!lacks_structured(w, "nothing"))
        set_content_empty(w->o);
}

/* Nobody waits for what a timer returns. */
static void write_timer(struct mcp_result_writer *w, int first, int count)
{
    (void)w;
    (void)first;
    (void)count;
}

void mcp_result_write(lua_State *L, int count,
                      const struct mcp_result_options *options,
                      struct mcp_outcome *o, const char **app_fault)
{
    static void (*const writers[])(struct mcp_result_writer * w, int first,
                                   int count) = {
        [MCP_KIND_TOOL] = mcp_result_write_tool,
        [MCP_KIND_RESOURCE] = mcp_result_write_resource,
        [MCP_KIND_PROMPT] = mcp_result_write_prompt,
        [MCP_KIND_COMPLETER] = mcp_result_write_completer,
        [MCP_KIND_SKILL_SOURCE] = mcp_result_write_skill_source,
        [MCP_KIND_SKILL_READER] = mcp_result_write_resource,
        [MCP_KIND_TIMER] = write_timer,
        [MCP_KIND_ROUTE] = mcp_result_write_route,
    };
    struct mcp_result_writer w;
    int top = lua_gettop(L);

    mcp_result_begin(&w, L, options, o);
    if (count == 0 || options->kind == MCP_KIND_ROUTE ||
        !mcp_result_is_http(L, top + 1 - count))
        writers[options->kind](&w, top + 1 - count, count);
    else if (mcp_result_open_http(&w, top + 1 - count))
        writers[options->kind](&w, lua_gettop(L), 1);
    if (o->text.failed)
        mcp_result_set_write_fault(&w, MCP_ENOMEM, "", "");
    lua_settop(L, top);
    if (app_fault != NULL)
        *app_fault = w.fault;
}
