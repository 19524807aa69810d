// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace ostinato::detail {

/// Parts of a vector whose sums a kernel joins by itself, at most.
inline constexpr int most_sum_parts = 16;

/// Where a kernel finds the sums of the blocks of a vector: in the parts of some ranks, one after the other.
template <class Result>
struct SumParts {
  int count = 0;
  const Result* sums[most_sum_parts] = {};
  unsigned blocks[most_sum_parts] = {};

  void add(const Result* of_rank, std::size_t length) {
    sums[count] = of_rank;
    blocks[count++] = static_cast<unsigned>(length);
  }
};

/// Threads that add up the blocks of a sum on a GPU: block b belongs to thread b % 256.
inline constexpr unsigned sum_lanes = 256;

/// What these threads find, with the same bits, from sums in host memory.
template <class Result>
Result sum_in_lanes(const Result* sums, std::size_t blocks) {
  constexpr unsigned warp = 32;
  Result lane[sum_lanes] = {}, of_warp[warp] = {};
  for (std::size_t b = 0; b < blocks; ++b) lane[b % sum_lanes] += sums[b];
  const auto add_up = [](Result* v) {
    for (unsigned d = warp / 2; d > 0; d /= 2)
      for (unsigned l = 0; l < d; ++l) v[l] += v[l + d];
    return v[0];
  };
  for (unsigned w = 0; w < sum_lanes / warp; ++w) of_warp[w] = add_up(lane + w * warp);
  return add_up(of_warp);
}

}  // namespace ostinato::detail
