/*
 * result_prompt.c - what a prompt's handler returned, as messages
 *
 *   string, content block             one user message
 *   { role, content }                 one message (mcp.user, mcp.assistant)
 *   list of these                     several
 *   { messages, description }         these messages
 *
 * The instructions of a controller go in front of the first user text. When
 * there is none, all is written once more behind a message of their own.
 */
#include <lauxlib.h>
#include <stdio.h>

#include "app/result_block.h"
#include "app/result_write.h"
#include "app/value.h"

struct writer {
    struct mcp_result_writer *w;
    struct mcp_block_writer b;
    const char *prefix; /* for the first user text; NULL: none, or done */
    int count;          /* of messages so far                           */
};

static bool is_string(lua_State *L, int idx, const char *text)
{
    size_t len;
    const char *s = lua_tolstring(L, idx, &len);

    return len == strlen(text) && memcmp(s, text, len) == 0;
}

/* ---- one message ---- */

static enum mcp_err refuse(struct writer *m, const char *path,
                           const char *message)
{
    struct mcp_value_error *error = &m->w->error;

    (void)snprintf(error->path, sizeof(error->path), "%s", path);
    (void)snprintf(error->message, sizeof(error->message), "%s", message);
    return MCP_EINVAL;
}

/* Writes the content at the top of the stack: a string or a block. */
static enum mcp_err write_content(struct writer *m, bool is_user,
                                  const char *path)
{
    lua_State *L = m->w->L;
    enum mcp_err err;
    const char *s;
    size_t len;

    m->b.prefix = is_user ? m->prefix : NULL;
    if (lua_type(L, -1) == LUA_TSTRING) {
        s = lua_tolstring(L, -1, &len);
        err = mcp_block_write_text(&m->b, s, len, path);
    } else if (mcp_block_is(L, -1, MCP_BLOCKS_ANY)) {
        err = mcp_block_write(&m->b, -1, path);
    } else {
        return refuse(m, path, "must be a string or one content block");
    }
    if (is_user)
        m->prefix = m->b.prefix; /* NULL once it is written */
    return err;
}

static void begin_message(struct writer *m, const char *role)
{
    mcp_buf_puts(m->b.out, m->count++ > 0 ? ",{\"role\":\"" : "{\"role\":\"");
    mcp_buf_puts(m->b.out, role);
    mcp_buf_puts(m->b.out, "\",\"content\":");
}

/* Has the table at `idx` a `role`? */
static bool is_message(lua_State *L, int idx)
{
    if (!lua_istable(L, idx) || !mcp_field_push(L, idx, "role"))
        return false;
    lua_pop(L, 1);
    return true;
}

/* Writes the message { role, content } at the top of the stack. */
static enum mcp_err write_table_message(struct writer *m, const char *path)
{
    lua_State *L = m->w->L;
    int idx = lua_gettop(L);
    bool is_user;
    enum mcp_err err;
    char below[64];

    (void)mcp_field_push(L, idx, "role");
    is_user = lua_type(L, -1) == LUA_TSTRING && is_string(L, -1, "user");
    if (!is_user &&
        !(lua_type(L, -1) == LUA_TSTRING && is_string(L, -1, "assistant"))) {
        (void)snprintf(below, sizeof(below), "%s/role", path);
        return refuse(m, below, "must be \"user\" or \"assistant\"");
    }
    (void)snprintf(below, sizeof(below), "%s/content", path);
    if (!mcp_field_push(L, idx, "content"))
        return refuse(m, below, "is missing");
    begin_message(m, is_user ? "user" : "assistant");
    err = write_content(m, is_user, below);
    mcp_buf_putc(m->b.out, '}');
    return err;
}

/* Writes the entry at the top of the stack. */
static enum mcp_err write_entry(struct writer *m, const char *path)
{
    lua_State *L = m->w->L;
    int top = lua_gettop(L);
    enum mcp_err err;

    if (is_message(L, top)) {
        err = write_table_message(m, path);
    } else if (lua_type(L, top) == LUA_TSTRING ||
               mcp_block_is(L, top, MCP_BLOCKS_ANY)) {
        begin_message(m, "user");
        err = write_content(m, true, path);
        mcp_buf_putc(m->b.out, '}');
    } else {
        err = refuse(m, path,
                     "must be a string, a content block or a message { role, "
                     "content }");
    }
    lua_settop(L, top);
    return err;
}

/* ---- all of them ---- */

/* The count of entries of the list at `idx`, or -1 when it is none. */
static int list_count(lua_State *L, int idx)
{
    int count = (int)lua_objlen(L, idx), keys = 0;

    lua_pushnil(L);
    for (; lua_next(L, idx); lua_pop(L, 1))
        keys++;
    return keys == count ? count : -1;
}

static enum mcp_err write_list(struct writer *m, int idx, const char *path)
{
    lua_State *L = m->w->L;
    int count = lua_istable(L, idx) ? list_count(L, idx) : -1;
    enum mcp_err err = MCP_OK;
    char below[48];

    if (count < 0)
        return refuse(m, path,
                      "must be a string, a content block, a message { role, "
                      "content }, or a list of these");
    for (int i = 1; err == MCP_OK && i <= count; i++) {
        (void)snprintf(below, sizeof(below), "%s/%d", path, i - 1);
        lua_rawgeti(L, idx, i);
        err = write_entry(m, below);
        lua_pop(L, 1);
    }
    return err;
}

/* Writes the value at `idx`, an entry or a list of them. */
static enum mcp_err write_any(struct writer *m, int idx, const char *path)
{
    lua_State *L = m->w->L;
    enum mcp_err err;

    if (lua_type(L, idx) != LUA_TSTRING && !is_message(L, idx) &&
        !mcp_block_is(L, idx, MCP_BLOCKS_ANY))
        return write_list(m, idx, path);
    lua_pushvalue(L, idx);
    err = write_entry(m, path);
    lua_pop(L, 1);
    return err;
}

/* Writes everything; behind a message with the instructions when `lead`. */
static enum mcp_err write_messages(struct writer *m, int idx, const char *path,
                                   bool lead)
{
    const char *instructions = m->w->options->instructions;
    enum mcp_err err = MCP_OK;

    mcp_outcome_clear(m->w->o);
    m->w->o->kind = MCP_OUTCOME_RESULT;
    m->count = 0;
    m->prefix = lead ? NULL : instructions;
    mcp_buf_putc(m->b.out, '[');
    if (lead) {
        begin_message(m, "user");
        m->b.prefix = NULL;
        err =
            mcp_block_write_text(&m->b, instructions, strlen(instructions), "");
        mcp_buf_putc(m->b.out, '}');
    }
    if (err == MCP_OK)
        err = write_any(m, idx, path);
    mcp_buf_putc(m->b.out, ']');
    m->w->o->content = mcp_span_from(m->w->o, 0);
    return err == MCP_OK && m->b.out->failed ? MCP_ENOMEM : err;
}

/* Is the table at `idx` { messages, description? }? Pushes `messages` then. */
static bool push_messages(lua_State *L, int idx)
{
    bool known = true;

    if (!lua_istable(L, idx))
        return false;
    lua_pushnil(L);
    while (known && lua_next(L, idx)) {
        known =
            lua_type(L, -2) == LUA_TSTRING &&
            (is_string(L, -2, "messages") || is_string(L, -2, "description"));
        lua_pop(L, 1);
    }
    if (!known) {
        lua_pop(L, 1);
        return false;
    }
    return mcp_field_push(L, idx, "messages");
}

/* The `description` of the table at `idx`, behind the messages. */
static void write_description(struct mcp_result_writer *w, int idx)
{
    struct mcp_outcome *o = w->o;
    size_t at = o->text.len, len;
    const char *s;

    if (!mcp_field_push(w->L, idx, "description"))
        return;
    s = lua_type(w->L, -1) == LUA_TSTRING ? lua_tolstring(w->L, -1, &len)
                                          : NULL;
    if (s == NULL || !mcp_utf8_valid(s, len, NULL)) {
        mcp_result_set_fault(w, "a malformed result",
                             "The result of prompt \"%s\" cannot be sent: "
                             "/description must be a string of valid UTF-8",
                             w->options->name);
        return;
    }
    mcp_buf_add(&o->text, s, len);
    o->description = mcp_span_from(o, at);
}

static void write_value(struct mcp_result_writer *w, int idx)
{
    struct writer m = {.w = w,
                       .b = {.L = w->L,
                             .options = w->options,
                             .out = &w->o->text,
                             .error = &w->error}};
    bool whole = push_messages(w->L, idx);
    int from = whole ? lua_gettop(w->L) : idx;
    const char *path = whole ? "/messages" : "";
    enum mcp_err err = write_messages(&m, from, path, false);

    if (err == MCP_OK && m.prefix != NULL)
        err = write_messages(&m, from, path, true);
    if (err != MCP_OK)
        mcp_result_set_write_fault(w, err, "a malformed message", "");
    else if (whole)
        write_description(w, idx);
}

void mcp_result_write_prompt(struct mcp_result_writer *w, int first, int count)
{
    if (count > 0 && !lua_isnil(w->L, first))
        write_value(w, first);
    else if (count > 1 && !lua_isnil(w->L, first + 1))
        mcp_result_write_failure(w, first + 1, true);
    else
        mcp_result_set_fault(w, "no messages",
                             "Prompt \"%s\" returned nothing; it returns a "
                             "string, or messages",
                             w->options->name);
}
