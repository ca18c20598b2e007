# EmbedLua.cmake - the Lua modules under lua/mcp as C arrays in the binary
#
# mcp_embed_lua(target root) adds generated/embedded_lua.c to `target`: the
# source text of every file under root/mcp, one entry each, and its bytecode
# when the luajit command is there. A changed file runs the generator again; a
# new or removed one runs CMake again.

set(MCP_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/embed_lua.cmake)
set(MCP_COMPILE_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/compile_lua.lua)
find_program(MCP_LUAJIT luajit)

function(mcp_embed_lua target root)
  file(GLOB_RECURSE files RELATIVE ${root} CONFIGURE_DEPENDS ${root}/mcp/*.lua)
  list(SORT files)
  list(TRANSFORM files PREPEND ${root}/ OUTPUT_VARIABLE paths)
  string(REPLACE ";" "," names "${files}")
  set(out ${CMAKE_BINARY_DIR}/generated)
  set(compiler "")
  if(MCP_LUAJIT)
    set(compiler -DLUAJIT=${MCP_LUAJIT} -DCOMPILE=${MCP_COMPILE_SCRIPT})
  endif()
  add_custom_command(
    OUTPUT ${out}/embedded_lua.c ${out}/embedded_lua.h
    COMMAND ${CMAKE_COMMAND} -DROOT=${root} -DFILES=${names} -DOUT=${out}
            ${compiler} -P ${MCP_EMBED_SCRIPT}
    DEPENDS ${paths} ${MCP_EMBED_SCRIPT} ${MCP_COMPILE_SCRIPT}
    COMMENT "Embedding lua/mcp"
    VERBATIM)
  add_custom_target(mcp_embedded_lua DEPENDS ${out}/embedded_lua.c)
  add_dependencies(${target} mcp_embedded_lua)
  target_sources(${target} PRIVATE ${out}/embedded_lua.c)
endfunction()
