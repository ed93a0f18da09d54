# Helpers that every folder uses. One library per folder, tests beside the code.

include(GNUInstallDirs)

add_library(plinth_flags INTERFACE)
target_compile_options(plinth_flags INTERFACE
  -Wall -Wextra -Werror -Wshadow -Wnon-virtual-dtor -Wno-unused-parameter
  -fno-math-errno -ffp-contract=off)
target_include_directories(plinth_flags INTERFACE ${PROJECT_SOURCE_DIR})
if(PLINTH_SANITIZE)
  target_compile_options(plinth_flags INTERFACE
    -fsanitize=${PLINTH_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(plinth_flags INTERFACE -fsanitize=${PLINTH_SANITIZE})
endif()
if(PLINTH_BUILD_FUZZERS)
  target_compile_options(plinth_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(PLINTH_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()
find_package(Threads REQUIRED)

# plinth_library(name SOURCES a.cc... [DEPS target...]): a static, hidden library.
function(plinth_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPS" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC plinth_flags ${arg_DEPS})
endfunction()

# plinth_test(name SOURCES a_test.cc... [DEPS target...] [LABELS label...]): one GoogleTest
# program, one CTest entry. Tests run in the source folder, so testdata/ is found by relative path.
function(plinth_test name)
  if(NOT PLINTH_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "SOURCES;DEPS;LABELS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE plinth_flags ${arg_DEPS} GTest::gtest GTest::gmock
                        GTest::gtest_main Threads::Threads)
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  if(arg_LABELS)
    set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}")
  endif()
endfunction()

# plinth_plugin(name SOURCES a.cc... [DEPS target...]): lib/<name>.so that exports GetPjrtApi only.
# libstdc++ is linked statically: a plugin must not share C++ symbols with the host process.
function(plinth_plugin name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPS" ${ARGN})
  add_library(${name} MODULE ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE plinth_flags ${arg_DEPS} Threads::Threads)
  set(exports ${PROJECT_SOURCE_DIR}/sdk/exports.map)
  target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc -Wl,--gc-sections
                      -Wl,--version-script=${exports} -Wl,-z,defs -Wl,-z,now)
  if(PLINTH_SANITIZE)
    target_link_options(${name} PRIVATE -Wl,-z,undefs)
  endif()
  set_target_properties(${name} PROPERTIES PREFIX "" LINK_DEPENDS ${exports})
endfunction()

# plinth_fuzzer(name SOURCES a_fuzz.cc DEPS ...): a libFuzzer program, built by the fuzz preset only.
function(plinth_fuzzer name)
  if(NOT PLINTH_BUILD_FUZZERS)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE plinth_flags ${arg_DEPS} -fsanitize=fuzzer)
endfunction()
