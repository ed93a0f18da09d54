# SPDX-License-Identifier: Apache-2.0
# The tests: what the C API promises (plinth-conformance, of Plinth), and a program in JAX.
enable_testing()
find_program(PLINTH_CONFORMANCE plinth-conformance HINTS ${plinth_DIR}/../../../bin)
if(PLINTH_CONFORMANCE)
  add_test(NAME conformance
    COMMAND ${PLINTH_CONFORMANCE} --plugin $<TARGET_FILE:pjrt_plugin_template>
            --profile ${CMAKE_CURRENT_SOURCE_DIR}/profile.json --quiet)
else()
  add_test(NAME conformance COMMAND ${CMAKE_COMMAND} -E echo
    "plinth-conformance is not installed: cmake --install <build of Plinth> --component conformance")
  set_tests_properties(conformance PROPERTIES PASS_REGULAR_EXPRESSION "never")
endif()
set(PYTHON python3 CACHE STRING "a Python that has JAX")
add_test(NAME jax COMMAND ${PYTHON} -P ${CMAKE_CURRENT_SOURCE_DIR}/try_it.py)
set_tests_properties(jax PROPERTIES ENVIRONMENT
  "PJRT_NAMES_AND_LIBRARY_PATHS=plinth_template:$<TARGET_FILE:pjrt_plugin_template>;JAX_PLATFORMS=plinth_template")
