// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/analysis/profile_steps.hpp>
#include <ostinato/spmv/base/scalar.hpp>
#include <ostinato/spmv/space/cuda/parallel.cuh>
#include <ostinato/spmv/space/cuda/slot_atomic.cuh>
#include <ostinato/spmv/space/list.hpp>

namespace ostinato {

namespace {

using cuda::block_threads;
using Atomics = SlotAtomic<Cuda>;
using Distinct = detail::Distinct<Atomics>;

// These kernels add to counters that no kernel before them touches. The first kernel waits until the counters are
// cleared and the matrix is written, and only then lets the next kernel start. Kernels that don't follow another pass
// wait only at their end, so that they run at the same time (overlap.cuh, rule 2).

/// Builds a histogram in shared memory and adds its nonzero counts to `counts`.
template <int K, class F>
__global__ void __launch_bounds__(block_threads) histogram_kernel(std::size_t n, F f, int* counts) {
  __shared__ int here[K];
  if (F::follows) cuda::pdl_wait();
  cuda::pdl_trigger();
  for (int k = static_cast<int>(threadIdx.x); k < K; k += block_threads) here[k] = 0;
  __syncthreads();
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * block_threads;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * block_threads + threadIdx.x; i < n; i += stride)
    f(i, [&](int k, int v) { atomicAdd(here + k, v); });
  __syncthreads();
  for (int k = static_cast<int>(threadIdx.x); k < K; k += block_threads) {
    if (here[k] != 0) atomicAdd(counts + k, here[k]);
  }
  cuda::pdl_wait();
}

/// Adds up the longest rows of slices, of which a warp takes one after the other.
__global__ void __launch_bounds__(block_threads)
    length_kernel(const Offset* row_ptr, Index rows, detail::ProfileCounters* counters) {
  constexpr unsigned all_lanes = 0xffffffffu;
  constexpr int slice = static_cast<int>(Profile::slice_rows);
  static_assert(slice == 32);
  cuda::pdl_wait();  // for the clearing of the counters
  cuda::pdl_trigger();
  const int thread = static_cast<int>(threadIdx.x), lane = thread % slice;
  const Offset stride = static_cast<Offset>(gridDim.x) * block_threads;
  Offset widths = 0;
  for (Offset first = static_cast<Offset>(blockIdx.x) * block_threads + thread - lane; first < rows; first += stride) {
    const Offset row = first + lane;
    const int length = row < rows ? static_cast<int>(row_ptr[row + 1] - row_ptr[row]) : -1;
    widths += __reduce_max_sync(all_lanes, length);
  }
  if (lane == 0 && widths > 0) Atomics::add(&counters->slice_widths, widths);
}

/// Inspects every step-th value, `count` in all. A thread block stops when it knows that there are too many different
/// values and that some value isn't exact in float.
template <class T>
__global__ void __launch_bounds__(block_threads)
    value_kernel(const T* val, Offset count, Offset step, bool follows, detail::ProfileCounters* counters) {
  __shared__ Offset cache[Distinct::capacity];
  __shared__ int many, wide;
  if (follows) cuda::pdl_wait();
  cuda::pdl_trigger();
  const detail::InspectValues<Atomics, T> inspect{val, {counters->value_slots, &counters->values}};
  for (int s = static_cast<int>(threadIdx.x); s < Distinct::capacity; s += block_threads) cache[s] = 0;
  if (threadIdx.x == 0) {
    many = inspect.distinct.too_many() ? 1 : 0;
    wide = is_single<T> ? 1 : Atomics::load(&counters->wide);  // a float is always exact in float
  }
  __syncthreads();
  const Offset stride = static_cast<Offset>(gridDim.x) * block_threads;
  for (Offset i = static_cast<Offset>(blockIdx.x) * block_threads + threadIdx.x; i < count; i += stride) {
    const Offset k = i * step;
    const bool seek_wide = Atomics::load(&wide) == 0, seek_many = Atomics::load(&many) == 0;
    if (!seek_wide && !seek_many) break;
    if (seek_wide && !inspect.exact(k)) {
      atomicExch(&wide, 1);  // atomic, because racecheck reports a volatile store as a race
      Atomics::store(&counters->wide, 1);
    }
    if (seek_many && !inspect.add(k, cache)) atomicExch(&many, 1);
  }
  cuda::pdl_wait();
}

}  // namespace

namespace detail {

template <int K, class F>
void histogram(const Cuda& space, std::size_t n, F f, int* counts) {
  cuda::launch(space, histogram_kernel<K, F>, cuda::resident_blocks(space, n), block_threads, 0, n, f, counts);
}

void inspect_lengths(const Cuda& space, const Offset* row_ptr, Index rows, ProfileCounters* counters) {
  cuda::launch(space, length_kernel, cuda::resident_blocks(space, static_cast<std::size_t>(rows)), block_threads, 0,
               row_ptr, rows, counters);
}

/// Inspects a few thousand values first. Usually these already hold too many different values, and the second kernel
/// ends early. Otherwise very many threads would contend for the slots.
template <class T>
void inspect_values(const Cuda& space, const CsrView<T>& a, ProfileCounters* counters) {
  constexpr Offset few = 4096;
  const Offset count = a.nonzeros();
  const auto inspect = [&](Offset values, Offset step, bool follows) {
    cuda::launch(space, value_kernel<T>, cuda::resident_blocks(space, static_cast<std::size_t>(values)), block_threads,
                 0, a.val.data(), values, step, follows, counters);
  };
  if (count > few) inspect(few, count / few, false);
  inspect(count, 1, true);
}

}  // namespace detail

template <class T>
StartedProfile start_profile(const Cuda& space, const CsrView<T>& a, bool inspects_values) {
  return detail::start_profile_on(space, a, inspects_values);
}

#define OSTINATO_INSTANTIATE(T) template StartedProfile start_profile(const Cuda&, const CsrView<T>&, bool)
OSTINATO_FOR_VALUES(OSTINATO_INSTANTIATE);
#undef OSTINATO_INSTANTIATE

}  // namespace ostinato
