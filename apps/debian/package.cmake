# SPDX-License-Identifier: Apache-2.0
# The Debian package: `cpack` in the build folder, or `cmake --build build/release --target package`.
# Of programs it has those that need no GPU.
install(FILES NOTICE CHANGELOG.md apps/debian/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR}
  COMPONENT debian)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "Gardenhose maintainers")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/readable.cmake)
include(CPack)
