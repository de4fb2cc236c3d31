# cmake -DPROGRAM=FILE -DPREFIX=NAME -DLABEL=NAME -DOUT=FILE -P list_suites.cmake: writes an add_test()
# for each suite of a program of tests.
execute_process(COMMAND ${PROGRAM} --gtest_list_tests OUTPUT_VARIABLE listed TIMEOUT 60
  COMMAND_ERROR_IS_FATAL ANY)
# Suites are not indented: "Text.", "Moods/ReplayOf.", "Mapping/0.  # TypeParam = int".
string(REGEX MATCHALL "(^|\n)[A-Za-z0-9_/]+\\." suites "${listed}")
set(code "")
foreach(suite IN LISTS suites)
  string(REGEX REPLACE "[\n.]" "" suite "${suite}")
  # Not by SKIP_REGULAR_EXPRESSION: a suite of which one test is skipped may have failed.
  string(APPEND code "add_test(\"${PREFIX}/${suite}\" \"${PROGRAM}\" \"--gtest_filter=${suite}.*\")\n"
    "set_tests_properties(\"${PREFIX}/${suite}\" PROPERTIES LABELS ${LABEL} TIMEOUT 180"
    " SKIP_RETURN_CODE 77)\n")
endforeach()
file(WRITE ${OUT} "${code}")
