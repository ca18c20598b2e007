/*
 * result_completer.c - what a completer returned, as a list of strings
 *
 * The feature ranks them and sends a hundred; so many more are kept that it
 * has a choice, and the others are counted.
 */
#include <lauxlib.h>

#include "app/result_write.h"
#include "app/value.h"

enum { VALUES_MAX = 10000 };

/* Writes the entry at the top as a string; false: it cannot be one. */
static bool write_entry(struct mcp_result_writer *w, int i)
{
    const char *s;
    size_t len;
    int type = lua_type(w->L, -1);

    if (type != LUA_TSTRING && type != LUA_TNUMBER) {
        mcp_result_set_fault(w, "a value that is no string",
                             "The result of completer \"%s\" cannot be sent: "
                             "/%d is a %s, not a string",
                             w->options->name, i - 1, luaL_typename(w->L, -1));
        return false;
    }
    lua_pushvalue(w->L, -1); /* a number becomes a string in its place */
    s = lua_tolstring(w->L, -1, &len);
    if (!mcp_utf8_valid(s, len, NULL)) {
        mcp_result_set_fault(w, "a value that is not UTF-8",
                             "The result of completer \"%s\" cannot be sent: "
                             "/%d is not valid UTF-8",
                             w->options->name, i - 1);
        return false;
    }
    mcp_json_write_string(&w->o->text, s, len);
    lua_pop(w->L, 1);
    return true;
}

static void write_values(struct mcp_result_writer *w, int idx)
{
    struct mcp_outcome *o = w->o;
    int count = (int)lua_objlen(w->L, idx), i;

    mcp_buf_putc(&o->text, '[');
    for (i = 1; i <= count && i <= VALUES_MAX; i++) {
        if (i > 1)
            mcp_buf_putc(&o->text, ',');
        lua_rawgeti(w->L, idx, i);
        if (!write_entry(w, i))
            return;
        lua_pop(w->L, 1);
    }
    mcp_buf_putc(&o->text, ']');
    o->content = mcp_span_from(o, 0);
    o->total = (size_t)count;
}

void mcp_result_write_completer(struct mcp_result_writer *w, int first,
                                int count)
{
    if (count > 0 && lua_istable(w->L, first)) {
        write_values(w, first);
        return;
    }
    if (count > 1 && lua_isnil(w->L, first) && !lua_isnil(w->L, first + 1)) {
        mcp_result_write_failure(w, first + 1, true);
        return;
    }
    if (count > 0 && !lua_isnil(w->L, first)) {
        mcp_result_set_fault(w, "no list",
                             "Completer \"%s\" returned a %s, not a list of "
                             "strings",
                             w->options->name, luaL_typename(w->L, first));
        return;
    }
    mcp_buf_puts(&w->o->text, "[]");
    w->o->content = mcp_span_from(w->o, 0);
}
