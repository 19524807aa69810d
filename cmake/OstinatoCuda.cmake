# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0

# CMake chooses the implementation of the CUDA space: the real one, or one in which every call throws DeviceError.
set(OSTINATO_CUDA OFF)
set(why_without_cuda "OSTINATO_ENABLE_CUDA=OFF")
if(OSTINATO_ENABLE_CUDA)
  include(CheckLanguage)
  check_language(CUDA)
  find_package(CUDAToolkit QUIET)
  if(NOT CMAKE_CUDA_COMPILER)
    set(why_without_cuda "no nvcc found that works with ${CMAKE_CXX_COMPILER}")
  elseif(NOT CUDAToolkit_FOUND)
    set(why_without_cuda "no CUDA toolkit beside ${CMAKE_CUDA_COMPILER}")
  elseif(CUDAToolkit_VERSION VERSION_LESS 12)
    set(why_without_cuda "CUDA ${CUDAToolkit_VERSION} doesn't know C++20, CUDA 12 does")
  else()
    set(OSTINATO_CUDA ON)
  endif()
endif()

# Generated kernels contain the text of these headers, so that they add up a row as the precompiled kernels do.
set(ostinato_prelude "")
foreach(header spmv/space/function.hpp spmv/space/sums.hpp spmv/space/cuda/kernel_args.hpp spmv/space/cuda/reduction.cuh
       spmv/formats/product.hpp spmv/formats/row_value.cuh spmv/formats/diagonal/product_args.hpp)
  file(READ "${header}" ostinato_header)
  string(REGEX REPLACE "#(include|pragma once)[^\n]*\n" "" ostinato_header "${ostinato_header}")
  string(APPEND ostinato_prelude "${ostinato_header}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${header}")
endforeach()
configure_file(spmv/formats/diagonal/product_prelude.hpp.in "${PROJECT_BINARY_DIR}/include/ostinato_generated/product_prelude.hpp" @ONLY)

# Generated headers with this choice: the spaces to instantiate templates for, and for_each and sum on Cuda.
set(OSTINATO_CUDA_SPACES "")
set(OSTINATO_CUDA_SPACES_OF "")
set(OSTINATO_PARALLEL_CUDA ostinato/spmv/space/cuda_absent.hpp)
if(OSTINATO_CUDA)
  set(OSTINATO_CUDA_SPACES "DO(Cuda, float) DO(Cuda, double)")
  set(OSTINATO_CUDA_SPACES_OF "DO(what, Cuda, float) DO(what, Cuda, double)")
  set(OSTINATO_PARALLEL_CUDA ostinato/spmv/space/cuda/parallel.cuh)
endif()
foreach(name spaces parallel_cuda)
  configure_file("cmake/${name}.hpp.in" "${PROJECT_BINARY_DIR}/include/ostinato_generated/${name}.hpp" @ONLY)
endforeach()

# The small kernels of vectors, solvers and preconditioners are compiled as one file, so that nvcc reads the headers
# once.
set(steps ${ostinato_cuda_sources})
list(FILTER steps INCLUDE REGEX "_steps\\.cu$")
list(REMOVE_ITEM ostinato_cuda_sources ${steps})
list(TRANSFORM steps REPLACE "^(.+)$" "#include <ostinato/\\1>\n")
list(JOIN steps "" steps)
if(OSTINATO_CUDA)
  set(ostinato_steps "${PROJECT_BINARY_DIR}/steps.cu")
else()
  set(ostinato_steps "${PROJECT_BINARY_DIR}/steps.cpp")
endif()
file(CONFIGURE OUTPUT "${ostinato_steps}" CONTENT "${steps}")

if(OSTINATO_CUDA)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
    set(CMAKE_CUDA_ARCHITECTURES 80 90)
  endif()
  enable_language(CUDA)
  # nvcc's -O affects host code only, and the host code of these files only launches kernels.
  string(REPLACE "-O3" "-O1" CMAKE_CUDA_FLAGS_RELEASE "${CMAKE_CUDA_FLAGS_RELEASE}")
  # The CUDA sources are an object library without CMake's compile features. CMake before 3.26 doesn't know that nvcc
  # supports C++20, so the flag is set explicitly.
  add_library(ostinato_cuda OBJECT ${ostinato_cuda_sources} "${ostinato_steps}")
  set_target_properties(ostinato_cuda PROPERTIES CUDA_EXTENSIONS ON)
  target_compile_options(ostinato_cuda PRIVATE -std=c++20 -lineinfo "$<$<BOOL:${OSTINATO_WERROR}>:-Werror=all-warnings>")
  target_include_directories(ostinato_cuda PRIVATE "${PROJECT_BINARY_DIR}/include")
  target_link_libraries(ostinato_cuda PRIVATE CUDA::cudart CUDA::cublas CUDA::cusparse)
  # The library loads NVRTC at run time (dlopen) and compiles on a separate thread.
  find_package(Threads REQUIRED)
  target_sources(ostinato PRIVATE $<TARGET_OBJECTS:ostinato_cuda> ${ostinato_only_with_cuda})
  target_link_libraries(ostinato PRIVATE CUDA::cudart CUDA::cublas CUDA::cusparse Threads::Threads ${CMAKE_DL_LIBS})
  message(STATUS "Ostinato ${PROJECT_VERSION}: with CUDA ${CUDAToolkit_VERSION} for architectures ${CMAKE_CUDA_ARCHITECTURES}")
else()
  target_sources(ostinato PRIVATE "${ostinato_steps}" ${ostinato_only_without_cuda})
  message(STATUS "Ostinato ${PROJECT_VERSION}: without CUDA (${why_without_cuda}); --device cuda will say so")
endif()
