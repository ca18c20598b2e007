/*
 * result_block.h - content blocks: which tables are some, and their JSON
 *
 * Made by mcp.text, mcp.image, ... (marked: `data` and `blob` have raw bytes)
 * or spelled by the author as MCP does (raw tables: base64 already).
 *
 * Layer:  app, private to result*.c. Uses app/result, app/value; includes
 *         lua.h.
 * Thread: the owner of the Lua state.
 */
#ifndef MCP_APP_RESULT_BLOCK_H
#define MCP_APP_RESULT_BLOCK_H

#include <lua.h>
#include <stdbool.h>

#include "app/result.h"
#include "app/value.h"

/* Which unmarked tables count. */
enum mcp_block_rule { MCP_BLOCKS_MARKED, MCP_BLOCKS_ANY };

struct mcp_block_writer {
    lua_State *L;
    const struct mcp_result_options *options;
    struct mcp_buf *out;
    struct mcp_value_error *error; /* filled with MCP_EINVAL              */
    bool too_big;                  /* ... because of max_blob_bytes       */
    const char *prefix; /* goes, with a blank line behind it, in front of the
                           first text block's text, and becomes NULL then; NULL:
                           nothing does                                   */
};

/* Has the table at `idx` the metatable of registry integer `ref`? */
bool mcp_mark_is(lua_State *L, int idx, int ref);

/* Pushes the raw field `name` of the table at `idx`; pushes nothing and
 * returns false when it has none. Takes no Lua memory. */
bool mcp_field_push(lua_State *L, int idx, const char *name);

/* Is the value at `idx` a content block? */
bool mcp_block_is(lua_State *L, int idx, enum mcp_block_rule rule);

/* The count of entries when the value at `idx` is a list in which every entry
 * is a block (so 0 for an empty table), else -1. */
int mcp_block_list_count(lua_State *L, int idx, enum mcp_block_rule rule);

/* Writes the block at `idx`; `path` is where it stands.
 * Errors: MCP_EINVAL see w->error; MCP_ENOMEM. */
enum mcp_err mcp_block_write(struct mcp_block_writer *w, int idx,
                             const char *path) MCP_MUST_USE;

/* Writes a JSON array of the `count` entries at `idx`, blocks or strings. */
enum mcp_err mcp_block_write_list(struct mcp_block_writer *w, int idx,
                                  int count, const char *path) MCP_MUST_USE;

/* Writes a text block of text[0..len), which must be UTF-8. */
enum mcp_err mcp_block_write_text(struct mcp_block_writer *w, const char *text,
                                  size_t len, const char *path) MCP_MUST_USE;

#endif
