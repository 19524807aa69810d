# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0

# Makes ${folder}/ostinato with links to the headers that an installation has, and no others. ${installed} lists them.
function(make_installed_headers root folder)
  file(GLOB_RECURSE headers RELATIVE "${root}"
    "${root}/spmv/*.hpp" "${root}/preconditioners/*.hpp" "${root}/solvers/*.hpp" "${root}/strategy/*.hpp")
  list(APPEND headers ostinato.hpp)
  file(REMOVE_RECURSE "${folder}")
  foreach(header IN LISTS headers)
    cmake_path(GET header PARENT_PATH place)
    file(MAKE_DIRECTORY "${folder}/ostinato/${place}")
    file(CREATE_LINK "${root}/${header}" "${folder}/ostinato/${header}" COPY_ON_ERROR SYMBOLIC)
  endforeach()
  set(installed "${headers}" PARENT_SCOPE)
endfunction()
