/*
 * result_write.h - what the writers of results share; private to result*.c
 *
 * Layer:  app. Uses app/result, app/value; includes lua.h.
 * Thread: the owner of the Lua state.
 */
#ifndef MCP_APP_RESULT_WRITE_H
#define MCP_APP_RESULT_WRITE_H

#include "app/result.h"
#include "app/value.h"

struct mcp_result_writer {
    lua_State *L;
    const struct mcp_result_options *options;
    struct mcp_outcome *o;
    const char *fault; /* static; NULL: the app did nothing wrong */
    struct mcp_value_error error;
};

/* From `at` to the end of what is written. */
static inline struct mcp_span mcp_span_from(const struct mcp_outcome *o,
                                            size_t at)
{
    return (struct mcp_span){at, o->text.len - at};
}

/* Fills `w`, clears `o`. Raises when Lua has no stack. */
void mcp_result_begin(struct mcp_result_writer *w, lua_State *L,
                      const struct mcp_result_options *options,
                      struct mcp_outcome *o);

/* The failure text[0..len); `open`: the peer may read it even when errors are
 * not exposed. */
void mcp_result_fail(struct mcp_result_writer *w, bool open, const char *text,
                     size_t len);

/* The failure that the value at `idx` tells; `open`: the handler returned it
 * behind a nil, else it was raised. */
void mcp_result_write_failure(struct mcp_result_writer *w, int idx, bool open);

#endif
