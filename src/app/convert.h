/*
 * convert.h - arguments in the form that the handler wants them in
 *
 * JSON has neither 64-bit integers nor bytes. A tool says which arguments are
 * meant as such (t.int64, t.bytes); here they are marked or decoded on the
 * parsed tree, before anything is pushed to Lua.
 *
 * Layer:  app. Uses app/registry, base/codec, base/json.
 * Thread: any.
 */
#ifndef MCP_APP_CONVERT_H
#define MCP_APP_CONVERT_H

#include "app/registry.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"

/* `*out` is `args` with every value of `kind` that `tool` names converted:
 * whole numbers marked with MCP_JSON_F_INT64, base64 text replaced by its
 * bytes. Values of another type stay, as their schema refuses them. Copy on
 * write, in `a`; `args` itself when there is nothing to convert.
 * Errors: MCP_EINVAL a value does not convert, `*path` gets its place as a
 * JSON pointer in `a` and `*why` a static sentence; MCP_ENOMEM. */
enum mcp_err
mcp_convert_arguments(const struct mcp_tool *tool, enum mcp_convert_kind kind,
                      const struct mcp_json *args, struct mcp_arena *a,
                      const struct mcp_json **out, const char **path,
                      const char **why) MCP_MUST_USE;

#endif
