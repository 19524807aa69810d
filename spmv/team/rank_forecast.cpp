// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/team/rank_forecast.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <ostinato/spmv/team/partition.hpp>

namespace ostinato {

namespace {

constexpr int reductions_of_cg = 3;  ///< p . A p, r . r and r . z

double reduction_seconds(int ranks, const RankNetwork& network) {
  return network.latency * std::ceil(std::log2(static_cast<double>(ranks)));
}

/// The first row of each rank, and the number of rows.
std::vector<Index> begins_of(std::span<const Offset> row_ptr, int ranks) {
  constexpr double of_row = Partition::entries_of_row;
  const Index rows = static_cast<Index>(row_ptr.size()) - 1;
  const double total = static_cast<double>(row_ptr.back()) + of_row * rows;
  std::vector<Index> begins = {0};
  for (Index i = 0; i < rows; ++i) {
    const double before = static_cast<double>(row_ptr[static_cast<std::size_t>(i)]) + of_row * i;
    while (static_cast<int>(begins.size()) < ranks && before >= total / ranks * static_cast<double>(begins.size()))
      begins.push_back(i);
  }
  begins.resize(static_cast<std::size_t>(ranks) + 1, rows);
  return begins;
}

}  // namespace

RankShare largest_share(std::span<const Offset> row_ptr, std::span<const Index> col, int ranks) {
  constexpr double of_row = Partition::entries_of_row;
  const std::vector<Index> begins = begins_of(row_ptr, ranks);
  const double total = static_cast<double>(row_ptr.back()) + of_row * begins.back();
  RankShare most{ranks, total > 0 ? 0.0 : 1.0, 0, 0};
  for (std::size_t r = 0; r + 1 < begins.size(); ++r) {
    const Index begin = begins[r], end = begins[r + 1];
    const Offset first = row_ptr[static_cast<std::size_t>(begin)], last = row_ptr[static_cast<std::size_t>(end)];
    std::vector<Index> ghosts;
    for (const Index column : col.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first)))
      if (column < begin || column >= end) ghosts.push_back(column);
    std::sort(ghosts.begin(), ghosts.end());
    ghosts.erase(std::unique(ghosts.begin(), ghosts.end()), ghosts.end());
    int neighbours = 0;
    for (std::size_t k = 0, owner = 0; k < ghosts.size(); ++k) {
      if (k > 0 && ghosts[k] < begins[owner + 1]) continue;
      while (ghosts[k] >= begins[owner + 1]) ++owner;
      ++neighbours;
    }
    if (total > 0)
      most.work = std::max(most.work, (static_cast<double>(last - first) + of_row * (end - begin)) / total);
    most.ghosts = std::max(most.ghosts, static_cast<Index>(ghosts.size()));
    most.neighbours = std::max(most.neighbours, neighbours);
  }
  return most;
}

RankForecast forecast(const RankShare& share, double alone, double product, std::size_t value_bytes,
                      const RankNetwork& network) {
  RankForecast f{share};
  f.work = alone * share.work;
  if (share.ranks == 1) return f;
  const double bytes = static_cast<double>(value_bytes) * static_cast<double>(share.ghosts);
  f.halo = network.latency * share.neighbours + bytes / network.bandwidth;
  f.exposed = std::max(0.0, f.halo - product * share.work);
  f.reductions = reductions_of_cg * reduction_seconds(share.ranks, network);
  return f;
}

double rows_that_pay(double row_seconds, const RankNetwork& network) {
  constexpr double gain = 1.3;
  return reductions_of_cg * reduction_seconds(2, network) / (row_seconds * (1 / gain - 0.5));
}

}  // namespace ostinato
