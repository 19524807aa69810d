# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0

# Runs a command and fails with all of its output unless it exits with 0. OUTPUT names a variable for what it printed.
function(run)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "OUTPUT" "COMMAND")
  execute_process(COMMAND ${arg_COMMAND} RESULT_VARIABLE code OUTPUT_VARIABLE printed ERROR_VARIABLE printed)
  if(NOT code EQUAL 0)
    list(JOIN arg_COMMAND " " line)
    message(FATAL_ERROR "exit code ${code}: ${line}\n${printed}")
  endif()
  if(arg_OUTPUT)
    set(${arg_OUTPUT} "${printed}" PARENT_SCOPE)
  endif()
endfunction()

# Installs into a folder and moves it to ${prefix}: nothing in it may remember where it was made.
set(prefix "${work}/prefix")
file(REMOVE_RECURSE "${work}")
run(COMMAND "${CMAKE_COMMAND}" --install "${build}" --prefix "${work}/first")
file(RENAME "${work}/first" "${prefix}")
file(GLOB names "${prefix}/${libdir}/cmake/ostinato/*.cmake" "${prefix}/${libdir}/pkgconfig/*.pc")
foreach(name IN LISTS names)
  file(READ "${name}" text)
  foreach(place "${work}" "${source}" "${build}")
    string(FIND "${text}" "${place}/" at)
    if(at GREATER_EQUAL 0)
      message(FATAL_ERROR "${name} names ${place}")
    endif()
  endforeach()
endforeach()

# Runs what was built against the install. It must print the line that the comment on top of its source shows, but for
# the time. One thread, as in the comment, so that every machine chooses the same format. What auto goes on with depends on
# measured times, which other work on the machine changes: there are three attempts.
function(check_program program)
  file(STRINGS "${source}/examples/outside_project/main.cpp" shown REGEX "^//   Ostinato .* in \\.\\.\\.$")
  string(REGEX REPLACE "^//   (.* in )\\.\\.\\.$" "\\1" shown "${shown}")
  set(ENV{OMP_NUM_THREADS} 1)
  foreach(attempt 1 2 3)
    run(COMMAND "${program}" OUTPUT printed)
    string(FIND "${printed}" "${shown}" at)
    if(at EQUAL 0)
      break()
    endif()
  endforeach()
  if(shown STREQUAL "" OR NOT at EQUAL 0)
    message(FATAL_ERROR "${program} printed:\n${printed}not: ${shown}")
  endif()
  message(STATUS "${printed}")
endfunction()
