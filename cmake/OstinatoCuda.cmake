# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0

# CMake chooses the body of the CUDA space: the real one, or one whose every call throws DeviceError.
set(OSTINATO_CUDA OFF)
if(OSTINATO_ENABLE_CUDA)
  include(CheckLanguage)
  check_language(CUDA)
  find_package(CUDAToolkit QUIET)
  if(CMAKE_CUDA_COMPILER AND CUDAToolkit_FOUND)
    set(OSTINATO_CUDA ON)
  endif()
endif()

# Generated kernels end as the precompiled ones do: they contain the text of these headers.
set(ostinato_prelude "")
foreach(header spmv/space/function.hpp spmv/space/sums.hpp spmv/formats/product.hpp spmv/formats/diagonal/product_args.hpp
       spmv/space/cuda/reduction.cuh)
  file(READ "${header}" ostinato_header)
  string(REGEX REPLACE "#(include|pragma once)[^\n]*\n" "" ostinato_header "${ostinato_header}")
  string(APPEND ostinato_prelude "${ostinato_header}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${header}")
endforeach()
configure_file(spmv/formats/diagonal/product_prelude.hpp.in "${PROJECT_BINARY_DIR}/include/ostinato_generated/product_prelude.hpp" @ONLY)

target_sources(ostinato PRIVATE spmv/formats/diagonal/product_text.cpp spmv/formats/diagonal/band_writer.cpp spmv/formats/diagonal/class_writer.cpp)

if(OSTINATO_CUDA)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
    set(CMAKE_CUDA_ARCHITECTURES 80 90)
  endif()
  enable_language(CUDA)
  # An object library of its own, free of Kokkos and of CMake's language features: CMake before 3.26 doesn't know that
  # nvcc speaks C++20, so the flag is given by hand.
  add_library(ostinato_cuda OBJECT
    spmv/space/cuda.cu
    spmv/formats/csr/csr.cu
    spmv/formats/csr/csr_plan.cu
    spmv/formats/cusparse/cusparse.cu
    spmv/formats/diagonal/bands.cu
    spmv/formats/textbook/textbook.cu
    spmv/formats/sliced_ell/sliced_ell.cu
    spmv/formats/bccoo/bccoo.cu
    spmv/formats/cmrs/cmrs.cu
    spmv/formats/diagonal/row_classes.cu
    spmv/analysis/diagonals.cu
    spmv/analysis/pattern_hash.cu
    spmv/analysis/profile.cu
    spmv/space/scan.cu
    spmv/analysis/structure.cu
    spmv/formats/cusparse/vendor.cu
    solvers/steps.cu)
  set_target_properties(ostinato_cuda PROPERTIES CUDA_EXTENSIONS ON)
  target_compile_options(ostinato_cuda PRIVATE -std=c++20 -lineinfo "$<$<BOOL:${OSTINATO_WERROR}>:-Werror=all-warnings>")
  target_include_directories(ostinato_cuda PRIVATE "${PROJECT_BINARY_DIR}/include")
  target_link_libraries(ostinato_cuda PRIVATE CUDA::cudart CUDA::cublas CUDA::cusparse)
  # NVRTC is opened when the program runs (dlopen) and compiles on a thread of its own.
  find_package(Threads REQUIRED)
  target_sources(ostinato PRIVATE $<TARGET_OBJECTS:ostinato_cuda> spmv/formats/diagonal/generated_product.cpp spmv/jit/generated_kernels.cpp
    spmv/jit/nvrtc.cpp)
  target_link_libraries(ostinato PRIVATE CUDA::cudart CUDA::cublas CUDA::cusparse Threads::Threads ${CMAKE_DL_LIBS})
  message(STATUS "Ostinato ${PROJECT_VERSION}: with CUDA ${CUDAToolkit_VERSION} for architectures ${CMAKE_CUDA_ARCHITECTURES}")
else()
  target_sources(ostinato PRIVATE spmv/space/cuda_absent.cpp)
  message(STATUS "Ostinato ${PROJECT_VERSION}: without CUDA (toolkit not found or OSTINATO_ENABLE_CUDA=OFF); --device cuda will say so")
endif()
