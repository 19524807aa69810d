# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.22)

# Compiles wrong_programs.cpp and compares the errors with the comments above its wrong calls, as sets with counts.
#   cmake -D compiler=FILE -D include=FOLDER -P wrong_programs.cmake
set(source "${CMAKE_CURRENT_LIST_DIR}/wrong_programs.cpp")
set(ENV{LC_ALL} C)
execute_process(COMMAND "${compiler}" -std=c++20 -fsyntax-only "-I${include}" "${source}"
  RESULT_VARIABLE code OUTPUT_VARIABLE printed ERROR_VARIABLE printed)
if(code EQUAL 0)
  message(FATAL_ERROR "${source} compiles")
endif()

# Lists in CMake end at semicolons and join at brackets, which C++ has.
string(REGEX REPLACE "[][;]" "" printed "${printed}")
string(REGEX MATCHALL "error: [^\n]*" errors "${printed}")
list(TRANSFORM errors REPLACE "^error: (static assertion failed: )?" "")
list(SORT errors)

file(READ "${source}" text)
string(REGEX REPLACE "[][;]" "" text "${text}")
string(REGEX MATCHALL "\n  // [^\n]*" wanted "${text}")
list(TRANSFORM wanted REPLACE "^\n  // " "")
list(SORT wanted)
list(LENGTH wanted count)
if(count LESS 10 OR NOT errors STREQUAL wanted)
  list(JOIN errors "\n" errors)
  list(JOIN wanted "\n" wanted)
  message(FATAL_ERROR "the compiler says\n${errors}\n\ninstead of\n${wanted}")
endif()
