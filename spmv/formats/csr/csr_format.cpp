// SPDX-FileCopyrightText: The Ostinato authors
// SPDX-License-Identifier: Apache-2.0
#include <ostinato/spmv/formats/csr/csr_format.hpp>

#include <cmath>
#include <cstdint>
#include <limits>

#include <ostinato/spmv/cost/host_cost.hpp>
#include <ostinato/spmv/cost/traffic.hpp>
#include <ostinato/spmv/formats/contract/define_entry.hpp>

namespace ostinato::formats {

namespace {

/// Share of the copy bandwidth that the kernel reaches. Short rows leave lanes idle; rows of uneven length wait for the
/// longest. The single longest row doesn't count, since whole thread blocks take a row that stands out.
double efficiency(const Structure& s) {
  const double even = s.mean_row < 16 ? 0.7 : 0.85;
  return s.deviation_without_longest_row() > 2 * s.mean_row ? 0.6 * even : even;
}

constexpr double host_task = 16384;  // entries and twice the rows of a task

}  // namespace

Cost csr_cost(const PlanInput& in, std::size_t value_bytes) {
  const Structure& s = in.structure;
  const Machine& m = in.machine;
  const double entries = static_cast<double>(s.nonzeros), value = static_cast<double>(value_bytes);
  const double pointer = s.nonzeros <= std::numeric_limits<std::int32_t>::max() ? 4 : 8;
  // The threads of one row gather x from more sectors than 32 threads of neighbouring rows do (H200, 2026-11).
  constexpr double gathered = 1.15;
  Cost c;
  c.bytes = static_cast<std::size_t>(entries * (value + sizeof(Index)) + pointer * (s.rows + 1.0));
  c.moved = static_cast<double>(c.bytes) + value * (static_cast<double>(s.rows) + s.cols);
  c.seconds = m.device ? m.latency + traffic_seconds(s, m, c.moved, efficiency(s), gathered)
                       : host_seconds(s, m, csr_host_kernel,
                                      {entries, double(s.rows), c.moved, (entries + 2.0 * s.rows) / host_task + 1});
  c.setup_seconds = m.latency + pointer * s.rows / m.bandwidth;
  return c;
}

OSTINATO_DEFINE_ENTRY(csr, CsrFormat)

}  // namespace ostinato::formats
