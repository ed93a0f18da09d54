# SPDX-License-Identifier: Apache-2.0
# libplinth.so: exports plinth_* and GetPjrtApi; can also be run, as the child of its own probe.

# What begins an executable, so that the library can be one.
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=Scrt1.o
                OUTPUT_VARIABLE PLINTH_START_OBJECT OUTPUT_STRIP_TRAILING_WHITESPACE)
set(PLINTH_LIBRARY_EXPORTS ${CMAKE_CURRENT_SOURCE_DIR}/exports.map)

add_library(plinth SHARED probe_main.cc terminate.cc)
target_compile_definitions(plinth PRIVATE PLINTH_VERSION="${PLINTH_VERSION}")
target_include_directories(plinth INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/api/include>
  $<INSTALL_INTERFACE:${PLINTH_API_INCLUDEDIR}>)
target_link_libraries(plinth PRIVATE
  plinth_flags $<LINK_LIBRARY:WHOLE_ARCHIVE,plinth_loader_library> Threads::Threads)
# As for a plugin, see cmake/PlinthPlugin.cmake.
target_link_options(plinth PRIVATE ${PLINTH_START_OBJECT} -Wl,-e,_start
  -static-libstdc++ -shared-libgcc -Wl,--gc-sections -Wl,-z,now -Wl,-z,defs
  -Wl,--version-script=${PLINTH_LIBRARY_EXPORTS})
if(PLINTH_SANITIZE)
  target_link_options(plinth PRIVATE -Wl,-z,undefs)
endif()
# Symbols never go away (docs/using/compatibility.md), so programs go on with newer releases.
set_target_properties(plinth PROPERTIES
  LINK_DEPENDS ${PLINTH_LIBRARY_EXPORTS} VERSION ${PROJECT_VERSION} SOVERSION 0)

configure_file(plinth.pc.in ${CMAKE_CURRENT_BINARY_DIR}/plinth.pc @ONLY)
plinth_installed(plinth)
install(TARGETS plinth EXPORT libplinthTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libplinth)
# find_package(libplinth) gives plinth::plinth; its headers are the component headers.
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/libplinthConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(EXPORT libplinthTargets FILE libplinthConfig.cmake NAMESPACE plinth::
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/libplinth COMPONENT libplinth)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/libplinthConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/libplinth COMPONENT libplinth)
install(FILES manifest.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/plinth
        COMPONENT libplinth)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/plinth.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT libplinth)
