# SPDX-License-Identifier: Apache-2.0
# What makes a bug harder to exploit, in every file that is installed. cmake/check_shared_library.sh
# reads it from the binaries.

option(PLINTH_HARDENING_FLAGS "Compile libraries with canaries, checked calls of libc and endbr64" OFF)
set(PLINTH_HARDENING "")
if(PLINTH_HARDENING_FLAGS AND CMAKE_BUILD_TYPE STREQUAL Release)
  # glibc warns of a level that the compiler does not have.
  set(level 2)
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang OR CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12)
    set(level 3)
  endif()
  set(PLINTH_HARDENING -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=${level})
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    list(APPEND PLINTH_HARDENING -fcf-protection)
  endif()
endif()

# plinth_installed(target): a library or program that is installed. Its tables are read-only before its
# own code runs; with PLINTH_OLD_GLIBC it runs on an older system.
function(plinth_installed name)
  target_compile_options(${name} PRIVATE ${PLINTH_HARDENING})
  target_link_options(${name} PRIVATE -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
  # In the build as installed, or CMake pads the one for the other. The folders lie alike.
  if(CMAKE_INSTALL_LIBDIR STREQUAL lib)
    set_target_properties(${name} PROPERTIES BUILD_WITH_INSTALL_RPATH ON)
  else()
    set_target_properties(${name} PROPERTIES BUILD_RPATH "$ORIGIN;$ORIGIN/../lib")
  endif()
  plinth_link_old_glibc(${name})
endfunction()

# plinth_check_binary(test target EXPORTS what MAX_BYTES number [NEEDED library...]): reads from the
# binary that it is what this project's must be: check_shared_library.sh. A sanitizer's are not.
function(plinth_check_binary test target)
  if(NOT PLINTH_BUILD_TESTS OR PLINTH_SANITIZE OR NOT CMAKE_BUILD_TYPE STREQUAL Release)
    return()
  endif()
  cmake_parse_arguments(arg "" "EXPORTS;MAX_BYTES" "NEEDED" ${ARGN})
  set(hardened "")
  if(PLINTH_HARDENING)
    set(hardened --hardened)
  endif()
  add_test(NAME ${test}
           COMMAND ${PROJECT_SOURCE_DIR}/cmake/check_shared_library.sh
                   --glibc ${PLINTH_NEWEST_GLIBC} ${hardened} $<TARGET_FILE:${target}>
                   ${arg_EXPORTS} ${arg_MAX_BYTES} ${arg_NEEDED})
endfunction()
