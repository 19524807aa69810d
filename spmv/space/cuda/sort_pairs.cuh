// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cub/device/device_radix_sort.cuh>

#include <ostinato/spmv/space/cuda/launch.cuh>
#include <ostinato/spmv/space/vector.hpp>

namespace ostinato::cuda {

/// Sorts values by keys up to `largest`, in the bits that these have: other bits of a key don't count, so that a key of
/// ones comes last. Values with the same key stay in order.
///
/// Exec      Enqueued.
template <class Key, class Value>
void sort_pairs(const Cuda& space, const Key* keys, Vector<Cuda, Key>& sorted_keys, const Value* values,
                Vector<Cuda, Value>& sorted_values, unsigned largest) {
  if (sorted_keys.size() == 0) return;
  const OnDevice here(space);
  const auto sort = [&](void* scratch, std::size_t& bytes) {
    OSTINATO_CUB(cub::DeviceRadixSort::SortPairs(
        scratch, bytes, keys, sorted_keys.data(), values, sorted_values.data(), static_cast<Offset>(sorted_keys.size()),
        0, std::max(1, static_cast<int>(std::bit_width(largest))), space.stream()));
  };
  std::size_t bytes = 0;
  sort(nullptr, bytes);
  Vector<Cuda, char> scratch(space, std::max<std::size_t>(bytes, 1));
  sort(scratch.data(), bytes);
}

}  // namespace ostinato::cuda
