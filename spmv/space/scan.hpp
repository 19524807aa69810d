// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <numeric>
#include <span>
#include <vector>

#include <ostinato/spmv/base/index.hpp>

namespace ostinato {

class Host;
class Cuda;

/// Exclusive prefix sum in place: counts[i] := counts[0] + ... + counts[i - 1]. Turns lengths into starting positions.
///
/// Shapes    n + 1 elements for n counts. The last element is ignored on entry and holds the total on return.
/// Exec      Cuda: enqueued; allocates and releases workspace on the stream. Host: in parallel over blocks. Other
///           spaces: the host adds up a copy.
void exclusive_scan(const Host& space, std::span<Offset> counts);
void exclusive_scan(const Cuda& space, std::span<Offset> counts);
template <class Space>
void exclusive_scan(const Space& space, std::span<Offset> counts) {
  if (counts.empty()) return;
  std::vector<Offset> sums(counts.size());
  space.download(sums.data(), counts.data(), counts.size_bytes());
  sums.back() = 0;
  std::exclusive_scan(sums.begin(), sums.end(), sums.begin(), Offset{0});
  space.upload(counts.data(), sums.data(), counts.size_bytes());
}

}  // namespace ostinato
