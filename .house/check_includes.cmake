# cmake -DSOURCE=DIR -DHOUSE=FILE -P check_includes.cmake: checks that each folder includes exactly
# the folders in the USES of its library, and that certain headers are confined to one folder.
cmake_minimum_required(VERSION 3.25)

file(STRINGS ${HOUSE} lines)
foreach(line IN LISTS lines)
  string(REGEX MATCH "^([^:]+): ?(.*)$" _ "${line}")
  string(REPLACE " " ";" uses_${CMAKE_MATCH_1} "${CMAKE_MATCH_2}")
  list(APPEND folders ${CMAKE_MATCH_1})
endforeach()

# Headers, and the only folder that may include them, with the folders in it.
set(hidden_headers "^n?curses|^ncursesw/|^term\\.h$" "^yaml-cpp/" "skel\\.h$|^bpf/" "^CLI/"
  "^nlohmann/" "^libmnl/" "^microhttpd\\.h$" "^cap-ng\\.h$" "^sys/wait\\.h$" "^(zstd|zlib)\\.h$")
set(hidden_owners tui/screen engine/config engine/observe tui/flags "tui/(print|notes)"
  engine/workload/percpu engine/http engine/process engine engine/recording)

# The library folder that FILE is in; the innermost one if they are nested.
function(folder_of FILE RESULT)
  get_filename_component(folder ${FILE} DIRECTORY)
  while(folder AND NOT folder IN_LIST folders)
    get_filename_component(folder ${folder} DIRECTORY)
  endwhile()
  set(${RESULT} "${folder}" PARENT_SCOPE)
endfunction()

set(wrong "")
file(GLOB_RECURSE files RELATIVE ${SOURCE} ${SOURCE}/engine/*.cpp ${SOURCE}/engine/*.h
  ${SOURCE}/tui/*.cpp ${SOURCE}/tui/*.h)
list(FILTER files EXCLUDE REGEX "/tests/|^tui/bench/|^tui/main.cpp")
foreach(file IN LISTS files)
  folder_of(${file} folder)
  file(STRINGS ${SOURCE}/${file} includes REGEX "^#include ")
  foreach(include IN LISTS includes)
    string(REGEX MATCH "[<\"](.*)[>\"]" _ "${include}")
    set(header ${CMAKE_MATCH_1})
    foreach(headers owner IN ZIP_LISTS hidden_headers hidden_owners)
      if(header MATCHES "${headers}" AND NOT folder MATCHES "^${owner}(/|$)")
        string(APPEND wrong "${file}: only ${owner} includes ${header}\n")
      endif()
    endforeach()
    if(NOT header MATCHES "^(engine|tui)/")
      continue()
    endif()
    folder_of(${header} used)
    if(used STREQUAL folder)
      continue()
    endif()
    set(seen_${folder}_${used} 1)
    if(NOT used IN_LIST uses_${folder})
      string(APPEND wrong "${file}: ${folder} doesn't use ${used}: ${header}\n")
    endif()
  endforeach()
endforeach()

# Tests may use what they like, but those of the engine know no screen.
file(GLOB_RECURSE files RELATIVE ${SOURCE} ${SOURCE}/bpf/*.c ${SOURCE}/bpf/*.h
  ${SOURCE}/engine/*.cpp ${SOURCE}/engine/*.h)
foreach(file IN LISTS files)
  file(STRINGS ${SOURCE}/${file} includes REGEX "^#include *[<\"](n?curses|ncursesw/|tui/)")
  if(includes)
    string(APPEND wrong "${file}: below tui, but ${includes}\n")
  endif()
endforeach()

foreach(folder IN LISTS folders)
  foreach(used IN LISTS uses_${folder})
    if(NOT seen_${folder}_${used})
      string(APPEND wrong "${folder} includes nothing of ${used}\n")
    endif()
  endforeach()
endforeach()
if(wrong)
  message(FATAL_ERROR "${wrong}")
endif()
list(LENGTH folders count)
message(STATUS "${count} folders, each above those that it uses")
