# How the tests of a program become tests of CTest. pipetop_LABEL_tests builds those with a label.
if(BUILD_TESTING)
  foreach(label unit e2e bpf)
    add_custom_target(pipetop_${label}_tests)
  endforeach()
endif()

# pipetop_discover_suites(TARGET PREFIX LABEL): each suite is a test. To start a program takes longer
# than most tests, above all under a sanitizer.
function(pipetop_discover_suites TARGET PREFIX LABEL)
  add_dependencies(pipetop_${LABEL}_tests ${TARGET})
  set(list ${CMAKE_CURRENT_BINARY_DIR}/${TARGET}_suites.cmake)
  add_custom_command(TARGET ${TARGET} POST_BUILD
    COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:${TARGET}> -DPREFIX=${PREFIX} -DLABEL=${LABEL}
      -DOUT=${list} -P ${PROJECT_SOURCE_DIR}/.house/list_suites.cmake
    BYPRODUCTS ${list} VERBATIM)
  file(WRITE ${list}.in "if(EXISTS \"${list}\")\n  include(\"${list}\")\nelse()\n"
    "  add_test(${TARGET}_NOT_BUILT ${TARGET}_NOT_BUILT)\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${list}.in)
endfunction()

# pipetop_discover(TARGET PREFIX LABEL [MEASURE PATTERN...] [WAIT PATTERN...] [ALONE PATTERN...]): each
# test of the program is one of CTest, side by side with others, except for those that match
# MEASURE: they compare times or rates, so they run one at a time
# ALONE: they measure what any process of the machine changes, so nothing runs beside them
# WAIT: they need seconds, but hardly a CPU; PREFIX/Waiting.LABEL runs eight of them at a time, when
#   nothing is measured
# Each pattern has to match a test.
function(pipetop_discover TARGET PREFIX LABEL)
  cmake_parse_arguments(PARSE_ARGV 3 ARG "" "" "MEASURE;WAIT;ALONE")
  list(JOIN ARG_MEASURE ":" measure)
  list(JOIN ARG_WAIT ":" wait)
  list(JOIN ARG_ALONE ":" alone)
  add_dependencies(pipetop_${LABEL}_tests ${TARGET})
  set(patterns ${ARG_MEASURE} ${ARG_WAIT} ${ARG_ALONE})
  list(JOIN patterns ":" patterns)
  add_custom_command(TARGET ${TARGET} POST_BUILD
    COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:${TARGET}> -DPATTERNS=${patterns}
      -P ${PROJECT_SOURCE_DIR}/.house/check_patterns.cmake VERBATIM)
  set(properties LABELS ${LABEL} TIMEOUT 180)
  gtest_discover_tests(${TARGET} TEST_PREFIX ${PREFIX}/ TEST_LIST ${TARGET}_free
    TEST_FILTER "-${measure}:${wait}:${alone}" PROPERTIES ${properties} DISCOVERY_TIMEOUT 60)
  if(ARG_MEASURE)
    # Without those that also wait, or run alone.
    gtest_discover_tests(${TARGET} TEST_PREFIX ${PREFIX}/ TEST_LIST ${TARGET}_measure
      TEST_FILTER "${measure}-${wait}:${alone}" PROPERTIES ${properties} RESOURCE_LOCK measure COST 100
      DISCOVERY_TIMEOUT 60)
  endif()
  if(ARG_ALONE)
    gtest_discover_tests(${TARGET} TEST_PREFIX ${PREFIX}/ TEST_LIST ${TARGET}_alone
      TEST_FILTER "${alone}" PROPERTIES ${properties} RUN_SERIAL ON DISCOVERY_TIMEOUT 60)
  endif()
  if(ARG_WAIT)
    add_test(NAME ${PREFIX}/Waiting.${LABEL}
      COMMAND ${PROJECT_SOURCE_DIR}/.house/side_by_side 8 $<TARGET_FILE:${TARGET}> "${wait}")
    set_tests_properties(${PREFIX}/Waiting.${LABEL} PROPERTIES LABELS ${LABEL} TIMEOUT 300
      RESOURCE_LOCK measure SKIP_RETURN_CODE 77 COST 500)
  endif()
endfunction()
