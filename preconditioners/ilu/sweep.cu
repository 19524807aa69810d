// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// A triangular sweep in one kernel. Some lanes share a row, and wait for each element that the row needs
// (waiting_rows.cuh).

#include <ostinato/preconditioners/ilu/sweep.hpp>
#include <ostinato/preconditioners/ilu/waiting_rows.cuh>
#include <ostinato/spmv/space/cuda/state.cuh>

namespace ostinato::detail {

namespace {

using cuda::Bits, cuda::look, cuda::unset;

constexpr int threads = 128;
constexpr int together = 4;  ///< elements that a lane looks at, before it waits for any of them

template <int Lanes, class T, class In, class Copy>
__global__ void __launch_bounds__(threads)
    sweep_kernel(SweepView<T> s, const In* in, T* out, Copy* copy, unsigned* ticket) {
  constexpr unsigned rows = threads / Lanes;
  const std::size_t i = std::size_t{cuda::begun_block(ticket)} * rows + threadIdx.x / Lanes;
  if (i >= s.rows) return;
  const unsigned lane = threadIdx.x % Lanes;
  const unsigned mask = cuda::lanes_of_row<Lanes>();
  const Offset end = s.row_ptr[i + 1];
  // What doesn't depend on other rows is read before the waiting: the rows that wait for this one wait for it, too.
  T sum = lane == 0 ? -s.scale[i] * static_cast<T>(in[s.source[i]]) : T{0};
  const Index target = s.target[i];
  for (Offset first = s.row_ptr[i] + lane; first < end; first += together * Lanes) {
    const T* element[together];
    T value[together];
    Bits<T> seen[together];
#pragma unroll
    for (int k = 0; k < together; ++k) {
      const Offset at = first + k * Lanes;
      value[k] = at < end ? s.val[at] : T{0};
      element[k] = at < end ? out + s.col[at] : nullptr;
    }
#pragma unroll
    for (int k = 0; k < together; ++k) seen[k] = element[k] == nullptr ? Bits<T>{0} : look(element[k]);
#pragma unroll
    for (int k = 0; k < together; ++k) {
      while (seen[k] == unset<T>) seen[k] = look(element[k]);
      sum += value[k] * cuda::from_bits(seen[k], T{});
    }
  }
  __syncwarp(mask);
#pragma unroll
  for (int step = Lanes / 2; step > 0; step /= 2) sum += __shfl_xor_sync(mask, sum, step);
  if (lane != 0) return;
  cuda::publish(out + target, -sum);
  if (copy != nullptr) copy[target] = static_cast<Copy>(-sum);
}

template <int Lanes, class T, class In, class Copy>
void launch_sweep(const Cuda& space, const SweepView<T>& s, const In* in, T* out, Copy* copy, unsigned* ticket) {
  constexpr std::size_t rows = threads / Lanes;
  const auto blocks = static_cast<unsigned>((s.rows + rows - 1) / rows);
  sweep_kernel<Lanes><<<blocks, threads, 0, space.stream()>>>(s, in, out, copy, ticket);
  OSTINATO_CUDA(cudaGetLastError());
}

}  // namespace

template <class T, class In, class Copy>
void run_sweep(const Cuda& space, const SweepView<T>& s, const In* in, T* out, Copy* copy, unsigned* ticket) {
  const OnDevice here(space);
  OSTINATO_CUDA(cudaMemsetAsync(out, 0xff, s.rows * sizeof(T), space.stream()));
  OSTINATO_CUDA(cudaMemsetAsync(ticket, 0xff, sizeof(unsigned), space.stream()));
  const double mean = static_cast<double>(s.entries) / static_cast<double>(s.rows);
  if (s.longest > 64) return launch_sweep<32>(space, s, in, out, copy, ticket);  // others wait for the longest rows
  if (mean <= 6) return launch_sweep<4>(space, s, in, out, copy, ticket);
  if (mean <= 12) return launch_sweep<8>(space, s, in, out, copy, ticket);
  if (mean <= 24) return launch_sweep<16>(space, s, in, out, copy, ticket);
  launch_sweep<32>(space, s, in, out, copy, ticket);
}

#define OSTINATO_INSTANTIATE(T, In, Copy) \
  template void run_sweep(const Cuda&, const SweepView<T>&, const In*, T*, Copy*, unsigned*);
OSTINATO_FOR_EACH_SWEEP(OSTINATO_INSTANTIATE)

}  // namespace ostinato::detail
