// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <cusparse.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include <ostinato/spmv/cuda/parallel.cuh>
#include <ostinato/spmv/cuda/vendor.hpp>
#include <ostinato/spmv/timing.hpp>
#include <ostinato/spmv/vector.hpp>

namespace ostinato {

namespace {

void cusparse_check(cusparseStatus_t code, const char* what) {
  if (code != CUSPARSE_STATUS_SUCCESS)
    throw DeviceError(std::string("cuSPARSE: ") + cusparseGetErrorString(code) + " in " + what);
}

#define OSTINATO_CUSPARSE(call) cusparse_check(call, #call)

struct NarrowPointer {
  const Offset* from;
  std::int32_t* to;
  __device__ void operator()(std::size_t i) const { to[i] = static_cast<std::int32_t>(from[i]); }
};

/// y = A x as cuSPARSE does it.
template <class T>
class VendorProduct {
 public:
  VendorProduct(const Cuda& space, const CsrView<T>& a)
      : space_(space),
        a_(a),
        in_(space, static_cast<std::size_t>(a.cols), T{1}),
        out_(space, static_cast<std::size_t>(a.rows)) {}

  ~VendorProduct() {
    if (x_ != nullptr) (void)cusparseDestroyDnVec(x_);
    if (y_ != nullptr) (void)cusparseDestroyDnVec(y_);
    if (matrix_ != nullptr) (void)cusparseDestroySpMat(matrix_);
    if (handle_ != nullptr) (void)cusparseDestroy(handle_);
  }
  VendorProduct(const VendorProduct&) = delete;
  VendorProduct& operator=(const VendorProduct&) = delete;

  /// Descriptors, buffer, preprocessing and a first product; false when cuSPARSE doesn't support the kinds of indices.
  bool prepare() {
    space_.state().activate();
    OSTINATO_CUSPARSE(cusparseCreate(&handle_));
    OSTINATO_CUSPARSE(cusparseSetStream(handle_, space_.stream()));
    OSTINATO_CUSPARSE(cusparseCreateDnVec(&x_, a_.cols, in_.data(), type));
    OSTINATO_CUSPARSE(cusparseCreateDnVec(&y_, a_.rows, out_.data(), type));
    describe_matrix();
    std::size_t bytes = 0;
    const cusparseStatus_t sized =
        cusparseSpMV_bufferSize(handle_, operation, &one_, matrix_, x_, &zero_, y_, type, algorithm, &bytes);
    if (sized == CUSPARSE_STATUS_NOT_SUPPORTED) return false;
    OSTINATO_CUSPARSE(sized);
    buffer_ = Vector<Cuda, char>(space_, std::max<std::size_t>(bytes, 1));
#if CUSPARSE_VERSION >= 12300  // since CUDA 12.4
    const cusparseStatus_t ready =
        cusparseSpMV_preprocess(handle_, operation, &one_, matrix_, x_, &zero_, y_, type, algorithm, buffer_.data());
    if (ready == CUSPARSE_STATUS_NOT_SUPPORTED) return false;
    OSTINATO_CUSPARSE(ready);
#endif
    const cusparseStatus_t first = enqueue();
    if (first == CUSPARSE_STATUS_NOT_SUPPORTED) return false;
    OSTINATO_CUSPARSE(first);
    return true;
  }

  void multiply() { OSTINATO_CUSPARSE(enqueue()); }

 private:
  static constexpr cudaDataType type = std::is_same_v<T, float> ? CUDA_R_32F : CUDA_R_64F;
  static constexpr cusparseOperation_t operation = CUSPARSE_OPERATION_NON_TRANSPOSE;
  static constexpr cusparseSpMVAlg_t algorithm = CUSPARSE_SPMV_CSR_ALG1;

  /// With row pointers of 32 bits wherever they suffice: they are what cuSPARSE's users have.
  void describe_matrix() {
    const bool narrow = a_.nonzeros() <= std::numeric_limits<std::int32_t>::max();
    if (narrow) {
      pointers_ = Vector<Cuda, std::int32_t>(space_, a_.row_ptr.size());
      for_each(space_, a_.row_ptr.size(), NarrowPointer{a_.row_ptr.data(), pointers_.data()});
    }
    void* const pointers = narrow ? static_cast<void*>(pointers_.data()) : const_cast<Offset*>(a_.row_ptr.data());
    OSTINATO_CUSPARSE(cusparseCreateCsr(&matrix_, a_.rows, a_.cols, a_.nonzeros(), pointers,
                                        const_cast<Index*>(a_.col.data()), const_cast<T*>(a_.val.data()),
                                        narrow ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I, CUSPARSE_INDEX_32I,
                                        CUSPARSE_INDEX_BASE_ZERO, type));
  }

  cusparseStatus_t enqueue() {
    return cusparseSpMV(handle_, operation, &one_, matrix_, x_, &zero_, y_, type, algorithm, buffer_.data());
  }

  Cuda space_;
  CsrView<T> a_;
  Vector<Cuda, T> in_, out_;
  Vector<Cuda, std::int32_t> pointers_;
  Vector<Cuda, char> buffer_;
  cusparseHandle_t handle_ = nullptr;
  cusparseSpMatDescr_t matrix_ = nullptr;
  cusparseDnVecDescr_t x_ = nullptr, y_ = nullptr;
  const T one_ = 1, zero_ = 0;
};

}  // namespace

template <class T>
double vendor_csr_seconds(const Cuda& space, const CsrView<T>& a) {
  if (a.nonzeros() == 0) return 0;
  VendorProduct<T> product(space, a);
  return product.prepare() ? median_seconds(space, 15, [&] { product.multiply(); }) : 0;
}
template double vendor_csr_seconds(const Cuda&, const CsrView<float>&);
template double vendor_csr_seconds(const Cuda&, const CsrView<double>&);

}  // namespace ostinato
