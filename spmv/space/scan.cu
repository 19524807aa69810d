// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_scan.cuh>

#include <ostinato/spmv/space/cuda/overlap.cuh>
#include <ostinato/spmv/space/scan.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

namespace {

constexpr int scan_threads = 1024, most_of_thread = 16;
/// The most counts that one thread block scans: one launch instead of a fill, two launches and a workspace.
constexpr std::size_t most_of_block = most_of_thread * scan_threads;

/// Each thread scans a run of neighbouring counts, which it loads at once. The last one isn't set.
__global__ void __launch_bounds__(scan_threads) scan_kernel(Offset* counts, int size) {
  using Scan = cub::BlockScan<Offset, scan_threads>;
  __shared__ typename Scan::TempStorage scratch;
  cuda::pdl_trigger_and_wait();
  const int length = (size + scan_threads - 1) / scan_threads, begin = static_cast<int>(threadIdx.x) * length;
  Offset count[most_of_thread], mine = 0, before = 0;
#pragma unroll
  for (int k = 0; k < most_of_thread; ++k) count[k] = k < length && begin + k < size - 1 ? counts[begin + k] : 0;
#pragma unroll
  for (int k = 0; k < most_of_thread; ++k) mine += count[k];
  Scan(scratch).ExclusiveSum(mine, before);
#pragma unroll
  for (int k = 0; k < most_of_thread; ++k) {
    if (k < length && begin + k < size) counts[begin + k] = before;
    before += count[k];
  }
}

}  // namespace

void exclusive_scan(const Cuda& space, std::span<Offset> counts) {
  if (counts.empty()) return;
  if (counts.size() <= most_of_block) {
    cuda::launch(space, scan_kernel, 1, scan_threads, 0, counts.data(), static_cast<int>(counts.size()));
    return;
  }
  const OnDevice here(space);
  space.zero(&counts.back(), sizeof(Offset));
  const auto scan = [&](void* scratch, std::size_t& bytes) {
    OSTINATO_CUB(
        cub::DeviceScan::ExclusiveSum(scratch, bytes, counts.data(), counts.data(), counts.size(), space.stream()));
  };
  std::size_t bytes = 0;
  scan(nullptr, bytes);
  Vector<Cuda, char> scratch(space, std::max<std::size_t>(bytes, 1));
  scan(scratch.data(), bytes);
}

}  // namespace ostinato
