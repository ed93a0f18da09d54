# SPDX-License-Identifier: Apache-2.0
# The files of programs/suite as a table, for stored_programs.cc.
file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/../programs/suite/*)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
set(rows "")
foreach(file IN LISTS files)
  get_filename_component(name ${file} NAME)
  file(SIZE ${file} size)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${bytes}")
  string(APPEND rows "{\"${name}\", {\"${bytes}\", ${size}}},\n")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/generated/conformance/stored_programs.inc
     CONTENT "${rows}" @ONLY)
target_include_directories(plinth_conformance_programs PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/generated)

plinth_test(stored_programs_test SOURCES stored_programs_test.cc DEPS plinth_conformance_programs
            LABELS core)
