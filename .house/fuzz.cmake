# pipetop_fuzz(NAME USES FOLDER... COVERS FILE... [SEEDS DIRECTORY...]): the fuzz target NAME.cpp,
# with its corpus in corpus/NAME. With PIPETOP_FUZZ, building fuzz_NAME runs it with libFuzzer for
# $PIPETOP_FUZZ_SECONDS and reports the coverage of COVERS; otherwise its corpus is a unit test.
function(pipetop_fuzz NAME)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "USES;COVERS;SEEDS")
  set(seeds ${CMAKE_CURRENT_SOURCE_DIR}/corpus/${NAME} ${ARG_SEEDS})
  list(TRANSFORM ARG_USES PREPEND pipetop_)
  list(TRANSFORM ARG_USES REPLACE / _)
  if(PIPETOP_FUZZ)
    set(target pipetop_fuzz_${NAME})
    add_executable(${target} ${NAME}.cpp)
    target_link_libraries(${target} PRIVATE pipetop_test_options ${ARG_USES})
    target_compile_definitions(${target} PRIVATE PIPETOP_FUZZ)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    list(TRANSFORM ARG_COVERS PREPEND ${PROJECT_SOURCE_DIR}/)
    add_custom_target(fuzz_${NAME}
      COMMAND ${PROJECT_SOURCE_DIR}/.house/fuzz ${NAME} $<TARGET_FILE:${target}> ${seeds}
        -- ${ARG_COVERS}
      WORKING_DIRECTORY ${CMAKE_BINARY_DIR} COMMENT "Fuzzing ${NAME}" VERBATIM)
    set_property(GLOBAL APPEND PROPERTY PIPETOP_FUZZ_TARGETS ${target})
    set_property(GLOBAL APPEND PROPERTY PIPETOP_FUZZ_RUNS fuzz_${NAME})
  else()
    target_sources(pipetop_fuzz_corpora PRIVATE ${NAME}.cpp)
    target_link_libraries(pipetop_fuzz_corpora PRIVATE ${ARG_USES})
    add_test(NAME fuzz/${NAME} COMMAND pipetop_fuzz_corpora ${NAME} ${seeds})
    set_tests_properties(fuzz/${NAME} PROPERTIES LABELS unit)
  endif()
endfunction()

# fuzz_targets builds all of them; fuzz runs all of them.
function(pipetop_fuzz_all)
  get_property(targets GLOBAL PROPERTY PIPETOP_FUZZ_TARGETS)
  get_property(runs GLOBAL PROPERTY PIPETOP_FUZZ_RUNS)
  add_custom_target(fuzz_targets DEPENDS ${targets})
  add_custom_target(fuzz DEPENDS ${runs})
endfunction()
