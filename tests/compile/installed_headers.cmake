# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0

# Makes ${folder}/ostinato with links to the headers that an installation has, and no others. ${installed} lists those
# for users.
function(make_installed_headers root folder)
  file(GLOB_RECURSE headers RELATIVE "${root}"
    "${root}/spmv/*.hpp" "${root}/preconditioners/*.hpp" "${root}/solvers/*.hpp" "${root}/strategy/*.hpp")
  list(APPEND headers ostinato.hpp)
  file(READ "${root}/cmake/OstinatoInstall.cmake" text)
  string(REGEX MATCH "set\\(ostinato_public_headers[^)]*\\)" list "${text}")
  string(REGEX MATCHALL "[a-z0-9_/]+\\.hpp" public "${list}")
  list(LENGTH public count)
  if(count LESS 20)
    message(FATAL_ERROR "only ${count} headers in cmake/OstinatoInstall.cmake")
  endif()
  file(REMOVE_RECURSE "${folder}")
  foreach(header IN LISTS headers)
    cmake_path(GET header PARENT_PATH place)
    file(MAKE_DIRECTORY "${folder}/ostinato/${place}")
    file(CREATE_LINK "${root}/${header}" "${folder}/ostinato/${header}" COPY_ON_ERROR SYMBOLIC)
  endforeach()
  set(installed "${public}" PARENT_SCOPE)
endfunction()
