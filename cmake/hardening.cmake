# What makes a mistake in memory harder to use, in every program and library of the build: tests/cli/test_hardening.sh
# looks for it in what was built.
include(CheckCCompilerFlag)
include(CheckLinkerFlag)
include(CheckPIESupported)

check_pie_supported(LANGUAGES C)
foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection=full)
  string(MAKE_C_IDENTIFIER "HAVE${flag}" have)
  check_c_compiler_flag(${flag} ${have}) # -fcf-protection is of x86
  if(${have})
    add_compile_options(${flag})
  endif()
endforeach()
foreach(flag -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,-z,separate-code)
  string(MAKE_C_IDENTIFIER "HAVE${flag}" have)
  check_linker_flag(C ${flag} ${have})
  if(${have})
    add_link_options(${flag})
  endif()
endforeach()

# Checks in the C library's functions need optimisation, and do not go with sanitizers.
set(SOTTO_FORTIFY -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  add_compile_options(${SOTTO_FORTIFY})
endif()
