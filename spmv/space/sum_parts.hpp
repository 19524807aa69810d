// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <ostinato/spmv/base/function.hpp>

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

/// Threads of a group, which adds up blocks of a sum on a GPU: each is a lane.
inline constexpr unsigned sum_lanes = 256;

/// Groups that share the blocks of a sum. Block b belongs to lane b % 256 of group b / 256 % groups. Up to eight blocks
/// a lane, one group takes less time than several that meet.
inline constexpr unsigned most_sum_groups = 32;
OSTINATO_FUNCTION constexpr unsigned sum_groups(std::size_t blocks) {
  return blocks <= 8 * sum_lanes ? 1 : most_sum_groups;
}

/// What the groups find, with the same bits, from sums in host memory.
template <class Result>
Result sum_in_lanes(const Result* sums, std::size_t blocks) {
  constexpr unsigned warp = 32;
  const auto add_up = [](Result* v) {
    for (unsigned d = warp / 2; d > 0; d /= 2)
      for (unsigned l = 0; l < d; ++l) v[l] += v[l + d];
    return v[0];
  };
  const unsigned groups = sum_groups(blocks);
  Result of_group[warp] = {};
  for (unsigned g = 0; g < groups; ++g) {
    Result lane[sum_lanes] = {}, of_warp[warp] = {};
    for (std::size_t b = g * sum_lanes; b < blocks; b += groups * sum_lanes)
      for (std::size_t l = 0; l < sum_lanes && b + l < blocks; ++l) lane[l] += sums[b + l];
    for (unsigned w = 0; w < sum_lanes / warp; ++w) of_warp[w] = add_up(lane + w * warp);
    of_group[g] = add_up(of_warp);
  }
  return add_up(of_group);
}

}  // namespace ostinato::detail
