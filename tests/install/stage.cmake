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
foreach(name cmake/ostinato/ostinatoConfig.cmake cmake/ostinato/ostinatoTargets.cmake pkgconfig/ostinato.pc)
  file(READ "${prefix}/${libdir}/${name}" text)
  foreach(place "${work}" "${source}" "${build}")
    string(FIND "${text}" "${place}/" at)
    if(at GREATER_EQUAL 0)
      message(FATAL_ERROR "${name} names ${place}")
    endif()
  endforeach()
endforeach()

# Runs what was built against the install and compares what it says of itself.
function(check_program program)
  run(COMMAND "${program}" OUTPUT printed)
  string(REGEX MATCH "^[0-9]+\\.[0-9]+" minor "${version}")
  if(NOT printed MATCHES "^Ostinato ${minor}, .*converged after [0-9]+ iterations")
    message(FATAL_ERROR "${program} printed:\n${printed}")
  endif()
  message(STATUS "${printed}")
endfunction()
