// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/multi_vector.hpp>

#include <algorithm>
#include <bit>

#include <ostinato/spmv/space/cuda/launch.cuh>
#include <ostinato/spmv/space/cuda/overlap.cuh>
#include <ostinato/spmv/space/cuda/reduction.cuh>
#include <ostinato/spmv/space/list.hpp>
#include <ostinato/spmv/space/multi_vector_view.hpp>

namespace ostinato {

namespace {

// Projections. A thread block goes over some rows of up to 64 columns. Its warps are `groups` side by side, and each
// of them has up to four columns, whose sums stay in registers until the end. Where there are fewer columns than that
// needs, the other warps take other rows. So each column is read once, and the vectors come from the first-level cache.

constexpr int project_warps = 16, project_threads = 32 * project_warps;
constexpr int warp_columns = 4;  ///< whose sums a warp has
constexpr int lane_rows = 4;     ///< that a lane loads at once
constexpr int block_columns = warp_columns * project_warps;
constexpr int launch_columns = 1024;  ///< whose sums the buffer of reductions takes

/// What a launch is to compute: column k of V gives V(:, k) . w and, of a pair, V(:, k) . u.
template <class T>
struct Projections {
  Columns<T> v;
  std::size_t n;
  const T *w, *u;        ///< u: of a pair
  T *a, *b;              ///< the products with w, and with u
  DelayedStep<T>* step;  ///< of a pair
  int first, count;      ///< columns first .. first + count - 1
  int block_count;       ///< of these, each row of thread blocks has so many
  int groups;            ///< a power of two
};

template <bool is_pair>
constexpr int sums_of_column = is_pair ? 2 : 1;
template <bool is_pair>
constexpr int other_sums = is_pair ? 2 : 0;  ///< w . u and u . u
template <bool is_pair>
constexpr int sums_of_warp = warp_columns* sums_of_column<is_pair> + other_sums<is_pair>;

/// The sums of the calling lane, over its rows and the columns of its warp.
template <bool is_pair, class T>
__device__ void add_products(const Projections<T>& p, double (&sums)[sums_of_warp<is_pair>]) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned groups = static_cast<unsigned>(p.groups), rows_of_warp = 32 * lane_rows;
  const int of_block = static_cast<int>(blockIdx.y) * p.block_count, end = min(p.block_count, p.count - of_block);
  const T* columns[warp_columns];
#pragma unroll
  for (int c = 0; c < warp_columns; ++c) {
    const int k = static_cast<int>(warp % groups) + c * p.groups;
    columns[c] = k < end ? p.v.column(p.first + of_block + k, p.n) : nullptr;
  }
  const std::size_t tall = project_warps / groups, stride = gridDim.x * tall * rows_of_warp;
  for (std::size_t row = (blockIdx.x * tall + warp / groups) * rows_of_warp; row < p.n; row += stride) {
    T w[lane_rows], u[lane_rows], v[warp_columns][lane_rows];
#pragma unroll
    for (int r = 0; r < lane_rows; ++r) {
      const std::size_t i = row + lane + 32 * r;
      w[r] = i < p.n ? p.w[i] : T{0};
      if constexpr (is_pair) u[r] = i < p.n ? p.u[i] : T{0};
#pragma unroll
      for (int c = 0; c < warp_columns; ++c) v[c][r] = columns[c] != nullptr && i < p.n ? __ldcg(columns[c] + i) : T{0};
    }
#pragma unroll
    for (int r = 0; r < lane_rows; ++r) {
#pragma unroll
      for (int c = 0; c < warp_columns; ++c) {
        sums[c * sums_of_column<is_pair>] += product_of(v[c][r], w[r]);
        if constexpr (is_pair) sums[2 * c + 1] += product_of(v[c][r], u[r]);
      }
      if constexpr (is_pair) {
        sums[2 * warp_columns] += product_of(w[r], u[r]);
        sums[2 * warp_columns + 1] += product_of(u[r], u[r]);
      }
    }
  }
}

/// The sum over the lanes of a warp, in lane 0.
__device__ double warp_sum(double mine) {
  for (int d = 16; d > 0; d /= 2) mine += __shfl_down_sync(0xffffffffu, mine, d);
  return mine;
}

/// Joins the sums of the warps that have one column, and stores the sums of the thread block: sum s of block x at
/// partial[s * gridDim.x + x], of one column after the other, and the other sums at the end.
template <bool is_pair, class T>
__device__ void store_block_sums(const Projections<T>& p, const double (&sums)[sums_of_warp<is_pair>],
                                 double* partial) {
  constexpr int of_column = sums_of_column<is_pair>, of_warp = sums_of_warp<is_pair>;
  __shared__ double of_warps[project_warps][of_warp];
#pragma unroll
  for (int s = 0; s < of_warp; ++s) {
    const double total = warp_sum(sums[s]);
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32][s] = total;
  }
  __syncthreads();
  const auto joined = [&](int group, int s) {
    double total = 0;
    for (int warp = group; warp < project_warps; warp += p.groups) total += of_warps[warp][s];
    return total;
  };
  const int t = static_cast<int>(threadIdx.x), of_block = static_cast<int>(blockIdx.y) * p.block_count;
  const int here = min(p.block_count, p.count - of_block) * of_column;
  if (t < here) {
    const int k = t / of_column, s = t % of_column;
    partial[static_cast<std::size_t>(of_block * of_column + t) * gridDim.x + blockIdx.x] =
        joined(k % p.groups, k / p.groups * of_column + s);
  } else if (const int s = t - here; s < other_sums<is_pair> && blockIdx.y == 0) {
    partial[static_cast<std::size_t>(p.count * of_column + s) * gridDim.x + blockIdx.x] =
        joined(0, warp_columns * of_column + s);
  }
}

/// Adds the sums of all thread blocks in a fixed order, in one of them. Four sums at a time, to overlap their loads.
template <bool is_pair, class T>
__device__ void finish_projections(const Projections<T>& p, const double* partial) {
  constexpr int of_column = sums_of_column<is_pair>, at_once = 4;
  __shared__ double others[2];
  const int count = p.count * of_column + other_sums<is_pair>;
  const unsigned lane = threadIdx.x % 32;
  for (int s = static_cast<int>(threadIdx.x / 32) * at_once; s < count; s += project_warps * at_once) {
    double mine[at_once] = {};
    for (unsigned x = lane; x < gridDim.x; x += 32) {
#pragma unroll
      for (int m = 0; m < at_once; ++m)
        if (s + m < count) mine[m] += __ldcg(partial + static_cast<std::size_t>(s + m) * gridDim.x + x);
    }
#pragma unroll
    for (int m = 0; m < at_once; ++m) {
      const double total = warp_sum(mine[m]);
      const int k = (s + m) / of_column;
      if (lane != 0 || s + m >= count) continue;
      if (k >= p.count) {
        others[s + m - p.count * of_column] = total;
      } else if ((s + m) % of_column == 0) {
        p.a[p.first + k] = static_cast<T>(total);
      } else {
        p.b[p.first + k] = static_cast<T>(total);
      }
    }
  }
  if constexpr (is_pair) {
    __syncthreads();
    Sums<2> products{};  // a . a and a . b
    for (int k = static_cast<int>(threadIdx.x); k < p.first + p.count; k += project_threads) {
      products.v[0] += product_of(p.a[k], p.a[k]);
      products.v[1] += product_of(p.a[k], p.b[k]);
    }
    products = cuda::block_sum(products);
    if (threadIdx.x == 0) detail::conclude(*p.step, products.v[0], products.v[1], others[0], others[1]);
  }
}

template <bool is_pair, class T>
__global__ void __launch_bounds__(project_threads)
    project_kernel(const __grid_constant__ Projections<T> p, cuda::Reduction to) {
  __shared__ bool last;
  cuda::pdl_trigger_and_wait();
  double sums[sums_of_warp<is_pair>] = {};
  add_products<is_pair>(p, sums);
  store_block_sums<is_pair>(p, sums, to.partial);
  __syncthreads();
  if (threadIdx.x == 0) last = cuda::arrives_last(to.arrived, gridDim.x * gridDim.y);
  __syncthreads();
  if (!last) return;
  finish_projections<is_pair>(p, to.partial);
  if (threadIdx.x == 0) *to.arrived = 0;
}

/// Launches the projections on `columns` columns, one launch for as many as there is room for sums.
template <bool is_pair, class T>
void launch_projections(const Cuda& space, int columns, Projections<T> p) {
  do {
    p.count = std::min(columns - p.first, launch_columns);
    const int height = std::max(1, (p.count + block_columns - 1) / block_columns);
    p.block_count = (p.count + height - 1) / height;
    p.groups =
        static_cast<int>(std::bit_ceil(static_cast<unsigned>((p.block_count + warp_columns - 1) / warp_columns)));
    const int room =
        Cuda::State::max_sums * Cuda::State::max_partial / (p.count * sums_of_column<is_pair> + other_sums<is_pair>);
    const std::size_t rows = static_cast<std::size_t>(project_warps / p.groups) * 32 * lane_rows;
    const auto most = static_cast<std::size_t>(std::min(room, space.multiprocessors()));
    const std::size_t width = std::clamp<std::size_t>((p.n + rows - 1) / rows, 1, most);
    cuda::launch(space, project_kernel<is_pair, T>, dim3(static_cast<unsigned>(width), static_cast<unsigned>(height)),
                 project_threads, 0, p, cuda::reduction(space, nullptr));
    p.first += p.count;
  } while (p.first < columns);
}

// Sums of columns. A thread has a row, and loads some columns at once.

constexpr int together = 12;  ///< columns
constexpr int blocks_of_multiprocessor = 4;

/// Calls use(k, V(i, k)) for k < columns.
template <class T, class Use>
__device__ void visit_columns(const Columns<T>& v, int columns, std::size_t n, std::size_t i, Use use) {
  int k = 0;
  for (int block = 0; k < columns; ++block) {
    const int end = v.width < columns - k ? k + v.width : columns;
    for (const T* column = v.blocks[block] + i; k < end; k += together, column += together * n) {
      T values[together];
#pragma unroll
      for (int m = 0; m < together; ++m) {
        if (k + m < end) values[m] = __ldcg(column + m * n);
      }
#pragma unroll
      for (int m = 0; m < together; ++m) {
        if (k + m < end) use(k + m, values[m]);
      }
    }
    k = end;
  }
}

/// w += sign V h
template <class T>
__global__ void __launch_bounds__(cuda::block_threads, blocks_of_multiprocessor)
    add_columns_kernel(const __grid_constant__ Columns<T> v, int columns, std::size_t n, const T* h, double sign,
                       T* w) {
  cuda::pdl_trigger_and_wait();
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * cuda::block_threads;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * cuda::block_threads + threadIdx.x; i < n; i += stride) {
    double sum = 0;
    visit_columns(v, columns, n, i, [&](int k, T value) { sum += product_of(h[k], value); });
    w[i] = static_cast<T>(w[i] + sign * sum);
  }
}

template <class T>
void add_columns(const Cuda& space, int columns, const Columns<T>& v, const T* h, double sign, Out<T> w) {
  cuda::launch(space, add_columns_kernel<T>, cuda::resident_blocks(space, w.size(), blocks_of_multiprocessor),
               cuda::block_threads, 0, v, columns, w.size(), h, sign, w.data());
}

/// Begins with the last rows: those are what project_kernel has left in the second-level cache.
template <class T>
__global__ void __launch_bounds__(cuda::block_threads, blocks_of_multiprocessor)
    orthogonalise_pair_kernel(const __grid_constant__ detail::OrthogonalisePair<T> p, cuda::Reduction to) {
  cuda::pdl_trigger_and_wait();
  const DelayedStep<T> step = *p.step;
  const double of_w = step.rho > 0 ? 1 / step.rho : 0, of_u = step.uu > 0 ? 1 / sqrt(step.uu) : 0;
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * cuda::block_threads;
  Sums<1> mine{};
  for (std::size_t k = static_cast<std::size_t>(blockIdx.x) * cuda::block_threads + threadIdx.x; k < p.n; k += stride) {
    const std::size_t i = p.n - 1 - k;
    double of_a = 0, of_b = 0;
    visit_columns(p.q, p.columns, p.n, i, [&](int c, T value) {
      of_a += product_of(p.a[c], value);
      of_b += product_of(p.b[c], value);
    });
    const T column = static_cast<T>((p.w[i] - of_a) * of_w);
    const T next = static_cast<T>((p.u[i] - of_b - step.qu * column) * of_u);
    p.w[i] = column;
    p.u[i] = next;
    mine.v[0] += abs2(next);
  }
  cuda::grid_sum(mine, to, [&](const Sums<1>& total) { p.finish(total); });
}

}  // namespace

template <class T>
void project(const Cuda& space, int columns, const Columns<T>& v, In<T> w, T* h) {
  if (columns > 0)
    launch_projections<false>(space, columns, Projections<T>{.v = v, .n = w.size(), .w = w.data(), .a = h});
}

template <class T>
void subtract(const Cuda& space, int columns, const Columns<T>& v, const T* h, Out<T> w) {
  add_columns(space, columns, v, h, -1, w);
}

template <class T>
void combine(const Cuda& space, int columns, const Columns<T>& v, const T* y, Out<T> x) {
  add_columns(space, columns, v, y, 1, x);
}

template <class T>
void project_pair(const Cuda& space, int columns, const Columns<T>& q, In<T> w, In<T> u, T* a, T* b,
                  DelayedStep<T>* step) {
  launch_projections<true>(
      space, columns,
      Projections<T>{.v = q, .n = w.size(), .w = w.data(), .u = u.data(), .a = a, .b = b, .step = step});
}

template <class T>
void orthogonalise_pair(const Cuda& space, int columns, const Columns<T>& q, const T* a, const T* b, Out<T> w, Out<T> u,
                        DelayedStep<T>* step) {
  const detail::OrthogonalisePair<T> p{columns, w.size(), q, a, b, w.data(), u.data(), step};
  cuda::launch(space, orthogonalise_pair_kernel<T>, cuda::resident_blocks(space, w.size(), blocks_of_multiprocessor),
               cuda::block_threads, 0, p, cuda::reduction(space, nullptr));
}

#define OSTINATO_INSTANTIATE(T)                                                                                \
  template void project<T>(const Cuda&, int, const Columns<T>&, In<T>, T*);                                    \
  template void subtract<T>(const Cuda&, int, const Columns<T>&, const T*, Out<T>);                            \
  template void combine<T>(const Cuda&, int, const Columns<T>&, const T*, Out<T>);                             \
  template void project_pair<T>(const Cuda&, int, const Columns<T>&, In<T>, In<T>, T*, T*, DelayedStep<T>*);   \
  template void orthogonalise_pair<T>(const Cuda&, int, const Columns<T>&, const T*, const T*, Out<T>, Out<T>, \
                                      DelayedStep<T>*)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);

}  // namespace ostinato
