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
    int status;        /* of a failure, as HTTP would call it; 500 */
    struct mcp_value_error error;
};

/* From `at` to the end of what is written. */
static inline struct mcp_span mcp_span_from(const struct mcp_outcome *o,
                                            size_t at)
{
    return (struct mcp_span){at, o->text.len - at};
}

/* "Tool", "Prompt", ...: how a sentence about it begins. */
const char *mcp_result_subject(const struct mcp_result_options *options);

/* The app's fault: `reason` (static) for the log, the text for the peer. */
void mcp_result_set_fault(struct mcp_result_writer *w, const char *reason,
                          const char *fmt, ...) MCP_PRINTF(3, 4);

/* What a failed write of `path` + w->error means. */
void mcp_result_set_write_fault(struct mcp_result_writer *w, enum mcp_err err,
                                const char *reason, const char *path);

/* Writes the value at `idx` as JSON to `*span`; false: a fault is set. */
bool mcp_result_write_json(struct mcp_result_writer *w, int idx,
                           const struct mcp_json *shape, const char *path,
                           struct mcp_span *span);

/* Appends JSON text that lies in the same buffer, as a JSON string. */
void mcp_result_add_quoted(struct mcp_buf *out, struct mcp_span json);

/* The results of a handler, by kind; the first of `count` is at `first`. */
void mcp_result_write_tool(struct mcp_result_writer *w, int first, int count);
void mcp_result_write_prompt(struct mcp_result_writer *w, int first, int count);
void mcp_result_write_resource(struct mcp_result_writer *w, int first,
                               int count);
void mcp_result_write_route(struct mcp_result_writer *w, int first, int count);
void mcp_result_write_completer(struct mcp_result_writer *w, int first,
                                int count);

/* Is the value at `idx` one of mcp.http? */
bool mcp_result_is_http(lua_State *L, int idx);

/* The value at `idx`, one of mcp.http, where no route is asked: pushes its
 * body, or, of status 400 and above, writes it as a failure and returns false.
 */
bool mcp_result_open_http(struct mcp_result_writer *w, int idx);

/* Of a failed route: the field `name` of the table at `idx`, if it has one that
 * can be sent, becomes the body. */
void mcp_result_set_http_body(struct mcp_result_writer *w, int idx,
                              const char *name);

/* Of a failed prompt or resource data.content, of a route the body becomes the
 * field `name` of the table at `idx`, if it has one that can be sent. */
void mcp_result_set_content(struct mcp_result_writer *w, int idx,
                            const char *name);

/* Raises unless the table at `idx` may be the headers of an answer: names to
 * texts or lists of texts. */
void mcp_result_check_headers(lua_State *L, int idx);

void mcp_result_write_skill_source(struct mcp_result_writer *w, int first,
                                   int count);

static inline bool
mcp_result_is_of_skills(const struct mcp_result_options *options)
{
    return options->kind == MCP_KIND_SKILL_SOURCE ||
           options->kind == MCP_KIND_SKILL_READER;
}

/* Fills `w`, clears `o`. Raises when Lua has no stack. */
void mcp_result_begin(struct mcp_result_writer *w, lua_State *L,
                      const struct mcp_result_options *options,
                      struct mcp_outcome *o);

/* The failure text[0..len): of a tool a result with isError, of a prompt or a
 * resource a JSON-RPC error whose data tells status and text, of a completer
 * no values. `open`: the peer may read it even when errors are
 * not exposed. */
void mcp_result_fail(struct mcp_result_writer *w, bool open, const char *text,
                     size_t len);

/* The failure that the value at `idx` tells; `open`: the handler returned it
 * behind a nil, else it was raised. */
void mcp_result_write_failure(struct mcp_result_writer *w, int idx, bool open);

#endif
