# How the tests of a program become tests of CTest. Their labels are what they need, unit, e2e or bpf,
# and their kind, logic, real or measured (engine/tests/run_tests.h). pipetop_LABEL_tests builds those
# with a label.
if(BUILD_TESTING)
  foreach(label unit e2e bpf)
    add_custom_target(pipetop_${label}_tests)
  endforeach()
endif()

# pipetop_discover(TARGET PREFIX LABEL [SUITES] [WAIT PATTERN...] [LOCK PATTERN...] [ALONE PATTERN...]):
# each test is one of CTest, but for measured ones by SUITES each suite is one, and always in a unit
# program: to start it, or to load BPF, takes longer than most tests. Those that match
# WAIT need seconds, but hardly a CPU, so more of them run at a time
# LOCK change what is the machine's, so they run one at a time
# ALONE measure what any process of the machine changes, so nothing runs beside them
# and each pattern has to match one. Measured tests run one at a time, too.
function(pipetop_discover TARGET PREFIX LABEL)
  cmake_parse_arguments(PARSE_ARGV 3 ARG "SUITES" "" "WAIT;LOCK;ALONE")
  list(JOIN ARG_WAIT ":" wait)
  list(JOIN ARG_LOCK ":" lock)
  list(JOIN ARG_ALONE ":" alone)
  add_dependencies(pipetop_${LABEL}_tests ${TARGET})
  if(LABEL STREQUAL unit)
    set(ARG_SUITES ON)
    set_property(GLOBAL APPEND_STRING PROPERTY PIPETOP_LOGIC
      "$<TARGET_PROPERTY:${TARGET},SOURCE_DIR>\n$<JOIN:$<TARGET_PROPERTY:${TARGET},SOURCES>,\n>\n")
  endif()
  set(list ${CMAKE_CURRENT_BINARY_DIR}/${TARGET}_list.cmake)
  add_custom_command(TARGET ${TARGET} POST_BUILD
    COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:${TARGET}> -DPREFIX=${PREFIX} -DLABEL=${LABEL}
      -DSUITES=${ARG_SUITES} -DWAIT=${wait} -DLOCK=${lock} -DALONE=${alone} -DOUT=${list}
      -P ${PROJECT_SOURCE_DIR}/.house/list_tests.cmake
    BYPRODUCTS ${list} VERBATIM)
  file(WRITE ${list}.in "if(EXISTS \"${list}\")\n  include(\"${list}\")\nelse()\n"
    "  add_test(${TARGET}_NOT_BUILT ${TARGET}_NOT_BUILT)\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${list}.in)
endfunction()

# Writes the sources of the unit programs to FILE, each folder before its own.
function(pipetop_write_logic FILE)
  get_property(sources GLOBAL PROPERTY PIPETOP_LOGIC)
  file(GENERATE OUTPUT ${FILE} CONTENT "${sources}")
endfunction()
