# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` gives people who compile against Plinth: the CMake package `plinth`, whose
# components are install components of the same names, each with a pkg-config file.
include(CMakePackageConfigHelpers)

set(PLINTH_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/plinth)

# plinth_pkgconfig(component DESCRIPTION text [REQUIRES file...] [LIBS flag...] [CFLAGS flag...]
#                  [VARIABLES name=value...]): its pkg-config file plinth-<component>.pc.
function(plinth_pkgconfig component)
  cmake_parse_arguments(arg "" "DESCRIPTION" "REQUIRES;LIBS;CFLAGS;VARIABLES" ${ARGN})
  list(JOIN arg_REQUIRES " " PLINTH_PC_REQUIRES)
  list(JOIN arg_LIBS " " PLINTH_PC_LIBS)
  list(JOIN arg_CFLAGS " " PLINTH_PC_CFLAGS)
  list(JOIN arg_VARIABLES "\n" PLINTH_PC_VARIABLES)
  set(PLINTH_PC_NAME plinth-${component})
  set(PLINTH_PC_DESCRIPTION "${arg_DESCRIPTION}")
  configure_file(${PROJECT_SOURCE_DIR}/cmake/plinth-component.pc.in
                 ${CMAKE_CURRENT_BINARY_DIR}/plinth-${component}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/plinth-${component}.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT ${component})
endfunction()

# plinth_component(component TARGETS target=exported_name... [HEADERS folder...]): static libraries
# and their headers as a component of the package. Targets are plinth::<exported_name>.
function(plinth_component component)
  cmake_parse_arguments(arg "" "" "TARGETS;HEADERS" ${ARGN})
  foreach(pair IN LISTS arg_TARGETS)
    string(REPLACE "=" ";" pair ${pair})
    list(GET pair 0 target)
    list(GET pair 1 exported)
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${exported})
    get_target_property(type ${target} TYPE)
    if(NOT type STREQUAL INTERFACE_LIBRARY)
      target_compile_features(${target} PUBLIC cxx_std_20)
    endif()
    install(TARGETS ${target} EXPORT plinth_${component}
            ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component})
  endforeach()
  foreach(folder IN LISTS arg_HEADERS)
    install(DIRECTORY ${folder}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT ${component})
  endforeach()
  install(EXPORT plinth_${component} FILE plinth_${component}.cmake NAMESPACE plinth::
          DESTINATION ${PLINTH_PACKAGE_DIR} COMPONENT ${component})
endfunction()

# plinth_archive(name OUTPUT file FROM library... WITH pattern [DEPS target...] [INCLUDES folder...]):
# one static library of the objects of several, and of all that they depend on and whose names match,
# for people who install it. INCLUDES: below the installed headers.
function(plinth_archive name)
  cmake_parse_arguments(arg "" "OUTPUT;WITH" "FROM;DEPS;INCLUDES" ${ARGN})
  set(objects "")
  set(next ${arg_FROM})
  set(seen "")
  while(next)
    list(POP_FRONT next library)
    if(library IN_LIST seen)
      continue()
    endif()
    list(APPEND seen ${library})
    list(APPEND objects $<TARGET_OBJECTS:${library}>)
    get_target_property(dependencies ${library} LINK_LIBRARIES)
    list(FILTER dependencies INCLUDE REGEX ${arg_WITH})
    list(APPEND next ${dependencies})
  endwhile()
  add_library(${name} STATIC ${objects})
  set_target_properties(${name} PROPERTIES OUTPUT_NAME ${arg_OUTPUT} LINKER_LANGUAGE CXX)
  target_link_libraries(${name} INTERFACE ${arg_DEPS})
  foreach(folder IN LISTS arg_INCLUDES)
    target_include_directories(${name} INTERFACE $<INSTALL_INTERFACE:${folder}>)
  endforeach()
endfunction()

# Headers that are not held stable keep their paths, below this folder of the installed headers.
set(PLINTH_UNSTABLE_INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR}/plinth/unstable)
# plinth_unstable_headers(component folder...): of the folders of the project, and below.
function(plinth_unstable_headers component)
  foreach(folder IN LISTS ARGN)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}/
            DESTINATION ${PLINTH_UNSTABLE_INCLUDEDIR}/${folder} COMPONENT ${component}
            FILES_MATCHING PATTERN "*.h" PATTERN "*.inc" PATTERN "*.def"
            PATTERN "testing" EXCLUDE PATTERN "testdata" EXCLUDE PATTERN "include" EXCLUDE
            PATTERN "generate" EXCLUDE PATTERN "*test*.h" EXCLUDE)
  endforeach()
endfunction()

# The package itself goes with what every component needs, the headers of the C ABI.
function(plinth_install_package)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/plinthConfig.cmake.in
    ${PROJECT_BINARY_DIR}/plinthConfig.cmake INSTALL_DESTINATION ${PLINTH_PACKAGE_DIR})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/plinthConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/plinthConfig.cmake ${PROJECT_BINARY_DIR}/plinthConfigVersion.cmake
          DESTINATION ${PLINTH_PACKAGE_DIR} COMPONENT headers)
endfunction()
