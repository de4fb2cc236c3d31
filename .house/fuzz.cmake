# pipetop_fuzz(NAME USES FOLDER... COVERS FILE... [SEEDS DIRECTORY...]): the fuzz target NAME.cpp,
# with its corpus in corpus/NAME, which is a unit test. With PIPETOP_SANITIZE, building fuzz_NAME runs
# it with libFuzzer for $PIPETOP_FUZZ_SECONDS; with PIPETOP_COVERAGE it reports how much it covers of
# COVERS.
function(pipetop_fuzz NAME)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "USES;COVERS;SEEDS")
  set(seeds ${CMAKE_CURRENT_SOURCE_DIR}/corpus/${NAME} ${ARG_SEEDS})
  list(TRANSFORM ARG_USES PREPEND pipetop_)
  list(TRANSFORM ARG_USES REPLACE / _)
  list(TRANSFORM ARG_COVERS PREPEND ${PROJECT_SOURCE_DIR}/)
  foreach(file IN LISTS ARG_COVERS)
    if(NOT EXISTS ${file})
      message(FATAL_ERROR "the fuzz target ${NAME} covers ${file}, which is not there")
    endif()
  endforeach()
  if(PIPETOP_SANITIZE)
    set(target pipetop_fuzz_${NAME})
    add_executable(${target} ${NAME}.cpp)
    target_compile_definitions(${target} PRIVATE PIPETOP_FUZZ)
    # GTest for the precompiled headers only.
    target_link_libraries(${target} PRIVATE pipetop_test_options ${ARG_USES} GTest::gtest)
    target_precompile_headers(${target} REUSE_FROM pipetop_engine_test_support)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    if(NOT PIPETOP_COVERAGE)
      set(ARG_COVERS "")
    endif()
    add_custom_target(fuzz_${NAME}
      COMMAND ${PROJECT_SOURCE_DIR}/.house/fuzz ${NAME} $<TARGET_FILE:${target}> ${seeds}
        -- ${ARG_COVERS}
      WORKING_DIRECTORY ${CMAKE_BINARY_DIR} COMMENT "Fuzzing ${NAME}" VERBATIM)
    add_test(NAME fuzz/${NAME} COMMAND ${target} -runs=0 ${seeds})
    set_property(GLOBAL APPEND PROPERTY PIPETOP_FUZZ_TARGETS ${target})
    set_property(GLOBAL APPEND PROPERTY PIPETOP_FUZZ_RUNS fuzz_${NAME})
  else()
    set(target pipetop_fuzz_corpora)
    target_sources(${target} PRIVATE ${NAME}.cpp)
    target_link_libraries(${target} PRIVATE ${ARG_USES})
    add_test(NAME fuzz/${NAME} COMMAND ${target} ${NAME} ${seeds})
  endif()
  add_dependencies(pipetop_unit_tests ${target})
  set_tests_properties(fuzz/${NAME} PROPERTIES LABELS "unit;logic")
endfunction()

# fuzz_targets builds all of them; fuzz runs all of them.
function(pipetop_fuzz_all)
  get_property(targets GLOBAL PROPERTY PIPETOP_FUZZ_TARGETS)
  get_property(runs GLOBAL PROPERTY PIPETOP_FUZZ_RUNS)
  add_custom_target(fuzz_targets DEPENDS ${targets})
  add_custom_target(fuzz DEPENDS ${runs})
endfunction()
