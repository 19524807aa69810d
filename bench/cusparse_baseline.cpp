// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "baseline.hpp"

#include <ostinato/bench/formats/cusparse/stored_product.hpp>
#include <ostinato/spmv/analysis/profile.hpp>
#include <ostinato/spmv/base/timing.hpp>
#include <ostinato/spmv/formats/cusparse/cusparse_product.hpp>
#include <ostinato/spmv/matrix/space_csr.hpp>
#include <ostinato/spmv/space/graph_capture.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::bench {

namespace {

using formats::CusparseAlgorithm;
using formats::CusparseStorage;
using Csr = formats::CusparseProduct<Cuda, double>;
using Stored = formats::CusparseStoredProduct<Cuda, double>;

/// y = A x.
using Product = std::function<void(const double* x, double* y)>;

template <class P, class... Args>
Product product_of(const Cuda& space, const CsrView<double>& a, const Args&... args) {
  return [p = std::make_shared<const P>(space, a, args...)](const double* x, double* y) { p->apply(1, x, 0, y); };
}

void check(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) throw std::runtime_error(cublasGetStatusString(status));
}
void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

/// Returns the named product; null when more than two thirds of its stored values (two fifths for BSR) would be
/// padding.
Product make_product(const Cuda& space, const CsrView<double>& a, const Profile& profile, const std::string& name) {
  if (name == "CSR ALG1") return product_of<Csr>(space, a, CusparseAlgorithm::first);
  if (name == "CSR ALG2") return product_of<Csr>(space, a, CusparseAlgorithm::second);
  if (name == "sliced ELL") {
    if (profile.sliced_slots > 3 * a.nonzeros() + 1024) return nullptr;
    return product_of<Stored>(space, a, CusparseStorage::sell, 0);
  }
  const int size = name.back() - '0';
  if (a.rows % size != 0 || a.cols % size != 0 || profile.square_fill[size] < 0.6) return nullptr;
  return product_of<Stored>(space, a, CusparseStorage::bsr, size);
}

}  // namespace

std::vector<TimedProduct> cusparse_products(const Cuda& space, const CsrView<double>& a, const std::vector<double>& x) {
  struct Memory {
    SpaceCsr<Cuda, double> matrix;
    Vector<Cuda, double> in, out;
  };
  const auto memory =
      std::make_shared<Memory>(Memory{{space, a}, {space, x}, {space, static_cast<std::size_t>(a.rows)}});
  const Profile profile = take_profile(space, memory->matrix.view());
  std::vector<TimedProduct> all;
  for (const char* name : {"CSR ALG1", "CSR ALG2", "sliced ELL", "BSR 2", "BSR 3", "BSR 4", "BSR 6"}) {
    const Product product = make_product(space, memory->matrix.view(), profile, name);
    if (product == nullptr) continue;
    all.push_back({name, [memory, product] { product(memory->in.data(), memory->out.data()); }});
    time_product(space, a.nonzeros(), all.back());
  }
  return all;
}

double cold_seconds(const Cuda& space, const std::function<void()>& product) {
  constexpr int repetitions = 11;
  Vector<Cuda, char> other(space, 5 * space.cache_bytes());
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  std::vector<float> milliseconds(repetitions);
  for (float& time : milliseconds) {
    space.zero(other.data(), other.bytes());
    check(cudaEventRecord(begin, space.stream()));
    product();
    check(cudaEventRecord(end, space.stream()));
    check(cudaEventSynchronize(end));
    check(cudaEventElapsedTime(&time, begin, end));
  }
  check(cudaEventDestroy(begin));
  check(cudaEventDestroy(end));
  std::nth_element(milliseconds.begin(), milliseconds.begin() + repetitions / 2, milliseconds.end());
  return milliseconds[repetitions / 2] * 1e-3;
}

double graph_seconds(const Cuda& space, const std::function<void()>& product) {
  constexpr int products = 32;
  product();
  space.wait();
  CudaGraph graph(space);
  graph.begin();
  for (int k = 0; k < products; ++k) product();
  graph.end();
  return median_seconds(space, 15, [&] { graph.launch(); }) / products;
}

double cusparse_cg_seconds(const Cuda& space, const CsrView<double>& a, const std::string& name, int iterations) {
  const std::size_t rows = static_cast<std::size_t>(a.rows);
  const int n = a.rows;
  Vector<Cuda, double> x(space, rows, 0.0), r(space, random_vector(rows, 2)), p(space, rows), q(space, rows);
  space.copy(p.data(), r.data(), r.bytes());
  const SpaceCsr<Cuda, double> matrix(space, a);
  const Profile profile = take_profile(space, matrix.view());
  const Product product = make_product(space, matrix.view(), profile, name);
  if (product == nullptr) return 0;
  cublasHandle_t blas;
  check(cublasCreate(&blas));
  check(cublasSetStream(blas, space.stream()));
  double rr = 0;
  check(cublasDdot(blas, n, r.data(), 1, r.data(), 1, &rr));
  const auto iterate = [&](int count) {
    for (int k = 0; k < count; ++k) {
      double pq = 0, rr_new = 0;
      product(p.data(), q.data());
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
