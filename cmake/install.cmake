# make install: program, shared and static library, headers, pkg-config file, CMake package, man page. All of it may
# be moved afterwards: nothing that is installed names the prefix.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# What a program needs that links the static library. Users of the shared one need none of it.
set(STATIC_LIBRARIES ${DEPS_LDFLAGS} -lsvm -lm)
set_target_properties(sotto_shared PROPERTIES EXPORT_NAME sotto)
target_include_directories(sotto_static INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(sotto_static INTERFACE "$<INSTALL_INTERFACE:${STATIC_LIBRARIES};Threads::Threads>")

install(TARGETS sotto RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS sotto_shared sotto_static EXPORT sottoTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/sotto DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES docs/statement.schema.json docs/ledger.schema.json docs/ledger-entry.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/sotto)
install(FILES docs/sotto.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

# Man pages of the verbs and shell completion, from what the program says of itself.
set(MANUAL ${PROJECT_BINARY_DIR}/manual)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_custom_command(OUTPUT ${MANUAL}/_sotto
  COMMAND ${CMAKE_COMMAND} -E env "SOTTO_EMULATOR=${CMAKE_CROSSCOMPILING_EMULATOR}"
          ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/manual.py $<TARGET_FILE:sotto> ${MANUAL}
  DEPENDS sotto ${PROJECT_SOURCE_DIR}/scripts/manual.py VERBATIM)
add_custom_target(manual ALL DEPENDS ${MANUAL}/_sotto)
install(DIRECTORY ${MANUAL}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "sotto-*.1")
install(FILES ${MANUAL}/sotto.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME sotto)
install(FILES ${MANUAL}/_sotto DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)

file(RELATIVE_PATH PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH PC_LIBDIR ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH PC_INCLUDEDIR ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
string(REGEX REPLACE "/$" "" PC_PREFIX ${PC_PREFIX})
list(JOIN STATIC_LIBRARIES " " PC_LIBS_PRIVATE)
configure_file(cmake/sotto.pc.in sotto.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/sotto.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

configure_package_config_file(cmake/sottoConfig.cmake.in sottoConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sotto)
write_basic_package_version_file(sottoConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sottoConfig.cmake ${PROJECT_BINARY_DIR}/sottoConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sotto)
install(EXPORT sottoTargets NAMESPACE sotto:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sotto)
