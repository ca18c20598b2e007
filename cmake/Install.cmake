# Install.cmake - the binary, and what it writes about itself
#
# The manual page and the completions come from the tables in the binary, so it
# runs once in the build. Each folder follows GNUInstallDirs.

include(GNUInstallDirs)

set(MCP_WRITTEN ${CMAKE_BINARY_DIR}/written)
set(written "")

# mcp_written(file arguments...): what `mcpluad arguments...` prints, as a file.
function(mcp_written file)
  add_custom_command(OUTPUT ${MCP_WRITTEN}/${file}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${MCP_WRITTEN}
    COMMAND mcpluad ${ARGN} > ${MCP_WRITTEN}/${file}
    DEPENDS mcpluad
    COMMENT "Writing ${file}"
    VERBATIM)
  set(written ${written} ${MCP_WRITTEN}/${file} PARENT_SCOPE)
endfunction()

mcp_written(mcpluad.1 man)
mcp_written(mcpluad.bash completions bash)
mcp_written(_mcpluad completions zsh)
mcp_written(mcpluad.fish completions fish)
# A binary for another machine, or one whose sanitizer minds this kernel, may not
# run here: then they are written by `cmake --build FOLDER --target mcp_written`.
if(CMAKE_CROSSCOMPILING OR MCP_SANITIZE)
  add_custom_target(mcp_written DEPENDS ${written})
  set(optional OPTIONAL)
else()
  add_custom_target(mcp_written ALL DEPENDS ${written})
  set(optional "")
endif()

install(TARGETS mcpluad RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${MCP_WRITTEN}/mcpluad.1
  DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 ${optional})
install(FILES ${MCP_WRITTEN}/mcpluad.bash RENAME mcpluad
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions ${optional})
install(FILES ${MCP_WRITTEN}/_mcpluad
  DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions ${optional})
install(FILES ${MCP_WRITTEN}/mcpluad.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d ${optional})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/lua/meta
  DESTINATION ${CMAKE_INSTALL_DATADIR}/mcpluad/lua)
