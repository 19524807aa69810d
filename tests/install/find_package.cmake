# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
include("${CMAKE_CURRENT_LIST_DIR}/stage.cmake")

# Copies outside of our sources, so that nothing is found by way of them: one as it is, and one with the policies of an
# older CMake, under which private libraries pass on fewer link options.
file(READ "${source}/examples/outside_project/CMakeLists.txt" project)
foreach(policies 3.22 3.16)
  set(copy "${work}/outside_${policies}")
  file(COPY "${source}/examples/outside_project/main.cpp" DESTINATION "${copy}")
  string(REPLACE "cmake_minimum_required(VERSION 3.22)" "cmake_minimum_required(VERSION ${policies})" text "${project}")
  if(NOT text MATCHES "VERSION ${policies}\\)")
    message(FATAL_ERROR "examples/outside_project/CMakeLists.txt no longer asks for CMake 3.22")
  endif()
  file(WRITE "${copy}/CMakeLists.txt" "${text}")
  run(COMMAND "${CMAKE_COMMAND}" -S "${copy}" -B "${copy}/build" -G "${generator}"
    "-DCMAKE_CXX_COMPILER=${compiler}" "-DCMAKE_PREFIX_PATH=${prefix}")
  run(COMMAND "${CMAKE_COMMAND}" --build "${copy}/build")
  check_program("${copy}/build/outside")
endforeach()

# Every header for users compiles by itself: none includes one that isn't installed.
separate_arguments(public)
list(LENGTH public count)
if(count LESS 20)
  message(FATAL_ERROR "only ${count} headers for users")
endif()
foreach(header IN LISTS public)
  file(WRITE "${work}/header.cpp" "#include <ostinato/${header}>\n")
  run(COMMAND "${compiler}" -std=c++20 -fsyntax-only "-I${prefix}/include" "${work}/header.cpp")
endforeach()
