/*
 * result_error.c - failures: what was raised, returned behind nil, or wrong
 */
#include <lauxlib.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "app/host.h"
#include "app/result_block.h"
#include "app/result_write.h"
#include "app/value.h"

enum { STACK_SLOTS = 32 };

void mcp_result_begin(struct mcp_result_writer *w, lua_State *L,
                      const struct mcp_result_options *options,
                      struct mcp_outcome *o)
{
    w->L = L;
    w->options = options;
    w->o = o;
    w->fault = NULL;
    w->status = 500;
    mcp_outcome_clear(o);
    o->kind = MCP_OUTCOME_RESULT;
    luaL_checkstack(L, STACK_SLOTS, "no stack for the result");
}

const char *mcp_result_subject(const struct mcp_result_options *options)
{
    static const char *const subjects[] = {
        [MCP_KIND_TOOL] = "Tool",     [MCP_KIND_RESOURCE] = "Resource",
        [MCP_KIND_PROMPT] = "Prompt", [MCP_KIND_COMPLETER] = "Completer",
        [MCP_KIND_TIMER] = "Timer",   [MCP_KIND_ROUTE] = "Route",
    };

    if (mcp_result_is_of_skills(options))
        return "Skill source";
    return subjects[options->kind];
}

void mcp_result_fail(struct mcp_result_writer *w, bool open, const char *text,
                     size_t len)
{
    bool is_shown = open || w->options->expose_errors;
    char shown[200];

    if (mcp_result_is_of_skills(w->options)) {
        mcp_outcome_set_refusal(w->o, "Skill source failed", w->status,
                                is_shown, text, len);
        return;
    }
    switch (w->options->kind) {
    case MCP_KIND_PROMPT:
        mcp_outcome_set_refusal(w->o, "Prompt execution failed", w->status,
                                is_shown, text, len);
        return;
    case MCP_KIND_RESOURCE:
        mcp_outcome_set_refusal(w->o, "Resource read failed", w->status,
                                is_shown, text, len);
        return;
    case MCP_KIND_COMPLETER:
        mcp_outcome_set_no_values(w->o, text, len);
        return;
    case MCP_KIND_ROUTE:
        mcp_outcome_set_http_failure(w->o, w->status, is_shown, text, len);
        return;
    case MCP_KIND_SKILL_SOURCE:
    case MCP_KIND_SKILL_READER:
    case MCP_KIND_TOOL:
    case MCP_KIND_TIMER:
        break;
    }
    if (is_shown) {
        mcp_outcome_set_failure(w->o, text, len);
        return;
    }
    (void)snprintf(shown, sizeof(shown), "Internal error in tool %s",
                   w->options->name);
    mcp_outcome_set_failure_as(w->o, shown, text, len);
}

/* text[0..len) without "app.lua:12: " in front. */
static const char *skip_position(const char *text, size_t *len)
{
    const char *end = text + *len, *p = text;

    while (p < end && *p != ':' && *p != '\n')
        p++;
    if (p == text || end - p < 4 || *p++ != ':')
        return text;
    if (*p < '0' || *p > '9')
        return text;
    while (p < end && *p >= '0' && *p <= '9')
        p++;
    if (end - p < 2 || p[0] != ':' || p[1] != ' ')
        return text;
    p += 2;
    *len = (size_t)(end - p);
    return p;
}

/* Writes field `name` of the error table at `idx` to `*span`; a value that
 * cannot be sent is left out. */
static void add_field(struct mcp_result_writer *w, int idx, const char *name,
                      struct mcp_span *span)
{
    struct mcp_buf *text = &w->o->text;
    size_t at = text->len;

    if (!mcp_field_push(w->L, idx, name))
        return;
    if (mcp_value_write(w->L, -1, text, NULL, &w->error) == MCP_OK)
        *span = mcp_span_from(w->o, at);
    lua_pop(w->L, 1);
}

void mcp_result_set_content(struct mcp_result_writer *w, int idx,
                            const char *name)
{
    struct mcp_outcome *o = w->o;
    size_t at = o->text.len;

    if (w->options->kind == MCP_KIND_ROUTE) {
        mcp_result_set_http_body(w, idx, name);
        return;
    }
    if (o->kind != MCP_OUTCOME_ERROR || !mcp_field_push(w->L, idx, name))
        return;
    mcp_buf_printf(&o->text, "{\"statusCode\":%d,\"content\":", w->status);
    if (mcp_value_write(w->L, -1, &o->text, NULL, &w->error) == MCP_OK)
        mcp_buf_putc(&o->text, '}');
    else
        o->text.len = at;
    if (o->text.len > at && !o->text.failed)
        o->data = mcp_span_from(o, at);
    o->text.failed = false; /* the text alone had room */
    lua_pop(w->L, 1);
}

/* How a failure came: what is `open` stood behind a nil. */
static const char *verb(bool open)
{
    return open ? "returned nil and" : "raised";
}

/* error{ message =, structured =, meta = } */
static void write_error_table(struct mcp_result_writer *w, int idx, bool open)
{
    struct mcp_outcome *o = w->o;
    const char *message;
    char text[200];
    size_t len;

    if (mcp_field_push(w->L, idx, "message") &&
        lua_type(w->L, -1) == LUA_TSTRING) {
        message = lua_tolstring(w->L, -1, &len);
        mcp_result_fail(w, true, message, len);
    } else {
        (void)snprintf(
            text, sizeof(text), "%s \"%.100s\" %s a table without a message",
            mcp_result_subject(w->options), w->options->name, verb(open));
        mcp_result_fail(w, false, text, strlen(text));
    }
    if (w->options->kind != MCP_KIND_TOOL) {
        mcp_result_set_content(w, idx, "structured");
        return;
    }
    add_field(w, idx, "structured", &o->structured);
    o->structured_by_author = o->structured.len > 0;
    add_field(w, idx, "meta", &o->meta);
    if (o->meta.len > 0 && o->text.data[o->meta.at] != '{')
        o->meta = (struct mcp_span){0, 0};
}

static void write_error_other(struct mcp_result_writer *w, int idx, bool open)
{
    char text[200];

    if (lua_type(w->L, idx) == LUA_TNUMBER)
        (void)snprintf(text, sizeof(text), LUA_NUMBER_FMT,
                       lua_tonumber(w->L, idx));
    else
        (void)snprintf(text, sizeof(text), "%s \"%.100s\" %s %s%s",
                       mcp_result_subject(w->options), w->options->name,
                       verb(open), lua_isnil(w->L, idx) ? "" : "a ",
                       luaL_typename(w->L, idx));
    mcp_result_fail(w, false, text, strlen(text));
}

void mcp_result_write_failure(struct mcp_result_writer *w, int idx, bool open)
{
    const char *text;
    size_t len;
    int top = lua_gettop(w->L);

    switch (lua_type(w->L, idx)) {
    case LUA_TSTRING:
        text = lua_tolstring(w->L, idx, &len);
        if (!open)
            text = skip_position(text, &len);
        mcp_result_fail(w, open, text, len);
        break;
    case LUA_TTABLE:
        write_error_table(w, idx, open);
        break;
    default:
        write_error_other(w, idx, open);
    }
    lua_settop(w->L, top);
}

void mcp_result_write_error(lua_State *L, int idx,
                            const struct mcp_result_options *options,
                            struct mcp_outcome *o)
{
    struct mcp_result_writer w;

    mcp_result_begin(&w, L, options, o);
    mcp_result_write_failure(&w, idx > 0 ? idx : lua_gettop(L) + 1 + idx,
                             false);
}

/* ---- mcp.not_found, mcp.http_error, ... ---- */

/* The integer field `status`; 500: there is none. */
static int read_status(lua_State *L, int idx)
{
    double v = 500;

    if (mcp_field_push(L, idx, "status")) {
        v = lua_tonumber(L, -1);
        lua_pop(L, 1);
    }
    return v >= 400 && v < 600 ? (int)v : 500;
}

/* There is no resource at this URI: the message says more. */
static void write_not_found(struct mcp_outcome *o, const char *text, size_t len)
{
    mcp_outcome_set_refusal(o, "", 404, false, text, len);
    o->kind = MCP_OUTCOME_NOT_FOUND;
    o->message = o->reason;
    o->data = (struct mcp_span){0, 0};
}

/* The body of mcp.http_error as a text of the tool's result, behind the
 * message; one that cannot be sent is left out. */
static void add_body(struct mcp_result_writer *w, int idx)
{
    struct mcp_buf *json = &mcp_host_of(w->L)->scratch;
    const char *text;
    size_t len;

    if (!mcp_field_push(w->L, idx, "body"))
        return;
    if (lua_type(w->L, -1) == LUA_TSTRING) {
        text = lua_tolstring(w->L, -1, &len);
        mcp_outcome_add_failure(w->o, text, len);
    } else {
        mcp_buf_clear(json);
        if (mcp_value_write(w->L, -1, json, NULL, &w->error) == MCP_OK)
            mcp_outcome_add_failure(w->o, json->data, json->len);
    }
    lua_pop(w->L, 1);
}

bool mcp_result_write_ending(lua_State *L, int idx,
                             const struct mcp_result_options *options,
                             struct mcp_outcome *o, char *problem,
                             size_t problem_size)
{
    struct mcp_result_writer w;
    const char *text;
    size_t len;
    int top = lua_gettop(L);

    mcp_result_begin(&w, L, options, o);
    idx = idx > 0 ? idx : top + 1 + idx;
    w.status = read_status(L, idx);
    if (!mcp_field_push(L, idx, "message") || lua_type(L, -1) != LUA_TSTRING) {
        lua_settop(L, top);
        (void)snprintf(problem, problem_size, "message must be a string");
        return false;
    }
    text = lua_tolstring(L, -1, &len);
    if ((options->kind == MCP_KIND_RESOURCE ||
         mcp_result_is_of_skills(options)) &&
        mcp_field_push(L, idx, "not_found")) {
        write_not_found(o, text, len);
    } else {
        mcp_result_fail(&w, true, text, len);
        if (options->kind == MCP_KIND_TOOL)
            add_body(&w, idx);
        else
            mcp_result_set_content(&w, idx, "body");
    }
    lua_settop(L, top);
    return true;
}

/* ---- mcp.protocol_error ---- */

/* The integer field `code`; false: there is none. */
static bool read_code(lua_State *L, int idx, int *code)
{
    double v;

    if (!mcp_field_push(L, idx, "code"))
        return false;
    v = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : NAN;
    lua_pop(L, 1);
    if (!(v >= INT_MIN && v <= INT_MAX) || v != floor(v))
        return false;
    *code = (int)v;
    return true;
}

static bool write_error_data(lua_State *L, int idx, struct mcp_outcome *o,
                             char *problem, size_t problem_size)
{
    struct mcp_value_error error;
    size_t at = o->text.len;
    enum mcp_err err;

    if (!mcp_field_push(L, idx, "data"))
        return true;
    err = mcp_value_write(L, -1, &o->text, NULL, &error);
    lua_pop(L, 1);
    if (err == MCP_OK)
        o->data = mcp_span_from(o, at);
    else if (err == MCP_EINVAL)
        (void)snprintf(problem, problem_size, "data%s %s", error.path,
                       error.message);
    else
        (void)snprintf(problem, problem_size, "data is too large");
    return err == MCP_OK;
}

bool mcp_result_write_protocol_error(lua_State *L, int idx,
                                     struct mcp_outcome *o, char *problem,
                                     size_t problem_size)
{
    const char *message;
    size_t len;
    int code, top = lua_gettop(L);

    luaL_checkstack(L, STACK_SLOTS, "no stack for the error");
    idx = idx > 0 ? idx : lua_gettop(L) + 1 + idx;
    if (!lua_istable(L, idx) || !read_code(L, idx, &code)) {
        (void)snprintf(problem, problem_size, "code must be an integer");
        return false;
    }
    if (!mcp_field_push(L, idx, "message") || lua_type(L, -1) != LUA_TSTRING) {
        lua_settop(L, top);
        (void)snprintf(problem, problem_size, "message must be a string");
        return false;
    }
    message = lua_tolstring(L, -1, &len);
    mcp_outcome_set_error(o, code, message, NULL);
    lua_settop(L, top);
    return write_error_data(L, idx, o, problem, problem_size);
}
