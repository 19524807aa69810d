// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <ostinato/spmv/cuda/dia.hpp>
#include <ostinato/spmv/cuda/parallel.cuh>
#include <ostinato/spmv/vector.hpp>

namespace ostinato::formats {

namespace {

/// Diagonals of one kernel: its offsets travel as a parameter, which every thread reads from the constant cache.
constexpr int max_in_kernel = 128;
/// Up to this many, the number is known to the compiler and the loop over them is gone.
constexpr int max_unrolled = 12;

struct Offsets {
  Index v[max_in_kernel];
};

template <class T>
struct Args {
  Index rows, cols;
  const T* __restrict__ values;
  T alpha;
  const T* __restrict__ x;
  T beta;
  T* __restrict__ y;
};

/// A thread a row. D diagonals, or `count` when D is 0.
template <int D, bool Dotted, class T>
__global__ void __launch_bounds__(cuda::block_threads)
    rows_kernel(Args<T> a, const __grid_constant__ Offsets offsets, int count, const T* __restrict__ w,
                cuda::Reduction to) {
  const Offset stride = static_cast<Offset>(gridDim.x) * cuda::block_threads;
  Sums<1> dot{};
  for (Offset i = static_cast<Offset>(blockIdx.x) * cuda::block_threads + threadIdx.x; i < a.rows; i += stride) {
    T sum = 0;
    const auto add = [&](int d) {
      const Offset j = i + offsets.v[d];
      if (j >= 0 && j < a.cols) sum += __ldcs(a.values + static_cast<Offset>(d) * a.rows + i) * __ldg(a.x + j);
    };
    if constexpr (D > 0) {
#pragma unroll
      for (int d = 0; d < D; ++d) add(d);
    } else {
#pragma unroll 8
      for (int d = 0; d < count; ++d) add(d);
    }
    a.y[i] = a.beta == T{0} ? a.alpha * sum : a.alpha * sum + a.beta * a.y[i];
    if constexpr (Dotted) dot.v[0] += static_cast<double>(w[i]) * static_cast<double>(a.y[i]);
  }
  if constexpr (Dotted) cuda::grid_sum(dot, to, [](const Sums<1>&) {});
}

template <int D, bool Dotted, class T>
void launch(const Cuda& space, const Args<T>& a, const Offsets& offsets, int count, const T* w, double* slot) {
  const std::size_t rows = static_cast<std::size_t>(a.rows);
  const std::size_t all = (rows + cuda::block_threads - 1) / cuda::block_threads;
  const unsigned blocks =
      Dotted ? static_cast<unsigned>(cuda::resident_blocks(space, rows)) : static_cast<unsigned>(all);
  rows_kernel<D, Dotted>
      <<<blocks, cuda::block_threads, 0, space.stream()>>>(a, offsets, count, w, cuda::reduction(space, slot));
  OSTINATO_CUDA(cudaGetLastError());
}

template <bool Dotted, class T, int... D>
void launch_one_of(std::integer_sequence<int, D...>, const Cuda& space, const Args<T>& a, const Offsets& offsets,
                   int count, const T* w, double* slot) {
  using Launch = void (*)(const Cuda&, const Args<T>&, const Offsets&, int, const T*, double*);
  static constexpr Launch launches[] = {launch<D, Dotted, T>...};
  launches[count <= max_unrolled ? count : 0](space, a, offsets, count, w, slot);
}

/// Groups of at most max_in_kernel diagonals, each adding to the y of the one before; w . y belongs to the last.
template <bool Dotted, class T>
void run(const Cuda& space, const DiaView<T>& a, T alpha, const T* x, T beta, T* y, const T* w, double* slot) {
  space.state().activate();
  std::size_t d = 0;
  do {
    const std::size_t count = std::min<std::size_t>(a.offsets.size() - d, max_in_kernel);
    Offsets offsets{};
    std::copy_n(a.offsets.begin() + d, count, offsets.v);
    const Args<T> args{a.rows, a.cols, a.values + d * a.rows, alpha, x, d == 0 ? beta : T{1}, y};
    d += count;
    constexpr auto counts = std::make_integer_sequence<int, max_unrolled + 1>{};
    if (Dotted && d == a.offsets.size()) {
      launch_one_of<Dotted>(counts, space, args, offsets, static_cast<int>(count), w, slot);
    } else {
      launch_one_of<false>(counts, space, args, offsets, static_cast<int>(count), w, slot);
    }
  } while (d < a.offsets.size());
}

template <class T>
struct Fill {
  const Offset* row_ptr;
  const Index* col;
  const T* val;
  const Index* offsets;
  int count;
  Index rows;
  T* values;
  int* misplaced;

  __device__ void operator()(std::size_t row) const {
    const Index i = static_cast<Index>(row);
    for (Offset k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
      const Index offset = col[k] - i;
      int low = 0;
      for (int high = count; low < high;) {
        const int middle = (low + high) / 2;
        if (offsets[middle] < offset) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      if (low < count && offsets[low] == offset) {
        values[static_cast<Offset>(low) * rows + i] = val[k];
      } else {
        *misplaced = 1;
      }
    }
  }
};

}  // namespace

template <class T>
bool dia_fill(const Cuda& space, const CsrView<T>& a, std::span<const Index> offsets, T* values) {
  const std::size_t rows = static_cast<std::size_t>(a.rows);
  space.zero(values, offsets.size() * rows * sizeof(T));
  const Vector<Cuda, Index> on_device(space, offsets);
  Vector<Cuda, int> misplaced(space, 1, 0);
  for_each(space, rows,
           Fill<T>{a.row_ptr.data(), a.col.data(), a.val.data(), on_device.data(), static_cast<int>(offsets.size()),
                   a.rows, values, misplaced.data()});
  return misplaced.download()[0] == 0;
}

template <class T>
void dia_apply(const Cuda& space, const DiaView<T>& a, T alpha, const T* x, T beta, T* y) {
  if (a.rows > 0) run<false>(space, a, alpha, x, beta, y, static_cast<const T*>(nullptr), nullptr);
}

template <class T>
void dia_apply_dot(const Cuda& space, const DiaView<T>& a, const T* x, T* y, const T* w, double* slot) {
  run<true>(space, a, T{1}, x, T{0}, y, w, slot);
}

#define OSTINATO_INSTANTIATE(T)                                                       \
  template bool dia_fill(const Cuda&, const CsrView<T>&, std::span<const Index>, T*); \
  template void dia_apply(const Cuda&, const DiaView<T>&, T, const T*, T, T*);        \
  template void dia_apply_dot(const Cuda&, const DiaView<T>&, const T*, T*, const T*, double*)
OSTINATO_INSTANTIATE(float);
OSTINATO_INSTANTIATE(double);

}  // namespace ostinato::formats
