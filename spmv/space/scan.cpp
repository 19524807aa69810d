// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/space/scan.hpp>

#include <algorithm>
#include <numeric>
#include <vector>

#include <ostinato/spmv/space/host.hpp>

namespace ostinato {

void exclusive_scan(const Host& host, std::span<Offset> counts) {
  constexpr std::size_t block_size = 1 << 15;
  if (counts.empty()) return;
  counts.back() = 0;
  const auto block = [=](std::size_t b) {
    return counts.subspan(b * block_size, std::min(block_size, counts.size() - b * block_size));
  };
  std::vector<Offset> before((counts.size() + block_size - 1) / block_size);
  parallel_for(host, before.size(), [=, sums = before.data()](std::size_t b) {
    const auto mine = block(b);
    sums[b] = std::reduce(mine.begin(), mine.end(), Offset{0});
  });
  std::exclusive_scan(before.begin(), before.end(), before.begin(), Offset{0});
  parallel_for(host, before.size(), [=, sums = before.data()](std::size_t b) {
    const auto mine = block(b);
    std::exclusive_scan(mine.begin(), mine.end(), mine.begin(), sums[b]);
  });
}

}  // namespace ostinato
