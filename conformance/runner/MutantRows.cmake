# SPDX-License-Identifier: Apache-2.0
# plinth_write_mutant_rows(FOLDER OUTPUT): the mutants of the tables in FOLDER/*_mutants.cc as rows
# {name, requirement, what it breaks}.
function(plinth_write_mutant_rows folder output)
  file(GLOB tables CONFIGURE_DEPENDS ${folder}/*_mutants.cc)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${tables})
  set(rows "")
  foreach(table IN LISTS tables)
    file(READ ${table} text)
    # What is special in lists of CMake.
    string(REPLACE ";" "," text "${text}")
    string(REPLACE "[" "(" text "${text}")
    string(REPLACE "]" ")" text "${text}")
    # A requirement may have a name of its own.
    string(REGEX MATCHALL "constexpr char k[A-Za-z0-9]+\\(\\) = \"PJRT-[^\"]+\"" constants "${text}")
    foreach(constant IN LISTS constants)
      string(REGEX REPLACE "constexpr char (k[A-Za-z0-9]+).*" "\\1" name "${constant}")
      string(REGEX REPLACE ".* = (\".*\")" "\\1" value "${constant}")
      string(REGEX REPLACE "({\"[a-z0-9_]+\",[ \n]*)${name}," "\\1${value}," text "${text}")
    endforeach()
    # A glob over cases may stand between the requirement and the words.
    set(row "{\"([a-z0-9_]+)\",[ \n]*\"(PJRT-[^\"]+)\",[ \n]*(\"L?[^ \"]*\",[ \n]*)?\"([^\"]*)\"")
    string(REGEX MATCHALL "${row}" found "${text}")
    foreach(each IN LISTS found)
      string(REGEX REPLACE "${row}" "    {\"\\1\", \"\\2\", \"\\4\"},\n" each "${each}")
      string(APPEND rows "${each}")
    endforeach()
  endforeach()
  file(CONFIGURE OUTPUT ${output} CONTENT "${rows}" @ONLY)
endfunction()
