/*
 * declare_field.h - what the functions add_tool, add_resource, add_prompt share
 *
 * They read the table at stack index 1; what a reader returns lives as long as
 * what it left on the stack.
 *
 * Layer:  app, private to declare. Uses app/host, app/registry, app/sources;
 *         includes lua.h.
 * Thread: the owner of the Lua state.
 */
#ifndef MCP_APP_DECLARE_FIELD_H
#define MCP_APP_DECLARE_FIELD_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

#include "app/host.h"
#include "app/registry.h"

enum { MCP_DECLARE_MESSAGE_SIZE = 1024 };

/* The load that this state is in. Raises inside a call. */
struct mcp_load *mcp_declare_load(lua_State *L);

/* What the load fills or follows. */
const struct mcp_generation *
mcp_declare_generation(const struct mcp_load *load);

/* Pushes nil and the message; returns 2. */
int mcp_declare_refuse(lua_State *L, const char *message);

/* The string field `key` of the table at `idx`; NULL when it is nil. Raises on
 * another type and on a NUL inside. */
const char *mcp_field_string(lua_State *L, int idx, const char *key);

/* The number field `key` of the table at `idx`, else `initial`. */
double mcp_field_number(lua_State *L, int idx, const char *key, double initial);

bool mcp_field_boolean(lua_State *L, int idx, const char *key);

/* The list field "binds" of the table at 1 as a plan; none is an empty one. */
void mcp_field_binds(lua_State *L, struct mcp_handler *handler);

/* The list field "completers" of the table at 1: { argument =, and values = {
 * ... } or handler = f }. */
const struct mcp_completer *mcp_field_completers(lua_State *L, size_t *count);

/* The string field "route" of the table at 1 as the place of that route, from
 * 1; 0: it has none, or this is no first load. Raises when there is none. */
size_t mcp_field_route(lua_State *L);

/* The bytes of a file; `path` is relative to the app's folder. BORROWED from
 * the generation's sources. NULL: `message` says why. */
const char *mcp_declare_read_file(const struct mcp_host *host, const char *path,
                                  size_t *len, char *message,
                                  size_t message_size);

/* Checks what a follow load declares against `known`, the handler of that kind
 * and name in the generation (NULL: there is none), and ticks it off. */
enum mcp_err mcp_declare_follow(const struct mcp_load *load,
                                const struct mcp_handler *known,
                                const struct mcp_handler *now, char *message,
                                size_t message_size) MCP_MUST_USE;

/* The same for completers, each against the one of the same argument; `parent`
 * is what has them ("prompt greet"). */
enum mcp_err mcp_declare_follow_completers(
    const struct mcp_load *load, const struct mcp_completer *known,
    size_t known_count, const struct mcp_completer *now, size_t count,
    const char *parent, char *message, size_t message_size) MCP_MUST_USE;

/* Keeps the field "handler" of the table at `idx` in `slot`; 0: not at all. */
void mcp_declare_keep(lua_State *L, int idx, size_t slot);

/* The same for the functions in the list field "completers". */
void mcp_declare_keep_completers(lua_State *L,
                                 const struct mcp_completer *known,
                                 size_t count);

#endif
