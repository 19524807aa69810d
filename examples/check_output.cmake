# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0

# Runs an example and looks for the lines that the comment on top of its source shows after "//   $ ...": all of them, in
# their order. There may be others between them, such as those of a machine with a GPU.
#   cmake -D program=FILE -D source=FILE -P check_output.cmake
execute_process(COMMAND "${program}" RESULT_VARIABLE code OUTPUT_VARIABLE printed ERROR_VARIABLE printed)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "exit code ${code}:\n${printed}")
endif()
file(STRINGS "${source}" lines)
set(rest "\n${printed}")
set(shown 0)
set(inside OFF)
foreach(line IN LISTS lines)
  if(line MATCHES "^//   [$] ")
    set(inside ON)
  elseif(NOT line MATCHES "^//   ")
    set(inside OFF)
  elseif(inside)
    string(SUBSTRING "${line}" 5 -1 line)
    string(FIND "${rest}" "\n${line}\n" at)
    if(at LESS 0)
      message(FATAL_ERROR "${source} shows\n${line}\nbut the program prints\n${printed}")
    endif()
    math(EXPR at "${at} + 1")
    string(SUBSTRING "${rest}" ${at} -1 rest)
    math(EXPR shown "${shown} + 1")
  endif()
endforeach()
if(shown EQUAL 0)
  message(FATAL_ERROR "${source} shows no output")
endif()
