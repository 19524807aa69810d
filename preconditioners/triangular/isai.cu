// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0

// The rows of isai.hpp on Cuda, a warp each (isai_rows.hpp).

#include <ostinato/preconditioners/triangular/isai.hpp>
#include <ostinato/preconditioners/triangular/isai_rows.hpp>
#include <ostinato/spmv/space/cuda/launch.cuh>

namespace ostinato::detail {

namespace {

constexpr unsigned threads = 128, warp = 32;

struct Warp {
  __device__ static int lane() { return static_cast<int>(threadIdx.x % warp); }
  __device__ static constexpr int lanes() { return warp; }
  __device__ static void sync() { __syncwarp(); }
  __device__ static double minus_product(double a, double b, double c) { return __dsub_rn(a, __dmul_rn(b, c)); }
};

__global__ void __launch_bounds__(threads) invert_kernel(InverseRows rows, std::size_t first, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * (threads / warp) + threadIdx.x / warp;
  if (i < count) rows.invert(Warp{}, first + i);
}

}  // namespace

void invert_rows(const Cuda& space, const InverseRows& rows, std::size_t first, std::size_t count) {
  if (count == 0) return;
  constexpr std::size_t of_block = threads / warp;
  cuda::launch_in_order(space, invert_kernel, static_cast<unsigned>((count + of_block - 1) / of_block), threads, rows,
                        first, count);
}

}  // namespace ostinato::detail
