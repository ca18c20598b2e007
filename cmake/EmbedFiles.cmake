# EmbedFiles.cmake - templates/ and lua/meta as C arrays in the binary
#
# mcp_embed_files(target) adds generated/embedded_files.c to `target`: every
# file of the two folders, one entry each, named by its path. A changed file
# runs the generator again; a new or removed one runs CMake again.

set(MCP_EMBED_FILES_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/embed_files.cmake)

function(mcp_embed_files target)
  set(root ${CMAKE_SOURCE_DIR})
  file(GLOB_RECURSE files RELATIVE ${root} CONFIGURE_DEPENDS
    ${root}/templates/* ${root}/lua/meta/*.lua)
  list(SORT files)
  list(TRANSFORM files PREPEND ${root}/ OUTPUT_VARIABLE paths)
  string(REPLACE ";" "," names "${files}")
  set(out ${CMAKE_BINARY_DIR}/generated)
  add_custom_command(
    OUTPUT ${out}/embedded_files.c ${out}/embedded_files.h
    COMMAND ${CMAKE_COMMAND} -DROOT=${root} -DFILES=${names} -DOUT=${out}
            -P ${MCP_EMBED_FILES_SCRIPT}
    DEPENDS ${paths} ${MCP_EMBED_FILES_SCRIPT}
    COMMENT "Embedding templates and lua/meta"
    VERBATIM)
  add_custom_target(mcp_embedded_files DEPENDS ${out}/embedded_files.c)
  add_dependencies(${target} mcp_embedded_files)
  target_sources(${target} PRIVATE ${out}/embedded_files.c)
endfunction()
