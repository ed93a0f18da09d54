# SPDX-License-Identifier: Apache-2.0
include(CMakeFindDependencyMacro)
find_dependency(libplinth)
include(${CMAKE_CURRENT_LIST_DIR}/libplinthIfrtTargets.cmake)
