# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0

# Makes ${folder}/ostinato with links to the headers that an installation has, and no others. ${installed} lists them.
function(make_installed_headers root folder)
  file(READ "${root}/cmake/OstinatoInstall.cmake" text)
  string(REGEX MATCH "set\\(ostinato_headers[^)]*\\)" list "${text}")
  string(REGEX MATCHALL "[a-z0-9_/]+\\.hpp" headers "${list}")
  list(LENGTH headers count)
  if(count LESS 20)
    message(FATAL_ERROR "only ${count} headers in cmake/OstinatoInstall.cmake")
  endif()
  file(REMOVE_RECURSE "${folder}")
  foreach(header IN LISTS headers)
    cmake_path(GET header PARENT_PATH place)
    file(MAKE_DIRECTORY "${folder}/ostinato/${place}")
    file(CREATE_LINK "${root}/${header}" "${folder}/ostinato/${header}" COPY_ON_ERROR SYMBOLIC)
  endforeach()
  set(installed "${headers}" PARENT_SCOPE)
endfunction()
