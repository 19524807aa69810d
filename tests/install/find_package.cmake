# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
include("${CMAKE_CURRENT_LIST_DIR}/stage.cmake")

# A copy outside of our sources, so that nothing is found by way of them.
file(COPY "${source}/examples/outside_project" DESTINATION "${work}")
run(COMMAND "${CMAKE_COMMAND}" -S "${work}/outside_project" -B "${work}/build" -G "${generator}"
  "-DCMAKE_CXX_COMPILER=${compiler}" "-DCMAKE_CXX_FLAGS=${flags}" "-DCMAKE_PREFIX_PATH=${prefix}")
run(COMMAND "${CMAKE_COMMAND}" --build "${work}/build")
check_program("${work}/build/outside")

# Every header that is installed compiles by itself: none includes one that isn't.
file(GLOB_RECURSE headers RELATIVE "${prefix}/include" "${prefix}/include/ostinato/*.hpp")
list(LENGTH headers count)
if(count LESS 20)
  message(FATAL_ERROR "only ${count} headers in ${prefix}/include/ostinato")
endif()
separate_arguments(flags UNIX_COMMAND "${flags}")
foreach(header IN LISTS headers)
  file(WRITE "${work}/header.cpp" "#include <${header}>\n")
  run(COMMAND "${compiler}" -std=c++20 ${flags} -fsyntax-only "-I${prefix}/include" "${work}/header.cpp")
endforeach()
