// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/preconditioners/lanczos_in_cluster.hpp>

#include <ostinato/preconditioners/chebyshev_steps.hpp>
#include <ostinato/spmv/space/cuda/cluster.cuh>
#include <ostinato/spmv/space/cuda/lane_group.cuh>
#include <ostinato/spmv/space/cuda/reduction.cuh>

namespace ostinato::detail {

namespace {

constexpr unsigned threads = 1024;
constexpr Offset most_entries = Offset{1} << 18;
constexpr std::size_t most_bytes = std::size_t{96} << 10;  ///< of a vector, in shared memory

template <class T>
struct Lanczos {
  CsrPattern a;
  const T* val;
  const T* inverse;
  int steps;
  double sign;
  T *u, *before, *product;  ///< vectors
  double* slots;
  double* parts;  ///< the sums of the thread blocks: room for parts_of(steps), no place of which is used twice
};

constexpr int parts_of(int steps) { return static_cast<int>(cuda::cluster_blocks) * LanczosSlots::count(steps); }

/// The sums of `mine` over the cluster, the same bits in every thread. `first`: the slot of the first sum.
template <int K>
__device__ Sums<K> cluster_sum(Sums<K> mine, double* parts, int first) {
  mine = cuda::block_sum(mine);
  double* const of_sums = parts + first * static_cast<int>(cuda::cluster_blocks);
  if (threadIdx.x == 0) {
    for (int k = 0; k < K; ++k) of_sums[blockIdx.x * K + k] = mine.v[k];
  }
  cuda::wait_for_cluster();
  Sums<K> total{};
#pragma unroll
  for (unsigned b = 0; b < cuda::cluster_blocks; ++b) {
    for (int k = 0; k < K; ++k) total.v[k] += __ldcg(of_sums + b * K + k);
  }
  return total;
}

/// `Lanes` lanes share a row of A; the first of them has the row's elements of the vectors.
template <class T, int Lanes>
class ClusterLanczos {
 public:
  /// shared: room for a vector.
  __device__ ClusterLanczos(const Lanczos<T>& of, T* shared) : of_(of), shared_(shared) {}

  __device__ void run() {
    T *u = of_.u, *before = of_.before;
    const Sums<1> first = sum_of<1>(LanczosBegin<T>{of_.inverse, u, before});
    double square = leave(first, LanczosSlots::norm(0)).v[0], square_before = 0;
    for (int k = 0; k < of_.steps; ++k) {
      const double product = leave(multiply(u), LanczosSlots::product(k)).v[0];
      LanczosStep<T> step{k, of_.sign, nullptr, of_.inverse, of_.product, u, before};
      step.set(square, product, square_before);
      square_before = square;
      square = leave(sum_of<2>(step), LanczosSlots::norm(k + 1)).v[0];
      T* const next = before;
      before = u;
      u = next;
    }
  }

 private:
  static __device__ bool is_first_lane() { return cuda::LaneGroup<Lanes>::lane() == 0; }

  /// Calls f(i) for each row of the lanes, in all of them.
  template <class F>
  __device__ void each_row(F f) const {
    constexpr Offset groups = static_cast<Offset>(cuda::cluster_blocks) * threads / Lanes;
    const Offset mine = (static_cast<Offset>(blockIdx.x) * threads + threadIdx.x) / Lanes;
    for (Offset i = mine; i < of_.a.rows; i += groups) f(static_cast<std::size_t>(i));
  }

  /// The sums of f(i) over the rows of the thread.
  template <int K, class F>
  __device__ Sums<K> sum_of(const F& f) const {
    Sums<K> sums{};
    each_row([&](std::size_t i) {
      if (!is_first_lane()) return;
      sums += f(i);
    });
    return sums;
  }

  /// product = A u;  the sum is u . product
  __device__ Sums<1> multiply(const T* u) const {
    // Other multiprocessors have written to u: not from the first-level cache.
    for (Index i = static_cast<Index>(threadIdx.x); i < of_.a.rows; i += threads) shared_[i] = __ldcg(u + i);
    __syncthreads();
    Sums<1> dot{};
    each_row([&](std::size_t i) {
      T total = 0;
#pragma unroll 4
      for (Offset k = of_.a.row_ptr[i] + cuda::LaneGroup<Lanes>::lane(); k < of_.a.row_ptr[i + 1]; k += Lanes)
        total += of_.val[k] * shared_[of_.a.col[k]];
#pragma unroll
      for (int half = Lanes / 2; half > 0; half /= 2)
        total += __shfl_down_sync(cuda::LaneGroup<Lanes>::mask(), total, half, Lanes);
      if (!is_first_lane()) return;
      of_.product[i] = total;
      dot.v[0] += static_cast<double>(shared_[i]) * static_cast<double>(total);
    });
    return dot;
  }

  /// Sums up over the cluster, and leaves the sums in the slots from `first` on.
  template <int K>
  __device__ Sums<K> leave(const Sums<K>& mine, int first) const {
    const Sums<K> total = cluster_sum(mine, of_.parts, first);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
      for (int k = 0; k < K; ++k) of_.slots[first + k] = total.v[k];
    }
    return total;
  }

  const Lanczos<T>& of_;
  T* shared_;
};

template <class T, int Lanes>
__global__ void __launch_bounds__(threads) lanczos_kernel(const __grid_constant__ Lanczos<T> of) {
  extern __shared__ double2 room[];
  cuda::pdl_trigger_and_wait();
  ClusterLanczos<T, Lanes>(of, reinterpret_cast<T*>(room)).run();
}

}  // namespace

template <class T>
bool lanczos_in_cluster(const Cuda& space, const CsrView<T>& a, const Vector<Cuda, T>& inverse, int steps, double sign,
                        double* slots) {
  const std::size_t n = inverse.size(), bytes = n * sizeof(T);
  if (!space.state().overlaps || a.nonzeros() > most_entries || bytes > most_bytes || n == 0) return false;
  Vector<Cuda, T> u(space, n), before(space, n), product(space, n);
  Vector<Cuda, double> parts(space, static_cast<std::size_t>(parts_of(steps)));
  const Lanczos<T> all{pattern_of(a), a.val.data(),  inverse.data(), steps, sign,
                       u.data(),      before.data(), product.data(), slots, parts.data()};
  constexpr Offset long_row = 64;  // a lane takes several entries, whose loads overlap
  const auto kernel = a.nonzeros() < long_row * a.rows ? lanczos_kernel<T, 8> : lanczos_kernel<T, 32>;
  cuda::allow_shared(space, kernel, most_bytes);
  cuda::launch_cluster(space, kernel, cuda::cluster_blocks, threads, bytes, all);
  return true;
}

template bool lanczos_in_cluster(const Cuda&, const CsrView<float>&, const Vector<Cuda, float>&, int, double, double*);
template bool lanczos_in_cluster(const Cuda&, const CsrView<double>&, const Vector<Cuda, double>&, int, double,
                                 double*);

}  // namespace ostinato::detail
