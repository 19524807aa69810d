// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cusparse.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <stdexcept>

#include "baseline.hpp"

#include <ostinato/spmv/timing.hpp>
#include <ostinato/spmv/vector.hpp>

namespace ostinato::bench {

namespace {

void check(cusparseStatus_t status) {
  if (status != CUSPARSE_STATUS_SUCCESS) throw std::runtime_error(cusparseGetErrorString(status));
}
void check(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) throw std::runtime_error(cublasGetStatusString(status));
}

std::vector<int> narrow(std::span<const Offset> from) { return {from.begin(), from.end()}; }

/// A cuSPARSE product: the arrays of the format, its descriptor, buffer and algorithm.
class Product {
 public:
  Product(const Cuda& space, const CsrView<double>& a) : space_(space), rows_(a.rows), cols_(a.cols) {
    check(cusparseCreate(&handle_));
    check(cusparseSetStream(handle_, space.stream()));
  }
  ~Product() {
    if (x_ != nullptr) cusparseDestroyDnVec(x_);
    if (y_ != nullptr) cusparseDestroyDnVec(y_);
    if (matrix_ != nullptr) cusparseDestroySpMat(matrix_);
    cusparseDestroy(handle_);
  }
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;

  void csr(const CsrView<double>& a, cusparseSpMVAlg_t alg) {
    pointers_ = Vector<Cuda, int>(space_, narrow(a.row_ptr));
    columns_ = Vector<Cuda, int>(space_, a.col);
    values_ = Vector<Cuda, double>(space_, a.val);
    check(cusparseCreateCsr(&matrix_, rows_, cols_, a.nonzeros(), pointers_.data(), columns_.data(), values_.data(),
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    alg_ = alg;
  }

  /// Slices of 32 rows, each as wide as its longest row, stored column by column; -1 marks padding.
  /// False when the padding takes more than three times the entries.
  bool sliced_ell(const CsrView<double>& a) {
    constexpr int slice = 32;
    const int slices = (rows_ + slice - 1) / slice;
    std::vector<int> start(static_cast<std::size_t>(slices) + 1, 0);
    std::int64_t total = 0;
    for (int s = 0; s < slices; ++s) {
      Offset width = 0;
      for (int i = s * slice; i < std::min(rows_, (s + 1) * slice); ++i) width = std::max(width, length(a, i));
      total += width * slice;
      if (total > 3 * a.nonzeros() + 1024 || total > 2000000000) return false;
      start[static_cast<std::size_t>(s) + 1] = static_cast<int>(total);
    }
    std::vector<int> columns(static_cast<std::size_t>(total), -1);
    std::vector<double> values(static_cast<std::size_t>(total), 0);
    for (int i = 0; i < rows_; ++i) {
      for (Offset k = 0; k < length(a, i); ++k) {
        const auto to = static_cast<std::size_t>(start[static_cast<std::size_t>(i / slice)] + k * slice + i % slice);
        const auto from = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i)] + k);
        columns[to] = a.col[from];
        values[to] = a.val[from];
      }
    }
    store(start, columns, values);
    check(cusparseCreateSlicedEll(&matrix_, rows_, cols_, a.nonzeros(), total, slice, pointers_.data(), columns_.data(),
                                  values_.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                  CUDA_R_64F));
    alg_ = CUSPARSE_SPMV_SELL_ALG1;
    return true;
  }

  /// size x size blocks, row-major. False when under 60 % of their slots hold an entry.
  bool bsr(const CsrView<double>& a, int size) {
    if (rows_ % size != 0 || cols_ % size != 0) return false;
    std::vector<int> start{0}, columns;
    std::vector<double> values;
    std::vector<int> place(static_cast<std::size_t>(cols_ / size), -1);
    const auto block = static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
    for (int b = 0; b < rows_ / size; ++b) {
      const std::size_t first = columns.size();
      for (int i = b * size; i < (b + 1) * size; ++i) {
        for (Offset k = a.row_ptr[static_cast<std::size_t>(i)]; k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k) {
          const int c = a.col[static_cast<std::size_t>(k)] / size;
          int& at = place[static_cast<std::size_t>(c)];
          if (at < static_cast<int>(first)) {
            at = static_cast<int>(columns.size());
            columns.push_back(c);
            values.resize(values.size() + block, 0);
          }
          values[static_cast<std::size_t>(at) * block +
                 static_cast<std::size_t>((i % size) * size + a.col[static_cast<std::size_t>(k)] % size)] =
              a.val[static_cast<std::size_t>(k)];
        }
      }
      if (values.size() > 64 && static_cast<double>(a.row_ptr[static_cast<std::size_t>((b + 1) * size)]) <
                                    0.6 * static_cast<double>(values.size()))
        return false;
      start.push_back(static_cast<int>(columns.size()));
    }
    store(start, columns, values);
    check(cusparseCreateBsr(&matrix_, rows_ / size, cols_ / size, static_cast<std::int64_t>(columns.size()), size, size,
                            pointers_.data(), columns_.data(), values_.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F, CUSPARSE_ORDER_ROW));
    alg_ = CUSPARSE_SPMV_BSR_ALG1;
    return true;
  }

  /// Buffer and preprocessing.
  void prepare(double* x, double* y) {
    check(cusparseCreateDnVec(&x_, cols_, x, CUDA_R_64F));
    check(cusparseCreateDnVec(&y_, rows_, y, CUDA_R_64F));
    std::size_t bytes = 0;
    check(cusparseSpMV_bufferSize(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, matrix_, x_, &zero_, y_, CUDA_R_64F,
                                  alg_, &bytes));
    buffer_ = Vector<Cuda, char>(space_, std::max<std::size_t>(bytes, 1));
    check(cusparseSpMV_preprocess(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, matrix_, x_, &zero_, y_, CUDA_R_64F,
                                  alg_, buffer_.data()));
  }

  void multiply() {
    check(cusparseSpMV(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, matrix_, x_, &zero_, y_, CUDA_R_64F, alg_,
                       buffer_.data()));
  }

  /// Builds the product of that name; false when the matrix doesn't suit it.
  bool build(const std::string& name, const CsrView<double>& a) {
    if (name == "CSR ALG1") return csr(a, CUSPARSE_SPMV_CSR_ALG1), true;
    if (name == "CSR ALG2") return csr(a, CUSPARSE_SPMV_CSR_ALG2), true;
    if (name == "sliced ELL") return sliced_ell(a);
    return bsr(a, name.back() - '0');
  }

 private:
  static Offset length(const CsrView<double>& a, int i) {
    return a.row_ptr[static_cast<std::size_t>(i) + 1] - a.row_ptr[static_cast<std::size_t>(i)];
  }

  void store(const std::vector<int>& start, const std::vector<int>& columns, const std::vector<double>& values) {
    pointers_ = Vector<Cuda, int>(space_, start);
    columns_ = Vector<Cuda, int>(space_, columns);
    values_ = Vector<Cuda, double>(space_, values);
  }

  Cuda space_;
  int rows_, cols_;
  cusparseHandle_t handle_ = nullptr;
  cusparseSpMatDescr_t matrix_ = nullptr;
  cusparseDnVecDescr_t x_ = nullptr, y_ = nullptr;
  cusparseSpMVAlg_t alg_ = CUSPARSE_SPMV_ALG_DEFAULT;
  Vector<Cuda, int> pointers_, columns_;
  Vector<Cuda, double> values_;
  Vector<Cuda, char> buffer_;
  const double one_ = 1, zero_ = 0;
};

}  // namespace

std::vector<Baseline> cusparse_products(const Cuda& space, const CsrView<double>& a, const std::vector<double>& x) {
  std::vector<Baseline> all;
  Vector<Cuda, double> in(space, x), out(space, static_cast<std::size_t>(a.rows));
  for (const char* name : {"CSR ALG1", "CSR ALG2", "sliced ELL", "BSR 2", "BSR 3", "BSR 4", "BSR 6"}) {
    Stopwatch watch;
    Product product(space, a);
    if (!product.build(name, a)) continue;
    product.prepare(in.data(), out.data());
    space.wait();
    Baseline b{name, 0, watch.seconds()};
    b.seconds = median_seconds(space, 30, [&] { product.multiply(); });
    all.push_back(b);
  }
  return all;
}

double cusparse_cg_seconds(const Cuda& space, const CsrView<double>& a, const std::string& name, int iterations) {
  const std::size_t rows = static_cast<std::size_t>(a.rows);
  const int n = a.rows;
  Vector<Cuda, double> x(space, rows, 0.0), r(space, random_vector(rows, 2)), p(space, rows), q(space, rows);
  space.copy(p.data(), r.data(), r.bytes());
  Product product(space, a);
  if (!product.build(name, a)) return 0;
  product.prepare(p.data(), q.data());
  cublasHandle_t blas;
  check(cublasCreate(&blas));
  check(cublasSetStream(blas, space.stream()));
  double rr = 0;
  check(cublasDdot(blas, n, r.data(), 1, r.data(), 1, &rr));
  const auto iterate = [&](int count) {
    for (int k = 0; k < count; ++k) {
      double pq = 0, rr_new = 0;
      product.multiply();
      check(cublasDdot(blas, n, p.data(), 1, q.data(), 1, &pq));
      const double alpha = rr / pq, minus_alpha = -alpha;
      check(cublasDaxpy(blas, n, &alpha, p.data(), 1, x.data(), 1));
      check(cublasDaxpy(blas, n, &minus_alpha, q.data(), 1, r.data(), 1));
      check(cublasDdot(blas, n, r.data(), 1, r.data(), 1, &rr_new));
      const double beta = rr_new / rr, one = 1;
      rr = rr_new;
      check(cublasDscal(blas, n, &beta, p.data(), 1));
      check(cublasDaxpy(blas, n, &one, r.data(), 1, p.data(), 1));
    }
    space.wait();
  };
  iterate(5);
  std::vector<double> times;
  for (int k = 0; k < 5; ++k) {
    Stopwatch watch;
    iterate(iterations);
    times.push_back(watch.seconds() / iterations);
  }
  std::sort(times.begin(), times.end());
  check(cublasDestroy(blas));
  return times[2];
}

}  // namespace ostinato::bench
