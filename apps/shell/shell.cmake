# SPDX-License-Identifier: Apache-2.0
# What shells and man need of the program: completions, which ask it, and pages, which it writes.
set(man_folder ${PROJECT_BINARY_DIR}/man)
add_custom_command(TARGET gardenhose POST_BUILD
  COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:gardenhose> -DFOLDER=${man_folder}
    -P ${CMAKE_CURRENT_LIST_DIR}/man_pages.cmake
  VERBATIM)
install(DIRECTORY ${man_folder}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/gardenhose.bash RENAME gardenhose
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/gardenhose.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)
# The folder of packages; zsh looks for others in site-functions.
install(FILES ${CMAKE_CURRENT_LIST_DIR}/_gardenhose
  DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT program)
