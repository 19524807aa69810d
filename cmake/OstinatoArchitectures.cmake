# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0

# ostinato_old_architectures(RESULT ARCHITECTURES) sets RESULT to those of the CUDA architectures for which the library
# has no code: compute capabilities below 8.0, and names that stand for all architectures of a compiler. The kernels use
# warp reductions of integers and cache hints, which 8.0 introduced. "native" stands for the GPUs of this machine.
function(ostinato_old_architectures result architectures)
  set(old "")
  foreach(architecture IN LISTS architectures)
    if(architecture MATCHES "^([0-9]+)[af]?(-real|-virtual)?$")
      if(CMAKE_MATCH_1 LESS 80)
        list(APPEND old ${architecture})
      endif()
    elseif(architecture MATCHES "^all(-major)?$")
      list(APPEND old ${architecture})
    endif()
  endforeach()
  set(${result} "${old}" PARENT_SCOPE)
endfunction()

# ostinato_require_architectures(ARCHITECTURES) stops the configuration when there are old ones.
function(ostinato_require_architectures architectures)
  ostinato_old_architectures(old "${architectures}")
  if(old)
    list(JOIN old ", " old)
    message(FATAL_ERROR "Ostinato needs GPUs of compute capability 8.0 or later. CMAKE_CUDA_ARCHITECTURES asks for "
                        "${old}; name 80 or later, or build for the CPU alone with -DOSTINATO_ENABLE_CUDA=OFF.")
  endif()
endfunction()
