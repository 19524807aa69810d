# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0

# CMake looks for Kokkos in Kokkos_ROOT and CMAKE_PREFIX_PATH, then under .deps, where ./dev installs it, then in the
# system. Kokkos is downloaded only with OSTINATO_FETCH_KOKKOS.
option(OSTINATO_FETCH_KOKKOS "Download and build Kokkos when no package is found" OFF)
if(NOT TARGET Kokkos::kokkos)
  list(APPEND CMAKE_PREFIX_PATH "${PROJECT_SOURCE_DIR}/.deps/kokkos")
  find_package(Kokkos CONFIG QUIET)
  if(NOT Kokkos_FOUND AND OSTINATO_FETCH_KOKKOS)
    include(FetchContent)
    set(Kokkos_ENABLE_OPENMP ON CACHE BOOL "")
    set(Kokkos_ENABLE_SERIAL ON CACHE BOOL "")
    FetchContent_Declare(kokkos GIT_REPOSITORY https://github.com/kokkos/kokkos.git GIT_TAG 4.7.01 GIT_SHALLOW ON)
    FetchContent_MakeAvailable(kokkos)
  elseif(NOT Kokkos_FOUND)
    message(FATAL_ERROR "Kokkos not found. Run ./dev, or set Kokkos_ROOT to an installation built with OpenMP, "
                        "or configure with -DOSTINATO_FETCH_KOKKOS=ON to download it.")
  endif()
endif()

# What a program has to be linked with for Kokkos' OpenMP.
set(ostinato_openmp_flag "")
if("OPENMP" IN_LIST Kokkos_DEVICES)
  set(ostinato_openmp_flag "${OpenMP_CXX_FLAGS}")
  if(NOT ostinato_openmp_flag)
    set(ostinato_openmp_flag "-fopenmp")
  endif()
endif()

find_package(ZLIB REQUIRED)

# METIS is optional: without it factors are ordered by reverse Cuthill-McKee.
set(OSTINATO_METIS OFF)
if(OSTINATO_ENABLE_METIS)
  find_library(METIS_LIBRARY metis)
  find_path(METIS_INCLUDE_DIR metis.h)
  if(METIS_LIBRARY AND METIS_INCLUDE_DIR)
    set(OSTINATO_METIS ON)
  endif()
endif()

# LAPACK is optional: without it bands are factored by the library's own code, which takes longer, and small systems
# that no method solves have no dense way out.
set(OSTINATO_LAPACK OFF)
if(OSTINATO_ENABLE_LAPACK)
  find_library(LAPACK_LIBRARY lapack)
  find_library(BLAS_LIBRARY blas)
  if(LAPACK_LIBRARY AND BLAS_LIBRARY)
    set(OSTINATO_LAPACK ON)
  endif()
endif()

# SuiteSparse is optional: without it complete Cholesky factors are made by the library's own code, which takes longer.
set(OSTINATO_SUITESPARSE OFF)
if(OSTINATO_ENABLE_SUITESPARSE)
  find_library(CHOLMOD_LIBRARY cholmod)
  find_library(AMD_LIBRARY amd)
  find_path(CHOLMOD_INCLUDE_DIR suitesparse/cholmod.h)
  if(CHOLMOD_LIBRARY AND AMD_LIBRARY AND CHOLMOD_INCLUDE_DIR)
    set(OSTINATO_SUITESPARSE ON)
  endif()
endif()
