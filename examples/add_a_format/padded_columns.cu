// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include "padded_columns.hpp"

#include <ostinato/spmv/base/error.hpp>

namespace {

constexpr int block = 256;

/// Launches a thread for each row, and throws the error of this launch.
template <class... P, class... A>
void launch(const ostinato::Cuda& space, ostinato::Index rows, void (*kernel)(P...), A... args) {
  cudaLaunchConfig_t config{};
  config.gridDim = (static_cast<unsigned>(rows) + block - 1) / block;
  config.blockDim = block;
  config.stream = space.stream();
  const cudaError_t e = cudaLaunchKernelEx(&config, kernel, static_cast<P>(args)...);
  if (e != cudaSuccess) throw ostinato::DeviceError(cudaGetErrorString(e));
}

template <class T>
__global__ void fill(const ostinato::Offset* row_ptr, const ostinato::Index* col, const T* val, PaddedSlots<T> to) {
  const ostinato::Offset i = static_cast<ostinato::Offset>(blockIdx.x) * block + threadIdx.x;
  if (i >= to.rows) return;
  for (ostinato::Offset k = 0; k < to.width; ++k) {
    const ostinato::Offset entry = row_ptr[i] + k, slot = k * to.rows + i;
    const bool used = entry < row_ptr[i + 1];
    to.col[slot] = used ? col[entry] : -1;
    to.val[slot] = used ? val[entry] : T{0};
  }
}

template <class T>
__global__ void multiply(PaddedSlots<T> a, T alpha, const T* x, T beta, T* y) {
  const ostinato::Offset i = static_cast<ostinato::Offset>(blockIdx.x) * block + threadIdx.x;
  if (i >= a.rows) return;
  T sum = 0;
  for (ostinato::Offset slot = i; slot < static_cast<ostinato::Offset>(a.width) * a.rows; slot += a.rows) {
    if (a.col[slot] >= 0) sum += a.val[slot] * x[a.col[slot]];
  }
  y[i] = beta == T{0} ? alpha * sum : alpha * sum + beta * y[i];
}

}  // namespace

template <class T>
void fill_slots(const ostinato::Cuda& space, const ostinato::CsrView<T>& a, const PaddedSlots<T>& slots) {
  if (slots.rows == 0) return;
  launch(space, slots.rows, fill<T>, a.row_ptr.data(), a.col.data(), a.val.data(), slots);
}

template <class T>
void multiply_slots(const ostinato::Cuda& space, const PaddedSlots<T>& slots, T alpha, const T* x, T beta, T* y) {
  launch(space, slots.rows, multiply<T>, slots, alpha, x, beta, y);
}

template void fill_slots(const ostinato::Cuda&, const ostinato::CsrView<double>&, const PaddedSlots<double>&);
template void multiply_slots(const ostinato::Cuda&, const PaddedSlots<double>&, double, const double*, double, double*);
