# SPDX-License-Identifier: Apache-2.0
# Tests of finding, probing and of libplinth as a whole.

add_subdirectory(test_plugins)
get_property(PLINTH_TEST_PLUGIN_TARGETS GLOBAL PROPERTY PLINTH_TEST_PLUGINS)
set(definitions PLINTH_TEST_PLUGINS="${CMAKE_BINARY_DIR}/test_plugins"
                PLINTH_LIBRARY="$<TARGET_FILE:plinth>" PLINTH_VERSION="${PLINTH_VERSION}")

plinth_test(loader_find_test
  SOURCES discover_test.cc elf_file_test.cc elf_fuzz.cc environment_fuzz.cc fuzz_corpus_test.cc
          glob_test.cc log_hub_test.cc manifest_fuzz.cc manifest_test.cc
  DEPS plinth_loader_find LABELS core)
foreach(fuzzer Elf Manifest Environment)
  string(TOLOWER ${fuzzer} file)
  set_source_files_properties(${file}_fuzz.cc PROPERTIES
    COMPILE_DEFINITIONS LLVMFuzzerTestOneInput=${fuzzer}Fuzz)
endforeach()
plinth_test(loader_c_api_test SOURCES c_api_test.cc DEPS plinth plinth_support LABELS core)
plinth_test(loader_probe_test SOURCES probe_test.cc DEPS plinth plinth_loader_find LABELS core)
plinth_test(loader_entry_point_test
  SOURCES entry_point_test.cc
  DEPS plinth_support ${CMAKE_DL_LIBS} LABELS core)
foreach(test loader_find_test loader_c_api_test loader_probe_test loader_entry_point_test)
  target_compile_definitions(${test} PRIVATE ${definitions})
  add_dependencies(${test} ${PLINTH_TEST_PLUGIN_TARGETS} plinth)
endforeach()

# What is released is hardened, which takes 60 KB.
plinth_check_binary(loader_binary_test plinth
  EXPORTS "GetPjrtApi ${PROJECT_SOURCE_DIR}/api/include/plinth.h" MAX_BYTES 1245184
  NEEDED libz.so.1)
if(NOT PLINTH_SANITIZE AND CMAKE_BUILD_TYPE STREQUAL Release)
  add_test(NAME loader_install_test
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/test_install/test_install.sh ${PROJECT_BINARY_DIR}
            ${CMAKE_BINARY_DIR}/test_plugins/WORKS.so)
endif()
