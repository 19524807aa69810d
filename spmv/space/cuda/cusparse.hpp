// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cusparse.h>

#include <string>

#include <ostinato/spmv/space/cuda/library.hpp>

namespace ostinato::cuda {

/// The functions of cuSPARSE that the library and its benchmarks call. The first use opens cuSPARSE, so that programs
/// that don't need it start earlier: to load cuSPARSE and the library that cuSPARSE needs takes 8 ms (two cores of an
/// AMD EPYC, 2026-11).
struct Cusparse : OnDemand<Cusparse> {
  static Cusparse opened();

  decltype(&cusparseCreate) create;
  decltype(&cusparseDestroy) destroy;
  decltype(&cusparseSetStream) set_stream;
  decltype(&cusparseGetErrorString) error_string;
  decltype(&cusparseGetProperty) get_property;
  decltype(&cusparseCreateCsr) create_csr;
  decltype(&cusparseCreateBsr) create_bsr;
  decltype(&cusparseCreateSlicedEll) create_sliced_ell;
  decltype(&cusparseCsrSetPointers) set_csr_pointers;
  decltype(&cusparseDestroySpMat) destroy_matrix;
  decltype(&cusparseCreateDnVec) create_vector;
  decltype(&cusparseDnVecSetValues) set_vector_values;
  decltype(&cusparseDestroyDnVec) destroy_vector;
  decltype(&cusparseSpMV_bufferSize) spmv_buffer_size;
  decltype(&cusparseSpMV_preprocess) spmv_preprocess;
  decltype(&cusparseSpMV) spmv;
};

/// Throws    DeviceError unless the code says success; DeviceMemoryError where memory ran out.
void cusparse_check(cusparseStatus_t code, const char* what);

#define OSTINATO_CUSPARSE(function, ...) \
  ::ostinato::cuda::cusparse_check(::ostinato::cuda::Cusparse::get().function(__VA_ARGS__), "cusparse " #function)

}  // namespace ostinato::cuda
