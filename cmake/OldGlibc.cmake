# SPDX-License-Identifier: Apache-2.0
# plinth_link_old_glibc(target): see old_glibc.c. The preset `package` turns it on.

option(PLINTH_OLD_GLIBC "Link what is installed so that it runs on glibc 2.27" OFF)
# What a binary may need, for check_shared_library.sh: that of Debian 12, but for what GCC 12 needs.
set(PLINTH_NEWEST_GLIBC 2.34)

# Functions that are called by an old version: the library that had them in 2.27, the version, names. A
# row for each pair of the two.
set(plinth_old_functions
  "libdl.so.2 2.2.5 dlopen dlclose dlsym dlvsym dlerror dladdr"
  "libdl.so.2 2.3.3 dlinfo"
  "libpthread.so.0 2.2.5 pthread_create pthread_join pthread_detach pthread_once \
   pthread_mutex_trylock pthread_rwlock_rdlock pthread_rwlock_wrlock pthread_rwlock_unlock \
   pthread_sigmask"
  "libpthread.so.0 2.12 pthread_getname_np"
  "libm.so.6 2.2.5 exp log log2 pow")

# A library of a name and of those functions, to link to: in libc today, they would be looked for there
# alone, and glibc before 2.30 ends with that. The true one is found when the binary is loaded.
function(plinth_old_library file)
  set(folder ${PROJECT_BINARY_DIR}/old_glibc)
  set(code "")
  set(map "")
  foreach(row IN LISTS plinth_old_functions)
    separate_arguments(names UNIX_COMMAND ${row})
    list(POP_FRONT names library version)
    if(library STREQUAL file)
      foreach(name IN LISTS names)
        # Not the version by default: a default one would be what old_glibc.c itself defines.
        string(APPEND code "void old_${name}(void) {}\n"
               "__asm__(\".symver old_${name}, ${name}@GLIBC_${version}, remove\");\n")
      endforeach()
      string(APPEND map "GLIBC_${version} {};\n")
    endif()
  endforeach()
  file(CONFIGURE OUTPUT ${folder}/${file}.c CONTENT "${code}" @ONLY)
  file(CONFIGURE OUTPUT ${folder}/${file}.map CONTENT "${map}" @ONLY)
  add_library(plinth_old_${file} SHARED ${folder}/${file}.c)
  target_compile_options(plinth_old_${file} PRIVATE -fno-builtin -fvisibility=default)
  target_link_options(plinth_old_${file} PRIVATE -nostdlib -Wl,-soname,${file}
                      -Wl,--version-script=${folder}/${file}.map)
  set_target_properties(plinth_old_${file} PROPERTIES
    PREFIX "" OUTPUT_NAME ${file} SUFFIX "" NO_SONAME ON LIBRARY_OUTPUT_DIRECTORY ${folder}
    LINK_DEPENDS ${folder}/${file}.map)
endfunction()

if(PLINTH_OLD_GLIBC)
  set(PLINTH_NEWEST_GLIBC 2.27)
  plinth_old_library(libdl.so.2)
  plinth_old_library(libpthread.so.0)
  set(code "")
  foreach(row IN LISTS plinth_old_functions)
    separate_arguments(names UNIX_COMMAND ${row})
    list(POP_FRONT names library version)
    foreach(name IN LISTS names)
      string(APPEND code "OLD(${name}, \"${version}\")\n")
    endforeach()
  endforeach()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/old_glibc/old_functions.inc CONTENT "${code}" @ONLY)
  add_library(plinth_old_glibc OBJECT ${PROJECT_SOURCE_DIR}/cmake/old_glibc.c)
  target_include_directories(plinth_old_glibc PRIVATE ${PROJECT_BINARY_DIR}/old_glibc)
  # stat of our own is not the compiler's.
  target_compile_options(plinth_old_glibc PRIVATE -O2 -Wall -Wextra -Werror -fno-builtin
                         -ffunction-sections -fdata-sections -fcf-protection)
endif()

function(plinth_link_old_glibc name)
  if(NOT PLINTH_OLD_GLIBC)
    return()
  endif()
  target_sources(${name} PRIVATE $<TARGET_OBJECTS:plinth_old_glibc>)
  set(libraries "")
  foreach(file libpthread.so.0 libdl.so.2)
    add_dependencies(${name} plinth_old_${file})
    list(APPEND libraries $<TARGET_FILE:plinth_old_${file}>)
  endforeach()
  # The map names what brought a symbol in.
  target_link_options(${name} PRIVATE
    -Wl,--push-state,--no-as-needed ${libraries} -Wl,--pop-state
    -Wl,-Map=$<TARGET_FILE:${name}>.map)
endfunction()
