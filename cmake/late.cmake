# Libraries that the program opens on first use (app/late.c), by the names that they would be loaded by at its start; the
# linker leaves them out, since late.c has what the program calls of them.
find_library(MICROHTTPD_LIBRARY microhttpd REQUIRED)
function(sotto_late name library)
  execute_process(COMMAND ${CMAKE_READELF} -d ${library} OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
  if(NOT said MATCHES "SONAME[^[]*\\[([^]]+)\\]")
    message(FATAL_ERROR "${library} has no name that a program could open it by: the shared library of ${name} is needed")
  endif()
  set_property(SOURCE app/late.c APPEND PROPERTY COMPILE_DEFINITIONS "SONAME_${name}=\"${CMAKE_MATCH_1}\"")
endfunction()
sotto_late(OPENBLAS ${pkgcfg_lib_DEPS_openblas})
sotto_late(SVM ${SVM_LIBRARY})
sotto_late(MICROHTTPD ${MICROHTTPD_LIBRARY})
target_link_options(sotto PRIVATE -Wl,--as-needed)
