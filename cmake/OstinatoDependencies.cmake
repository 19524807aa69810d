# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0

# The pool of threads is Kokkos' where Kokkos is found: in Kokkos_ROOT and CMAKE_PREFIX_PATH, then under .deps, where
# ./dev installs it, then in the system. Otherwise it is OpenMP's, as in packages (docs/decisions/kokkos-as-pool.md).
option(OSTINATO_KOKKOS "Take the threads of Kokkos when it is found" ON)
set(ostinato_openmp_flag "-fopenmp")
if(OSTINATO_KOKKOS AND NOT TARGET Kokkos::kokkos)
  list(APPEND CMAKE_PREFIX_PATH "${PROJECT_SOURCE_DIR}/.deps/kokkos")
  find_package(Kokkos 3.4 CONFIG QUIET)
  if(NOT Kokkos_FOUND)
    message(STATUS "Kokkos not found: the threads are OpenMP's. Kokkos_ROOT names an installation of Kokkos.")
  endif()
endif()
set(ostinato_pool openmp)
if(OSTINATO_KOKKOS AND TARGET Kokkos::kokkos)
  set(ostinato_pool kokkos)
  if(NOT "OPENMP" IN_LIST Kokkos_DEVICES)
    set(ostinato_openmp_flag "")
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
  find_library(KLU_LIBRARY klu)
  find_path(CHOLMOD_INCLUDE_DIR suitesparse/cholmod.h)
  if(CHOLMOD_LIBRARY AND AMD_LIBRARY AND KLU_LIBRARY AND CHOLMOD_INCLUDE_DIR)
    set(OSTINATO_SUITESPARSE ON)
  endif()
endif()

# MUMPS is optional: its headers say how to call the library, which is opened when it is used. Without it complete
# factors are made by the library's own code, which takes longer.
set(OSTINATO_MUMPS OFF)
if(OSTINATO_ENABLE_MUMPS)
  find_path(MUMPS_INCLUDE_DIR dmumps_c.h)
  if(MUMPS_INCLUDE_DIR)
    set(OSTINATO_MUMPS ON)
  endif()
endif()
