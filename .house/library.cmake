# One static library per folder, added bottom-up: a library can only use those added
# before it, so there are no cycles.

# Most of the time to compile a file goes into headers that never change, so these are parsed once:
# engine/base does it for the libraries, pipetop_engine_test_support with GTest for the tests, which are
# not optimised. Sources include what they use all the same; ./dev lint builds without this.
set(pipetop_headers <algorithm> <array> <atomic> <bit> <cerrno> <charconv> <chrono> <cmath> <cstdint>
  <cstdio> <cstdlib> <cstring> <deque> <filesystem> <fstream> <functional> <future> <limits> <map>
  <memory> <numeric> <optional> <random> <set> <span> <sstream> <string> <string_view> <thread> <tuple>
  <unordered_map> <utility> <variant> <vector> <fmt/format.h> <fmt/ranges.h>)

# pipetop_library(FOLDER [COLD] SOURCES FILE... [USES FOLDER...]): the library of a folder,
# named after it, with underscores. USES are the folders that its files include; the
# test house/IncludesFollowTheLayers compares the list with the includes. A COLD one runs so little
# that it is optimised less: it compiles in three quarters of the time.
function(pipetop_library FOLDER)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "COLD" "" "SOURCES;USES")
  string(REPLACE / _ target pipetop_${FOLDER})
  add_library(${target} STATIC ${ARG_SOURCES})
  target_link_libraries(${target} PUBLIC pipetop_options)
  if(ARG_COLD AND CMAKE_CXX_FLAGS_RELEASE MATCHES "-O2")
    target_compile_options(${target} PRIVATE -O1)
  endif()
  if(NOT FOLDER STREQUAL engine/base)
    target_precompile_headers(${target} REUSE_FROM pipetop_engine_base)
  endif()
  foreach(used IN LISTS ARG_USES)
    string(REPLACE / _ used_target pipetop_${used})
    if(NOT TARGET ${used_target})
      message(FATAL_ERROR "${FOLDER} uses ${used}, which is not below it")
    endif()
    target_link_libraries(${target} PUBLIC ${used_target})
  endforeach()
  list(JOIN ARG_USES " " uses)
  set_property(GLOBAL APPEND_STRING PROPERTY PIPETOP_HOUSE "${FOLDER}: ${uses}\n")
endfunction()

# Writes "FOLDER: FOLDER..." for each library to FILE, lowest first.
function(pipetop_write_house FILE)
  get_property(house GLOBAL PROPERTY PIPETOP_HOUSE)
  file(WRITE ${FILE} "${house}")
endfunction()
