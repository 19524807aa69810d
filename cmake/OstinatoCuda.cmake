# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0

# CMake chooses the implementation of the CUDA space: the real one, or functions that all throw DeviceError.
set(OSTINATO_CUDA OFF)
set(why_without_cuda "OSTINATO_ENABLE_CUDA=OFF")
if(OSTINATO_ENABLE_CUDA)
  include(OstinatoArchitectures)
  if(DEFINED CMAKE_CUDA_ARCHITECTURES)
    ostinato_require_architectures("${CMAKE_CUDA_ARCHITECTURES}")
  else()
    ostinato_require_architectures("$ENV{CUDAARCHS}")
  endif()
  include(CheckLanguage)
  check_language(CUDA)
  find_package(CUDAToolkit QUIET)
  if(NOT CMAKE_CUDA_COMPILER)
    set(why_without_cuda "no nvcc found that works with ${CMAKE_CXX_COMPILER}")
  elseif(NOT CUDAToolkit_FOUND)
    set(why_without_cuda "no CUDA toolkit beside ${CMAKE_CUDA_COMPILER}")
  elseif(CUDAToolkit_VERSION VERSION_LESS 12.8)
    set(why_without_cuda "CUDA ${CUDAToolkit_VERSION} is older than 12.8, which loads generated kernels")
  else()
    set(OSTINATO_CUDA ON)
  endif()
endif()

# Generated kernels contain the text of these headers, so that they add up a row as the precompiled kernels do.
set(ostinato_prelude "")
foreach(header spmv/base/function.hpp spmv/space/sums.hpp spmv/space/cuda/kernel_args.hpp spmv/space/cuda/reduction.cuh
       spmv/formats/contract/product.hpp spmv/formats/row_value.cuh spmv/formats/diagonal/product_args.hpp)
  file(READ "${header}" ostinato_header)
  string(REGEX REPLACE "#(include|pragma once)[^\n]*\n" "" ostinato_header "${ostinato_header}")
  string(APPEND ostinato_prelude "${ostinato_header}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${header}")
endforeach()
configure_file(spmv/formats/diagonal/product_prelude.hpp.in "${PROJECT_BINARY_DIR}/include/ostinato_generated/product_prelude.hpp" @ONLY)

# The small kernels of vectors, solvers and preconditioners are compiled together, folder by folder: nvcc reads the
# headers once for many kernels, and a process loads the kernels of the folders that it uses. As one file, 10 MB, they
# took 15 ms at the first set-up of a process (H200, 2026-11).
set(steps ${ostinato_cuda_sources})
list(FILTER steps INCLUDE REGEX "_steps\\.cu$")
list(REMOVE_ITEM ostinato_cuda_sources ${steps})
set(ostinato_steps "")
foreach(folder preconditioners/multigrid/structured preconditioners/multigrid preconditioners solvers strategy
        spmv/analysis spmv)
  set(of_folder ${steps})
  list(FILTER of_folder INCLUDE REGEX "^${folder}/")
  list(REMOVE_ITEM steps ${of_folder})
  list(TRANSFORM of_folder REPLACE "^(.+)$" "#include <ostinato/\\1>\n")
  list(JOIN of_folder "" of_folder)
  string(REPLACE "/" "_" name "${folder}")
  set(file "${PROJECT_BINARY_DIR}/${name}_steps.cu")
  file(CONFIGURE OUTPUT "${file}" CONTENT "${of_folder}")
  list(APPEND ostinato_steps "${file}")
endforeach()
if(steps)
  message(FATAL_ERROR "no folder of kernels takes ${steps}")
endif()

if(OSTINATO_CUDA)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
    set(CMAKE_CUDA_ARCHITECTURES 80 90)
  endif()
  enable_language(CUDA)
  if(CMAKE_CUDA_ARCHITECTURES STREQUAL "native")
    ostinato_require_architectures("${CMAKE_CUDA_ARCHITECTURES_NATIVE}")
  endif()
  # In packages cudart is linked statically, so that nothing of CUDA is needed where there is no GPU. Tests ask the
  # runtime that the process has.
  set(ostinato_cudart CUDA::cudart)
  if(OSTINATO_SHARED AND NOT OSTINATO_BUILD_TESTS)
    set(ostinato_cudart CUDA::cudart_static)
  endif()
  get_target_property(cudart CUDA::cudart IMPORTED_LOCATION)
  cmake_path(GET cudart PARENT_PATH cuda_libdir)
  # nvcc's -O affects host code only, and the host code of these files only launches kernels.
  string(REPLACE "-O3" "-O1" CMAKE_CUDA_FLAGS_RELEASE "${CMAKE_CUDA_FLAGS_RELEASE}")
  # Explicit instantiations include Cuda (spmv/space/list.hpp).
  foreach(target ostinato_host ostinato)
    target_compile_definitions(${target} PUBLIC $<BUILD_INTERFACE:OSTINATO_HAS_CUDA>)
  endforeach()
  # The CUDA sources are an object library without CMake's compile features. CMake before 3.26 doesn't know that nvcc
  # supports C++20, so the flag is set explicitly.
  add_library(ostinato_cuda OBJECT ${ostinato_cuda_sources} ${ostinato_steps})
  set_target_properties(ostinato_cuda PROPERTIES CUDA_EXTENSIONS ON)
  target_compile_options(ostinato_cuda PRIVATE -std=c++20 "$<$<NOT:$<CONFIG:Release>>:-lineinfo>" "$<$<BOOL:${OSTINATO_WERROR}>:-Werror=all-warnings>")
  target_include_directories(ostinato_cuda PRIVATE "${PROJECT_BINARY_DIR}/include")
  target_compile_definitions(ostinato_cuda PRIVATE OSTINATO_HAS_CUDA)
  target_link_libraries(ostinato_cuda PRIVATE ${ostinato_cudart})
  set_source_files_properties(spmv/space/library_cuda.cpp PROPERTIES COMPILE_DEFINITIONS
    "OSTINATO_CUDA_FOLDER=\"${cuda_libdir}\"")
  # The library opens cuBLAS, cuSPARSE and NVRTC when they are needed (dlopen), and compiles on a separate thread.
  find_package(Threads REQUIRED)
  target_sources(ostinato PRIVATE $<TARGET_OBJECTS:ostinato_cuda>)
  target_sources(ostinato_host PRIVATE ${ostinato_only_with_cuda})
  target_link_libraries(ostinato_host PRIVATE ${ostinato_cudart})
  target_link_libraries(ostinato PRIVATE ${ostinato_cudart} Threads::Threads ${CMAKE_DL_LIBS})
  message(STATUS "Ostinato ${PROJECT_VERSION}: with CUDA ${CUDAToolkit_VERSION} for architectures ${CMAKE_CUDA_ARCHITECTURES}")
else()
  set(stubs "${PROJECT_BINARY_DIR}/cuda_stubs.cpp")
  add_custom_command(OUTPUT "${stubs}" COMMAND "${PROJECT_SOURCE_DIR}/cmake/cuda_stubs.sh" "${CMAKE_NM}"
    "${stubs}" "$<TARGET_OBJECTS:ostinato_host>" DEPENDS $<TARGET_OBJECTS:ostinato_host> cmake/cuda_stubs.sh
    COMMAND_EXPAND_LISTS VERBATIM)
  target_sources(ostinato PRIVATE ${ostinato_only_without_cuda} "${stubs}")
  message(STATUS "Ostinato ${PROJECT_VERSION}: without CUDA (${why_without_cuda}); --device cuda will say so")
endif()
