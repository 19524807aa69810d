// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cub/device/device_scan.cuh>

#include <ostinato/spmv/space/cuda/state.cuh>
#include <ostinato/spmv/space/scan.hpp>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato {

void exclusive_scan(const Cuda& space, std::span<Offset> counts) {
  if (counts.empty()) return;
  const OnDevice here(space);
  space.zero(&counts.back(), sizeof(Offset));
  const auto scan = [&](void* scratch, std::size_t& bytes) {
    OSTINATO_CUDA(
        cub::DeviceScan::ExclusiveSum(scratch, bytes, counts.data(), counts.data(), counts.size(), space.stream()));
  };
  std::size_t bytes = 0;
  scan(nullptr, bytes);
  Vector<Cuda, char> scratch(space, std::max<std::size_t>(bytes, 1));
  scan(scratch.data(), bytes);
}

}  // namespace ostinato
