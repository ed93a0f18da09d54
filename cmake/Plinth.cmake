# SPDX-License-Identifier: Apache-2.0
# Helpers that every folder uses. One library per folder, tests beside the code.

include(GNUInstallDirs)
# Where the headers of the C ABI are installed: many, with names such as example_extension.h, so not
# among everybody's. CMake targets and pkg-config files add it to the include path.
set(PLINTH_API_INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR}/plinth/api)
# plinth_relative_path(result FROM TO): the way between two installed folders (BINDIR, LIBDIR/pkgconfig, ...),
# which holds wherever the package is moved to.
function(plinth_relative_path result from to)
  cmake_path(ABSOLUTE_PATH from BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} NORMALIZE
             OUTPUT_VARIABLE absolute_from)
  cmake_path(ABSOLUTE_PATH to BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} NORMALIZE
             OUTPUT_VARIABLE absolute_to)
  file(RELATIVE_PATH path ${absolute_from} ${absolute_to})
  set(${result} ${path} PARENT_SCOPE)
endfunction()
plinth_relative_path(PLINTH_PREFIX_FROM_PKGCONFIG ${CMAKE_INSTALL_LIBDIR}/pkgconfig .)
plinth_relative_path(PLINTH_INCLUDES_FROM_PKGCONFIG
                     ${CMAKE_INSTALL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_INCLUDEDIR})

add_library(plinth_flags INTERFACE)
target_compile_options(plinth_flags INTERFACE
  -Wall -Wextra -Werror -Wshadow -Wnon-virtual-dtor -Wno-unused-parameter
  -fno-math-errno -ffp-contract=off)
target_include_directories(plinth_flags INTERFACE ${PROJECT_SOURCE_DIR})
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND NOT CMAKE_CXX_FLAGS_RELEASE MATCHES "O3")
  # g++ 12 takes an empty std::optional for an uninitialized value when it inlines little.
  target_compile_options(plinth_flags INTERFACE -Wno-maybe-uninitialized)
endif()
# Programs in C that load a plugin link this alone: a sanitizer's run-time has to come first.
add_library(plinth_sanitize INTERFACE)
target_link_libraries(plinth_flags INTERFACE plinth_sanitize)
if(PLINTH_SANITIZE)
  target_compile_options(plinth_sanitize INTERFACE
    -fsanitize=${PLINTH_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all
    # A caller of a later minor version may give any number for an enum. Reading it is sound:
    # nothing is compiled with -fstrict-enums.
    -fno-sanitize=enum
    # GCC's instrumentation makes this warning fire on sound code.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
    # What handles every function of the C table calls it with the address of some struct.
    $<$<CXX_COMPILER_ID:Clang>:-fno-sanitize=function>)
  # What the compilers say by names of their own.
  target_compile_definitions(plinth_sanitize INTERFACE PLINTH_IS_SANITIZED)
  target_link_options(plinth_sanitize INTERFACE -fsanitize=${PLINTH_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL Clang AND PLINTH_SANITIZE MATCHES "address" AND
     NOT PLINTH_BUILD_FUZZERS)
    # As g++ has it: libplinth.so is also run, as the child of its own probe.
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libclang_rt.asan-x86_64.so
                    OUTPUT_VARIABLE runtime OUTPUT_STRIP_TRAILING_WHITESPACE)
    cmake_path(GET runtime PARENT_PATH runtime)
    target_link_options(plinth_sanitize INTERFACE -shared-libasan -Wl,-rpath,${runtime})
  endif()
endif()
if(PLINTH_BUILD_FUZZERS)
  target_compile_options(plinth_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(PLINTH_BUILD_TESTS)
  find_package(GTest REQUIRED)
  set(PLINTH_PYTHON python3 CACHE STRING "Python for tests; some need JAX")
endif()
find_package(Threads REQUIRED)

# Of a release: MAJOR.MINOR.PATCH of the project; scripts/package adds .devN from git to others, and
# writes it into the source that it packs.
set(suffix "")
if(EXISTS ${PROJECT_SOURCE_DIR}/VERSION_SUFFIX)
  file(STRINGS ${PROJECT_SOURCE_DIR}/VERSION_SUFFIX suffix)
endif()
set(PLINTH_VERSION_SUFFIX "${suffix}" CACHE STRING "What follows the version: .dev12")
set(PLINTH_VERSION ${PROJECT_VERSION}${PLINTH_VERSION_SUFFIX})

include(Hardening)
include(OldGlibc)

# What every file of a kind would parse is parsed once (cmake/precompiled). The flags must be those of
# the users, optimization too: with a header that was compiled with -O2, g++ goes back to -O2 after
# each of Highway's changes of the target.
set(precompiled ${PROJECT_SOURCE_DIR}/cmake/precompiled)
set(optimize_size $<$<CONFIG:Release>:-Os>)
set(optimize_speed $<$<CONFIG:Release>:-O3>)
foreach(kind library small_library fast_library)
  add_library(plinth_precompiled_${kind} STATIC ${precompiled}/empty.cc)
  target_link_libraries(plinth_precompiled_${kind} PUBLIC plinth_flags plinth_api)
  target_compile_options(plinth_precompiled_${kind} PRIVATE ${PLINTH_HARDENING})
  target_include_directories(plinth_precompiled_${kind}
                             PUBLIC ${PROJECT_SOURCE_DIR}/api/support/include)
  target_precompile_headers(plinth_precompiled_${kind} PRIVATE
                            $<$<COMPILE_LANGUAGE:CXX>:${precompiled}/library.h>)
endforeach()
target_compile_options(plinth_precompiled_small_library PRIVATE ${optimize_size})
target_compile_options(plinth_precompiled_fast_library PRIVATE ${optimize_speed})
if(PLINTH_BUILD_TESTS)
  add_executable(plinth_precompiled_test EXCLUDE_FROM_ALL ${precompiled}/empty.cc)
  target_compile_options(plinth_precompiled_test PRIVATE -O0)
  target_link_libraries(plinth_precompiled_test PRIVATE plinth_precompiled_library GTest::gtest
                        GTest::gmock GTest::gtest_main Threads::Threads)
  target_precompile_headers(plinth_precompiled_test PRIVATE
                            $<$<COMPILE_LANGUAGE:CXX>:${precompiled}/test.h>)
endif()

option(PLINTH_UNITY_BUILD "Compile several files of a library as one: half the time from nothing" OFF)

# plinth_library(name [SMALL|FAST] SOURCES a.cc... [DEPS target...]): a static, hidden library. SMALL:
# what runs so rarely that size counts, speed does not. FAST: loops over elements, worth the bytes,
# each file for itself where it is measured. The sanitizers' builds take several as one there too.
function(plinth_library name)
  cmake_parse_arguments(arg "SMALL;FAST" "" "SOURCES;DEPS" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC $<BUILD_INTERFACE:plinth_flags> ${arg_DEPS})
  target_compile_options(${name} PRIVATE ${PLINTH_HARDENING})
  if(arg_SMALL)
    target_compile_options(${name} PRIVATE ${optimize_size})
    target_precompile_headers(${name} REUSE_FROM plinth_precompiled_small_library)
  elseif(arg_FAST)
    target_compile_options(${name} PRIVATE ${optimize_speed})
    target_precompile_headers(${name} REUSE_FROM plinth_precompiled_fast_library)
  else()
    target_precompile_headers(${name} REUSE_FROM plinth_precompiled_library)
  endif()
  if(PLINTH_UNITY_BUILD AND (NOT arg_FAST OR PLINTH_SANITIZE))
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
endfunction()

# plinth_small_sources(a.cc...), plinth_fast_sources(a.cc...): the same for single files of this
# folder's library. A source with options of its own counts in no unity build and takes no precompiled
# header, so a sanitizer's build, which optimizes neither, does not give it any.
function(plinth_sources_optimized option)
  if(NOT PLINTH_SANITIZE)
    set_source_files_properties(${ARGN} PROPERTIES
      COMPILE_OPTIONS "${option}" SKIP_PRECOMPILE_HEADERS ON)
  endif()
endfunction()
macro(plinth_small_sources)
  plinth_sources_optimized("${optimize_size}" ${ARGN})
endmacro()
macro(plinth_fast_sources)
  plinth_sources_optimized("${optimize_speed}" ${ARGN})
endmacro()

# plinth_unwatched_sources(a.cc...): what the sanitizers' tests are not about: optimized there, and
# without a sanitizer. Each for itself: a source's options count in no unity build.
function(plinth_unwatched_sources)
  if(PLINTH_SANITIZE)
    set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS -O2 -fno-sanitize=all)
    set_source_files_properties(${ARGN} PROPERTIES
      SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()

option(PLINTH_SIMD_QUICK "Compile SIMD code for this machine alone, without a sanitizer" OFF)

# plinth_simd_sources(a.cc...): compiled once per instruction set (Highway's files include themselves),
# so each for itself. With PLINTH_SIMD_QUICK for that of this machine alone: the sanitizers' tests
# would run no other, and the parts asan-plugin and tsan-plugin watch it. The address sanitizer leaves
# its locals alone: vectors, which nothing points to, and watching when each goes out of scope takes
# two thirds of the time to compile.
function(plinth_simd_sources)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  if(PLINTH_SIMD_QUICK)
    set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS -march=native -fno-sanitize=all)
    set_source_files_properties(${ARGN} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)  # Other flags.
  elseif(PLINTH_SANITIZE MATCHES "address")
    set_property(SOURCE ${ARGN} APPEND PROPERTY
                 COMPILE_OPTIONS -fno-sanitize-address-use-after-scope)
  endif()
endfunction()

# plinth_test(name SOURCES a_test.cc... [DEPS target...] [LABELS label...]): one GoogleTest
# program, one CTest entry. Tests run in the source folder, so testdata/ is found by relative path.
# A plain build leaves them out: the target `tests` builds them. Which program has which source is kept
# for scripts/check, in test_sources.txt of the build.
# Labels with a meaning: `core` runs under the address sanitizer, `threads` under the thread
# sanitizer, on every run of scripts/test; the targets core_tests and threads_tests build them.
add_custom_target(tests)
add_custom_target(core_tests)
add_custom_target(threads_tests)
function(plinth_test name)
  if(NOT PLINTH_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "SOURCES;DEPS;LABELS" ${ARGN})
  add_executable(${name} EXCLUDE_FROM_ALL ${arg_SOURCES})
  add_dependencies(tests ${name})
  # What is tested is optimized; optimizing the tests themselves would double the time to build them.
  target_compile_options(${name} PRIVATE -O0)
  target_link_libraries(${name} PRIVATE plinth_flags ${arg_DEPS} GTest::gtest GTest::gmock
                        GTest::gtest_main Threads::Threads)
  target_precompile_headers(${name} REUSE_FROM plinth_precompiled_test)
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  foreach(source ${arg_SOURCES})
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    set_property(GLOBAL APPEND_STRING PROPERTY PLINTH_TEST_SOURCES "${name} ${source}\n")
  endforeach()
  if(arg_LABELS)
    set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}")
  endif()
  foreach(label core threads)
    if(label IN_LIST arg_LABELS)
      add_dependencies(${label}_tests ${name})
    endif()
  endforeach()
endfunction()

# plinth_test_again(name variant VARIABLE=value...): the same program once more, with environment
# variables, as the test <name>_<variant>.
function(plinth_test_again name variant)
  if(NOT PLINTH_BUILD_TESTS)
    return()
  endif()
  add_test(NAME ${name}_${variant} COMMAND ${name} WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  set_tests_properties(${name}_${variant} PROPERTIES ENVIRONMENT "${ARGN}")
endfunction()

# plinth_plugin(name SOURCES a.cc... [DEPS target...]): lib/<name>.so that exports GetPjrtApi only.
set(PLINTH_EXPORTS_MAP ${PROJECT_SOURCE_DIR}/sdk/exports.map)
include(PlinthPlugin)
include(PlinthInstall)

# plinth_fuzzer(name SOURCES a_fuzz.cc DEPS ...): a libFuzzer program, built by the fuzz preset only;
# the target fuzzers builds them all. Where the tests are built it is compiled, so that it stays so.
add_custom_target(fuzzers)
function(plinth_fuzzer name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPS" ${ARGN})
  if(NOT PLINTH_BUILD_FUZZERS)
    if(PLINTH_BUILD_TESTS)
      list(FILTER arg_SOURCES INCLUDE REGEX "_fuzz\\.cc$")  # The others are tests' as well.
      add_library(${name} OBJECT EXCLUDE_FROM_ALL ${arg_SOURCES})
      target_link_libraries(${name} PRIVATE plinth_flags ${arg_DEPS})
      add_dependencies(tests ${name})
    endif()
    return()
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE plinth_flags ${arg_DEPS} -fsanitize=fuzzer)
  add_dependencies(fuzzers ${name})
endfunction()
