# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.22)

# Compiles what the documents promise against the headers that an installation has: promises.cpp, and a program that
# names everything that docs/reference/api.md lists.
#   cmake -D compiler=FILE -D root=FOLDER -D work=FOLDER -D headers=LIST -D public=LIST -P promises.cmake
include("${CMAKE_CURRENT_LIST_DIR}/installed_headers.cmake")
make_installed_headers("${root}" "${work}/include")

set(program "")
foreach(header IN LISTS public)
  string(APPEND program "#include <ostinato/${header}>\n")
endforeach()
file(READ "${root}/docs/reference/api.md" text)
string(REGEX MATCHALL "`ostinato::[A-Za-z0-9_]+" names "${text}")
list(REMOVE_DUPLICATES names)
list(LENGTH names count)
if(count LESS 50)
  message(FATAL_ERROR "docs/reference/api.md names only ${count} things")
endif()
foreach(name IN LISTS names)
  string(REPLACE "`" "" name "${name}")
  string(APPEND program "using ${name};\n")
endforeach()
file(WRITE "${work}/names.cpp" "${program}")

foreach(source "${work}/names.cpp" "${root}/tests/compile/promises.cpp")
  execute_process(COMMAND "${compiler}" -std=c++20 -Wall -Wextra -Werror -Wno-unknown-pragmas -fsyntax-only "-I${work}/include" "${source}"
    RESULT_VARIABLE code OUTPUT_VARIABLE printed ERROR_VARIABLE printed)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${source} doesn't compile against the installed headers:\n${printed}")
  endif()
endforeach()
