// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <ostinato/spmv/base/error.hpp>
#include <ostinato/spmv/space/cuda/cusparse.hpp>

namespace ostinato::cuda {

Cusparse Cusparse::opened() {
  const Functions functions("cuSPARSE", "cusparse", CUSPARSE_VER_MAJOR);
  Cusparse found{};
  functions.find("cusparseCreate", found.create);
  functions.find("cusparseDestroy", found.destroy);
  functions.find("cusparseSetStream", found.set_stream);
  functions.find("cusparseGetErrorString", found.error_string);
  functions.find("cusparseGetProperty", found.get_property);
  functions.find("cusparseCreateCsr", found.create_csr);
  functions.find("cusparseCreateBsr", found.create_bsr);
  functions.find("cusparseCreateSlicedEll", found.create_sliced_ell);
  functions.find("cusparseCsrSetPointers", found.set_csr_pointers);
  functions.find("cusparseDestroySpMat", found.destroy_matrix);
  functions.find("cusparseCreateDnVec", found.create_vector);
  functions.find("cusparseDnVecSetValues", found.set_vector_values);
  functions.find("cusparseDestroyDnVec", found.destroy_vector);
  functions.find("cusparseSpMV_bufferSize", found.spmv_buffer_size);
  functions.find("cusparseSpMV_preprocess", found.spmv_preprocess);
  functions.find("cusparseSpMV", found.spmv);
  return found;
}

void cusparse_check(cusparseStatus_t code, const char* what) {
  if (code == CUSPARSE_STATUS_SUCCESS) return;
  const std::string text = std::string("cuSPARSE: ") + Cusparse::get().error_string(code) + " in " + what;
  if (code == CUSPARSE_STATUS_ALLOC_FAILED || code == CUSPARSE_STATUS_INSUFFICIENT_RESOURCES)
    throw DeviceMemoryError(text);
  throw DeviceError(text);
}

}  // namespace ostinato::cuda
