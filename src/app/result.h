/*
 * result.h - what a handler returned or raised, as an outcome
 *
 * For tools the table "What a tool may return" of the API decides, for prompts,
 * resources and completers what it says of those; see api docs. Content
 * blocks are tables with a `type`; the constructors mcp.text, mcp.image, ...
 * mark theirs. Bytes are base64-encoded here.
 *
 * Layer:  app. Uses app/outcome, app/value, base/codec; includes lua.h.
 * Thread: the owner of the Lua state.
 */
#ifndef MCP_APP_RESULT_H
#define MCP_APP_RESULT_H

#include <lua.h>

#include "app/outcome.h"
#include "app/registry.h"
#include "base/call.h"

struct mcp_result_options {
    enum mcp_kind kind;
    const char *name;                   /* of the handler; for messages    */
    enum mcp_revision revision;         /* 2025-03-26 has no resource_link */
    const struct mcp_json *output_tree; /* the output schema, or NULL      */
    size_t max_blob_bytes;              /* decoded bytes of one block      */
    bool expose_errors;                 /* else "Internal error in tool X" */
    const char *uri;          /* resource: what is read                    */
    const char *mime_type;    /* resource, route: as declared, or NULL     */
    const char *instructions; /* prompt: of its controller, or NULL        */
    int http_status;          /* route: as declared, or 0                  */
};

/* The constructors and marks (mcp.text, mcp.array, mcp.null, ...) as fields of
 * the table at the top of the stack, which stays there. Once per state, before
 * any app code runs. */
void mcp_result_open(lua_State *L);

/* Turns the `count` values on top of the stack (the results of a handler of
 * options->kind) into `o` (cleared first). A value that JSON cannot carry, a
 * missing structured value under an output schema, a blob beyond the limit: a
 * failure whose text names the path; `*app_fault` (may be NULL) is then set to
 * a static short reason for the log, else to NULL. Does not raise but on lack
 * of Lua stack. The stack is left as it was. */
void mcp_result_write(lua_State *L, int count,
                      const struct mcp_result_options *options,
                      struct mcp_outcome *o, const char **app_fault);

/* The same for the value at `idx` that error() raised: a string loses its
 * position prefix ("app.lua:12: "); a table { message, structured, meta } is
 * read; anything else is told by its type. */
void mcp_result_write_error(lua_State *L, int idx,
                            const struct mcp_result_options *options,
                            struct mcp_outcome *o);

/* mcp.not_found, mcp.http_error, ...: the table at `idx` { message, status,
 * body?, not_found? } as a failure. Returns false, with `problem` filled, when
 * its shape is wrong or its body cannot be sent. */
bool mcp_result_write_ending(lua_State *L, int idx,
                             const struct mcp_result_options *options,
                             struct mcp_outcome *o, char *problem,
                             size_t problem_size);

/* mcp.protocol_error's table at `idx` { code, message, data } as an ERROR
 * outcome. Returns false, with `problem` filled, when its shape is wrong. */
bool mcp_result_write_protocol_error(lua_State *L, int idx,
                                     struct mcp_outcome *o, char *problem,
                                     size_t problem_size);

#endif
