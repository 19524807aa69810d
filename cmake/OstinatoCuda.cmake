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

if(OSTINATO_CUDA)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 80 90)
  endif()
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  enable_language(CUDA)
  target_sources(ostinato PRIVATE
    spmv/cuda/cuda.cu
    spmv/cuda/csr.cu
    spmv/cuda/dia.cu
    spmv/cuda/structure.cu
    solvers/cuda/steps.cu)
  target_compile_options(ostinato PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:--extended-lambda;-lineinfo>"
    "$<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${OSTINATO_WERROR}>>:-Werror=all-warnings>")
  target_link_libraries(ostinato PRIVATE CUDA::cudart CUDA::cublas)
  message(STATUS "Ostinato ${PROJECT_VERSION}: with CUDA ${CUDAToolkit_VERSION} for architectures ${CMAKE_CUDA_ARCHITECTURES}")
else()
  target_sources(ostinato PRIVATE spmv/cuda/absent.cpp)
  message(STATUS "Ostinato ${PROJECT_VERSION}: without CUDA (toolkit not found or OSTINATO_ENABLE_CUDA=OFF); --device cuda will say so")
endif()
