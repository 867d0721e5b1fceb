# make install: program, shared and static library, headers, pkg-config file, CMake package, man page.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS sotto RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS sotto_shared EXPORT sottoTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS sotto_static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/sotto DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES docs/sotto.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

configure_file(cmake/sotto.pc.in sotto.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/sotto.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

configure_package_config_file(cmake/sottoConfig.cmake.in sottoConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sotto)
write_basic_package_version_file(sottoConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sottoConfig.cmake ${PROJECT_BINARY_DIR}/sottoConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sotto)
install(EXPORT sottoTargets NAMESPACE sotto:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sotto)
