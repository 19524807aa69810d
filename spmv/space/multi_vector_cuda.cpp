// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include <ostinato/spmv/space/cuda/cublas.hpp>
#include <ostinato/spmv/space/cuda/state.cuh>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/multi_vector.hpp>

namespace ostinato {

namespace {

void gemm(const Cuda& space, std::size_t n, int columns, int results, const double* v, const double* y,
          std::size_t height, double* w) {
  const auto rows = static_cast<std::int64_t>(n), lower = static_cast<std::int64_t>(height);
  const double one = 1;
  const OnDevice here(space);
  OSTINATO_CUBLAS(dgemm, space.state().blas(), CUBLAS_OP_N, CUBLAS_OP_N, rows, results, columns, &one, v, rows, y,
                  lower, &one, w, rows);
}

void gemm(const Cuda& space, std::size_t n, int columns, int results, const float* v, const float* y,
          std::size_t height, float* w) {
  const auto rows = static_cast<std::int64_t>(n), lower = static_cast<std::int64_t>(height);
  const float one = 1;
  const OnDevice here(space);
  OSTINATO_CUBLAS(sgemm, space.state().blas(), CUBLAS_OP_N, CUBLAS_OP_N, rows, results, columns, &one, v, rows, y,
                  lower, &one, w, rows);
}

}  // namespace

template <class T>
void combine(const Cuda& space, int columns, const T* v, int results, const T* y, std::size_t height, Out<T> w) {
  gemm(space, w.size() / static_cast<std::size_t>(results), columns, results, v, y, height, w.data());
}

#define OSTINATO_INSTANTIATE(T) template void combine<T>(const Cuda&, int, const T*, int, const T*, std::size_t, Out<T>)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);

}  // namespace ostinato
