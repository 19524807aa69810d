# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0

# Makes ${folder}/ostinato with links to the headers that an installation has, and no others: ${headers}, which CMake
# passes with spaces between them, as it does those for users, ${public}.
separate_arguments(headers)
separate_arguments(public)
function(make_installed_headers root folder)
  list(LENGTH public count)
  if(count LESS 20)
    message(FATAL_ERROR "only ${count} headers for users")
  endif()
  file(REMOVE_RECURSE "${folder}")
  foreach(header IN LISTS headers)
    cmake_path(GET header PARENT_PATH place)
    file(MAKE_DIRECTORY "${folder}/ostinato/${place}")
    file(CREATE_LINK "${root}/${header}" "${folder}/ostinato/${header}" COPY_ON_ERROR SYMBOLIC)
  endforeach()
endfunction()
