/*
 * declare_skill.h - the functions of mcp.core that skills need
 *
 *   set_skills{ expose?, directory_read?, max_files?, max_bytes?, ttl_ms?,
 *               cache_scope? }
 *   add_skill_folder{ path, prefix, file, line }       path: as of *_file
 *   add_skill{ prefix, text, files, file, line }
 *       files is a list of { path, content | content_file, mime_type? }
 *   add_skill_source{ name, op, prefix, binds, handler }
 *       op is "list", "get" or "read"
 *       -> true | nil, message
 *   sha256(bytes) -> 64 lower-case hexadecimal digits
 *
 * The first three are for the first load; of a follow load they are ignored.
 *
 * Layer:  app, private to declare. Uses app/declare_field; includes lua.h.
 * Thread: the owner of the Lua state.
 */
#ifndef MCP_APP_DECLARE_SKILL_H
#define MCP_APP_DECLARE_SKILL_H

#include <lua.h>

int mcp_declare_set_skills(lua_State *L);
int mcp_declare_add_skill_folder(lua_State *L);
int mcp_declare_add_skill(lua_State *L);
int mcp_declare_add_skill_source(lua_State *L);
int mcp_declare_sha256(lua_State *L);

#endif
