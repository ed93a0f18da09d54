# SPDX-License-Identifier: Apache-2.0
# plinth_plugin(name SOURCES a.cc... [DEPS target...]): <name>.so that exports GetPjrtApi only.
# libstdc++ is linked statically: a plugin must not share C++ symbols with the host process. libgcc_s
# stays shared: the static one of GCC 12 would need glibc 2.35.
# Used in Plinth's own build and, through find_package(plinth), in that of any vendor.

find_package(Threads REQUIRED)

function(plinth_plugin name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPS" ${ARGN})
  add_library(${name} MODULE ${arg_SOURCES})
  if(TARGET plinth_flags)
    target_link_libraries(${name} PRIVATE plinth_flags)
    target_compile_options(${name} PRIVATE ${PLINTH_HARDENING})
    target_precompile_headers(${name} REUSE_FROM plinth_precompiled_library)
  endif()
  if(TARGET plinth::sdk)
    target_link_libraries(${name} PRIVATE plinth::sdk)
  endif()
  target_link_libraries(${name} PRIVATE ${arg_DEPS} Threads::Threads)
  target_compile_features(${name} PRIVATE cxx_std_20)
  target_compile_options(${name} PRIVATE -ffunction-sections -fdata-sections)
  target_link_options(${name} PRIVATE -static-libstdc++ -shared-libgcc -Wl,--gc-sections
                      -Wl,--version-script=${PLINTH_EXPORTS_MAP} -Wl,-z,defs -Wl,-z,relro -Wl,-z,now)
  if(PLINTH_SANITIZE)
    target_link_options(${name} PRIVATE -Wl,-z,undefs)
  endif()
  set_target_properties(${name} PROPERTIES
    PREFIX ""
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    LINK_DEPENDS ${PLINTH_EXPORTS_MAP})
endfunction()
